//! Many pages at once are what one after the other is: in any pool, while others write, and when reads fail.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Device, Fault, Faulty, MemoryDevice, Op};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::{Pool, PoolConfig, PoolError};
use proptest::prelude::*;

const PAGE: u32 = 4096;
const PAGES: u64 = 64;

/// Pages whose first bytes are their numbers, and a device that fails as told.
fn device(faults: impl Into<Vec<Fault>>) -> Arc<Faulty<MemoryDevice>> {
    let memory = MemoryDevice::new(PAGES * u64::from(PAGE), 512);
    let pool = Pool::open(Arc::new(memory.clone()), PoolConfig::new(PAGE, PAGES as u32)).unwrap();
    (0..PAGES).for_each(|page| put(&pool, page, page));
    pool.close().unwrap();
    Arc::new(Faulty::new(memory, faults))
}

fn open(device: &Arc<Faulty<MemoryDevice>>, config: PoolConfig) -> Pool {
    Pool::open(Arc::clone(device) as Arc<dyn Device>, config).unwrap()
}

fn put(pool: &Pool, page: u64, value: u64) {
    pool.write(page).unwrap()[..8].copy_from_slice(&value.to_le_bytes());
}

fn value(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

/// The values of all pages in the order asked for; each is visited once.
fn get_many(pool: &Pool, pages: &[u64]) -> Result<Vec<u64>, PoolError> {
    let mut found = vec![None; pages.len()];
    pool.read_many(pages, |place, bytes| {
        assert_eq!(bytes.len(), pool.page_len());
        assert_eq!(found[place].replace(value(bytes)), None, "place {place} was visited twice");
    })?;
    Ok(found.into_iter().map(|value| value.expect("all are visited")).collect())
}

/// All frames can be had for other pages, the device's last: nothing is pinned.
fn assert_nothing_pinned(pool: &Pool, frames: u32) {
    let first = PAGES.saturating_sub(u64::from(frames));
    let guards: Vec<_> = (first..PAGES).map(|page| pool.read(page)).collect();
    let refused = guards.iter().find_map(|guard| guard.as_ref().err());
    assert_eq!(refused.map(ToString::to_string), None, "a frame is pinned");
}

#[derive(Debug, Clone)]
enum Step {
    Put(u64),
    Prefetch(Vec<u64>),
    Many(Vec<u64>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pages = || prop::collection::vec(0..PAGES, 0..80);
    let step = prop_oneof![
        (0..PAGES).prop_map(Step::Put),
        prop::collection::vec(0..PAGES, 0..6).prop_map(Step::Prefetch),
        pages().prop_map(Step::Many),
    ];
    prop::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn it_reads_what_plain_reads_would(
        steps in steps(),
        frames in 1_u32..80,
        reads_ahead in 1_u32..12,
        policy in prop::sample::select(PolicyKind::ALL),
        ace in prop::sample::select(&Ace::ALL[..]),
        cleaner in prop::sample::select(&[Cleaner::Off, Cleaner::Depth(1), Cleaner::Auto][..]),
    ) {
        let mut config = PoolConfig::new(PAGE, frames).policy(policy).ace(ace).n(3).cleaner(cleaner);
        config.reads_ahead = reads_ahead;
        let pool = open(&device([]), config);
        let mut model: Vec<u64> = (0..PAGES).collect();
        let mut gets = 0;
        for (i, step) in steps.into_iter().enumerate() {
            match step {
                Step::Put(page) => {
                    model[page as usize] = 1000 + i as u64;
                    put(&pool, page, 1000 + i as u64);
                    gets += 1;
                }
                Step::Prefetch(pages) => pool.prefetch_pages(&pages).unwrap(),
                Step::Many(pages) => {
                    let expected: Vec<u64> = pages.iter().map(|page| model[*page as usize]).collect();
                    prop_assert_eq!(get_many(&pool, &pages).unwrap(), expected);
                    gets += pages.len() as u64;
                }
            }
        }
        let stats = pool.stats();
        prop_assert_eq!(stats.hits + stats.misses, gets);
        assert_nothing_pinned(&pool, frames);
    }
}

#[test]
fn as_many_reads_as_configured_are_in_flight_and_each_that_ends_makes_room() {
    // The first read takes until all others have had their turn.
    let device = device([Fault::delay(50_000_000).on(Op::Read).nth(0)]);
    let mut config = PoolConfig::new(PAGE, PAGES as u32);
    config.reads_ahead = 4;
    let pool = open(&device, config);
    let mut order = Vec::new();
    pool.read_many(&(0..12).collect::<Vec<_>>(), |place, _| order.push(place)).unwrap();
    assert_eq!(order.last(), Some(&0), "{order:?}");
    assert_eq!(device.submitted(), 12);
    assert_eq!((pool.stats().misses, pool.stats().hits), (12, 0));
}

#[test]
fn the_same_page_twice_is_read_once() {
    let device = device([]);
    let pool = open(&device, PoolConfig::new(PAGE, 16));
    assert_eq!(get_many(&pool, &[5, 9, 5, 5, 9]).unwrap(), [5, 9, 5, 5, 9]);
    assert_eq!(device.submitted(), 2);
    assert_eq!((pool.stats().misses, pool.stats().hits), (2, 3));
}

#[test]
fn a_page_that_does_not_exist_is_named_and_none_is_visited() {
    let pool = open(&device([]), PoolConfig::new(PAGE, 16));
    let error = pool.read_many(&[1, PAGES, 2], |_, _| panic!("a page was visited")).unwrap_err();
    assert!(matches!(error, PoolError::BeyondDevice { page: PAGES, .. }), "{error}");
    pool.read_many(&[], |_, _| panic!("a page was visited")).unwrap();
}

#[test]
fn the_first_error_is_returned_and_nothing_stays_pinned() {
    for failing in 0..20 {
        for frames in [1, 5, 40] {
            let device = device([Fault::eio().on(Op::Read).nth(failing)]);
            let pool = open(&device, PoolConfig::new(PAGE, frames));
            let pages: Vec<u64> = (0..20).collect();
            let error = get_many(&pool, &pages).unwrap_err();
            assert!(matches!(error, PoolError::Io { .. }), "{error}");
            assert_eq!(pool.stats().read_errors, 1);
            assert_nothing_pinned(&pool, frames);
            assert_eq!(get_many(&pool, &pages).unwrap(), pages, "read {failing}, {frames} frames");
        }
    }
}

#[test]
fn pinned_pages_are_left_alone_and_a_pool_full_of_them_refused() {
    let pool = open(&device([]), PoolConfig::new(PAGE, 3));
    let guards = [pool.read(0).unwrap(), pool.read(1).unwrap()];
    let pages: Vec<u64> = (0..30).collect();
    assert_eq!(get_many(&pool, &pages).unwrap(), pages, "one frame is enough");
    let third = pool.read(2).unwrap();
    assert_eq!(get_many(&pool, &[2, 0, 1]).unwrap(), [2, 0, 1]);
    let error = get_many(&pool, &[2, 7]).unwrap_err();
    assert!(matches!(error, PoolError::NoFrame { page: 7, frames: 3 }), "{error}");
    drop((guards, third));
    assert_nothing_pinned(&pool, 3);
    // A window of two pages, but a frame for one: it is visited before the next is read.
    let pool = open(&device([]), PoolConfig::new(PAGE, 8));
    let guards: Vec<_> = (0..7).map(|page| pool.read(page).unwrap()).collect();
    assert_eq!(get_many(&pool, &pages).unwrap(), pages);
    drop(guards);
    assert_nothing_pinned(&pool, 8);
}

#[test]
fn dirty_victims_are_written_and_a_failed_write_is_returned_where_no_clean_page_helps() {
    let device = device([Fault::eio().on(Op::Write).from(2)]);
    let pool = open(&device, PoolConfig::new(PAGE, 4));
    (0..4).for_each(|page| put(&pool, page, 100 + page));
    // Two can be written, and make room for all others.
    let pages: Vec<u64> = (10..30).collect();
    assert_eq!(get_many(&pool, &pages).unwrap(), pages);
    let kept: Vec<u64> =
        (0..4).filter(|page| pool.read(*page).unwrap().starts_with(&[100 + *page as u8])).collect();
    assert_eq!(kept, [0, 1, 2, 3], "nothing is lost");
    // 0 and 1 came in last: all frames are dirty now, and no page can be written.
    (0..2).for_each(|page| put(&pool, page, 100 + page));
    let error = get_many(&pool, &pages).unwrap_err();
    assert!(matches!(error, PoolError::Io { .. }), "{error}");
    (0..4).for_each(|page| put(&pool, page, 9));
}

#[test]
fn a_visitor_that_panics_leaves_nothing_pinned() {
    for at in [0, 1, 7, 19] {
        let pool = open(&device([]), PoolConfig::new(PAGE, 40));
        drop(pool.read(3).unwrap());
        let visits = Cell::new(0);
        let visit = |_, _: &[u8]| {
            visits.set(visits.get() + 1);
            assert!(visits.get() <= at, "enough");
        };
        let read = || pool.read_many(&(0..20).collect::<Vec<_>>(), visit);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).unwrap_err();
        assert_nothing_pinned(&pool, 40);
    }
}

#[test]
fn threads_that_read_many_write_and_evict_see_whole_pages_and_end() {
    for (frames, reads_ahead) in [(8, 4), (20, 8), (70, 3)] {
        let mut config = PoolConfig::new(PAGE, frames).ace(Ace::CowX).n(4);
        (config.reads_ahead, config.cleaner) = (reads_ahead, Cleaner::Auto);
        let (pool, over) = (open(&device([]), config), AtomicBool::new(false));
        (0..PAGES).for_each(|page| pool.write(page).unwrap().fill(page as u8));
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut random = fastrand::Rng::with_seed(7);
                while !over.load(Ordering::Relaxed) {
                    let (page, byte) = (random.u64(..PAGES), random.u8(..4) * 64);
                    match pool.write(page) {
                        Ok(mut guard) => guard.fill(byte + page as u8),
                        Err(PoolError::NoFrame { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
            let reader = |seed| {
                let pool = &pool;
                move || {
                    let mut random = fastrand::Rng::with_seed(seed);
                    for _ in 0..200 {
                        let pages: Vec<u64> = (0..50).map(|_| random.u64(..PAGES)).collect();
                        let mut visits = 0;
                        let read = pool.read_many(&pages, |place, bytes| {
                            visits += 1;
                            assert_eq!(u64::from(bytes[0] % 64), pages[place], "another page");
                            assert!(bytes.iter().all(|byte| *byte == bytes[0]), "half of a page");
                        });
                        match read {
                            Ok(()) => assert_eq!(visits, pages.len()),
                            Err(PoolError::NoFrame { .. }) => assert!(frames < 20, "{frames}"),
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            };
            let readers: Vec<_> = (0..3).map(|seed| scope.spawn(reader(seed))).collect();
            let ends: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
            over.store(true, Ordering::Relaxed);
            ends.into_iter().for_each(|end| end.expect("a reader ends"));
            writer.join().expect("the writer ends");
        });
        assert_nothing_pinned(&pool, frames);
    }
}
