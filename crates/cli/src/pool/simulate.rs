//! `leadline pool simulate`: what policies, ACE and cleaners cost over a trace.

use std::ffi::OsStr;
use std::num::NonZeroUsize;

use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::{Swept, SweptPool};
use leadline_profile::DeviceProfile;
use leadline_report::{render_figures, render_text};
use leadline_trace::{Format, STDIN};
use serde_json::{Value, json};

use super::device::{SimulatedDevice, advised_n};
use super::lists::{self, Batch, List};
use super::plan::{BatchSize, Cell, Dimensions, PoolSize};
use super::{outcome, sweep};
use crate::columns::ColumnArgs;
use crate::failure::Failure;
use crate::paths::{DeviceName, OutputPath, ProfileName, TraceName};
use crate::{messages, output, signals, source, values};

/// Simulate buffer pools over a trace, in all combinations of lists
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline pool simulate gen:paper-wis --frames 20640 --ace all \\
    --device sim:flash
  # Every policy, at two sizes
  leadline pool simulate trace.csv --frames 10000,50000 --policy all
  # Objects with sizes
  leadline pool simulate cluster52.csv.zst --cache-size 64M,1G \\
    --policy lru,sieve
  # Cleaners and clients on a drive by its published numbers, with a page
  leadline pool simulate 'gen:paper-ms?ops=500000' --frames 20640 \\
    --ace off,cow-x --cleaner off,1,auto --clients 1,4,16,64 \\
    --device device:p4510 --report pool.html

Without --device, pages are counted and nothing is timed: see `leadline docs pool-simulate`.")]
pub(super) struct Args {
    /// The trace: a file, - for standard input, or gen:NAME
    #[arg(value_name = "TRACE")]
    trace: TraceName,
    #[arg(long, value_name = "FORMAT", value_parser = values::format, help = values::formats_of("TRACE"))]
    format: Option<Format>,
    /// Replacement policies: lru, clock and others, or all
    #[arg(long, value_name = "P,..|all", value_parser = lists::policies, default_value = "lru")]
    policy: List<PolicyKind>,
    /// Pages to write back with a dirty victim: off (the victim alone), cow, cow-x, cow-e, cow-x-e
    #[arg(long, value_name = "MODE,..|all", value_parser = lists::aces, default_value = "off")]
    ace: List<Ace>,
    /// Pages written at once: 1 to 32768, auto (k_w of the device, k_w_90 of the profile), or adaptive (found
    /// by watching the device) [default: auto where k_w is known, else 8]
    #[arg(long, value_name = "N|auto|adaptive,..", value_parser = lists::batches)]
    n: Option<List<Batch>>,
    /// Background cleaner: off, its writes in flight (1 to 32768), or auto
    #[arg(long, value_name = "off|DEPTH|auto,..", value_parser = lists::cleaners, default_value = "off")]
    cleaner: List<Cleaner>,
    /// Clients that take the trace's operations in turn, 1 to 4096
    #[arg(long, value_name = "N,..", value_parser = lists::clients, default_value = "1")]
    clients: List<u32>,
    /// Size of the pool in pages
    #[arg(
        long,
        value_name = "N,..",
        value_parser = lists::frames,
        required_unless_present = "cache_bytes",
        conflicts_with = "cache_bytes"
    )]
    frames: Option<List<u32>>,
    /// Size of the cache, such as 1G, for a trace whose objects have sizes: objects are evicted until the
    /// next one fits
    #[arg(long = "cache-size", alias = "cache-bytes", value_name = "SIZE,..", value_parser = lists::cache_bytes, conflicts_with = "device")]
    cache_bytes: Option<List<u64>>,
    /// Size of a page, a power of two from 512 to 16M
    #[arg(long = "page-size", alias = "page-bytes", value_name = "SIZE", value_parser = lists::page, default_value = "4K")]
    page_bytes: u32,
    /// Time the pools on a simulated device: sim:NAME, sim:FILE.toml, or device:NAME (by published numbers)
    /// [default: count pages only]
    #[arg(long, value_name = "DEVICE")]
    device: Option<DeviceName>,
    /// Take k_w_90 (k_w in older profiles) for --n auto from this profile
    #[arg(long, value_name = "PROFILE")]
    profile: Option<ProfileName>,
    /// Reads in percent of the operations of a generated trace, 0 to 100
    #[arg(long, value_name = "PERCENT,..", value_parser = lists::read_shares)]
    read_share: Option<List<f64>>,
    /// Scale the device's write times so that one write takes as long as A reads, 0.01 to 1000
    #[arg(long, value_name = "A,..", value_parser = lists::alphas, requires = "device")]
    alpha_1: Option<List<f64>>,
    /// Pools simulated at the same time [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    /// Write the page (HTML), with charts, to this file, replacing it
    #[arg(long, alias = "output", short_alias = 'o', value_name = "FILE")]
    report: Option<OutputPath>,
    #[command(flatten)]
    columns: ColumnArgs,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    if let Some(path) = &args.report {
        output::check_writable(path)?;
    }
    let device =
        args.device.as_deref().map(|text| SimulatedDevice::open(text, args.page_bytes)).transpose()?;
    if let (Some(device), Some(name), Some(_)) = (&device, &args.device, &args.alpha_1) {
        device.takes_alpha_1(&name.to_string())?;
    }
    let mut notes: Vec<String> = device.iter().filter_map(|device| device.note.clone()).collect();
    let cells = plan(&args, device.as_ref(), &mut notes)?;
    check(&args, &cells, device.is_some())?;
    notes.iter().for_each(|note| messages::note(note));
    let cancel = signals::cancel_flag()?;
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get);
    let read_as = args.columns.read_as(args.format)?;
    let common = sweep::Common { read_as: &read_as, device: device.as_ref(), threads };
    let outcomes = sweep::run(&cells, &common, &cancel)?;

    // Each pool read the same lines.
    if let Some(outcome) = outcomes.first() {
        outcome.format.iter().for_each(|told| source::say_recognized(&args.trace, told));
        source::say_skipped(&outcome.skipped);
    }
    let documents: Vec<Value> = cells.iter().zip(&outcomes).map(|(c, o)| outcome::document(c, o)).collect();
    let pools = cells.iter().zip(outcomes);
    let pools = pools.map(|(cell, outcome)| SweptPool {
        outcome,
        read_share: cell.read_share,
        alpha_1: cell.alpha_1,
    });
    let swept = Swept {
        trace: args.trace.to_string(),
        device: args.device.as_ref().map(ToString::to_string),
        page_bytes: args.page_bytes,
        notes,
        pools: pools.collect(),
    };
    if let Some(path) = &args.report {
        let page = render_figures(&swept.page())?;
        output::write(path, &page)?;
        output::written("page", path);
    }
    if args.json {
        return output::print(&format!("{:#}\n", json_of(documents)));
    }
    output::print(&render_text(&swept.text(), output::width()))
}

/// One pool's outcome as it is, those of several in a list.
fn json_of(mut documents: Vec<Value>) -> Value {
    if documents.len() == 1 { documents.remove(0) } else { json!({ "cells": documents }) }
}

fn plan(
    args: &Args,
    device: Option<&SimulatedDevice>,
    notes: &mut Vec<String>,
) -> Result<Vec<Cell>, Failure> {
    let each = |values: &Option<List<f64>>| match values {
        Some(List(values)) => values.iter().copied().map(Some).collect(),
        None => vec![None],
    };
    let ns = batches(args, device)?;
    let sizes = sizes(args);
    let smallest = sizes.iter().map(|size| size.frames()).min().unwrap_or(1);
    if let Some(&most) =
        ns.iter().map(|w| w.n).max().as_ref().filter(|&&n| n > smallest && args.ace.0 != [Ace::Off])
    {
        notes
            .push(format!("n = {most} is more than a pool of {smallest} frames holds: there n = {smallest}"));
    }
    let dimensions = Dimensions {
        policies: args.policy.0.clone(),
        aces: args.ace.0.clone(),
        ns,
        cleaners: args.cleaner.0.clone(),
        clients: args.clients.0.clone(),
        sizes,
        read_shares: each(&args.read_share),
        alphas: each(&args.alpha_1),
    };
    dimensions.cells(&args.trace, args.page_bytes)
}

/// Of each pool, in pages or in bytes.
fn sizes(args: &Args) -> Vec<PoolSize> {
    let frames = args.frames.iter().flat_map(|List(frames)| frames.iter().copied().map(PoolSize::Frames));
    let bytes = args.cache_bytes.iter().flat_map(|List(bytes)| bytes.iter().copied().map(PoolSize::Bytes));
    frames.chain(bytes).collect()
}

/// Pages written at once, each value once.
fn batches(args: &Args, device: Option<&SimulatedDevice>) -> Result<Vec<BatchSize>, Failure> {
    let profile = args.profile.as_ref().map(|name| Ok::<_, Failure>((name, DeviceProfile::open(name)?)));
    let measured = match profile.transpose()? {
        Some((name, profile)) => Some(advised_n(&profile, &name.to_string(), args.page_bytes)?),
        None => None,
    };
    let known = measured.or_else(|| device.map(SimulatedDevice::writes_at_once));
    let mut ns = Vec::new();
    let default = List(vec![known.map_or(Batch::Pages(lists::DEFAULT_N), |_| Batch::Auto)]);
    for batch in &args.n.as_ref().unwrap_or(&default).0 {
        let missing = |reason: &str| Failure::Input(format!("--n {reason}"));
        let written = match *batch {
            Batch::Pages(n) => BatchSize { n, adaptive: false },
            Batch::Auto => {
                let reason = "auto: is the k_w of a device; name one with --device or --profile";
                BatchSize { n: known.ok_or_else(|| missing(reason))?, adaptive: false }
            }
            Batch::Adaptive if device.is_none() => {
                return Err(missing("adaptive: watches how fast a device writes; name one with --device"));
            }
            Batch::Adaptive => BatchSize { n: known.unwrap_or(lists::DEFAULT_N), adaptive: true },
        };
        if !ns.contains(&written) {
            ns.push(written);
        }
    }
    Ok(ns)
}

/// Finds what is wrong with the trace's name or a pool before any is simulated.
fn check(args: &Args, cells: &[Cell], timed: bool) -> Result<(), Failure> {
    if *args.trace == *STDIN {
        return match cells.len() {
            1 => Ok(()),
            pools => {
                let text = format!("-: each of the {pools} pools reads the trace once; put it into a file");
                Err(Failure::Input(text))
            }
        };
    }
    for cell in cells {
        cell.config.check().map_err(|error| Failure::Input(error.to_string()))?;
        if timed {
            cell.config.queue_shape().map_err(|error| Failure::Input(error.to_string()))?;
        }
    }
    let read_as = args.columns.read_as(args.format)?;
    let mut names: Vec<&OsStr> = cells.iter().map(|cell| cell.trace.as_os_str()).collect();
    names.dedup();
    for name in names {
        source::open_trace(name, &read_as)?;
    }
    Ok(())
}
