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
    /// Most memory for everything: vertices, index, cache, buffers, output [default: 1G, or a quarter of the
    /// machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    memory: Option<u64>,
    /// Threads that read and compute [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Reads in flight, of all threads together [default: 64]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with = "profile")]
    depth: Option<u32>,
    /// Take the reads in flight from the device's profile (leadline profile), and compare with its bandwidth
    #[arg(long, value_name = "PROFILE.json")]
    profile: Option<InputPath>,
}

/// The flags of every algorithm.
#[derive(clap::Args)]
pub(super) struct Common {
    /// The graph's store, made by leadline graph import
    #[arg(value_name = "STORE")]
    pub(super) store: InputPath,
    #[command(flatten)]
    engine: EngineArgs,
    /// Folder of temporary files, for what of the vertices --memory has no room for [default: the store's]
    #[arg(long, value_name = "FOLDER")]
    temp: Option<WorkFolder>,
    /// Write the result to this file (replaced if it exists), in the format of its ending
    #[arg(short, long, value_name = "FILE")]
    output: Option<ResultPath>,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Print what the run would need of memory, what it would read and about how long it would take, and do
    /// nothing else; with --profile the time of reading too
    #[arg(long)]
    pub(super) estimate: bool,
    /// Number of runs; blocks that one run has cached are there for the next
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
            depth: self.depth.or(device.map(|device| device.depth)).unwrap_or(usual.depth),
            stop: Some(signals::cancel_flag()?),
        })
    }
}
