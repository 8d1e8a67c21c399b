//! What ACE and a background cleaner gain in virtual time: every policy, the paper's four traces, five
//! devices, 1 to 64 clients. Prints each cell as CSV, then what is to be learnt from them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Result, ensure};
use clap::Parser;
use leadline_device::Device as _;
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::{Config, simulate};
use leadline_sim::{Parametric, ParametricSpec};

/// Virtual time of base, ACE, cleaners and the best mode.
#[derive(Parser)]
struct Args {
    /// Devices, by letter
    #[arg(long, value_delimiter = ',', default_value = "a,b,c,d,e")]
    devices: Vec<String>,
    /// Traces: the paper's, or a file
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "gen:paper-ms,gen:paper-wis,gen:paper-ris,gen:paper-mu"
    )]
    traces: Vec<String>,
    /// Policies [default: all]
    #[arg(long, value_delimiter = ',')]
    policies: Vec<String>,
    /// Clients
    #[arg(long, value_delimiter = ',', default_value = "1,4,16,64")]
    clients: Vec<u32>,
    /// Pages of the pool
    #[arg(long, default_value_t = 20_000)]
    frames: u32,
}

/// Service times in microseconds and servers, of reads and of writes.
struct Bench {
    letter: &'static str,
    read: (f64, u32),
    write: (f64, u32),
}

const DEVICES: [Bench; 5] = [
    Bench { letter: "a", read: (80.0, 80), write: (224.0, 8) },
    Bench { letter: "b", read: (12.4, 80), write: (19.6, 8) },
    Bench { letter: "c", read: (100.0, 25), write: (130.0, 9) },
    Bench { letter: "d", read: (6.8, 6), write: (7.6, 5) },
    Bench { letter: "e", read: (80.0, 1), write: (224.0, 1) },
];

/// The last is our best mode.
const MODES: [&str; 7] = ["base", "cow", "cow-x", "cleaner 1", "cleaner k_w", "cleaner auto", "best"];

fn mode(name: &str, k_w: u32) -> (Ace, Cleaner) {
    match name {
        "base" => (Ace::Off, Cleaner::Off),
        "cow" => (Ace::Cow, Cleaner::Off),
        "cow-x" => (Ace::CowX, Cleaner::Off),
        "cleaner 1" => (Ace::Off, Cleaner::Depth(1)),
        "cleaner k_w" => (Ace::Off, Cleaner::Depth(k_w)),
        "cleaner auto" => (Ace::Off, Cleaner::Auto),
        _ => (Ace::CowX, Cleaner::Auto),
    }
}

#[derive(Clone)]
struct Cell {
    device: &'static str,
    trace: String,
    policy: PolicyKind,
    clients: u32,
    seconds: Vec<f64>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let policies: Vec<PolicyKind> = match &args.policies[..] {
        [] => PolicyKind::ALL.to_vec(),
        names => names.iter().filter_map(|name| PolicyKind::parse(name)).collect(),
    };
    let mut cells = Vec::new();
    for device in DEVICES.iter().filter(|d| args.devices.iter().any(|name| name == d.letter)) {
        for trace in &args.traces {
            for &policy in &policies {
                for &clients in &args.clients {
                    let (device, trace) = (device.letter, trace.clone());
                    cells.push(Cell { device, trace, policy, clients, seconds: Vec::new() });
                }
            }
        }
    }
    ensure!(!cells.is_empty(), "no such device or policy");
    let done = run_all(cells, args.frames)?;
    summary(&done);
    Ok(())
}

/// All cells, on all processors; printed as they come.
fn run_all(cells: Vec<Cell>, frames: u32) -> Result<Vec<Cell>> {
    println!("device,trace,policy,clients,{},misses_best,writes_best", MODES.join(","));
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<()> {
        while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
            let cell = run(cell, frames)?;
            done.lock().expect("nobody panics").push(cell);
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| -> Result<()> {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    Ok(done.into_inner()?)
}

fn run(cell: &Cell, frames: u32) -> Result<Cell> {
    let device = DEVICES.iter().find(|d| d.letter == cell.device).expect("made from this list");
    let (mut cell, mut last) = (cell.clone(), (0, 0));
    for name in MODES {
        let (ace, cleaner) = mode(name, device.write.1);
        let config = Config::new(4096, frames)
            .policy(cell.policy)
            .ace(ace)
            .n(device.write.1)
            .cleaner(cleaner)
            .clients(cell.clients);
        let queue = simulated(device)?.queue_pair(config.queue_shape()?)?;
        let mut trace = leadline_trace::open(&cell.trace)?;
        let outcome = simulate(&mut trace, &config, Some(queue), &AtomicBool::new(false))?;
        cell.seconds.push(outcome.seconds.unwrap_or(0.0));
        last = (outcome.misses, outcome.writes);
    }
    let seconds: Vec<String> = cell.seconds.iter().map(|s| format!("{s:.4}")).collect();
    let Cell { device, trace, policy, clients, .. } = &cell;
    println!("{device},{trace},{},{clients},{},{},{}", policy.name(), seconds.join(","), last.0, last.1);
    Ok(cell)
}

fn simulated(device: &Bench) -> Result<Parametric> {
    let text = format!(
        "description = \"of the table\"\nclass = \"flash ssd\"\nsource = \"service times and servers\"\nkind = \
         \"parametric\"\ncapacity = \"64G\"\n[read]\nservice_us = {}\nservers = {}\n[write]\nservice_us = {}\nservers \
         = {}\n",
        device.read.0, device.read.1, device.write.0, device.write.1
    );
    Ok(ParametricSpec::parse(&text, device.letter)?.device())
}

fn summary(cells: &[Cell]) {
    let mut groups: BTreeMap<(&str, &str, u32), Vec<&Cell>> = BTreeMap::new();
    for cell in cells {
        groups.entry((cell.device, &cell.trace, cell.clients)).or_default().push(cell);
    }
    println!(
        "\n| device | trace | clients | base / COW | base / COW-X | base / best | cleaner 1 / best | best / best other |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for ((device, trace, clients), cells) in &groups {
        let range = |of: &dyn Fn(&[f64]) -> f64| {
            let mut all: Vec<f64> = cells.iter().map(|cell| of(&cell.seconds)).collect();
            all.sort_by(f64::total_cmp);
            format!("{:.2} ({:.2}-{:.2})", all[all.len() / 2], all[0], all[all.len() - 1])
        };
        let worst = cells.iter().map(|cell| against_others(&cell.seconds)).fold(0.0, f64::max);
        println!(
            "| {device} | {} | {clients} | {} | {} | {} | {} | {worst:.4} |",
            trace.trim_start_matches("gen:paper-"),
            range(&|s| s[0] / s[1]),
            range(&|s| s[0] / s[2]),
            range(&|s| s[0] / s[6]),
            range(&|s| s[3] / s[6]),
        );
    }
    let worse: Vec<&Cell> = cells.iter().filter(|cell| against_others(&cell.seconds) > 1.01).collect();
    println!(
        "\n{} cells; the best mode is more than 1 % slower than another in {}:",
        cells.len(),
        worse.len()
    );
    for cell in worse {
        let Cell { device, trace, policy, clients, seconds } = cell;
        println!("{device} {trace} {} {clients}: {:.4}", policy.name(), against_others(seconds));
    }
    let room = cells.iter().filter(|cell| cell.seconds[3] / cell.seconds[6] >= 1.25).count();
    println!("it is at least 1.25 times as fast as the cleaner at depth 1 in {room}");
}

/// The best mode's time over the best of all others.
fn against_others(seconds: &[f64]) -> f64 {
    seconds[6] / seconds[..6].iter().copied().fold(f64::INFINITY, f64::min)
}
