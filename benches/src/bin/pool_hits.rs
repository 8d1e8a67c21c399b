//! Hits of the buffer pool, one by one and many at once, against `quick_cache` and `moka`: one and two
//! threads, Zipf and uniform keys.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::Barrier;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use leadline_benches::median;
use leadline_device::MemoryDevice;
use leadline_device::clock::thread_cpu_time;
use leadline_measure::load::{AddressStream, Region, Spread, Workload};
use leadline_pool::policy::PolicyKind;
use leadline_pool::{Pool, PoolConfig};

/// Gets pages that are all in memory, and reads eight bytes of each. Everybody holds the same pages: the pool
/// in its frames, the caches as `Arc<[u8; 4096]>`, with room for twice as many so that they evict nothing;
/// and, apart, as `u64`.
#[derive(Parser)]
struct Args {
    /// Pages of 4 KiB
    #[arg(long, default_value_t = 65_536)]
    pages: u64,
    /// Skew of the Zipf keys
    #[arg(long, default_value_t = 0.99)]
    theta: f64,
    /// Rounds, in each of which everybody has a turn
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Gets a turn and thread
    #[arg(long, default_value_t = 4_000_000)]
    gets: usize,
    /// Threads
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// The pool's replacement policy
    #[arg(long, default_value = "lru", value_parser = policy)]
    policy: PolicyKind,
    /// The pool alone, for a profiler
    #[arg(long)]
    alone: bool,
}

fn policy(name: &str) -> Result<PolicyKind, String> {
    let names = || PolicyKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    PolicyKind::parse(name).ok_or_else(|| format!("no such policy; there are {}", names()))
}

type PageBytes = [u8; 4096];

/// Pages that one request of `read_many` asks for.
const AT_ONCE: usize = 256;

/// Somebody who finds pages.
trait Contender: Sync {
    fn name(&self) -> &'static str;
    /// Eight bytes of each page asked for, added up.
    fn get(&self, keys: &[u32], gets: usize) -> u64;
}

fn first_eight(page: &[u8]) -> u64 {
    page.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

struct Ours(Arc<Pool>);

impl Contender for Ours {
    fn name(&self) -> &'static str {
        "pool"
    }

    fn get(&self, keys: &[u32], gets: usize) -> u64 {
        let mut sum = 0u64;
        for &key in keys.iter().cycle().take(gets) {
            match self.0.read(u64::from(key)) {
                Ok(guard) => sum = sum.wrapping_add(first_eight(&guard)),
                Err(error) => panic!("{error}"),
            }
        }
        sum
    }
}

/// The pool, asked for many pages at once.
struct Many(Arc<Pool>);

impl Contender for Many {
    fn name(&self) -> &'static str {
        "pool read_many"
    }

    fn get(&self, keys: &[u32], gets: usize) -> u64 {
        let mut sum = 0u64;
        let mut keys = keys.iter().cycle().take(gets).map(|&key| u64::from(key));
        let mut pages = Vec::with_capacity(AT_ONCE);
        loop {
            pages.clear();
            pages.extend(keys.by_ref().take(AT_ONCE));
            if pages.is_empty() {
                return sum;
            }
            let read = self.0.read_many(&pages, |_, page| sum = sum.wrapping_add(first_eight(page)));
            if let Err(error) = read {
                panic!("{error}");
            }
        }
    }
}

/// A cache of values, of which `touch` makes eight bytes.
struct Cache<G> {
    name: &'static str,
    get: G,
}

impl<G: Fn(u64) -> u64 + Sync> Contender for Cache<G> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn get(&self, keys: &[u32], gets: usize) -> u64 {
        keys.iter().cycle().take(gets).fold(0u64, |sum, &key| sum.wrapping_add((self.get)(u64::from(key))))
    }
}

fn pool(pages: u64, policy: PolicyKind) -> Result<Arc<Pool>> {
    let device = Arc::new(MemoryDevice::new(pages * 4096, 4096));
    let config = PoolConfig::new(4096, u32::try_from(pages)?).policy(policy);
    let pool = Pool::open(device, config)?;
    for page in 0..pages {
        pool.write(page)?[..8].copy_from_slice(&page.to_le_bytes());
    }
    Ok(Arc::new(pool))
}

fn value(page: u64) -> Arc<PageBytes> {
    let mut bytes = [0; 4096];
    bytes[..8].copy_from_slice(&page.to_le_bytes());
    Arc::new(bytes)
}

fn contenders(args: &Args) -> Result<Vec<Box<dyn Contender>>> {
    let pool = pool(args.pages, args.policy)?;
    let mut all: Vec<Box<dyn Contender>> = vec![Box::new(Ours(Arc::clone(&pool))), Box::new(Many(pool))];
    if args.alone {
        return Ok(all);
    }
    let room = args.pages * 2;
    let quick = quick_cache::sync::Cache::<u64, Arc<PageBytes>>::new(room as usize);
    let quick_u64 = quick_cache::sync::Cache::<u64, u64>::new(room as usize);
    let moka = moka::sync::Cache::<u64, Arc<PageBytes>>::new(room);
    let moka_u64 = moka::sync::Cache::<u64, u64>::new(room);
    for page in 0..args.pages {
        quick.insert(page, value(page));
        quick_u64.insert(page, page);
        moka.insert(page, value(page));
        moka_u64.insert(page, page);
    }
    moka.run_pending_tasks();
    moka_u64.run_pending_tasks();
    let missed = || panic!("a page that was put in is not there");
    let eight = |page: Arc<PageBytes>| first_eight(&page[..]);
    all.push(Box::new(Cache {
        name: "quick_cache",
        get: move |key| quick.get(&key).map_or_else(missed, eight),
    }));
    all.push(Box::new(Cache { name: "moka", get: move |key| moka.get(&key).map_or_else(missed, eight) }));
    all.push(Box::new(Cache {
        name: "quick_cache u64",
        get: move |key| quick_u64.get(&key).unwrap_or_else(missed),
    }));
    all.push(Box::new(Cache { name: "moka u64", get: move |key| moka_u64.get(&key).unwrap_or_else(missed) }));
    Ok(all)
}

/// Keys of one thread.
fn keys(args: &Args, spread: Spread, seed: u64) -> Vec<u32> {
    let workload =
        Workload { read_share: 1.0, block_bytes: 4096, random_fraction: 1.0, spread, durable: false };
    let mut stream = AddressStream::new(workload, Region { start: 0, len: args.pages * 4096 }, seed);
    (0..1 << 20).map(|_| (stream.next().1 / 4096) as u32).collect()
}

/// A get's nanoseconds: of its thread's processor time, and of the wall's.
#[derive(Clone, Copy)]
struct Times {
    processor: f64,
    wall: f64,
}

/// All threads get `gets` pages each.
fn run(contender: &dyn Contender, keys: &[Vec<u32>], gets: usize) -> Times {
    let start = Barrier::new(keys.len() + 1);
    std::thread::scope(|scope| {
        let turn = |keys| {
            let start = &start;
            move || {
                black_box(contender.get(keys, gets / 10));
                start.wait();
                let before = thread_cpu_time();
                black_box(contender.get(keys, gets));
                thread_cpu_time() - before
            }
        };
        let threads: Vec<_> = keys.iter().map(|keys| scope.spawn(turn(keys))).collect();
        start.wait();
        let begun = Instant::now();
        let processor: u64 = threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum();
        let wall = begun.elapsed().as_nanos() as f64 / gets as f64;
        Times { processor: processor as f64 / (gets * keys.len()) as f64, wall }
    })
}

fn main() -> Result<()> {
    let args = Args::parse();
    let all = contenders(&args)?;
    println!(
        "Speed-up: against the same with one thread, by processor time, as if nobody else used the machine.\n"
    );
    println!(
        "| keys | threads | who | processor ns/get | wall ns/get and thread | pool / who, processor | speed-up |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, spread) in [("zipf", Spread::Zipf(args.theta)), ("uniform", Spread::Uniform)] {
        let mut alone: Vec<f64> = Vec::new();
        for &threads in &args.threads {
            let keys: Vec<Vec<u32>> = (0..threads as u64).map(|seed| keys(&args, spread, seed + 1)).collect();
            let mut times = vec![Vec::new(); all.len()];
            for round in 0..args.rounds {
                // Who goes first changes from round to round.
                for i in 0..all.len() {
                    let who = (i + round) % all.len();
                    times[who].push(run(&*all[who], &keys, args.gets));
                }
            }
            for (who, contender) in all.iter().enumerate() {
                let column =
                    |of: &dyn Fn(&Times) -> f64| median(&times[who].iter().map(of).collect::<Vec<_>>());
                let [middle, low, high] = column(&|times| times.processor);
                let [wall, fast, slow] = column(&|times| times.wall);
                let pairs = times[0].iter().zip(&times[who]);
                let [ratio, least, most] = median(
                    &pairs.map(|(ours, theirs)| ours.processor / theirs.processor).collect::<Vec<_>>(),
                );
                if alone.len() < all.len() {
                    alone.push(middle);
                }
                println!(
                    "| {name} | {threads} | {} | {middle:.1} ({low:.1} to {high:.1}) | {wall:.1} ({fast:.1} to {slow:.1}) | \
                     {ratio:.2} ({least:.2} to {most:.2}) | {:.2} |",
                    contender.name(),
                    threads as f64 * alone[who] / middle
                );
            }
        }
    }
    Ok(())
}
