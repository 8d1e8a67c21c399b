//! A fault as the device keeps it: what happens, and to which requests.

use crate::payload::mix;
use crate::{Geometry, Nanos, Op, Request};

/// Bytes of the smallest part of a request that a fault treats differently from the rest.
pub(super) const SECTOR_BYTES: u32 = 512;

/// What goes wrong. [`super::Fault`] describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    Errno(i32),
    ErrnoThoughDone(i32),
    Short,
    /// In parts of that many sectors.
    Torn(u32),
    Lost,
    Lie,
    Misdirected,
    Stale,
    BitFlip,
    Delay(Nanos),
    Stall(Nanos),
    Hang,
    Reorder,
    PowerCut {
        silent: bool,
    },
}

/// A fault made by the functions of [`super::Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultRule {
    pub(super) kind: FaultKind,
    /// A bit for each operation; all where none is set.
    ops: u8,
    /// First byte, and the one after the last.
    pub(super) range: (u64, u64),
    pub(super) first: u64,
    pub(super) last: u64,
    /// Of 2^64; none where it befalls all.
    chance: Option<u64>,
    pub(super) seed: u64,
}

/// Everywhere, flushes included.
const ANYWHERE: (u64, u64) = (0, u64::MAX);

impl FaultRule {
    /// Befalls all requests that it can.
    pub(super) fn new(kind: FaultKind) -> FaultRule {
        FaultRule { kind, ops: 0, range: ANYWHERE, first: 0, last: u64::MAX, chance: None, seed: 0 }
    }

    /// Befalls the requests from the `first` to the `last`.
    pub(super) fn counted(kind: FaultKind, first: u64, last: u64) -> FaultRule {
        FaultRule { first, last, ..FaultRule::new(kind) }
    }

    pub(super) fn add_op(&mut self, op: Op) {
        let possible = self.kind.befalls(op);
        assert!(possible, "a fault that no {op:?} can have: {:?}", self.kind);
        self.ops |= 1 << op as u8;
    }

    pub(super) fn set_chance(&mut self, probability: f64) {
        // 2^64 itself does not fit; a probability of 1 is all of them.
        self.chance = (probability < 1.0).then_some((probability * 2f64.powi(64)) as u64);
    }

    /// Whether the rule counts this request.
    pub(super) fn counts(&self, request: &Request, geometry: &Geometry) -> bool {
        let op = self.kind.befalls(request.op) && (self.ops == 0 || self.ops & (1 << request.op as u8) != 0);
        op && self.touches(request) && self.kind.possible(request, geometry)
    }

    fn touches(&self, request: &Request) -> bool {
        let (start, end) = self.range;
        if request.op == Op::Flush {
            return self.range == ANYWHERE;
        }
        request.offset < end && start < request.offset + u64::from(request.len)
    }

    /// Whether it befalls the `nth` request that it counts, and if so, what its choices are made with.
    /// `place` is the rule's place among the device's faults, so that two of the same seed choose apart.
    pub(super) fn strikes(&self, nth: u64, place: usize) -> Option<fastrand::Rng> {
        if nth < self.first || nth > self.last {
            return None;
        }
        let mut random = fastrand::Rng::with_seed(mix(mix(mix(self.seed).wrapping_add(place as u64)) ^ nth));
        let hit = self.chance.is_none_or(|chance| random.u64(..) < chance);
        hit.then_some(random)
    }
}

impl FaultKind {
    /// Whether requests of this operation can have it.
    fn befalls(self, op: Op) -> bool {
        match self {
            FaultKind::Short | FaultKind::Misdirected | FaultKind::BitFlip => {
                matches!(op, Op::Read | Op::Write)
            }
            FaultKind::Torn(_) | FaultKind::Lost => op == Op::Write,
            FaultKind::Lie => matches!(op, Op::Write | Op::Flush),
            FaultKind::Stale => op == Op::Read,
            _ => true,
        }
    }

    /// Whether this request can have it, as far as its operation goes.
    fn possible(self, request: &Request, geometry: &Geometry) -> bool {
        match self {
            FaultKind::Short => request.len > SECTOR_BYTES,
            FaultKind::Torn(part_sectors) => parts(request, part_sectors) > 1,
            FaultKind::Lie => request.op == Op::Flush || request.durable,
            FaultKind::Misdirected => geometry.capacity_bytes > u64::from(request.len),
            _ => true,
        }
    }
}

/// Into how many parts of the device a request falls.
fn parts(request: &Request, part_sectors: u32) -> u64 {
    let part_bytes = u64::from(part_sectors * SECTOR_BYTES);
    let last = request.offset + u64::from(request.len) - 1;
    last / part_bytes - request.offset / part_bytes + 1
}
