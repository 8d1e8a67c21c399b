//! Burst credit, as sentences and a table of the loads.

use leadline_profile::{Burst, BurstLoad};

use super::table::{Line, titled};
use super::wrap;
use crate::burst::{operation, summary};
use crate::format::{count, seconds};

pub(super) fn burst(burst: &Burst, width: usize) -> Vec<String> {
    let mut out = vec![wrap(&summary(burst).join(" "), width, "  ")];
    if burst.credit_ops.is_none() {
        return out;
    }
    let head = ["fell after", "beyond the baseline"].map(str::to_owned).to_vec();
    let row = |load: &BurstLoad| {
        let rested = match load.rest_seconds {
            0.0 => "at first".to_owned(),
            rest => format!("after {} of rest", seconds(rest)),
        };
        (rested, vec![load.fell_at_seconds.map(seconds), load.credit_ops.map(count)])
    };
    let rows: Vec<Line> = burst.loads.iter().map(row).collect();
    let title = format!("Loads of {}, {} in flight", operation(burst.operation), burst.concurrency);
    out.push(titled(&title, head, rows, width));
    out
}
