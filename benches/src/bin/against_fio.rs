//! The load generator against fio's io_uring engine: same file, depth and flags, in turn.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use leadline_benches::{Run, fio_reads, leadline_reads, median};

/// 4K random reads by Leadline and by fio, A B B A A B ..., and the ratios pair by pair.
#[derive(Parser)]
struct Args {
    /// A file that was written whole, or a block device
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
    println!(
        "| depth | Leadline IOPS | fio IOPS | IOPS ratio | Leadline CPU us/IO | fio CPU us/IO | CPU ratio |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for &depth in &args.depths {
        let mut pairs: Vec<(Run, Run)> = Vec::new();
        for i in 0..args.pairs {
            // Who goes first changes, so that neither always finds the disk as the other left it.
            let (ours, theirs) = if i % 2 == 0 {
                let ours = leadline_reads(&args.target, depth, args.seconds)?;
                (ours, fio_reads(&args.target, depth, args.seconds)?)
            } else {
                let theirs = fio_reads(&args.target, depth, args.seconds)?;
                (leadline_reads(&args.target, depth, args.seconds)?, theirs)
            };
            eprintln!(
                "depth {depth}: {:.0} {:.0} IOPS, {:.2} {:.2} us/IO",
                ours.iops, theirs.iops, ours.cpu_us_per_op, theirs.cpu_us_per_op
            );
            pairs.push((ours, theirs));
        }
        let column = |of: &dyn Fn(&(Run, Run)) -> f64| median(&pairs.iter().map(of).collect::<Vec<_>>());
        let whole = |[m, low, high]: [f64; 3]| format!("{m:.0} ({low:.0} to {high:.0})");
        let fine = |[m, low, high]: [f64; 3]| format!("{m:.2} ({low:.2} to {high:.2})");
        println!(
            "| {depth} | {} | {} | {} | {} | {} | {} |",
            whole(column(&|p| p.0.iops)),
            whole(column(&|p| p.1.iops)),
            fine(column(&|p| p.0.iops / p.1.iops)),
            fine(column(&|p| p.0.cpu_us_per_op)),
            fine(column(&|p| p.1.cpu_us_per_op)),
            fine(column(&|p| p.0.cpu_us_per_op / p.1.cpu_us_per_op)),
        );
    }
    Ok(())
}
