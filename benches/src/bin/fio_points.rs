//! Point by point against fio: reads, writes and durable writes, random and sequential, at several depths.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use leadline_benches::{Load, head, pairs, row};

/// The points of a profile by Leadline and by fio, in turn. OVERWRITES the file.
#[derive(Parser)]
struct Args {
    /// A file that `leadline profile --keep-scratch` made; overwritten
    scratch: PathBuf,
    /// Requests in flight
    #[arg(long, value_delimiter = ',', default_value = "1,8,32,128")]
    depths: Vec<u32>,
    /// Bytes a request
    #[arg(long, default_value_t = 4096)]
    block_bytes: u32,
    /// Pairs a point
    #[arg(long, default_value_t = 3)]
    pairs: usize,
    /// Seconds a run
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    // Refuses whatever Leadline did not make; held, it keeps other runs away.
    let _ours = leadline_device::guard::open_file_for_writing(&args.scratch, false)?;
    println!("{}", head("point"));
    for (write, durable) in [(false, false), (true, false), (true, true)] {
        for sequential in [false, true] {
            for &depth in &args.depths {
                let load = Load { write, sequential, durable, block_bytes: args.block_bytes, depth };
                let runs = pairs(&args.scratch, load, args.seconds, args.pairs)?;
                println!("{}", row(&format!("{}, k = {depth}", load.name()), &runs));
            }
        }
    }
    Ok(())
}
