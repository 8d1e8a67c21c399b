//! `tpch compare`: measured access patterns beside the paper's.

use std::path::PathBuf;

use leadline_tpch::TpchError;
use leadline_tpch::compare::lines;
use leadline_tpch::run::RunResult;

use super::shared::print;

/// Prints tables 4, 5 and 6 of Yang, Li and Lilja (2020) beside the access patterns of runs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Results of tpch run with --plans default and --plans paper; with --traces for the repeat access rate
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), TpchError> {
    let results = args.results.iter().map(|path| RunResult::load(path)).collect::<Result<Vec<_>, _>>()?;
    lines(&results).iter().try_for_each(|line| print(line))
}
