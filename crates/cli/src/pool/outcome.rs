//! From what a simulation gave to the JSON document.

use leadline_pool::simulate::Outcome;
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
