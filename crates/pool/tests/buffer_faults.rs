//! The pool on devices that fail, lie and damage data: no acknowledged write is lost, no corrupt page is
//! served.

use std::sync::{Arc, Mutex};

use leadline_device::{Device, Fault, Faulty, MemoryDevice, Op, Tearing};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::{PageOp, Pool, PoolConfig, PoolError, WalHook};

const PAGE: u64 = 4096;
const EIO: i32 = 5;
const ENOSPC: i32 = 28;

type Broken = Arc<Faulty<MemoryDevice>>;

fn broken(pages: u64, faults: impl Into<Vec<Fault>>) -> Broken {
    Arc::new(Faulty::new(MemoryDevice::new(pages * PAGE, 512), faults))
}

fn open(device: &Broken, config: PoolConfig) -> Pool {
    Pool::open(Arc::clone(device) as Arc<dyn Device>, config).unwrap()
}

/// A pool without anybody in the background.
fn pool(device: &Broken, frames: u32) -> Pool {
    open(device, PoolConfig::new(PAGE as u32, frames))
}

fn put(pool: &Pool, page: u64, value: u64) {
    let mut guard = pool.write(page).unwrap();
    guard.fill(value as u8);
    guard[..8].copy_from_slice(&value.to_le_bytes());
}

fn value(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

fn get(pool: &Pool, page: u64) -> u64 {
    value(&pool.read(page).unwrap())
}

fn errno(error: &PoolError) -> Option<(PageOp, u64, i32)> {
    match error {
        PoolError::Io { op, page, source } => Some((*op, *page, source.raw_os_error()?)),
        _ => None,
    }
}

/// What a restart finds after a power cut that loses all it may.
fn durable(device: &Broken) -> Pool {
    Pool::open(Arc::new(device.device().crash_to_durable()), PoolConfig::new(PAGE as u32, 4)).unwrap()
}

#[test]
fn a_read_that_failed_leaves_its_frame_free_and_may_be_tried_again() {
    let device = broken(4, [Fault::eio().on(Op::Read).nth(0)]);
    let pool = pool(&device, 1);
    let error = pool.read(3).unwrap_err();
    assert_eq!(errno(&error), Some((PageOp::Read, 3, EIO)));
    assert!(error.to_string().contains("page 3"), "{error}");
    assert_eq!(get(&pool, 3), 0);
    assert_eq!(get(&pool, 2), 0);
    assert_eq!(pool.stats().read_errors, 1);
}

#[test]
fn everybody_who_waits_for_a_read_gets_its_error_or_reads_again() {
    for round in 0..20 {
        // The read ahead fails, a little later than it was sent.
        let faults = [Fault::eio().on(Op::Read).nth(0), Fault::delay(300_000).on(Op::Read).nth(0)];
        let device = broken(8, faults);
        let pool = pool(&device, 2);
        pool.prefetch(5..6).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let pool = &pool;
                scope.spawn(move || {
                    match if thread % 2 == 0 { pool.read(5).map(drop) } else { pool.write(5).map(drop) } {
                        Ok(()) => {}
                        Err(error) => {
                            assert_eq!(errno(&error), Some((PageOp::Read, 5, EIO)), "round {round}")
                        }
                    }
                });
            }
        });
        assert_eq!(pool.stats().read_errors, 1);
        // Both frames can be had.
        let _guards = (pool.write(1).unwrap(), pool.write(2).unwrap());
    }
}

#[test]
fn concurrent_misses_on_a_page_read_it_once() {
    for _ in 0..20 {
        let device = broken(8, [Fault::delay(300_000).on(Op::Read)]);
        let pool = pool(&device, 4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(get(&pool, 5), 0));
            }
        });
        assert_eq!(device.submitted(), 1);
        let stats = pool.stats();
        assert_eq!((stats.misses, stats.hits), (1, 3));
    }
}

#[test]
fn a_write_that_failed_leaves_the_page_dirty_and_a_clean_page_goes_instead() {
    for (fault, code) in [(Fault::eio(), EIO), (Fault::enospc(), ENOSPC)] {
        let device = broken(8, [fault.on(Op::Write).nth(0)]);
        let pool = pool(&device, 2);
        put(&pool, 0, 7);
        assert_eq!(get(&pool, 1), 0);
        // The oldest is dirty and cannot be written: the clean one goes.
        assert_eq!(get(&pool, 2), 0, "errno {code}");
        assert_eq!(pool.stats().write_errors, 1);
        assert_eq!(get(&pool, 0), 7);
        pool.checkpoint().unwrap();
        assert_eq!(get(&durable(&device), 0), 7);
    }
}

#[test]
fn writes_that_fail_for_good_are_reported_and_nothing_is_forgotten() {
    for ace in Ace::ALL {
        let device = broken(8, [Fault::enospc().on(Op::Write)]);
        let mut config = PoolConfig::new(PAGE as u32, 2);
        (config.ace, config.n) = (ace, 2);
        let pool = open(&device, config);
        put(&pool, 0, 7);
        put(&pool, 1, 8);
        for _ in 0..3 {
            let error = pool.read(2).unwrap_err();
            assert!(matches!(errno(&error), Some((PageOp::Write, 0 | 1, ENOSPC))), "{ace:?}: {error}");
            let error = pool.checkpoint().unwrap_err();
            assert!(matches!(errno(&error), Some((PageOp::Write, 0 | 1, ENOSPC))), "{ace:?}: {error}");
            assert!(pool.flush(0).is_err());
            assert_eq!((get(&pool, 0), get(&pool, 1)), (7, 8));
        }
    }
}

#[test]
fn a_cleaner_that_cannot_write_neither_hangs_nor_hides_it() {
    for cleaner in [Cleaner::Depth(1), Cleaner::Auto] {
        let device = broken(32, [Fault::eio().on(Op::Write).nth(0), Fault::eio().on(Op::Write).from(20)]);
        let mut config = PoolConfig::new(PAGE as u32, 16);
        (config.cleaner, config.ace, config.n) = (cleaner, Ace::Cow, 4);
        let pool = open(&device, config);
        let (mut written, mut failed) = (0, 0);
        for page in 0..32 {
            match pool.write(page) {
                Ok(mut guard) => {
                    guard[..8].copy_from_slice(&page.to_le_bytes());
                    written += 1;
                }
                Err(error) => {
                    assert!(matches!(errno(&error), Some((PageOp::Write, _, EIO))), "{error}");
                    failed += 1;
                }
            }
        }
        assert!(written >= 16 && written + failed == 32);
        assert!(pool.stats().write_errors > 0);
        // The writes that failed for good left 16 pages in memory; each is still right.
        let right = (0..32).filter(|page| pool.read(*page).is_ok_and(|guard| value(&guard) == *page)).count();
        assert!(right >= 16, "{right}");
    }
}

#[test]
fn after_a_failed_flush_pages_are_written_again_before_a_checkpoint_succeeds() {
    let device = broken(8, [Fault::eio().on(Op::Flush).nth(0)]);
    let pool = pool(&device, 4);
    put(&pool, 0, 7);
    put(&pool, 1, 8);
    assert!(matches!(pool.checkpoint(), Err(PoolError::Flush { .. })));
    let before = (pool.stats().writes, device.submitted());
    pool.checkpoint().unwrap();
    assert_eq!(
        (pool.stats().writes, device.submitted()),
        (before.0 + 2, before.1 + 3),
        "two writes and a flush"
    );
    let after = durable(&device);
    assert_eq!((get(&after, 0), get(&after, 1)), (7, 8));
    assert_eq!(pool.stats().flush_errors, 1);
}

#[test]
fn after_a_failed_flush_a_page_that_has_left_the_pool_poisons_it() {
    let device = broken(8, [Fault::eio().on(Op::Flush).nth(0)]);
    let pool = pool(&device, 1);
    put(&pool, 0, 7);
    assert_eq!(get(&pool, 1), 0);
    assert!(matches!(pool.flush(1), Err(PoolError::Flush { .. })));
    for _ in 0..3 {
        let error = pool.checkpoint().unwrap_err();
        assert!(matches!(error, PoolError::NotDurable { lost: 1, page: 0 }), "{error}");
        assert!(matches!(pool.flush(0), Err(PoolError::NotDurable { .. })));
    }
    assert_eq!(get(&pool, 0), 7, "reads go on");
}

#[test]
fn requests_that_move_too_few_bytes_are_errors() {
    let device = broken(8, [Fault::short().on(Op::Read).nth(0), Fault::short().on(Op::Write).nth(0)]);
    let pool = pool(&device, 2);
    let error = pool.read(1).unwrap_err();
    assert!(matches!(error, PoolError::Short { op: PageOp::Read, page: 1, page_bytes: 4096, .. }), "{error}");
    put(&pool, 1, 9);
    let error = pool.checkpoint().unwrap_err();
    assert!(matches!(error, PoolError::Short { op: PageOp::Write, page: 1, .. }), "{error}");
    pool.checkpoint().unwrap();
    assert_eq!(get(&durable(&device), 1), 9);
}

#[test]
fn damaged_pages_are_named_and_not_served() {
    let place = PAGE..2 * PAGE;
    let damage = [
        ("a bit flips on the way in", Fault::bit_flip().on(Op::Write).within(place.clone())),
        ("a bit flips on the way out", Fault::bit_flip().on(Op::Read).within(place.clone()).from(1)),
        ("a write is torn", Fault::torn(512).on(Op::Write).within(place.clone()).from(1)),
        ("a read goes elsewhere", Fault::misdirected().on(Op::Read).within(place).from(1).seed(3)),
    ];
    for (what, fault) in damage {
        let device = broken(8, [fault]);
        let pool = pool(&device, 8);
        (0..8).for_each(|page| put(&pool, page, page + 100));
        pool.checkpoint().unwrap();
        put(&pool, 1, 201);
        pool.close().unwrap();
        let pool = self::pool(&device, 8);
        let error = pool.read(1).expect_err(what);
        assert!(matches!(error, PoolError::Corrupt { page: 1, .. }), "{what}: {error}");
        assert_eq!(pool.stats().corrupt, 1);
        assert_eq!(get(&pool, 2), 102, "{what}: others are whole");
    }
}

#[test]
fn a_misdirected_write_is_found_where_it_went() {
    for seed in 0..8 {
        let device =
            broken(8, [Fault::misdirected().on(Op::Write).within(PAGE..2 * PAGE).from(1).seed(seed)]);
        let pool = pool(&device, 8);
        (0..8).for_each(|page| put(&pool, page, page + 100));
        pool.checkpoint().unwrap();
        put(&pool, 1, 201);
        pool.close().unwrap();
        let pool = self::pool(&device, 8);
        let mut corrupt = 0;
        for page in 0..8 {
            match pool.read(page) {
                // The old version of page 1 is whole: a write that never arrived leaves no trace in it.
                Ok(guard) => assert_eq!(value(&guard), page + 100),
                Err(PoolError::Corrupt { page: named, .. }) => {
                    assert_eq!(named, page);
                    corrupt += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert!((1..=2).contains(&corrupt), "it went over one page, or parts of two");
    }
}

#[test]
fn a_bit_that_flips_at_rest_is_found_wherever_it_is() {
    let device = broken(2, []);
    let pool = pool(&device, 2);
    put(&pool, 1, 5);
    pool.close().unwrap();
    for byte in [0, 1, 2047, 4087, 4088, 4095] {
        device.device().flip_bit(PAGE + byte, 3);
        let pool = self::pool(&device, 2);
        assert!(matches!(pool.read(1), Err(PoolError::Corrupt { page: 1, .. })), "byte {byte}");
        device.device().flip_bit(PAGE + byte, 3);
        assert_eq!(get(&self::pool(&device, 2), 1), 5);
    }
}

#[test]
fn a_request_that_hangs_stops_nobody_else() {
    let device = broken(64, [Fault::hang().on(Op::Write).within(0..PAGE)]);
    let mut config = PoolConfig::new(PAGE as u32, 8);
    config.ace = Ace::Off;
    let pool = Arc::new(open(&device, config));
    put(&pool, 0, 1);
    (1..8).for_each(|page| drop(pool.read(page).unwrap()));
    // Somebody meets the dirty page, and hangs with it; never joined.
    let stuck = Arc::clone(&pool);
    std::thread::spawn(move || stuck.read(8).map(drop));
    while pool.stats().batches == 0 {
        std::thread::yield_now();
    }
    for round in 0..3 {
        for page in 9..64 {
            put(&pool, page, page + round);
        }
        for page in 9..64 {
            assert_eq!(get(&pool, page), page + round);
        }
    }
    assert_eq!(get(&pool, 0), 1, "the page itself may be read");
}

#[test]
fn slow_requests_change_nothing_but_time() {
    let device = broken(32, [Fault::delay(2_000_000).chance(0.05).seed(1), Fault::reorder()]);
    let mut config = PoolConfig::new(PAGE as u32, 6);
    (config.ace, config.n, config.cleaner) = (Ace::CowX, 3, Cleaner::Auto);
    let pool = open(&device, config);
    for round in 0..10 {
        (0..32).for_each(|page| put(&pool, page, page * 100 + round));
        (0..32).for_each(|page| assert_eq!(get(&pool, page), page * 100 + round));
    }
    pool.close().unwrap();
    let after = durable(&device);
    (0..32).for_each(|page| assert_eq!(get(&after, page), page * 100 + 9));
}

/// A log that remembers how far it is durable, and can refuse.
#[derive(Default)]
struct Log {
    durable: Mutex<u64>,
    calls: Mutex<u64>,
    refuse: Mutex<bool>,
}

impl WalHook for Log {
    fn flush_until(&self, lsn: u64) -> std::io::Result<()> {
        *self.calls.lock().unwrap() += 1;
        if *self.refuse.lock().unwrap() {
            return Err(std::io::Error::from_raw_os_error(ENOSPC));
        }
        let mut durable = self.durable.lock().unwrap();
        *durable = lsn.max(*durable);
        Ok(())
    }
}

#[test]
fn no_page_reaches_the_device_before_its_log() {
    for ace in Ace::ALL {
        let device = broken(32, []);
        let log = Arc::new(Log::default());
        let mut config = PoolConfig::new(PAGE as u32, 8);
        (config.ace, config.n) = (ace, 4);
        config.wal = Some(Arc::clone(&log) as Arc<dyn WalHook>);
        let pool = open(&device, config);
        let mut random = fastrand::Rng::with_seed(4);
        for lsn in 1..2000u64 {
            let page = random.u64(..32);
            let mut guard = pool.write(page).unwrap();
            guard[..8].copy_from_slice(&lsn.to_le_bytes());
            guard.set_lsn(lsn);
            drop(guard);
            let durable = *log.durable.lock().unwrap();
            for page in 0..32 {
                let on_device = value(&device.device().contents(page * PAGE, PAGE as usize));
                assert!(on_device <= durable, "{ace:?}: page {page} has {on_device}, the log {durable}");
            }
        }
        let stats = pool.stats();
        assert!(*log.calls.lock().unwrap() <= stats.batches, "at most once a batch");
    }
}

#[test]
fn pages_stay_dirty_while_the_log_refuses() {
    let device = broken(8, []);
    let log = Arc::new(Log::default());
    let mut config = PoolConfig::new(PAGE as u32, 2);
    config.wal = Some(Arc::clone(&log) as Arc<dyn WalHook>);
    let pool = open(&device, config);
    for page in 0..2 {
        let mut guard = pool.write(page).unwrap();
        guard[0] = 9;
        guard.set_lsn(5 + page);
    }
    *log.refuse.lock().unwrap() = true;
    for result in [pool.checkpoint(), pool.flush(0), pool.read(3).map(drop)] {
        let error = result.unwrap_err();
        assert!(matches!(error, PoolError::Log { lsn: 5 | 6, .. }), "{error}");
    }
    assert_eq!(device.submitted(), 2, "two reads, no write");
    *log.refuse.lock().unwrap() = false;
    pool.checkpoint().unwrap();
    let after = durable(&device);
    assert_eq!((after.read(0).unwrap()[0], after.read(1).unwrap()[0]), (9, 9));
}

/// What a crash may leave of pages that had `old`, and were to have `new`.
fn check_crash(device: MemoryDevice, config: &PoolConfig, acknowledged: bool, what: &str) {
    let pool = Pool::open(Arc::new(device), config.clone()).unwrap();
    for page in 0..2 {
        let found = pool.read(page).unwrap_or_else(|error| panic!("{what}: {error}"));
        let number = value(&found);
        assert!(
            number == page + 20 || !acknowledged && number == page + 10,
            "{what}: page {page} has {number}"
        );
        assert!(found[8..].iter().all(|byte| u64::from(*byte) == number), "{what}: page {page} is mixed");
    }
}

#[test]
fn with_the_double_write_area_every_crash_leaves_whole_pages() {
    const PAGE_BYTES: u32 = 8192;
    for batch in [1, 2] {
        let mut config = PoolConfig::new(PAGE_BYTES, 2);
        (config.double_write, config.n, config.ace) = (true, batch, Ace::CowX);
        let mut crashes = 0;
        // Power fails at every request of the second checkpoint in turn, and once not at all.
        for nth in 0..=40 {
            let memory = MemoryDevice::new(u64::from(PAGE_BYTES) * 16, 512);
            let pool = Pool::open(Arc::new(memory.clone()), config.clone()).unwrap();
            (0..2).for_each(|page| put(&pool, page, page + 10));
            pool.close().unwrap();
            // Opening reads the area's lists and the pages they name.
            let device = Arc::new(Faulty::new(memory.clone(), [Fault::power_cut().on(Op::Write).nth(nth)]));
            let pool = open(&device, config.clone());
            let put = |page| put(&pool, page, page + 20);
            (0..2).for_each(put);
            let acknowledged = pool.checkpoint().is_ok();
            drop(pool);
            for left in memory.every_crash(Tearing::Sector4096) {
                check_crash(left, &config, acknowledged, &format!("batch {batch}, cut at write {nth}"));
                crashes += 1;
            }
            if acknowledged {
                break;
            }
        }
        assert!(crashes > 50, "{crashes}");
    }
}

#[test]
fn without_the_area_a_torn_page_is_found_and_with_it_put_right() {
    let mut torn = 0;
    for double_write in [false, true] {
        let mut config = PoolConfig::new(PAGE as u32, 2);
        config.double_write = double_write;
        for seed in 0..40 {
            let memory = MemoryDevice::new(PAGE * 16, 512);
            let pool = Pool::open(Arc::new(memory.clone()), config.clone()).unwrap();
            (0..2).for_each(|page| put(&pool, page, page + 10));
            pool.checkpoint().unwrap();
            (0..2).for_each(|page| put(&pool, page, page + 20));
            // Evictions write both, and nothing makes them durable.
            (4..6).for_each(|page| drop(pool.read(page).unwrap()));
            let left = memory.crash_at_random(Tearing::Sector512, seed);
            let after = Pool::open(Arc::new(left), config.clone()).unwrap();
            for page in 0..2 {
                match after.read(page) {
                    Ok(found) => {
                        let number = value(&found);
                        assert!(number == page + 10 || number == page + 20);
                        assert!(found[8..].iter().all(|byte| u64::from(*byte) == number));
                    }
                    Err(PoolError::Corrupt { .. }) if !double_write => torn += 1,
                    Err(error) => panic!("double_write {double_write}, seed {seed}: {error}"),
                }
            }
        }
    }
    assert!(torn > 0, "no crash tore anything: the test shows nothing");
}

#[test]
fn a_flush_that_lies_can_lose_pages_but_never_mix_them() {
    for seed in 0..40 {
        let memory = MemoryDevice::new(PAGE * 8, 512);
        let pool = Pool::open(Arc::new(memory.clone()), PoolConfig::new(PAGE as u32, 2)).unwrap();
        (0..2).for_each(|page| put(&pool, page, page + 10));
        pool.close().unwrap();
        let device = Arc::new(Faulty::new(memory.clone(), [Fault::lying_flush()]));
        let pool = open(&device, PoolConfig::new(PAGE as u32, 2));
        (0..2).for_each(|page| put(&pool, page, page + 20));
        pool.close().unwrap();
        let left = memory.crash_at_random(Tearing::Sector512, seed);
        let after = Pool::open(Arc::new(left), PoolConfig::new(PAGE as u32, 2)).unwrap();
        for page in 0..2 {
            match after.read(page) {
                Ok(found) => assert!([page + 10, page + 20].contains(&value(&found))),
                Err(error) => assert!(matches!(error, PoolError::Corrupt { .. }), "{error}"),
            }
        }
    }
}

#[test]
fn checkpoints_and_flushes_survive_any_crash_under_any_variant() {
    for ace in Ace::ALL {
        for seed in 0..10 {
            let memory = MemoryDevice::new(PAGE * 32, 512);
            let mut config = PoolConfig::new(PAGE as u32, 6);
            (config.ace, config.n, config.double_write) = (ace, 3, true);
            let pool = Pool::open(Arc::new(memory.clone()), config.clone()).unwrap();
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut now, mut safe) = ([0; 20], [0; 20]);
            for step in 1..300 {
                let page = random.usize(..20);
                match random.u32(..40) {
                    0 => {
                        pool.checkpoint().unwrap();
                        safe = now;
                    }
                    1 => {
                        pool.flush(page as u64).unwrap();
                        safe[page] = now[page];
                    }
                    _ => {
                        put(&pool, page as u64, step);
                        now[page] = step;
                    }
                }
            }
            let left = memory.crash_at_random(Tearing::Sector512, seed);
            let after = Pool::open(Arc::new(left), config).unwrap();
            for page in 0..20 {
                let found = get(&after, page as u64);
                assert!(found >= safe[page] && found <= now[page], "{ace:?}, seed {seed}, page {page}");
            }
        }
    }
}
