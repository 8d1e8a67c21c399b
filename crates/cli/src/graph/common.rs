//! The flags that all algorithms have, and what the engine is told of them.

use std::path::Path;

use leadline_device::parse_large_size;
use leadline_graph::Options;
use leadline_profile::ReadLimits;

use super::limits;
use crate::failure::Failure;
use crate::paths::{InputPath, ResultPath, WorkFolder};
use crate::signals;

/// What the engine may use.
#[derive(clap::Args)]
pub(super) struct EngineArgs {
    /// Most memory to use, such as 64M, for vertices, index, cache, buffers and output [default: a quarter of
    /// the machine's, at most 1G]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    memory: Option<u64>,
    /// Threads that read and compute, 1 to 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Reads in flight from all threads together, 1 to 4096 [default: 64]
    #[arg(long, alias = "depth", value_name = "K", conflicts_with = "profile")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    concurrency: Option<u32>,
    /// Take the reads in flight and their size from this profile of the device, and compare with its
    /// bandwidth
    #[arg(long, value_name = "PROFILE")]
    profile: Option<InputPath>,
}

/// The flags of every algorithm.
#[derive(clap::Args)]
pub(super) struct Common {
    /// The store of the graph, from `leadline graph import`
    #[arg(value_name = "STORE")]
    pub(super) store: InputPath,
    #[command(flatten)]
    engine: EngineArgs,
    /// Directory of temporary files, for vertices that do not fit into --memory [default: the store's]
    #[arg(long, value_name = "DIR")]
    temp: Option<WorkFolder>,
    /// Write the result to this file, replacing it, in the format of its ending, such as .csv or .parquet
    #[arg(short, long, value_name = "FILE")]
    output: Option<ResultPath>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Print the memory, the reads and the time that a run would take, and do nothing else; with --profile,
    /// also the time of the reads
    #[arg(long)]
    pub(super) estimate: bool,
    /// Runs, 1 to 1000; each finds the blocks that the previous one left in the cache
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) runs: u32,
}

impl Common {
    /// The file for the result, if one is wanted.
    pub(super) fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// The device's profile, if it was given.
    pub(super) fn profile(&self) -> Option<&Path> {
        self.engine.profile.as_deref()
    }

    pub(super) fn options(&self, device: Option<&ReadLimits>) -> Result<Options, Failure> {
        Ok(Options { temp: self.temp.as_deref().map(Path::to_owned), ..self.engine.options(device)? })
    }
}

impl EngineArgs {
    /// Those that the engine is given; without the device's limits, of the profile that was named.
    pub(super) fn options_of_profile(&self) -> Result<Options, Failure> {
        let device = self.profile.as_deref().map(limits::reads).transpose()?;
        self.options(device.as_ref())
    }

    fn options(&self, device: Option<&ReadLimits>) -> Result<Options, Failure> {
        let usual = Options::default();
        Ok(Options {
            memory: self.memory.unwrap_or(usual.memory),
            threads: self.threads.map_or(usual.threads, |threads| threads as usize),
            temp: None,
            limit: device.and_then(limits::operations),
            depth: self.concurrency.or(device.map(|device| device.depth)).unwrap_or(usual.depth),
            stop: Some(signals::cancel_flag()?),
        })
    }
}
