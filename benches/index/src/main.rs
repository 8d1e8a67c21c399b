//! Leadline's index against redb, LMDB, SQLite, RocksDB and fjall: loads, many keys at once, YCSB, commits.

mod job;
mod store;
mod stores;
mod tpcc;
mod workload;

#[path = "../../src/bin/graph/cgroup.rs"]
mod cgroup;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser};
use serde_json::Value as Json;

use crate::cgroup::{Cgroup, Controller};
use crate::job::{Job, Run};
use crate::store::{KEY_BYTES, NAMES, Settings, VALUE_BYTES};

#[derive(Parser)]
enum Program {
    /// Measures every job of every store, in turns, and prints a table of medians
    Run(Turns),
    /// One measurement, printed as JSON: what `run` starts in a cgroup
    One(One),
}

/// Every store has a turn in every round, in a process and a memory cgroup of its own, which the page cache
/// counts for. That takes root. A store that is not there is filled first, in the order of the keys.
#[derive(Args)]
struct Turns {
    /// Directory on the device to measure; the stores stay there
    dir: PathBuf,
    /// Which stores
    #[arg(long, value_delimiter = ',', default_values_t = NAMES.iter().map(|&name| name.to_owned()))]
    stores: Vec<String>,
    /// load, insert, get, multi-get-N, ycsb-a to ycsb-f, commit, tpcc
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "multi-get-1,multi-get-16,multi-get-256,multi-get-4096"
    )]
    jobs: Vec<String>,
    /// Threads, each tried
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// Keys, of 16 bytes and with values of 100
    #[arg(long, default_value_t = 10_000_000)]
    keys: u64,
    /// Warehouses of TPC-C, about 80 MB each
    #[arg(long, default_value_t = 10, value_name = "W")]
    warehouses: u32,
    /// Memory in MiB; a quarter of the keys and values if it is not given
    #[arg(long)]
    memory_mib: Option<u64>,
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Seconds before each measurement that do not count; 0: with cold caches
    #[arg(long, default_value_t = 0.0)]
    warm_seconds: f64,
    #[arg(long, default_value_t = 5)]
    rounds: u64,
}

#[derive(Args)]
struct One {
    dir: PathBuf,
    store: String,
    job: Job,
    #[arg(long)]
    memory_bytes: u64,
    #[arg(long)]
    threads: usize,
    #[arg(long)]
    keys: u64,
    #[arg(long)]
    warehouses: u32,
    #[arg(long)]
    seconds: f64,
    #[arg(long)]
    warm_seconds: f64,
    #[arg(long)]
    seed: u64,
}

fn main() -> Result<()> {
    match Program::parse() {
        Program::Run(turns) => turns.run(),
        Program::One(one) => {
            let path = store::path(&one.dir, one.job.content().0, &one.store);
            let (memory_bytes, durable) = (one.memory_bytes, one.job.durable());
            let settings = Settings { path, memory_bytes, durable };
            println!("{}", job::run(&one.store, &settings, &one.as_run())?);
            Ok(())
        }
    }
}

impl One {
    fn as_run(&self) -> Run {
        Run {
            job: self.job,
            threads: self.threads,
            keys: self.keys,
            warehouses: self.warehouses,
            seconds: self.seconds,
            warm_seconds: self.warm_seconds,
            seed: self.seed,
        }
    }
}

/// Memory that filling a store may take: it is not measured.
const FILL_BYTES: u64 = 4 << 30;

/// What a turn came to, by store; or why it failed.
type Results = Vec<Result<Vec<Json>, String>>;

impl Turns {
    fn run(&self) -> Result<()> {
        let jobs = self.jobs.iter().map(|job| job.parse().map_err(anyhow::Error::msg));
        let jobs = jobs.collect::<Result<Vec<Job>>>()?;
        let controller = Controller::find()?;
        println!("{} keys; {} warehouses", self.keys, self.warehouses);
        println!();
        println!("| job | threads | MiB of memory | store | rate | lowest | highest | of the best | bytes |");
        println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for (job, name) in jobs.into_iter().zip(&self.jobs) {
            let memory_bytes = self.memory_bytes(job)?;
            for &threads in &self.threads {
                let mut results: Results = vec![Ok(Vec::new()); self.stores.len()];
                for round in 0..self.rounds {
                    for i in 0..self.stores.len() {
                        // Who goes first changes.
                        let i = (i + round as usize) % self.stores.len();
                        let Ok(past) = &mut results[i] else { continue };
                        match self.turn(&controller, memory_bytes, (job, name), threads, i, round) {
                            Ok(result) => past.push(result),
                            Err(error) => results[i] = Err(format!("{error:#}")),
                        }
                    }
                }
                self.print(job, name, (threads, memory_bytes), &results);
            }
            if job == Job::Tpcc {
                for store in 0..self.stores.len() {
                    self.child(&controller, (FILL_BYTES, memory_bytes), "tpcc-check", 1, store, 0)
                        .with_context(|| self.stores[store].clone())?;
                }
            }
        }
        Ok(())
    }

    fn memory_bytes(&self, job: Job) -> Result<u64> {
        let user_bytes = match job {
            Job::Tpcc => tpcc::bytes(self.warehouses)?,
            _ => self.keys * (KEY_BYTES + VALUE_BYTES) as u64,
        };
        Ok(self.memory_mib.map_or(user_bytes / 4, |mib| mib << 20))
    }

    fn turn(
        &self,
        controller: &Controller,
        memory_bytes: u64,
        (job, name): (Job, &str),
        threads: usize,
        store: usize,
        round: u64,
    ) -> Result<Json> {
        let (content, fill) = job.content();
        let path = store::path(&self.dir, content, &self.stores[store]);
        if job.fills() && path.exists() {
            std::fs::remove_dir_all(&path)?;
        } else if !job.fills() && !path.exists() {
            self.child(controller, (FILL_BYTES, memory_bytes), fill, 1, store, round)?;
        }
        drop_caches()?;
        let result = self.child(controller, (memory_bytes, memory_bytes), name, threads, store, round)?;
        eprintln!("round {round}, {name}, {threads} threads, {}: {result}", self.stores[store]);
        Ok(result)
    }

    /// One measurement in a process and a cgroup, with the memory that it may take, and that the store is
    /// told of.
    fn child(
        &self,
        controller: &Controller,
        (most_bytes, memory_bytes): (u64, u64),
        job: &str,
        threads: usize,
        store: usize,
        seed: u64,
    ) -> Result<Json> {
        let group = Cgroup::new(controller, most_bytes)?;
        let mut command = Command::new("sh");
        command.args(["-c", r#"echo $$ > "$0" && exec "$@""#]).arg(group.procs());
        command.arg(std::env::current_exe()?).arg("one").arg(&self.dir).args([&self.stores[store], job]);
        let mut option = |name: &str, value: String| {
            command.arg(format!("--{name}={value}"));
        };
        option("memory-bytes", memory_bytes.to_string());
        option("threads", threads.to_string());
        option("keys", self.keys.to_string());
        option("warehouses", self.warehouses.to_string());
        option("seconds", self.seconds.to_string());
        option("warm-seconds", self.warm_seconds.to_string());
        option("seed", seed.to_string());
        let output = command.output()?;
        if group.killed()? {
            bail!("killed: more than {} MiB of memory", most_bytes >> 20);
        }
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("{}", said.trim().lines().last().unwrap_or("failed"));
        }
        serde_json::from_slice(&output.stdout).context("what a measurement printed")
    }

    fn print(&self, job: Job, name: &str, (threads, memory_bytes): (usize, u64), results: &Results) {
        let memory = memory_bytes >> 20;
        let numbers = |results: &[Json], key: &str| -> Vec<f64> {
            results.iter().filter_map(|result| result[key].as_f64()).collect()
        };
        let rate = |results: &Vec<Json>| median(&numbers(results, "rate"))[0];
        let best = results.iter().flatten().map(rate).fold(0.0, f64::max);
        for (store, result) in self.stores.iter().zip(results) {
            let results = match result {
                Ok(results) => results,
                Err(why) => {
                    println!("| {name} | {threads} | {memory} | {store} | {why} | | | | |");
                    continue;
                }
            };
            let [middle, low, high] = median(&numbers(results, "rate"));
            let bytes = match job {
                _ if job.fills() => {
                    format!("{:.2} written for each", median(&numbers(results, "written_per_byte"))[0])
                }
                Job::Tpcc => {
                    let [read, written] =
                        ["read_bytes_each", "written_each"].map(|key| numbers(results, key));
                    format!("{:.0} read, {:.0} written for each", median(&read)[0], median(&written)[0])
                }
                _ => format!("{:.0} read for each", median(&numbers(results, "read_bytes_each"))[0]),
            };
            println!(
                "| {name} | {threads} | {memory} | {store} | {middle:.0} {} | {low:.0} | {high:.0} | {:.2} | {bytes} |",
                job.unit(),
                middle / best
            );
        }
    }
}

/// The median, the lowest and the highest.
fn median(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => [0.0; 3],
        n if n % 2 == 1 => [sorted[n / 2], sorted[0], sorted[n - 1]],
        n => [(sorted[n / 2 - 1] + sorted[n / 2]) / 2.0, sorted[0], sorted[n - 1]],
    }
}

/// Empties the page cache.
fn drop_caches() -> Result<()> {
    nix::unistd::sync();
    let path = Path::new("/proc/sys/vm/drop_caches");
    std::fs::write(path, "3").with_context(|| format!("{}: cannot be written; be root", path.display()))
}
