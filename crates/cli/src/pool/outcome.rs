//! From what a simulation gave to the JSON document and to what the report shows.

use leadline_pool::simulate::Outcome;
use leadline_report::PoolCell;
use serde_json::{Value, json};

use super::plan::Cell;

/// The outcome, and the dimensions that it does not know of.
pub(super) fn document(cell: &Cell, outcome: &Outcome) -> Value {
    let mut document = json!(outcome);
    if let Some(share) = cell.read_share {
        document["read_share_percent"] = json!(share);
    }
    if let Some(alpha_1) = cell.alpha_1 {
        document["alpha_1"] = json!(alpha_1);
    }
    document
}

pub(super) fn shown(cell: &Cell, outcome: Outcome) -> PoolCell {
    PoolCell {
        policy: outcome.policy,
        ace: outcome.ace,
        n: outcome.n,
        adaptive: outcome.adaptive,
        cleaner: outcome.cleaner,
        clients: outcome.clients,
        frames: outcome.frames,
        read_share: cell.read_share,
        alpha_1: cell.alpha_1,
        operations: outcome.operations,
        operations_writing: outcome.operations_writing,
        misses: outcome.misses,
        writes: outcome.writes,
        writes_by_cleaner: outcome.writes_by_cleaner,
        batches: outcome.batches,
        prefetches: outcome.prefetches,
        prefetches_used: outcome.prefetches_used,
        seconds: outcome.seconds,
        p99_us: outcome.latency_us.map(|latency| latency.p99),
        write_amplification: outcome.wear.map(|wear| wear.write_amplification),
        life_operations: outcome.wear.and_then(|wear| wear.life_operations),
    }
}
