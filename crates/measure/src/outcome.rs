//! What a measurement comes to.

use leadline_profile::{Held, Limit, TimelineSample};

use crate::MeasureError;
use crate::curve::Curve;

/// What was measured, whether it ran to its end or not.
pub struct Outcome {
    /// The curves; empty points where nothing was measured.
    pub curves: Vec<Curve>,
    /// Epochs begun.
    pub epochs: u32,
    /// Device time spent measuring, seconds.
    pub measured_seconds: f64,
    /// Target length of the last epoch's slices, seconds.
    pub slice_seconds: f64,
    /// Throughput of every slice, from the start of measuring.
    pub timeline: Vec<TimelineSample>,
    /// Bytes read and written while measuring.
    pub traffic: (u64, u64),
    /// Why it ended before its time.
    pub stopped_by: Option<Stop>,
    /// Whether [`crate::Plan::write_budget`] shortened write slices, or left them out of some epochs.
    pub writes_shortened: bool,
    /// What kept intervals of advised numbers wide although the run went on past its budget.
    pub limited_by: Option<Limit>,
    /// A load that was held at the end.
    pub held: Option<Held>,
    /// Longest time that reads took to recover after writes, seconds, and whether they did within the
    /// washout's limit.
    pub washout: (f64, bool),
}

impl Outcome {
    /// Nothing measured.
    pub(crate) fn empty() -> Self {
        Outcome {
            curves: Vec::new(),
            epochs: 0,
            measured_seconds: 0.0,
            slice_seconds: 0.0,
            timeline: Vec::new(),
            traffic: (0, 0),
            stopped_by: None,
            writes_shortened: false,
            limited_by: None,
            held: None,
            washout: (0.0, true),
        }
    }
}

/// What an interrupted run had measured.
pub struct Earlier {
    /// Its curves.
    pub curves: Vec<Curve>,
    /// Epochs it began; the next is a new one.
    pub epochs: u32,
    /// Device time it spent measuring, seconds.
    pub measured_seconds: f64,
    /// Slices it ran.
    pub slices: u32,
}

/// Why a run ended before its time.
#[derive(Debug)]
pub enum Stop {
    /// Ctrl-C or SIGTERM.
    Cancelled,
    /// The device or the system failed.
    Failed(MeasureError),
    /// `--max-writes` was reached; reads went on.
    WritesSpent,
}
