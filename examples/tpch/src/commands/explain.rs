//! `tpch explain`: in which order the tables of a query are joined, and how each is reached.

use std::path::PathBuf;

use leadline_tpch::TpchError;
use leadline_tpch::database::Folder;
use leadline_tpch::explain::{Step, explain};

use super::shared::{QueryArgs, interrupt, print};

/// Prints the plans of queries: in which order tables are joined, and how each is reached
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The loaded folder
    folder: PathBuf,
    #[command(flatten)]
    queries: QueryArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), TpchError> {
    let folder = Folder::open(&args.folder, None)?;
    for (query, steps) in explain(&folder, &args.queries.queries(), args.queries.plans, &interrupt()?)? {
        let forced = query.is_forced() && args.queries.plans.name() == "paper";
        print(&format!("{query}, {} plan", if forced { "forced" } else { "MariaDB's" }))?;
        steps.iter().try_for_each(|step| print(&line(step)))?;
    }
    Ok(())
}

fn line(step: &Step) -> String {
    format!(
        "  {:<19}{:<13}{:<7}{:<12}{:>9} rows  {}",
        step.part.to_lowercase(),
        step.table,
        step.access,
        step.key.as_deref().unwrap_or("-"),
        step.rows,
        step.extra
    )
    .trim_end()
    .to_owned()
}
