//! `tpcc check`: is the database consistent?

use std::path::PathBuf;

use leadline_tpcc::check;
use leadline_tpcc::database::Database;
use serde_json::json;

use super::failure::Failure;
use super::shared::{PoolArgs, json, open, print};

/// Checks TPC-C's conditions of consistency 1 to 4, and every index against its table
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the database is
    #[arg(long)]
    dir: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pool: PoolArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (file, pages) = open(&args.dir, &args.pool)?;
    let found = check(&Database::open(&pages)?, &pages)?;
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    if args.json {
        json(&json!({ "consistent": lines.is_empty(), "inconsistencies": lines }))?;
    } else if lines.is_empty() {
        print("consistent: conditions 1 to 4 hold, and indexes and tables agree")?;
    } else {
        lines.iter().try_for_each(|line| print(line))?;
    }
    match lines.len() {
        0 => Ok(()),
        count => Err(Failure::Operation(format!("{}: {count} inconsistencies", file.path().display()))),
    }
}
