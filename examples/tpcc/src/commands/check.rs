//! `tpcc check`: is the database consistent?

use std::path::PathBuf;

use leadline_tpcc::{check, place};
use serde_json::json;

use super::failure::Failure;
use super::shared::{IndexArgs, json, open, print};

/// Checks TPC-C's conditions of consistency 1 to 4, every index against its table, and every page
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the database is
    #[arg(long)]
    dir: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    index: IndexArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let found = check(&open(&args.dir, &args.index.options())?.0)?;
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    if args.json {
        json(&json!({ "consistent": lines.is_empty(), "inconsistencies": lines }))?;
    } else if lines.is_empty() {
        print("consistent: conditions 1 to 4 hold, indexes and tables agree, and every page is sound")?;
    } else {
        lines.iter().try_for_each(|line| print(line))?;
    }
    match lines.len() {
        0 => Ok(()),
        count => {
            let place = place::path(&args.dir);
            Err(Failure::Operation(format!("{}: {count} inconsistencies", place.display())))
        }
    }
}
