//! The comparison as text.

use super::{Compared, OnDrive, agreement, ascending, median};
use crate::queries::Plans;

/// A query computes for the most part where this share of its time is computing on the slower drive.
const DOMINATES: f64 = 0.5;

/// Predicted seconds beside measured ones, in the order of the results.
pub fn lines(compared: &[Compared], devices: [&str; 2]) -> Vec<String> {
    let mut lines = vec![
        format!("1: {}   2: {}", devices[0], devices[1]),
        "Each drive's seconds are predicted from the traces of the other. Medians; (least to most) of the runs."
            .to_owned(),
        format!(
            "{:<6}{:<9}{:>26}{:>11}{:>7}{:>26}{:>11}{:>7}{:>10}{:>11}{:>11}",
            "query",
            "plan",
            "measured on 1, s",
            "predicted",
            "off",
            "measured on 2, s",
            "predicted",
            "off",
            "speed-up",
            "predicted",
            "computing"
        ),
    ];
    lines.extend(compared.iter().map(line));
    for (i, number) in ["1", "2"].iter().enumerate() {
        let errors = ascending(compared.iter().map(|of| of.on[i].error().abs()));
        let (most, half) = (errors.last().copied().unwrap_or(0.0), median(&errors));
        lines.push(format!(
            "Drive {number}: predictions are off by {:.1} % in the median, {:.1} % at most.",
            100.0 * half,
            100.0 * most
        ));
    }
    let order = agreement(compared);
    lines.push(format!(
        "Of {} pairs of queries whose speed-ups differ by more than their runs do, {} are predicted in order.",
        order.pairs, order.right
    ));
    let computes = |of: &&Compared| of.on.iter().map(|on| on.computing).fold(f64::NAN, f64::min) > DOMINATES;
    let named: Vec<String> = compared.iter().filter(computes).map(name).collect();
    lines.push(match named.is_empty() {
        true => "No query computes for more than half of its time on both drives.".to_owned(),
        false => format!("More than half of the time is computing on both drives: {}.", named.join(", ")),
    });
    lines
}

fn name(of: &Compared) -> String {
    match of.plans {
        Plans::Default => of.query.to_string(),
        Plans::Paper => format!("{} (the paper's plan)", of.query),
    }
}

fn line(of: &Compared) -> String {
    let drive = |on: &OnDrive| {
        let (least, most) = (on.seconds[0], on.seconds[on.seconds.len() - 1]);
        let measured = format!("{:.2} ({least:.2} to {most:.2})", on.measured());
        format!("{measured:>26}{:>11.2}{:>6.0}%", on.prediction(), 100.0 * on.error())
    };
    format!(
        "{:<6}{:<9}{}{}{:>9.2}x{:>10.2}x{:>10.0}%",
        of.query.to_string(),
        of.plans.name(),
        drive(&of.on[0]),
        drive(&of.on[1]),
        of.speedup(),
        of.predicted_speedup(),
        100.0 * of.on[0].computing
    )
}
