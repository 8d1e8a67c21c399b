//! One measurement of one store, in a process of its own.

use std::path::Path;
use std::str::FromStr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value as Json, json};

use crate::store::{self, KEY_BYTES, Settings, Store, VALUE_BYTES};
use crate::tpcc;
use crate::workload::{Client, Shared, Ycsb, key, value};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// All keys in random order, by what the store offers to be filled with.
    Load,
    /// All keys in random order into an empty store, a thousand at a time.
    Insert,
    /// All keys in their order, which is not measured.
    Fill,
    /// So many random keys at once.
    MultiGet(usize),
    /// One random key a thread, again and again.
    Get,
    Ycsb(Ycsb),
    /// A new pair, durable when it returns.
    Commit,
    /// TPC-C's standard mix, each commit durable.
    Tpcc,
    /// The initial population, which is not measured.
    TpccFill,
    /// Whether the database is consistent.
    TpccCheck,
}

impl FromStr for Job {
    type Err = String;

    fn from_str(text: &str) -> Result<Job, String> {
        let job = match text.rsplit_once('-') {
            Some(("multi-get", keys)) => keys.parse().ok().filter(|&keys| keys > 0).map(Job::MultiGet),
            Some(("ycsb", letter)) => Ycsb::parse(letter).map(Job::Ycsb),
            _ if text == "load" => Some(Job::Load),
            _ if text == "insert" => Some(Job::Insert),
            _ if text == "fill" => Some(Job::Fill),
            _ if text == "get" => Some(Job::Get),
            _ if text == "commit" => Some(Job::Commit),
            _ if text == "tpcc" => Some(Job::Tpcc),
            _ if text == "tpcc-fill" => Some(Job::TpccFill),
            _ if text == "tpcc-check" => Some(Job::TpccCheck),
            _ => None,
        };
        job.ok_or_else(|| {
            format!("no job `{text}`; there are load, insert, get, multi-get-N, ycsb-a to -f, commit, tpcc")
        })
    }
}

impl Job {
    /// What is counted: pairs or operations.
    pub fn unit(self) -> &'static str {
        match self {
            Job::Load | Job::Insert | Job::Fill => "pairs/s",
            Job::MultiGet(_) | Job::Get => "keys/s",
            Job::Ycsb(_) => "operations/s",
            Job::Commit => "commits/s",
            Job::Tpcc | Job::TpccFill | Job::TpccCheck => "transactions/s",
        }
    }

    /// Whether it fills an empty store.
    pub fn fills(self) -> bool {
        matches!(self, Job::Load | Job::Insert | Job::Fill)
    }

    /// Whether a put must be durable when it returns.
    pub fn durable(self) -> bool {
        matches!(self, Job::Commit | Job::Tpcc)
    }

    /// What the store that it works on holds, for its directory's name; and the job that fills it.
    pub fn content(self) -> (&'static str, &'static str) {
        match self {
            Job::Tpcc | Job::TpccFill | Job::TpccCheck => ("tpcc", "tpcc-fill"),
            _ => ("index", "fill"),
        }
    }
}

/// How a job is run.
#[derive(Debug, Clone)]
pub struct Run {
    pub job: Job,
    pub threads: usize,
    /// Keys of the store when it was loaded.
    pub keys: u64,
    /// Warehouses of TPC-C.
    pub warehouses: u32,
    pub seconds: f64,
    /// Before the measurement, to fill caches.
    pub warm_seconds: f64,
    pub seed: u64,
}

/// Runs a job and says what came of it.
pub fn run(name: &str, settings: &Settings, run: &Run) -> Result<Json> {
    let store = store::open(name, settings)?;
    match run.job {
        Job::Tpcc => return tpcc(store, run),
        Job::TpccFill => return tpcc::fill(store, run.warehouses).map(|()| json!({})),
        Job::TpccCheck => return tpcc::check(store).map(|()| json!({})),
        job if job.fills() => return fill(store, job, run.keys),
        _ => {}
    }
    let counter = settings.path.join("keys");
    let keys = std::fs::read_to_string(&counter).ok().and_then(|text| text.trim().parse().ok());
    let shared = Shared { keys: AtomicU64::new(keys.unwrap_or(run.keys)) };
    if run.warm_seconds > 0.0 {
        drive(&*store, &shared, run, run.warm_seconds)?;
    }
    let before = Traffic::now()?;
    let (count, seconds) = drive(&*store, &shared, run, run.seconds)?;
    let traffic = Traffic::now()?.since(&before);
    store.flush()?;
    std::fs::write(&counter, shared.keys.into_inner().to_string())?;
    Ok(json!({"rate": count as f64 / seconds, "read_bytes_each": traffic.read as f64 / count.max(1) as f64}))
}

fn tpcc(store: Box<dyn Store>, run: &Run) -> Result<Json> {
    let mut before = Traffic::now()?;
    let terminals = u32::try_from(run.threads)?;
    let done = tpcc::run(store, terminals, [run.warm_seconds, run.seconds], run.seed, || {
        before = Traffic::now()?;
        Ok(())
    })?;
    let traffic = Traffic::now()?.since(&before);
    let each = |bytes: u64| bytes as f64 / done.transactions.max(1) as f64;
    let rate = done.transactions as f64 / done.seconds;
    Ok(json!({"rate": rate, "read_bytes_each": each(traffic.read), "written_each": each(traffic.written)}))
}

/// All keys; until everything is durable, and the store closed.
fn fill(store: Box<dyn Store>, job: Job, keys: u64) -> Result<Json> {
    let mut ids: Vec<u64> = Vec::new();
    if job == Job::Fill {
        ids.extend(0..keys);
        ids.sort_unstable_by_key(|&id| key(id));
    }
    let (before, start) = (Traffic::now()?, Instant::now());
    let mut random = fastrand::Rng::with_seed(keys);
    let mut pair = |id| (key(id), value(&mut random));
    match job {
        Job::Insert => store::insert(&*store, &mut (0..keys).map(pair))?,
        Job::Load => store.load(&mut (0..keys).map(pair))?,
        _ => store.load(&mut ids.into_iter().map(&mut pair))?,
    }
    store.flush()?;
    drop(store);
    let seconds = start.elapsed().as_secs_f64();
    let written = Traffic::now()?.since(&before).written;
    let user = keys * (KEY_BYTES + VALUE_BYTES) as u64;
    Ok(json!({"rate": keys as f64 / seconds, "written_per_byte": written as f64 / user as f64}))
}

/// What was counted, and the seconds it took.
fn drive(store: &dyn Store, shared: &Shared, run: &Run, seconds: f64) -> Result<(u64, f64)> {
    let time = Duration::from_secs_f64(seconds);
    let ready = Barrier::new(run.threads);
    let begin = Instant::now();
    let thread = |number: usize| -> Result<u64> {
        let seed = run.seed.wrapping_mul(1000) + number as u64;
        let mut client = Client::new(store, shared, seed);
        let mut random = fastrand::Rng::with_seed(!seed);
        ready.wait();
        let (start, mut count) = (Instant::now(), 0);
        while start.elapsed() < time {
            count += step(store, &mut client, &mut random, shared, run)?;
        }
        Ok(count)
    };
    let counts = std::thread::scope(|scope| -> Result<Vec<u64>> {
        let thread = &thread;
        let threads: Vec<_> = (0..run.threads).map(|number| scope.spawn(move || thread(number))).collect();
        let results = threads.into_iter().map(|thread| match thread.join() {
            Ok(count) => count,
            Err(_) => bail!("a thread panicked"),
        });
        results.collect()
    })?;
    Ok((counts.iter().sum(), begin.elapsed().as_secs_f64()))
}

fn step(
    store: &dyn Store,
    client: &mut Client<'_>,
    random: &mut fastrand::Rng,
    shared: &Shared,
    run: &Run,
) -> Result<u64> {
    match run.job {
        Job::MultiGet(count) => {
            let keys: Vec<_> = (0..count).map(|_| key(random.u64(..run.keys))).collect();
            let keys: Vec<&[u8]> = keys.iter().map(<[u8; KEY_BYTES]>::as_slice).collect();
            let found = store.multi_get(&keys)?;
            if found.len() != count || found.iter().any(Option::is_none) {
                bail!("keys are missing");
            }
            Ok(count as u64)
        }
        Job::Get => {
            let found = store.get(&key(random.u64(..run.keys)))?;
            found.context("a key is missing").map(|_| 1)
        }
        Job::Ycsb(workload) => client.step(workload).map(|()| 1),
        Job::Commit => {
            let id = shared.keys.fetch_add(1, Ordering::Relaxed);
            store.put(&[(key(id), value(random))]).map(|()| 1)
        }
        _ => Ok(0),
    }
}

/// What this process read from devices and wrote to them, or will.
struct Traffic {
    read: u64,
    written: u64,
}

impl Traffic {
    fn now() -> Result<Traffic> {
        let path = Path::new("/proc/self/io");
        let text = std::fs::read_to_string(path).context("/proc/self/io")?;
        let number = |name: &str| -> Option<u64> {
            text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
        };
        let (Some(read), Some(written)) = (number("read_bytes:"), number("write_bytes:")) else {
            bail!("/proc/self/io lacks read_bytes or write_bytes");
        };
        Ok(Traffic { read, written })
    }

    fn since(&self, before: &Traffic) -> Traffic {
        Traffic { read: self.read - before.read, written: self.written - before.written }
    }
}
