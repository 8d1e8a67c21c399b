//! Traces on the real pool: the same counts as the simulation, and no wrong page goes unseen.

use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Device, Fault, Faulty, MemoryDevice, Op};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::replay::{Footprint, ReplayArea, ReplayError, ReplayReport, Watch};
use leadline_pool::simulate::{Config, simulate};
use leadline_trace::Trace;

const PAGE: u32 = 4096;

/// A device of 4 MiB whose pages begin here.
const START: u64 = 64 * PAGE as u64;

fn device() -> MemoryDevice {
    MemoryDevice::new(4 << 20, PAGE)
}

/// Some pages often, most seldom, now and then a run of them; 40 % writes. `spread` is between a page and the
/// next.
fn skewed(pages: u64, operations: u32, spread: u64) -> String {
    let mut random = fastrand::Rng::with_seed(11);
    let (mut text, mut run, mut at) = (String::new(), 0, 0);
    // Every page once, so that the footprint is the whole.
    (0..pages).for_each(|page| writeln!(text, "R {}", page * spread).unwrap());
    for _ in 0..operations {
        if run > 0 {
            (run, at) = (run - 1, (at + 1) % pages);
        } else {
            let most = random.u64(..pages);
            at = random.u64(..=most);
            run = if random.u32(..50) == 0 { 20 } else { 0 };
        }
        let letter = if random.u32(..10) < 4 { 'W' } else { 'R' };
        writeln!(text, "{letter} {}", at * spread).unwrap();
    }
    text
}

fn trace(text: &str) -> Box<dyn Trace> {
    leadline_trace::read(Box::new(Cursor::new(text.to_owned())), "test.txt", None).unwrap()
}

fn config(policy: PolicyKind, ace: Ace, n: u32) -> Config {
    Config::new(PAGE, 48).policy(policy).ace(ace).n(n)
}

/// Does something while nobody watches.
fn unwatched<T>(work: impl FnOnce(&mut Watch) -> T) -> T {
    work(&mut Watch { cancel: &AtomicBool::new(false), progress: &mut |_| {} })
}

fn lay_out(device: Arc<dyn Device>, text: &str, checksums: bool) -> Result<ReplayArea, ReplayError> {
    let footprint = unwatched(|watch| Footprint::of(&mut trace(text), PAGE, None, watch))?;
    unwatched(|watch| ReplayArea::lay_out(device, START, footprint, PAGE, checksums, watch))
}

fn run(ground: &mut ReplayArea, text: &str, config: &Config) -> Result<ReplayReport, ReplayError> {
    unwatched(|watch| ground.replay(&mut trace(text), config, watch))
}

fn counts(text: &str, config: &Config) -> [u64; 5] {
    let outcome = simulate(&mut trace(text), config, None, &AtomicBool::new(false)).unwrap();
    [outcome.operations, outcome.operations_writing, outcome.misses, outcome.writes, outcome.batches]
}

#[test]
fn one_client_does_what_the_simulation_says() {
    // Numbers with gaps, beyond 32 bits.
    let text = skewed(200, 6000, (1 << 33) + 7);
    let mut ground = lay_out(Arc::new(device()), &text, false).unwrap();
    for &policy in PolicyKind::ALL {
        for (ace, n) in [(Ace::Off, 1), (Ace::Cow, 6), (Ace::CowX, 6), (Ace::CowX, 100)] {
            let config = config(policy, ace, n);
            let ran = run(&mut ground, &text, &config).unwrap();
            let real = &ran.outcome;
            let real = [real.operations, real.operations_writing, real.misses, real.writes, real.batches];
            assert_eq!(real, counts(&text, &config), "{policy:?} {ace:?} {n}");
            assert!(real[3] > 0 && ran.complete && ran.outcome.latency_us.is_some());
        }
    }
    assert_eq!(unwatched(|watch| ground.verify(watch)).unwrap(), 200);
}

#[test]
fn every_way_of_writing_back_leaves_the_right_pages() {
    let text = skewed(300, 4000, 3);
    for checksums in [false, true] {
        let mut ground = lay_out(Arc::new(device()), &text, checksums).unwrap();
        for ace in Ace::ALL {
            for cleaner in [Cleaner::Off, Cleaner::Depth(1), Cleaner::Depth(9), Cleaner::Auto] {
                for clients in [1, 5] {
                    let config = config(PolicyKind::Clock, ace, 4).cleaner(cleaner).clients(clients);
                    let ran = run(&mut ground, &text, &config).unwrap();
                    assert_eq!(ran.outcome.operations, 4300);
                    assert_eq!(ran.pages, 300);
                    assert_eq!(unwatched(|watch| ground.verify(watch)).unwrap(), 300);
                }
            }
        }
    }
}

#[test]
fn only_the_window_is_written() {
    let (disk, text) = (device(), skewed(100, 2000, 1));
    let mut ground = lay_out(Arc::new(disk.clone()), &text, true).unwrap();
    run(&mut ground, &text, &config(PolicyKind::Lru, Ace::CowXE, 4)).unwrap();
    let bytes = disk.contents(0, 4 << 20);
    let (start, end) = (START as usize, (START + 100 * u64::from(PAGE)) as usize);
    assert!(bytes[..start].iter().chain(&bytes[end..]).all(|&byte| byte == 0));
}

#[track_caller]
fn names_page(error: &ReplayError, pages: std::ops::Range<u64>) {
    let ReplayError::Mismatch { page, .. } = error else { panic!("{error}") };
    assert!(pages.contains(page), "{error}");
}

#[test]
fn a_write_that_was_lost_is_found() {
    let text = skewed(200, 3000, 1);
    let writes = counts(&text, &config(PolicyKind::Lru, Ace::Off, 1))[3];
    for fault in [Fault::lost(), Fault::torn(1024), Fault::misdirected()] {
        // Number 0 lays all pages out; the last is the run's last.
        for nth in [1, writes / 2, writes] {
            let faulty = Faulty::new(device(), [fault.on(Op::Write).nth(nth)]);
            let mut ground = lay_out(Arc::new(faulty), &text, false).unwrap();
            let ran = run(&mut ground, &text, &config(PolicyKind::Lru, Ace::Off, 1));
            // By the next who reads the page, or at the end.
            let found = ran.and_then(|_| unwatched(|watch| ground.verify(watch)));
            names_page(&found.unwrap_err(), 0..200);
        }
    }
}

#[test]
fn a_flipped_bit_at_rest_is_found_with_checksums() {
    let (disk, text) = (device(), skewed(50, 500, 10));
    let mut ground = lay_out(Arc::new(disk.clone()), &text, true).unwrap();
    run(&mut ground, &text, &config(PolicyKind::Lru, Ace::Off, 1)).unwrap();
    // In what was never looked at but for the checksum: place 7 is page 70.
    disk.flip_bit(START + 7 * u64::from(PAGE) + 300, 5);
    names_page(&unwatched(|watch| ground.verify(watch)).unwrap_err(), 70..71);
}

#[test]
fn what_a_failed_run_left_is_not_trusted() {
    let text = skewed(200, 3000, 5);
    let faulty = Faulty::new(device(), [Fault::eio().on(Op::Read).nth(250)]);
    let mut ground = lay_out(Arc::new(faulty), &text, false).unwrap();
    let error = run(&mut ground, &text, &config(PolicyKind::Lru, Ace::Off, 1)).unwrap_err();
    assert!(matches!(error, ReplayError::Pool { .. }), "{error}");
    // By its place in the file, and by its number in the trace.
    let said = error.to_string();
    assert!(said.contains("Input/output error") && said.contains("of the trace)"), "{said}");
    assert!(matches!(
        run(&mut ground, &text, &config(PolicyKind::Lru, Ace::Off, 1)),
        Err(ReplayError::Unknown)
    ));
    assert!(matches!(unwatched(|watch| ground.verify(watch)), Err(ReplayError::Unknown)));
}

#[test]
fn what_misses_is_timed_and_what_hits_is_not() {
    let text = "R 1\nR 2\nR 1\nW 2\nR 1\n";
    let slow = Faulty::new(device(), [Fault::delay(3_000_000).on(Op::Read).nth(1)]);
    let mut ground = lay_out(Arc::new(slow), text, false).unwrap();
    let ran = run(&mut ground, text, &config(PolicyKind::Lru, Ace::Off, 1)).unwrap();
    let us = ran.outcome.latency_us.unwrap();
    assert!(us.max >= 3000.0 && us.mean >= 1500.0, "{us:?}");
    assert!(ran.outcome.seconds.unwrap() * 1e6 >= us.max);
    assert_eq!((ran.outcome.misses, ran.hit_percent), (2, 60.0));
}

#[test]
fn a_full_disk_is_one_clear_line() {
    let faulty = Faulty::new(device(), [Fault::enospc().on(Op::Write).nth(0)]);
    let Err(error) = lay_out(Arc::new(faulty), &skewed(200, 0, 1), false) else { panic!("laid out") };
    let said = error.to_string();
    assert!(said.starts_with("laying out: the request at byte 262144 failed: No space left"), "{said}");
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_written() {
    let (disk, text) = (device(), skewed(100, 100, 1));
    let mut ground = lay_out(Arc::new(disk.clone()), &text, false).unwrap();
    let before = disk.contents(0, 4 << 20);
    let good = config(PolicyKind::Lru, Ace::Off, 1);
    for (config, said) in [
        (good.clone().clients(49), "a frame of its own"),
        (good.clone().frames(0), "frames: 0"),
        (good.clone().page_bytes(8192), "4096 were laid out"),
        (good.clone().page_bytes(2048), "from 4096 to 65536"),
    ] {
        let Err(ReplayError::Config(error)) = run(&mut ground, &text, &config) else { panic!("{said}") };
        assert!(error.to_string().contains(said), "{error}");
    }
    let Err(error) = lay_out(Arc::new(disk.clone()), &skewed(961, 0, 1), false) else { panic!("laid out") };
    assert!(error.to_string().contains("there is room for 3932160"), "{error}");
    let empty = unwatched(|watch| Footprint::of(&mut trace("# nothing\nR 1\n"), PAGE, Some(0), watch));
    assert!(matches!(empty, Err(ReplayError::Empty)));
    assert!(disk.contents(0, 4 << 20) == before);
    run(&mut ground, &text, &good).unwrap();
}

#[test]
fn a_trace_that_changes_meanwhile_is_refused() {
    let text = skewed(100, 100, 1);
    let good = config(PolicyKind::Lru, Ace::Off, 1);
    let mut ground = lay_out(Arc::new(device()), &text, false).unwrap();
    let shorter = run(&mut ground, &text[..text.len() / 2], &good);
    assert!(matches!(shorter, Err(ReplayError::Shorter | ReplayError::Trace(_))));
    let mut ground = lay_out(Arc::new(device()), &text, false).unwrap();
    let changed = run(&mut ground, &format!("R 100\n{text}"), &good);
    assert!(matches!(changed, Err(ReplayError::Changed { page: 100 })));
}

#[test]
fn a_run_that_is_cancelled_says_how_far_it_came() {
    let text = skewed(200, 20_000, 1);
    let mut ground = lay_out(Arc::new(device()), &text, false).unwrap();
    let cancel = AtomicBool::new(true);
    let mut progress = |_| {};
    let mut watch = Watch { cancel: &cancel, progress: &mut progress };
    // Set before it begins: it ends at the first look, with what the clients had begun by then.
    let ran = ground.replay(&mut trace(&text), &config(PolicyKind::Lru, Ace::Off, 1), &mut watch);
    let Ok(ran) = ran else { panic!("partial results are results") };
    assert!(ran.outcome.operations <= 20_200 && ran.verified_pages.is_none());
    assert_eq!(ran.complete, ran.checkpoint.is_some());
    assert!(cancel.load(Ordering::Relaxed));
}

#[test]
fn a_limit_cuts_trace_and_footprint() {
    let text = skewed(200, 1000, 1);
    let footprint = unwatched(|watch| Footprint::of(&mut trace(&text), PAGE, Some(120), watch)).unwrap();
    assert_eq!((footprint.pages(), footprint.operations()), (120, 120));
    let device = Arc::new(device());
    let ground = unwatched(|watch| ReplayArea::lay_out(device, START, footprint, PAGE, false, watch));
    let ran = run(&mut ground.unwrap(), &text, &config(PolicyKind::Lru, Ace::Off, 1)).unwrap();
    assert_eq!((ran.outcome.operations, ran.outcome.misses, ran.hit_percent), (120, 120, 0.0));
}
