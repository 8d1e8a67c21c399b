//! Places that are read again and again: the `[disturb]` part of a description.

use leadline_device::Nanos;
use serde::{Deserialize, Serialize};

use super::pages;
use crate::checks::number;
use crate::error::Flaw;
use crate::nearest::nanos;
use crate::scramble::scramble;

/// Reading disturbs what is stored, so that the drive refreshes a place now and then, and the read waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XpointDisturb {
    /// Every that many reads of a page of 4 KiB it is refreshed, 2 to 1e9. A write counts as a refresh.
    pub reads: u32,
    /// Microseconds that the read which brings it about takes longer, 0 to 1e6.
    pub penalty_us: f64,
    /// Pages whose reads are counted, those read last, 4 to 4194304; default 65536. 16 bytes of memory each.
    #[serde(default = "default_pages")]
    pub pages: u32,
}

fn default_pages() -> u32 {
    65_536
}

impl XpointDisturb {
    pub(super) fn check(&self) -> Result<(), Flaw> {
        number("disturb.reads", self.reads, 2..=1_000_000_000, "reads")?;
        number("disturb.penalty_us", self.penalty_us, 0.0..=1e6, "microseconds")?;
        number("disturb.pages", self.pages, 4..=1 << 22, "pages")
    }
}

/// Pages that share a set; of them the one that was read longest ago makes room.
const WAYS: usize = 4;

/// No page has this number.
const NO_PAGE: u64 = u64::MAX;

/// Reads since the last refresh, of the pages read last.
pub(super) struct ReadCounts {
    /// Pages and their counts, each set in the order in which they were read, the last one first.
    sets: Vec<[(u64, u32); WAYS]>,
    reads: u32,
    penalty: Nanos,
}

impl ReadCounts {
    pub(super) fn new(spec: &XpointDisturb) -> Self {
        let sets = (spec.pages as usize).div_ceil(WAYS);
        ReadCounts {
            sets: vec![[(NO_PAGE, 0); WAYS]; sets],
            reads: spec.reads,
            penalty: nanos(spec.penalty_us),
        }
    }

    /// A read: how much longer it takes. Its pages are refreshed at the same time.
    pub(super) fn read(&mut self, offset: u64, len: u32) -> Nanos {
        let refreshed = pages(offset, len).fold(false, |any, page| self.read_page(page) | any);
        if refreshed { self.penalty } else { 0 }
    }

    /// A write: what it covers is as good as refreshed.
    pub(super) fn written(&mut self, offset: u64, len: u32) {
        for page in pages(offset, len) {
            let set = self.set(page);
            if let Some(known) = self.sets[set].iter_mut().find(|known| known.0 == page) {
                known.1 = 0;
            }
        }
    }

    fn read_page(&mut self, page: u64) -> bool {
        let set = self.set(page);
        let set = &mut self.sets[set];
        let known = set.iter().position(|known| known.0 == page);
        let count = known.map_or(0, |at| set[at].1) + 1;
        set[..=known.unwrap_or(WAYS - 1)].rotate_right(1);
        let refreshed = count == self.reads;
        set[0] = (page, if refreshed { 0 } else { count });
        refreshed
    }

    fn set(&self, page: u64) -> usize {
        (scramble(page) % self.sets.len() as u64) as usize
    }
}
