//! What becomes of one request.

use super::rule::{FaultKind, SECTOR_BYTES};
use crate::{Geometry, Nanos, Op, Request};

/// What becomes of one request: what the device is asked, what the caller is told, and when.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// What the device is asked; none where it never hears of the request.
    pub(super) below: Option<Request>,
    /// What the caller is told.
    pub(super) answer: Answer,
    /// Whether the caller is told anything.
    pub(super) hangs: bool,
    /// Later than the device was.
    pub(super) delay: Nanos,
    /// How long the queue pair stands still.
    pub(super) stall: Option<Nanos>,
    /// A random number to order requests by.
    pub(super) shuffle: Option<u64>,
    /// Which sectors are moved, where not all are.
    pub(super) moved: Option<Vec<bool>>,
    /// The byte in which a bit flips, and the bit as a mask.
    pub(super) flip: Option<(usize, u8)>,
    /// Whether a read gives the version before.
    pub(super) stale: bool,
    /// Whether an error kept the request from the device; a torn write gets there all the same.
    undone: bool,
    len: u32,
}

/// What the caller is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// What the device said, or that all is well where it was not asked.
    Truth,
    /// A negative result, whatever the device said.
    Errno(i32),
    /// That many bytes, if the device did as asked.
    Bytes(u32),
}

impl Outcome {
    /// Nothing goes wrong.
    pub(super) fn new(request: Request) -> Outcome {
        Outcome {
            below: Some(request),
            answer: Answer::Truth,
            hangs: false,
            delay: 0,
            stall: None,
            shuffle: None,
            moved: None,
            flip: None,
            stale: false,
            undone: false,
            len: if request.op == Op::Flush { 0 } else { request.len },
        }
    }

    /// Adds a fault.
    pub(super) fn befall(&mut self, kind: FaultKind, geometry: &Geometry, random: &mut fastrand::Rng) {
        match kind {
            FaultKind::Errno(errno) => (self.answer, self.undone) = (Answer::Errno(errno), true),
            FaultKind::ErrnoThoughDone(errno) => (self.answer, self.undone) = (Answer::Errno(errno), false),
            FaultKind::Short => self.shorten(random),
            FaultKind::Torn(part_sectors) => self.tear(part_sectors, random),
            FaultKind::Lost => self.below = None,
            FaultKind::Lie => {
                // A flush is not asked for; a durable write only not to be durable.
                self.below = self.below.filter(|below| below.op == Op::Write);
                self.below.iter_mut().for_each(|below| below.durable = false);
            }
            FaultKind::Misdirected => self.misdirect(geometry, random),
            FaultKind::Stale => self.stale = true,
            FaultKind::BitFlip => {
                self.flip = Some((random.usize(..self.len as usize), 1 << random.u32(..8)));
            }
            FaultKind::Delay(nanos) => self.delay = self.delay.saturating_add(nanos),
            FaultKind::Stall(nanos) => self.stall = Some(nanos),
            FaultKind::Hang => (self.hangs, self.below) = (true, None),
            FaultKind::Reorder => self.shuffle = Some(random.u64(..)),
            // The ledger sees to it, as it befalls later requests too.
            FaultKind::PowerCut { .. } => {}
        }
    }

    fn shorten(&mut self, random: &mut fastrand::Rng) {
        let sectors = self.len / SECTOR_BYTES;
        let moved = random.u32(1..sectors);
        self.answer = Answer::Bytes(moved * SECTOR_BYTES);
        self.moved = Some((0..sectors).map(|sector| sector < moved).collect());
    }

    /// Keeps some parts: at least one, and not all.
    fn tear(&mut self, part_sectors: u32, random: &mut fastrand::Rng) {
        let Some(below) = self.below else { return };
        let part_of = |sector: u32| {
            (below.offset / u64::from(SECTOR_BYTES) + u64::from(sector)) / u64::from(part_sectors)
        };
        let sectors = self.len / SECTOR_BYTES;
        let (first, last) = (part_of(0), part_of(sectors - 1));
        let mut kept: Vec<bool> = (first..=last).map(|_| random.bool()).collect();
        if kept.iter().all(|keep| *keep == kept[0]) {
            let one = random.usize(..kept.len());
            kept[one] = !kept[one];
        }
        self.moved = Some((0..sectors).map(|sector| kept[(part_of(sector) - first) as usize]).collect());
    }

    /// Anywhere else: of all places but the right one, each is as likely.
    fn misdirect(&mut self, geometry: &Geometry, random: &mut fastrand::Rng) {
        let block = u64::from(geometry.block_bytes);
        let Some(below) = &mut self.below else { return };
        let places = (geometry.capacity_bytes - u64::from(below.len)) / block;
        let place = random.u64(..places);
        let right = below.offset / block;
        below.offset = block * if place >= right { place + 1 } else { place };
    }

    /// After all faults were added.
    pub(super) fn settle(&mut self) {
        if self.undone && self.moved.is_none() {
            self.below = None;
        }
    }

    /// Power is gone. A write or trim that was in the air reaches the device, though not for certain.
    pub(super) fn lose_power(&mut self, silent: bool, in_the_air: bool) {
        self.below = self.below.filter(|_| in_the_air);
        self.below.iter_mut().for_each(|below| below.durable = false);
        self.answer = Answer::Errno(libc::EIO);
        self.hangs = silent;
    }

    /// What the caller is told where the device gave this result, or was not asked.
    pub(super) fn result(&self, below: Option<i32>) -> i32 {
        let truth = below.unwrap_or_else(|| i32::try_from(self.len).unwrap_or(i32::MAX));
        match self.answer {
            Answer::Errno(errno) => -errno,
            Answer::Bytes(bytes) if truth >= 0 => i32::try_from(bytes).unwrap_or(i32::MAX).min(truth),
            _ => truth,
        }
    }

    /// Whether the caller's bytes in the buffer must outlast the request below.
    pub(super) fn spoils_buffer(&self) -> bool {
        self.moved.is_some() || self.flip.is_some()
    }
}
