//! Kinds of workloads: a model may be right for one and wrong for another.

use crate::Observation;

/// The kinds of workloads by which errors are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Reads alone.
    Reads,
    /// Writes alone.
    Writes,
    /// At least half of the pages are random accesses, r >= 50 %.
    Random,
    /// At most one in a hundred is, r <= 1 %.
    Sequential,
    /// Reads and writes together.
    Mixed,
    /// At most 4 requests in flight.
    LowConcurrency,
    /// At least 32 requests in flight.
    HighConcurrency,
}

impl Class {
    /// All, in the table's order.
    pub const ALL: [Class; 7] = [
        Class::Reads,
        Class::Writes,
        Class::Random,
        Class::Sequential,
        Class::Mixed,
        Class::LowConcurrency,
        Class::HighConcurrency,
    ];

    /// As in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Class::Reads => "reads",
            Class::Writes => "writes",
            Class::Random => "random",
            Class::Sequential => "sequential",
            Class::Mixed => "mixed",
            Class::LowConcurrency => "k <= 4",
            Class::HighConcurrency => "k >= 32",
        }
    }

    /// Whether an observation is of this kind.
    pub fn holds(self, o: &Observation) -> bool {
        use crate::OpKind::{Read, Write};
        let r = o.workload.random_accesses_per_page();
        match self {
            Class::Reads => o.workload.only() == Some(Read),
            Class::Writes => o.workload.only() == Some(Write),
            Class::Random => r >= 0.5,
            Class::Sequential => r <= 0.01,
            Class::Mixed => o.workload.only().is_none(),
            Class::LowConcurrency => o.concurrency() <= 4,
            Class::HighConcurrency => o.concurrency() >= 32,
        }
    }
}
