//! `tpch predict`: seconds predicted from the other drive's traces, beside the measured ones.

use std::path::PathBuf;

use leadline_tpch::TpchError;
use leadline_tpch::predict::{compare, lines};
use leadline_tpch::run::RunResult;

use super::failure::say;
use super::shared::{interrupt, print};

/// Predicts the seconds of each query on one drive from its traces on the other, and compares them with the
/// measured ones
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A result of tpch run with --traces on one drive
    #[arg(value_name = "RESULT")]
    first: PathBuf,
    /// One on another drive; speed-ups are those of this one
    #[arg(value_name = "RESULT")]
    second: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<(), TpchError> {
    let results = [RunResult::load(&args.first)?, RunResult::load(&args.second)?];
    let compared = compare(&results, &interrupt()?, &mut |run| {
        say(&format!("predicting {} ({}) from {:.1} s", run.query, run.plans.name(), run.seconds));
    })?;
    let devices = [results[0].device.as_str(), results[1].device.as_str()];
    lines(&compared, devices).iter().try_for_each(|line| print(line))
}
