//! What a simulation says of time, against what follows from the device's description.

use std::sync::atomic::AtomicBool;

use leadline_device::Device as _;
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::{Config, Outcome, SimulateError, simulate};
use leadline_sim::{Parametric, ParametricSpec};
use leadline_trace::{Request, Trace, TraceError, Unit};

/// Service times in microseconds and servers, of reads and of writes.
#[derive(Clone, Copy)]
struct Described {
    read: (f64, u32),
    write: (f64, u32),
}

/// Reads that are quick and many at once, writes that are slow.
const FLASH: Described = Described { read: (80.0, 80), write: (224.0, 8) };

fn device(described: Described) -> Parametric {
    let Described { read, write } = described;
    let text = format!(
        "description = \"of a test\"\nclass = \"flash ssd\"\nsource = \"a test\"\nkind = \"parametric\"\ncapacity = \
         \"4G\"\n[read]\nservice_us = {}\nservers = {}\n[write]\nservice_us = {}\nservers = {}\n",
        read.0, read.1, write.0, write.1
    );
    ParametricSpec::parse(&text, "test").unwrap().device()
}

fn config(ace: Ace, cleaner: Cleaner, clients: u32) -> Config {
    let (policy, n) = (PolicyKind::Lru, 8);
    Config::new(4096, 20_000).policy(policy).ace(ace).n(n).cleaner(cleaner).clients(clients)
}

fn timed(trace: &mut dyn Trace, config: &Config, described: Described) -> Result<Outcome, SimulateError> {
    let queue = device(described).queue_pair(config.queue_shape().unwrap()).unwrap();
    simulate(trace, config, Some(queue), &AtomicBool::new(false))
}

/// A part of one of the paper's traces, long enough to fill the pool and go on for a while.
fn paper(name: &str, config: &Config, described: Described) -> Outcome {
    let mut trace = leadline_trace::open(&format!("gen:paper-{name}?ops=200000")).unwrap();
    timed(&mut trace, config, described).unwrap()
}

/// Accesses written down, the last first.
struct Written(Vec<(u64, bool)>);

impl Written {
    fn new(accesses: &[(u64, bool)]) -> Self {
        Written(accesses.iter().rev().copied().collect())
    }
}

impl Trace for Written {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        let next = self.0.pop();
        Ok(next.map(|(address, write)| Request { at_ns: 0, volume: 0, write, address, length: 1 }))
    }
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} is not {expected}");
}

#[test]
fn one_client_pays_for_every_read_and_every_batch() {
    for (ace, cleaner) in [(Ace::Off, Cleaner::Off), (Ace::Cow, Cleaner::Off), (Ace::CowX, Cleaner::Off)] {
        let outcome = paper("wis", &config(ace, cleaner, 1), FLASH);
        let expected = outcome.misses as f64 * 80e-6 + outcome.batches as f64 * 224e-6;
        close(outcome.seconds.unwrap(), expected, 1e-9);
        assert!(outcome.writes > 50_000);
        if ace == Ace::CowX {
            close(outcome.writes as f64, outcome.batches as f64 * 8.0, 1e-9);
        }
    }
}

#[test]
fn with_a_cleaner_one_client_pays_for_reads_alone() {
    let outcome = paper("wis", &config(Ace::CowX, Cleaner::Auto, 1), FLASH);
    close(outcome.seconds.unwrap(), outcome.misses as f64 * 80e-6, 0.001);
    // It begins when the first victim is dirty already.
    assert!(outcome.batches <= 1 && outcome.writes_by_cleaner >= outcome.writes - 8, "{outcome:?}");
}

#[test]
fn many_clients_are_held_back_by_the_writes_alone() {
    let outcome = paper("wis", &config(Ace::CowX, Cleaner::Auto, 64), FLASH);
    // The pool fills first: meanwhile only reads take time.
    let filling = 20_000.0 / 64.0 * 80e-6;
    close(outcome.seconds.unwrap(), outcome.writes as f64 / 8.0 * 224e-6 + filling, 0.01);
}

#[test]
fn the_published_gains_come_out_on_the_devices_that_allow_them() {
    let p4510 = Described { read: (12.4, 80), write: (19.6, 8) };
    for (described, trace, least) in [(FLASH, "wis", 2.5), (p4510, "wis", 2.0), (p4510, "ms", 1.7)] {
        let seconds = |ace| {
            // Until the pool is full nothing is evicted, so the first tenth of the trace gains nothing.
            let mut trace = leadline_trace::open(&format!("gen:paper-{trace}?ops=1000000")).unwrap();
            timed(&mut trace, &config(ace, Cleaner::Off, 1), described).unwrap().seconds.unwrap()
        };
        let gain = seconds(Ace::Off) / seconds(Ace::CowX);
        assert!(gain >= least, "{trace}: {gain}");
    }
}

/// Every policy; a device with room, one with a server each, and one that reads hardly faster than it writes;
/// one client and many. Unless the run is exhaustive, each policy has one of these six: every device and
/// number of clients comes up, but not every one with every policy.
#[test]
fn the_best_mode_is_never_worse_than_another() {
    let one_each = Described { read: (80.0, 1), write: (224.0, 1) };
    let optane = Described { read: (6.8, 6), write: (7.6, 5) };
    let others = [(Ace::Off, Cleaner::Off), (Ace::CowX, Cleaner::Off), (Ace::Off, Cleaner::Depth(1))];
    for (number, &policy) in PolicyKind::ALL.iter().enumerate() {
        for (device, (described, k_w)) in [(FLASH, 8), (one_each, 1), (optane, 5)].into_iter().enumerate() {
            for (crowd, clients) in [1, 16].into_iter().enumerate() {
                if !leadline_testing::exhaustive() && number % 6 != 2 * device + crowd {
                    continue;
                }
                let seconds = |(ace, cleaner)| {
                    let config = config(ace, cleaner, clients).policy(policy).n(k_w);
                    paper("ms", &config, described).seconds.unwrap()
                };
                let best = seconds((Ace::CowX, Cleaner::Auto));
                let other = others.map(seconds).into_iter().fold(f64::INFINITY, f64::min);
                assert!(best <= other * 1.01, "{} {k_w} {clients}: {best} {other}", policy.name());
            }
        }
    }
}

#[test]
fn the_smallest_n_that_is_as_good_as_any_is_the_devices_k_w() {
    for (described, k_w) in [(FLASH, 8), (Described { write: (130.0, 9), ..FLASH }, 9)] {
        let seconds = |n| {
            let outcome = paper("wis", &config(Ace::CowX, Cleaner::Off, 1).n(n), described);
            outcome.seconds.unwrap()
        };
        let all: Vec<f64> = (1..=32).map(seconds).collect();
        let best = all.iter().copied().fold(f64::INFINITY, f64::min);
        let smallest = 1 + all.iter().position(|&seconds| seconds <= best * 1.01).unwrap();
        assert_eq!(smallest, k_w);
    }
}

#[test]
fn an_adaptive_n_finds_the_devices_k_w_from_a_stale_profile() {
    for start in [1, 40] {
        for cleaner in [Cleaner::Off, Cleaner::Auto] {
            // Enough clients that the cleaner is never short of dirty pages.
            let clients = if cleaner == Cleaner::Off { 1 } else { 16 };
            let stale = config(Ace::CowX, cleaner, clients).n(start).adaptive(true);
            let outcome = paper("wis", &stale, FLASH);
            assert_eq!(outcome.n, 8, "from {start}, {cleaner:?}");
        }
    }
}

#[test]
fn clients_that_want_the_same_page_read_it_once() {
    let mut trace = Written::new(&[(1, false), (1, true), (1, false), (2, false)]);
    let outcome = timed(&mut trace, &config(Ace::Off, Cleaner::Off, 3), FLASH).unwrap();
    assert_eq!((outcome.operations, outcome.misses), (4, 2));
    // Page 2 is asked for when the first client is free again.
    close(outcome.seconds.unwrap(), 160e-6, 1e-9);
}

#[test]
fn a_pool_of_one_frame_works_and_so_does_an_n_beyond_the_pool() {
    let accesses: Vec<(u64, bool)> = (0..100).map(|i| (i % 3, true)).collect();
    for (ace, cleaner) in
        [(Ace::Off, Cleaner::Off), (Ace::CowX, Cleaner::Auto), (Ace::CowXE, Cleaner::Depth(3))]
    {
        for clients in [1, 7] {
            let tiny = config(ace, cleaner, clients).frames(1).n(50);
            let outcome = timed(&mut Written::new(&accesses), &tiny, FLASH).unwrap();
            assert_eq!((outcome.operations, outcome.n), (100, 1));
            // Several clients may find the page that one of them has read; one never does.
            assert!(outcome.misses == 100 || clients > 1 && outcome.misses > 30, "{outcome:?}");
            // There is no final flush; a page that is changed while it is written is written again.
            assert!(outcome.writes >= outcome.misses - 1, "{outcome:?}");
            assert!(clients > 1 || outcome.writes <= outcome.misses, "{outcome:?}");
        }
    }
}

#[test]
fn a_page_beyond_the_device_is_named() {
    let pages = (4 << 30) / 4096;
    let mut trace = Written::new(&[(pages - 1, true), (pages, false)]);
    let refused = timed(&mut trace, &config(Ace::Off, Cleaner::Off, 1), FLASH).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "operation 2: page 1048576 ends beyond the device, which holds 1048576 pages of 4096 bytes"
    );
    let mut huge = Written::new(&[(u64::MAX, true)]);
    assert!(matches!(
        timed(&mut huge, &config(Ace::Off, Cleaner::Off, 1), FLASH),
        Err(SimulateError::BeyondDevice { page: u64::MAX, .. })
    ));
    // Where nothing is timed, any number is a page.
    let counted = simulate(
        &mut Written::new(&[(u64::MAX, true)]),
        &config(Ace::Off, Cleaner::Off, 1),
        None,
        &AtomicBool::new(false),
    );
    assert_eq!(counted.unwrap().misses, 1);
}

#[test]
fn nonsense_is_refused_by_name() {
    let good = config(Ace::CowX, Cleaner::Off, 1);
    for (bad, named) in [
        (good.clone().frames(0), "frames: 0"),
        (good.clone().n(0), "n: 0"),
        (good.clone().clients(0), "clients: 0"),
        (good.clone().clients(5000), "clients: 5000"),
        (good.clone().cleaner(Cleaner::Depth(0)), "cleaner: 0"),
        (good.clone().page_bytes(1000), "page size: 1000"),
    ] {
        let refused = bad.check().unwrap_err().to_string();
        assert!(refused.starts_with(named), "{refused}");
    }
    assert!(good.check().is_ok());
}

#[test]
fn sequential_pages_are_read_ahead_in_the_batch_and_random_ones_are_not() {
    // A loop over more than the pool holds, every page changed: each victim is dirty.
    let accesses: Vec<(u64, bool)> = (0..60_000).map(|i| (i % 2_000, true)).collect();
    let run = |ace| {
        let small = config(ace, Cleaner::Off, 1).frames(1_000);
        timed(&mut Written::new(&accesses), &small, FLASH).unwrap()
    };
    let (without, with) = (run(Ace::CowX), run(Ace::CowXE));
    assert!(with.prefetches_used as f64 > 0.95 * with.prefetches as f64, "{with:?}");
    assert!(with.seconds.unwrap() < 0.5 * without.seconds.unwrap(), "{with:?} {without:?}");
    let random = paper("wis", &config(Ace::CowXE, Cleaner::Off, 1), FLASH);
    assert!((random.prefetches as f64) < 0.06 * random.misses as f64, "{random:?}");
}

#[test]
fn whoever_cancels_ends_it() {
    let mut trace = leadline_trace::open("gen:paper-ms").unwrap();
    let cancelled = simulate(&mut trace, &config(Ace::Off, Cleaner::Off, 1), None, &AtomicBool::new(true));
    assert!(matches!(cancelled, Err(SimulateError::Cancelled)));
}
