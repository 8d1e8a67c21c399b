//! The replacer: the replacement policy and the free frames. One lock guards it, which is never held over
//! I/O.

use super::config::PoolConfig;
use super::frames::FreeFrame;
use super::hit_log::Hit;
use super::reader_frames::ReaderFrames;
use crate::evict::Evictor;
use crate::policy::{Page, Policy};

/// What the lock guards; the table's words and the pages of frames change under it too.
pub(crate) struct Replacer {
    pub(super) evictor: Evictor<Box<dyn Policy>>,
    pub(crate) free: Vec<FreeFrame>,
    /// Hits on their way from the log to the policy; empty but for that moment.
    pub(super) noted: Vec<Hit>,
    /// Frames of failed loads that those who waited for them have yet to leave.
    pub(crate) failed_loads: u32,
    /// For when nothing can be written.
    pub(super) readers: ReaderFrames,
}

impl Replacer {
    pub(crate) fn new(policy: Box<dyn Policy>, config: &PoolConfig, mut free: Vec<FreeFrame>) -> Self {
        let readers = ReaderFrames::keep(free.drain(..config.kept_frames() as usize));
        let evictor = Evictor::new(policy, config.frames, config.ace, config.cleaner);
        Replacer { evictor, free, noted: Vec::new(), failed_loads: 0, readers }
    }

    /// A page was asked for that is not in memory; once per miss.
    pub(crate) fn missed(&mut self, page: Page) {
        self.evictor.missed(page);
    }
}
