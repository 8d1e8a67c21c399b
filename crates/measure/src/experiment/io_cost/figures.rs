//! What `io-cost` shows: the rates as a line of io.cost.model, and each over the rounds.

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{bandwidth, block, count, with_interval};
use leadline_profile::{IoCost, IoCostRate};
use serde::Serialize;

use crate::experiment::figures::{Line, said, table};

const AS_A_LINE: &str = "As a line of io.cost.model, behind the device's number:";

/// The rates as a line of io.cost.model, and what was not sustained.
pub(super) fn sentences(found: &IoCost) -> Vec<String> {
    let line = format!("{AS_A_LINE} {}", model(found));
    [vec![line], falls(found)].concat()
}

/// The rates that were not sustained, a sentence each.
fn falls(found: &IoCost) -> Vec<String> {
    let rates = found.rates();
    let fell = |(name, rate): &(&str, &IoCostRate)| {
        let before = rate_words(name, rate.before_fall?);
        Some(format!(
            "{name} fell from {before} to {}: only what stayed counts.",
            rate_words(name, rate.per_second)
        ))
    };
    rates.iter().filter_map(fell).collect()
}

/// Of each rate its name, the rate with its interval, and what it is of.
fn rate_rows(found: &IoCost) -> Vec<[String; 3]> {
    let row = |(name, rate): (&str, &IoCostRate)| {
        let value = with_interval(rate.per_second, rate.per_second_ci, |value| rate_words(name, value));
        [name.to_owned(), value, load_words(name, found)]
    };
    found.rates().map(row).into()
}

/// `ctrl=user model=linear rbps=633000000 rseqiops=…`
fn model(found: &IoCost) -> String {
    let rates = found.rates().map(|(name, rate)| format!(" {name}={:.0}", rate.per_second.floor()));
    format!("ctrl=user model=linear{}", rates.concat())
}

/// Bytes or requests per second, by the name of the rate.
fn rate_words(name: &str, per_second: f64) -> String {
    if name.ends_with("bps") { bandwidth(per_second) } else { format!("{} IOPS", count(per_second)) }
}

/// What a rate is of, in words.
fn load_words(name: &str, found: &IoCost) -> String {
    let op = if name.starts_with('r') { "reads" } else { "writes" };
    match &name[1..] {
        "bps" => format!("sequential {op} of {}, one at a time", block(found.large_bytes)),
        of => {
            let pattern = if of == "seqiops" { "sequential" } else { "random" };
            format!("{pattern} {op} of {}, {} at a time", block(found.small_bytes), found.small_concurrency)
        }
    }
}

pub(super) fn text(found: &IoCost) -> Vec<Part> {
    let row = |[name, rate, of]: [String; 3]| -> Line { (name, vec![Some(rate), Some(of)]) };
    let rows = rate_rows(found).into_iter().map(row).collect();
    let head = ["rate", "of"].map(str::to_owned).to_vec();
    let mut out = vec![table("Linux's io.cost.model", head, rows)];
    // To be pasted, and so not broken.
    out.extend([said(AS_A_LINE), Part::Line(model(found))]);
    out.extend(falls(found).into_iter().map(said));
    out
}

/// Each rate over the rounds, as shares of what is reported.
#[derive(Debug, Serialize)]
pub(super) struct CostChart {
    rates: Vec<CostLine>,
}

#[derive(Debug, Serialize)]
struct CostLine {
    name: &'static str,
    /// Bytes or requests per second.
    rate: f64,
    bytes: bool,
    /// The rate in each round.
    rounds: Vec<f64>,
}

impl CostChart {
    pub(super) fn new(found: &IoCost) -> CostChart {
        let line = |(name, rate): (&'static str, &IoCostRate)| CostLine {
            name,
            rate: round(rate.per_second),
            bytes: name.ends_with("bps"),
            rounds: rate.rounds.iter().map(|&rate| round(rate)).collect(),
        };
        CostChart { rates: found.rates().into_iter().map(line).collect() }
    }
}

#[cfg(test)]
mod tests {
    use leadline_profile::Procedure;

    use super::*;

    #[test]
    fn loads_are_told_by_the_names_of_their_rates() {
        let rate = IoCostRate::default;
        let found = IoCost {
            procedure: Procedure::default(),
            large_bytes: 128 << 20,
            small_bytes: 4096,
            small_concurrency: 64,
            rbps: rate(),
            rseqiops: rate(),
            rrandiops: rate(),
            wbps: rate(),
            wseqiops: rate(),
            wrandiops: rate(),
        };
        assert_eq!(load_words("rbps", &found), "sequential reads of 128M, one at a time");
        assert_eq!(load_words("wrandiops", &found), "random writes of 4K, 64 at a time");
        assert_eq!(load_words("rseqiops", &found), "sequential reads of 4K, 64 at a time");
    }
}
