//! The two states of a medium: what reads see, and what a power cut leaves.

use std::collections::VecDeque;
use std::sync::Arc;

use super::crash::{Survival, UnsyncedWrite};
use super::image::Image;

/// A medium. All queue pairs of a device share one behind a lock, so writes have one order.
#[derive(Clone, Default)]
pub(super) struct Medium {
    /// What reads see.
    pub(super) volatile: Image,
    /// What a power cut leaves for certain.
    pub(super) durable: Image,
    /// In the order in which they were done.
    unsynced: VecDeque<UnsyncedWrite>,
    /// Writes done so far.
    writes: u64,
}

/// What a flush covers: the writes done before this one was submitted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Horizon(u64);

impl Medium {
    /// Does a write.
    pub(super) fn write(&mut self, offset: u64, data: &[u8], durable: bool) {
        self.writes += 1;
        let write = UnsyncedWrite { sequence: self.writes, offset, data: Arc::from(data) };
        write.survive(&Survival::Whole, &mut self.volatile);
        if durable {
            write.survive(&Survival::Whole, &mut self.durable);
            // What is now under a durable write can no longer come back.
            self.unsynced.retain(|older| older.matters(&self.durable));
        } else {
            self.unsynced.push_back(write);
        }
    }

    /// Does a trim: zeros that no flush covers yet. Where nothing was written there are zeros already, so a
    /// long trim costs no memory there.
    pub(super) fn trim(&mut self, offset: u64, len: u32) {
        // All that is durable is in what reads see too.
        for stretch in self.volatile.written(offset, offset + u64::from(len)) {
            let zeros = vec![0; (stretch.end - stretch.start) as usize];
            self.write(stretch.start, &zeros, false);
        }
    }

    /// What a flush that is submitted now covers.
    pub(super) fn horizon(&self) -> Horizon {
        Horizon(self.writes)
    }

    /// Does a flush.
    pub(super) fn flush(&mut self, Horizon(last): Horizon) {
        while let Some(write) = self.unsynced.pop_front_if(|write| write.sequence <= last) {
            write.survive(&Survival::Whole, &mut self.durable);
        }
    }

    /// The writes that a power cut may lose, oldest first.
    pub(super) fn unsynced(&self) -> Vec<UnsyncedWrite> {
        self.unsynced.iter().cloned().collect()
    }

    /// The medium after a power cut that treats the unsynced writes so, oldest first.
    pub(super) fn crash(&self, mut choose: impl FnMut(&UnsyncedWrite) -> Survival) -> Medium {
        let mut left = self.durable.clone();
        for write in &self.unsynced {
            write.survive(&choose(write), &mut left);
        }
        Medium { volatile: left.clone(), durable: left, unsynced: VecDeque::new(), writes: self.writes }
    }

    /// Changes what lies from `offset` on behind everybody's back, in every version that is or may be on the
    /// medium.
    pub(super) fn tamper(&mut self, offset: u64, change: impl Fn(&mut u8)) {
        self.volatile.tamper(offset, &change);
        self.durable.tamper(offset, &change);
        for write in &mut self.unsynced {
            let byte = offset.checked_sub(write.offset).and_then(|at| usize::try_from(at).ok());
            if byte.is_some_and(|at| at < write.data.len()) {
                let mut data = write.data.to_vec();
                byte.into_iter().for_each(|at| change(&mut data[at]));
                write.data = data.into();
            }
        }
    }
}
