//! Kinds of workloads: a model may be right for one and wrong for another.

use crate::Observation;

/// The kinds of workloads by which errors are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkloadClass {
    /// Reads alone.
    Reads,
    /// Writes alone.
    Writes,
    /// At least half of the pages are random accesses, r >= 50 %.
    Random,
    /// At most one page in a hundred is a random access, r <= 1 %.
    Sequential,
    /// Reads and writes together.
    Mixed,
    /// At most 4 requests in flight.
    LowConcurrency,
    /// At least 32 requests in flight.
    HighConcurrency,
}

impl WorkloadClass {
    /// All classes, in the order of the tables.
    pub const ALL: [WorkloadClass; 7] = [
        WorkloadClass::Reads,
        WorkloadClass::Writes,
        WorkloadClass::Random,
        WorkloadClass::Sequential,
        WorkloadClass::Mixed,
        WorkloadClass::LowConcurrency,
        WorkloadClass::HighConcurrency,
    ];

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            WorkloadClass::Reads => "reads",
            WorkloadClass::Writes => "writes",
            WorkloadClass::Random => "random",
            WorkloadClass::Sequential => "sequential",
            WorkloadClass::Mixed => "mixed",
            WorkloadClass::LowConcurrency => "k <= 4",
            WorkloadClass::HighConcurrency => "k >= 32",
        }
    }

    /// Whether an observation is of this kind.
    pub fn holds(self, o: &Observation) -> bool {
        use leadline_profile::OpKind::{Read, Write};
        let r = o.workload.random_accesses_per_page();
        match self {
            WorkloadClass::Reads => o.workload.only() == Some(Read),
            WorkloadClass::Writes => o.workload.only() == Some(Write),
            WorkloadClass::Random => r >= 0.5,
            WorkloadClass::Sequential => r <= 0.01,
            WorkloadClass::Mixed => o.workload.only().is_none(),
            WorkloadClass::LowConcurrency => o.concurrency() <= 4,
            WorkloadClass::HighConcurrency => o.concurrency() >= 32,
        }
    }
}
