//! Reads of what was just written: the `[settle]` part of a description.

use leadline_device::Nanos;
use serde::{Deserialize, Serialize};

use super::pages;
use crate::checks::number;
use crate::error::Flaw;
use crate::nearest::nanos;
use crate::scramble::scramble;

/// After a write, a part of the medium cannot be read for some time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XpointSettle {
    /// Microseconds after a write until its bank can be read, 0.001 to 1e6. Writes do not wait.
    pub us: f64,
    /// Parts of the medium, 1 to 65536; a page is in one of them.
    pub banks: u32,
}

impl XpointSettle {
    pub(super) fn check(&self) -> Result<(), Flaw> {
        number("settle.us", self.us, 0.001..=1e6, "microseconds; leave [settle] out for none")?;
        number("settle.banks", self.banks, 1..=65_536, "banks")
    }
}

/// When each bank can be read again.
pub(super) struct Banks {
    readable: Vec<Nanos>,
    settle: Nanos,
}

impl Banks {
    pub(super) fn new(spec: &XpointSettle) -> Self {
        Banks { readable: vec![0; spec.banks as usize], settle: nanos(spec.us) }
    }

    /// A write ends at `done`.
    pub(super) fn written(&mut self, offset: u64, len: u32, done: Nanos) {
        let readable = done.saturating_add(self.settle);
        for page in pages(offset, len).take(self.most_pages()) {
            let bank = self.bank(page);
            self.readable[bank] = self.readable[bank].max(readable);
        }
    }

    /// When all of this can be read.
    pub(super) fn readable(&self, offset: u64, len: u32) -> Nanos {
        let pages = pages(offset, len).take(self.most_pages());
        pages.map(|page| self.readable[self.bank(page)]).max().unwrap_or(0)
    }

    /// A longer request touches as good as all banks with its first pages: so it costs no more than those.
    fn most_pages(&self) -> usize {
        16 * self.readable.len()
    }

    fn bank(&self, page: u64) -> usize {
        (scramble(page) % self.readable.len() as u64) as usize
    }
}
