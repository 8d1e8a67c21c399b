//! The load generator against fio's io_uring engine: same file, depth and flags, in turn.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use leadline_benches::{Load, head, pairs, row};

/// 4K random reads by Leadline and by fio, in turn, and the ratios pair by pair.
#[derive(Parser)]
struct Args {
    /// A file that was written whole, or a block device; only read
    target: PathBuf,
    /// Requests in flight
    #[arg(long, value_delimiter = ',', default_value = "1,8,32,128")]
    depths: Vec<u32>,
    /// Pairs a depth
    #[arg(long, default_value_t = 7)]
    pairs: usize,
    /// Seconds a run
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    println!("{}", head("depth"));
    for &depth in &args.depths {
        let runs = pairs(&args.target, Load::random_reads(depth), args.seconds, args.pairs)?;
        println!("{}", row(&depth.to_string(), &runs));
    }
    Ok(())
}
