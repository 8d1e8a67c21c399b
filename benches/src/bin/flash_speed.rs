//! How fast the flash simulator is, and how much memory it takes: flash operations per second of processor
//! time while it collects garbage, writes of the host while it does not, and a drive of 1 TB in its steady
//! state.

use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use leadline_device::{Completion, Request};
use leadline_sim::{DeviceModel, FlashModel, FlashSpec};
use nix::sys::resource::{UsageWho, getrusage};

/// Speed and memory of the flash simulator.
#[derive(Parser)]
struct Args {
    /// Requests of each case, millions
    #[arg(long, default_value_t = 4.0)]
    millions: f64,
    /// Only the cases with this in their name
    #[arg(long, default_value = "")]
    only: String,
    /// Times that each case is run
    #[arg(long, default_value_t = 3)]
    repeats: u32,
}

/// What is written or read.
#[derive(Clone, Copy)]
enum Load {
    RandomWrites,
    SequentialWrites,
    RandomReads,
}

struct Case {
    name: &'static str,
    /// Of the description.
    capacity: &'static str,
    state: &'static str,
    geometry: &'static str,
    load: Load,
}

const PAGES_4K: &str = "planes = 1\npages_per_block = 256\npage_bytes = \"4K\"";
const PAGES_16K: &str = "planes = 4\npages_per_block = 512\npage_bytes = \"16K\"";

const CASES: [Case; 6] = [
    Case {
        name: "collecting, 4K pages",
        capacity: "64G",
        state: "steady",
        geometry: PAGES_4K,
        load: Load::RandomWrites,
    },
    Case {
        name: "collecting, 4 planes of 16K pages",
        capacity: "64G",
        state: "steady",
        geometry: PAGES_16K,
        load: Load::RandomWrites,
    },
    Case {
        name: "sequential writes, 4K pages",
        capacity: "64G",
        state: "fresh",
        geometry: PAGES_4K,
        load: Load::SequentialWrites,
    },
    Case {
        name: "random writes to a fresh drive, 4 planes of 16K pages",
        capacity: "64G",
        state: "fresh",
        geometry: PAGES_16K,
        load: Load::RandomWrites,
    },
    Case {
        name: "random reads, 4K pages",
        capacity: "64G",
        state: "steady",
        geometry: PAGES_4K,
        load: Load::RandomReads,
    },
    Case {
        name: "1 TB, collecting, 4 planes of 16K pages",
        capacity: "931G",
        state: "steady",
        geometry: PAGES_16K,
        load: Load::RandomWrites,
    },
];

const DEPTH: u32 = 64;
const BLOCK: u32 = 4096;

fn main() -> Result<()> {
    let args = Args::parse();
    let requests = (args.millions * 1e6) as u64;
    println!(
        "case,write_amplification,million_requests_per_s,million_flash_operations_per_s,start_ms,start_mb,\
         bytes_per_programmed_page"
    );
    for _ in 0..args.repeats {
        for case in CASES.iter().filter(|case| case.name.contains(&args.only)) {
            run(case, requests)?;
        }
    }
    Ok(())
}

fn run(case: &Case, requests: u64) -> Result<()> {
    let text = format!(
        "kind = \"flash\"\ncapacity = \"{}\"\nover_provisioning = 0.07\nstate = \"{}\"\n\
         [geometry]\nchannels = 8\ndies_per_channel = 4\n{}\n\
         [timing]\nread_us = 60\nprogram_us = 600\nerase_us = 3000\nbus_mb_per_s = 800\n\
         [buffer]\nwrite = \"64M\"\nhit_us = 3\n",
        case.capacity, case.state, case.geometry
    );
    let spec = FlashSpec::parse(&text, case.name)?;
    let began = Instant::now();
    let mut model = FlashModel::new(&spec);
    let (start_ms, start_bytes) = (began.elapsed().as_secs_f64() * 1e3, model.memory_bytes());
    let blocks = spec.capacity / u64::from(BLOCK);
    let mut random = fastrand::Rng::with_seed(1);
    let (mut now, mut sent, mut completions) = (0, 0, Vec::<Completion>::new());
    let (began, before) = (processor_seconds()?, model.operations());
    let mut free: Vec<u32> = (0..DEPTH).collect();
    while sent < requests {
        for slot in free.drain(..) {
            let place = match case.load {
                Load::SequentialWrites => sent % blocks,
                Load::RandomWrites | Load::RandomReads => random.u64(..blocks),
            };
            let offset = place * u64::from(BLOCK);
            let request = match case.load {
                Load::RandomReads => Request::read(slot, offset, BLOCK),
                _ => Request::write(slot, offset, BLOCK),
            };
            model.arrive(&request, now);
            sent += 1;
        }
        while completions.is_empty() {
            now = model.next_completion().context("nothing in flight completes")?.max(now);
            model.advance(now, &mut completions);
        }
        free.extend(completions.drain(..).map(|completion| completion.slot));
    }
    let seconds = processor_seconds()? - began;
    let after = model.operations();
    let operations = after.total() - before.total();
    let amplified = model.wear().and_then(|wear| wear.write_amplification()).unwrap_or(0.0);
    let programmed = model.wear().map_or(0, |wear| wear.media_bytes / u64::from(BLOCK));
    let per_page = (model.memory_bytes() - start_bytes) as f64 / programmed.max(1) as f64;
    println!(
        "{},{amplified:.2},{:.2},{:.2},{start_ms:.1},{:.1},{per_page:.1}",
        case.name,
        sent as f64 / seconds / 1e6,
        operations as f64 / seconds / 1e6,
        start_bytes as f64 / 1e6,
    );
    Ok(())
}

/// What this thread has used: other programs on the machine do not count.
fn processor_seconds() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_THREAD)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
