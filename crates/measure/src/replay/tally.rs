//! What is counted while a trace is replayed; constant memory.

use std::ops::AddAssign;

use leadline_device::Nanos;
use leadline_profile::replay::{Mapping, Moment, REPLAY_SCHEMA, Schedule, Side};
use leadline_profile::{Bin, Replay};
use leadline_trace::bins::DoublingBins;

use super::{Pace, ReplayPlan};
use crate::load::Recorder;
use crate::summary::latency;

/// Moments begin with about a millisecond: 2^20 ns.
const MOMENT_SHIFT: u32 = 20;

/// A request sent this much after its intended start was late.
const LATE: Nanos = 1_000_000;

/// Counts of one side.
#[derive(Default)]
struct Counts {
    latencies: Recorder,
    bytes: u64,
}

impl Counts {
    fn side(&self) -> Side {
        let bin = |(upper, count)| Bin { upper_us: upper as f64 / 1e3, count };
        Side {
            requests: self.latencies.count(),
            bytes: self.bytes,
            latency: (self.latencies.count() > 0)
                .then(|| latency(&self.latencies, self.latencies.mean() / 1e3)),
            histogram: self.latencies.bins().into_iter().map(bin).collect(),
        }
    }
}

/// What completed in a piece of time.
#[derive(Debug, Clone, Copy, Default)]
struct Piece {
    requests: u64,
    bytes: u64,
    latency_sum: u64,
    longest: Nanos,
}

impl AddAssign for Piece {
    fn add_assign(&mut self, other: Piece) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.latency_sum = self.latency_sum.saturating_add(other.latency_sum);
        self.longest = self.longest.max(other.longest);
    }
}

/// All counts of a replay. Times are device time from its start.
pub(super) struct Tally {
    sides: [Counts; 2],
    pub(super) mapping: Mapping,
    lateness: Recorder,
    late: u64,
    over_time: DoublingBins<Piece>,
    /// Last intended start.
    last_due: Nanos,
    /// Last completion.
    last_answer: Nanos,
}

impl Tally {
    pub(super) fn new() -> Self {
        Tally {
            sides: Default::default(),
            mapping: Mapping::default(),
            lateness: Recorder::new(),
            late: 0,
            over_time: DoublingBins::new(MOMENT_SHIFT),
            last_due: 0,
            last_answer: 0,
        }
    }

    /// A request that should have been sent at `due` was sent at `at`.
    pub(super) fn sent(&mut self, due: Nanos, at: Nanos) {
        let late_by = at.saturating_sub(due);
        self.lateness.record(late_by);
        self.late += u64::from(late_by > LATE);
        self.last_due = self.last_due.max(due);
    }

    /// A request completed.
    pub(super) fn completed(&mut self, write: bool, bytes: u64, latency: Nanos, at: Nanos) {
        let side = &mut self.sides[usize::from(write)];
        side.latencies.record(latency);
        side.bytes += bytes;
        self.over_time.add(at, Piece { requests: 1, bytes, latency_sum: latency, longest: latency });
        self.last_answer = self.last_answer.max(at);
    }

    /// Requests completed.
    pub(super) fn count(&self) -> u64 {
        self.sides.iter().map(|side| side.latencies.count()).sum()
    }

    pub(super) fn finish(self, plan: &ReplayPlan) -> Replay {
        let mut all = Counts::default();
        for side in &self.sides {
            all.latencies.merge(&side.latencies);
            all.bytes += side.bytes;
        }
        let schedule = matches!(plan.pace, Pace::Recorded(_)).then(|| self.schedule());
        Replay {
            schema: REPLAY_SCHEMA.to_owned(),
            pace: plan.pace.to_string(),
            page_bytes: plan.page_bytes,
            region: (plan.region.start, plan.region.len),
            seconds: self.last_answer as f64 / 1e9,
            reads: self.sides[0].side(),
            writes: self.sides[1].side(),
            all: all.side(),
            mapping: self.mapping,
            schedule,
            moment_seconds: self.over_time.width() as f64 / 1e9,
            over_time: self.over_time.iter().map(moment).collect(),
            ..Replay::default()
        }
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            planned_seconds: self.last_due as f64 / 1e9,
            late_share: self.late as f64 / self.lateness.count().max(1) as f64,
            p99_us: self.lateness.quantile(0.99) as f64 / 1e3,
            max_us: self.lateness.max() as f64 / 1e3,
            behind_seconds: self.last_answer.saturating_sub(self.last_due) as f64 / 1e9,
        }
    }
}

fn moment((begin, piece): (u64, Piece)) -> Moment {
    Moment {
        at_seconds: begin as f64 / 1e9,
        requests: piece.requests,
        bytes: piece.bytes,
        mean_us: piece.latency_sum as f64 / piece.requests.max(1) as f64 / 1e3,
        max_us: piece.longest as f64 / 1e3,
    }
}
