//! The comparison as text.

use super::{Placing, Way};

/// Each query at each size, and how often the winner was predicted.
pub fn lines(all: &[Placing]) -> Vec<String> {
    let mut lines = vec![
        "Seconds: predicted; measured, median (least to most). Copying tables is included, and simulated."
            .to_owned(),
    ];
    for placing in all {
        lines.push(String::new());
        let slow = &placing.slow;
        lines.push(format!(
            "{} ({} plan), slow drive alone: {}",
            placing.query,
            placing.plans.name(),
            cells(slow)
        ));
        lines.push(format!("{:>9}  {:<70}{:<60}{}", "size", "placement", "block cache", "winner"));
        for size in &placing.sizes {
            let winner = match size.is_predicted() {
                None => "not told apart",
                Some(true) => "as predicted",
                Some(false) => "NOT as predicted",
            };
            lines.push(format!(
                "{:>5} MiB  {:<70}{:<60}{winner}",
                size.fast_bytes >> 20,
                way(&size.placement),
                way(&size.cache)
            ));
        }
    }
    let verdicts: Vec<bool> =
        all.iter().flat_map(|of| &of.sizes).filter_map(super::Size::is_predicted).collect();
    let right = verdicts.iter().filter(|right| **right).count();
    lines.push(String::new());
    lines.push(format!(
        "Of {} comparisons, {} are told apart by their runs; in {right} of these the predicted winner won.",
        all.iter().map(|of| of.sizes.len()).sum::<usize>(),
        verdicts.len()
    ));
    lines
}

fn way(way: &Way) -> String {
    format!("{}: {}", way.what, cells(way))
}

fn cells(way: &Way) -> String {
    let (least, most) = (way.measured_seconds.first(), way.measured_seconds.last());
    match (least, most) {
        (Some(least), Some(most)) => {
            format!("{:.2}; {:.2} ({least:.2} to {most:.2})", way.predicted_seconds, way.measured())
        }
        _ => format!("{:.2}; not measured", way.predicted_seconds),
    }
}
