//! How a test says what goes wrong.

use std::ops::Range;

use super::rule::{FaultKind, FaultRule};
use crate::{Nanos, Op};

/// What goes wrong, and which requests it hits.
///
/// The functions from [`Fault::errno`] on make one that hits every matching request; [`Fault::on`],
/// [`Fault::within`], [`Fault::nth`], [`Fault::nths`], [`Fault::from`] and [`Fault::chance`] narrow that
/// down. Each fault counts the requests that pass `on` and `within`, from 0, over all queue pairs of the
/// device. Faults that hit the same request add up; where two contradict each other, the later one in the
/// list holds.
///
/// The four plain variants are shorthand that counts every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Request `nth` and all after it complete with this (positive) errno. The device under it still does
    /// them, and they take the time they take.
    FailFrom {
        /// The first to fail.
        nth: u64,
        /// For instance 5, EIO.
        errno: i32,
    },
    /// Request `nth` alone completes with this errno.
    FailOnce {
        /// The one to fail.
        nth: u64,
        /// For instance 28, ENOSPC.
        errno: i32,
    },
    /// Request `nth` and all after it never complete, nor do they reach the device.
    HangFrom {
        /// The first to hang.
        nth: u64,
    },
    /// When request `nth` is submitted, its queue pair completes nothing for `nanos`.
    Stall {
        /// The one that starts the stall.
        nth: u64,
        /// How long it lasts, on the device's clock.
        nanos: Nanos,
    },
    /// Made by the functions below.
    Rule(FaultRule),
}

/// What goes wrong.
impl Fault {
    /// The request completes with this (positive) errno and does not reach the device. With [`Fault::torn`]
    /// on the same write, it does so in part.
    pub fn errno(errno: i32) -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Errno(errno)))
    }

    /// EIO; see [`Fault::errno`].
    pub fn eio() -> Fault {
        Fault::errno(libc::EIO)
    }

    /// ENOSPC; see [`Fault::errno`].
    pub fn enospc() -> Fault {
        Fault::errno(libc::ENOSPC)
    }

    /// The request is done, in the time that it takes, and yet completes with this (positive) errno.
    pub fn errno_though_done(errno: i32) -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::ErrnoThoughDone(errno)))
    }

    /// A read or write moves fewer bytes than asked and says so: a random positive multiple of 512, from the
    /// front. The rest of a read's buffer stays as it was. Requests of 512 bytes are not hit.
    pub fn short() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Short))
    }

    /// A write completes as if all were well, but only some of its parts of `part_bytes` (at multiples of
    /// that on the device) reach the medium: at least one, and not all. Writes of one part are not hit.
    ///
    /// # Panics
    /// If `part_bytes` is not a multiple of 512.
    pub fn torn(part_bytes: u32) -> Fault {
        assert!(part_bytes > 0 && part_bytes.is_multiple_of(512), "parts of {part_bytes} bytes: not of 512");
        Fault::Rule(FaultRule::new(FaultKind::Torn(part_bytes / 512)))
    }

    /// A write completes as if all were well, and nothing reaches the medium.
    pub fn lost() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Lost))
    }

    /// A flush completes and makes nothing durable; a durable write is done as a plain one.
    pub fn lying_flush() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Lie))
    }

    /// A read or write goes to another, random place on the device.
    pub fn misdirected() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Misdirected))
    }

    /// A read gives what was there before the last write that came through this device; where there was none,
    /// what is there. Every write is preceded by a read of what it overwrites then.
    pub fn stale() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Stale))
    }

    /// One random bit flips: of a read, in the buffer alone; of a write, on the medium alone. For a bit that
    /// flips at rest, see [`crate::MemoryDevice::flip_bit`].
    pub fn bit_flip() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::BitFlip))
    }

    /// The request completes `nanos` later than it would, on the device's clock; others do not wait for it.
    pub fn delay(nanos: Nanos) -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Delay(nanos)))
    }

    /// When the request is submitted, its queue pair completes nothing for `nanos`.
    pub fn stall(nanos: Nanos) -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Stall(nanos)))
    }

    /// The request never completes, nor does it reach the device. Others do. To await it without a deadline
    /// is an error of [`crate::QueuePair::reap`], as no test would end otherwise.
    pub fn hang() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Hang))
    }

    /// Requests that are submitted together reach the device in random order, and what has completed is
    /// handed out in random order, some of it one [`crate::QueuePair::reap`] later than it might be.
    pub fn reorder() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::Reorder))
    }

    /// Power is lost when the request is submitted: it and all later ones fail with EIO, on every queue pair.
    /// Writes and trims that are submitted before anybody reaps were in the air: they reach the medium, not
    /// durably, so that a crash of the [`crate::MemoryDevice`] below decides what becomes of them. Nothing
    /// after that reaches the device.
    pub fn power_cut() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::PowerCut { silent: false }))
    }

    /// As [`Fault::power_cut`], but what fails there never completes here.
    pub fn silent_power_cut() -> Fault {
        Fault::Rule(FaultRule::new(FaultKind::PowerCut { silent: true }))
    }
}

/// Which requests it befalls.
impl Fault {
    /// Requests of this kind. Call it twice for two kinds.
    ///
    /// # Panics
    /// If the fault is of another kind of requests: no read is ever torn.
    pub fn on(self, op: Op) -> Fault {
        self.with(|rule| rule.add_op(op))
    }

    /// Reads, writes and trims of at least one byte of this range: a bad place on the device.
    pub fn within(self, bytes: Range<u64>) -> Fault {
        self.with(|rule| rule.range = (bytes.start, bytes.end))
    }

    /// The `nth` alone, from 0.
    pub fn nth(self, nth: u64) -> Fault {
        self.with(|rule| (rule.first, rule.last) = (nth, nth))
    }

    /// The `nth` (from 0) and all after it.
    pub fn from(self, nth: u64) -> Fault {
        self.with(|rule| (rule.first, rule.last) = (nth, u64::MAX))
    }

    /// The ones of this range, counted from 0.
    pub fn nths(self, nths: Range<u64>) -> Fault {
        self.with(|rule| (rule.first, rule.last) = (nths.start, nths.end.saturating_sub(1)))
    }

    /// Each of them with this probability, from 0 to 1.
    ///
    /// # Panics
    /// If it is not a probability.
    pub fn chance(self, probability: f64) -> Fault {
        assert!((0.0..=1.0).contains(&probability), "a probability of {probability}: not from 0 to 1");
        self.with(|rule| rule.set_chance(probability))
    }

    /// Where its random choices come from: 0 unless set.
    pub fn seed(self, seed: u64) -> Fault {
        self.with(|rule| rule.seed = seed)
    }

    fn with(self, change: impl FnOnce(&mut FaultRule)) -> Fault {
        let mut rule = self.rule();
        change(&mut rule);
        Fault::Rule(rule)
    }

    /// The fault written out.
    pub(super) fn rule(self) -> FaultRule {
        let rule = FaultRule::counted;
        match self {
            Fault::FailFrom { nth, errno } => rule(FaultKind::ErrnoThoughDone(errno), nth, u64::MAX),
            Fault::FailOnce { nth, errno } => rule(FaultKind::ErrnoThoughDone(errno), nth, nth),
            Fault::HangFrom { nth } => rule(FaultKind::Hang, nth, u64::MAX),
            Fault::Stall { nth, nanos } => rule(FaultKind::Stall(nanos), nth, nth),
            Fault::Rule(rule) => rule,
        }
    }
}
