//! The link between host and drive.

use leadline_device::Nanos;

use super::HostLinkSpec;
use crate::nearest::nearest;

/// Data moves in pieces of this, bytes: the drive begins with the first before the last is there, and the
/// host gets the first while the drive still fetches the last.
const PIECE_BYTES: u32 = 4096;

/// One wire for each direction, or one for both; data passes in the order in which it is ready.
pub(super) struct Link {
    ns_per_byte: f64,
    duplex: bool,
    /// When the wires are free again: to the drive, to the host.
    free: [Nanos; 2],
}

impl Link {
    pub(super) fn new(spec: &HostLinkSpec) -> Self {
        let ns_per_byte = if spec.mb_per_s > 0.0 { 1e3 / spec.mb_per_s } else { 0.0 };
        Link { ns_per_byte, duplex: spec.duplex, free: [0; 2] }
    }

    /// When the first piece of `len` bytes that the host sends at `at` is at the drive, and when all is.
    pub(super) fn send_to_drive(&mut self, len: u32, at: Nanos) -> (Nanos, Nanos) {
        let begun = at.max(self.free[0]);
        let all = begun.saturating_add(self.time(len));
        self.occupy(0, all);
        (begun.saturating_add(self.time(len.min(PIECE_BYTES))), all)
    }

    /// When `len` bytes are at the host that the drive has from `first` on and to the last byte at `all`.
    pub(super) fn send_to_host(&mut self, len: u32, first: Nanos, all: Nanos) -> Nanos {
        let sent = first.max(self.free[1]).saturating_add(self.time(len));
        let done = sent.max(all.saturating_add(self.time(len.min(PIECE_BYTES))));
        self.occupy(1, done);
        done
    }

    fn occupy(&mut self, wire: usize, until: Nanos) {
        self.free[wire] = until;
        if !self.duplex {
            self.free = [until; 2];
        }
    }

    fn time(&self, len: u32) -> Nanos {
        nearest(self.ns_per_byte * f64::from(len))
    }
}
