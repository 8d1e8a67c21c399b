//! Pages written out of place: what was written is read, whatever is cleaned meanwhile; a full device and one
//! that is something else are errors that say so.

use std::collections::HashMap;
use std::sync::Arc;

use leadline_device::{Fault, Faulty, MemoryDevice, Op};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::{ConfigError, OutOfPlace, Pool, PoolConfig, PoolError};

const PAGE: u64 = 4096;

fn options() -> OutOfPlace {
    OutOfPlace::default().segment_bytes(16 * PAGE as u32)
}

fn config() -> PoolConfig {
    PoolConfig::new(PAGE as u32, 32).ace(Ace::CowX).n(8).out_of_place(options())
}

/// A device of so many segments of 16 pages.
fn device(segments: u64) -> MemoryDevice {
    MemoryDevice::new((48 + segments * 16) * PAGE, 512)
}

fn open(device: &MemoryDevice, config: PoolConfig) -> Result<Pool, PoolError> {
    Pool::open(Arc::new(device.clone()), config)
}

fn put(pool: &Pool, page: u64, value: u64) -> Result<(), PoolError> {
    let mut guard = pool.write(page)?;
    guard.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&value.to_le_bytes()));
    Ok(())
}

fn get(pool: &Pool, page: u64) -> u64 {
    let found = pool.read(page).unwrap();
    let mut words = found.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    let first = words.next().unwrap();
    assert!(words.all(|word| word == first), "page {page} is a mixture");
    first
}

#[test]
fn a_page_never_written_is_zeros_without_a_read() {
    let memory = device(16);
    drop(open(&memory, config()).unwrap());
    // Superblocks are read; nothing in the segments is.
    let faulty = Faulty::new(memory.clone(), [Fault::eio().on(Op::Read).within(48 * PAGE..1 << 30)]);
    let pool = Pool::open(Arc::new(faulty), config()).unwrap();
    pool.prefetch(0..8).unwrap();
    assert!((0..pool.pages()).all(|page| get(&pool, page) == 0));
    assert_eq!(pool.page_len(), 4096 - 24);
}

#[test]
fn a_device_much_larger_than_its_pages_is_used_from_its_beginning() {
    for atomic in [false, true] {
        let memory = device(4096);
        // Where the segments begin depends on the size of the page map.
        let (pages, beginning) = (40 * 16, 8 << 20);
        let allowed = beginning + 90 * 16 * PAGE..u64::MAX;
        let beyond = Fault::eio().on(Op::Write).within(allowed);
        let faulty = Faulty::new(memory, [beyond]);
        let config = config().out_of_place(options().atomic_checkpoints(atomic));
        let pool = Pool::open(Arc::new(faulty), config).unwrap();
        let mut random = fastrand::Rng::with_seed(3);
        for value in 0..20_000 {
            put(&pool, random.u64(..pages), value).unwrap();
            if value % 200 == 0 {
                pool.checkpoint().unwrap();
            }
        }
        pool.close().unwrap();
    }
}

#[test]
fn random_overwrites_of_a_full_device_are_cleaned_and_kept() {
    for (cleaner, atomic) in [(Cleaner::Off, false), (Cleaner::Auto, false), (Cleaner::Off, true)] {
        let config = config().cleaner(cleaner).out_of_place(options().atomic_checkpoints(atomic));
        let memory = device(64);
        let pool = open(&memory, config.clone()).unwrap();
        let pages = pool.pages() * if atomic { 80 } else { 95 } / 100;
        let (mut model, mut random) = (HashMap::new(), fastrand::Rng::with_seed(7));
        for step in 0..20 * pages {
            let page = if step < pages { step } else { random.u64(..pages) };
            put(&pool, page, step + 1).unwrap();
            model.insert(page, step + 1);
            // With atomic checkpoints nearly every segment has a place that the last one keeps.
            if step % 120 == 0 {
                pool.checkpoint().unwrap();
            }
        }
        assert!(pool.stats().moves > pages, "{:?}", pool.stats());
        assert!(model.iter().all(|(page, value)| get(&pool, *page) == *value));
        pool.checkpoint().unwrap();
        drop(pool);
        let pool = open(&memory.crash_to_durable(), config.clone()).unwrap();
        assert!(model.iter().all(|(page, value)| get(&pool, *page) == *value));
        pool.close().unwrap();
        let pool = open(&memory, config).unwrap();
        assert!(model.iter().all(|(page, value)| get(&pool, *page) == *value));
    }
}

#[test]
fn cleaning_moves_less_where_some_pages_change_more_often_than_others() {
    let moves = |share_of_hot: f64| {
        let pool = open(&device(160), config()).unwrap();
        let pages = pool.pages() * 85 / 100;
        let mut random = fastrand::Rng::with_seed(11);
        for step in 0..12 * pages {
            // Every tenth page is hot.
            let hot = random.f64() < share_of_hot;
            let page = if hot { random.u64(..pages / 10) * 10 } else { random.u64(..pages) };
            put(&pool, if step < pages { step } else { page }, step).unwrap();
        }
        let stats = pool.stats();
        stats.moves as f64 / stats.writes as f64
    };
    let (skewed, uniform) = (moves(0.8), moves(0.0));
    assert!(skewed < 0.75 * uniform, "{skewed:.2} and {uniform:.2} pages moved per page written");
}

#[test]
fn threads_lose_no_update_while_the_cleaner_cleans() {
    for cleaner in [Cleaner::Off, Cleaner::Auto, Cleaner::Depth(4)] {
        let memory = device(64);
        let pool = open(&memory, config().cleaner(cleaner)).unwrap();
        let (threads, pages) = (4, pool.pages() * 9 / 10 / 4);
        let counts: Vec<HashMap<u64, u64>> = std::thread::scope(|scope| {
            let one = |thread: u64| {
                let pool = &pool;
                scope.spawn(move || {
                    let (mut counts, mut random) = (HashMap::new(), fastrand::Rng::with_seed(thread));
                    for _ in 0..6000 {
                        let page = random.u64(..pages) * threads + thread;
                        let count = counts.entry(page).or_insert(0);
                        assert_eq!(get(pool, page), *count, "page {page}");
                        *count += 1;
                        put(pool, page, *count).unwrap();
                        if random.u32(..500) == 0 {
                            pool.checkpoint().unwrap();
                        }
                    }
                    counts
                })
            };
            let all: Vec<_> = (0..threads).map(one).collect();
            all.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(pool.stats().moves > 0, "{:?}", pool.stats());
        pool.checkpoint().unwrap();
        drop(pool);
        let pool = open(&memory.crash_to_durable(), config()).unwrap();
        assert!(counts.iter().flatten().all(|(page, count)| get(&pool, *page) == *count));
    }
}

#[test]
fn a_discarded_page_is_zeros_after_a_checkpoint_and_its_place_is_used_again() {
    for atomic in [false, true] {
        let config = config().out_of_place(options().atomic_checkpoints(atomic));
        let memory = device(24);
        let pool = open(&memory, config.clone()).unwrap();
        let pages = pool.pages();
        (0..pages).for_each(|page| put(&pool, page, page + 1).unwrap());
        pool.checkpoint().unwrap();
        let full = pool.room().unwrap().0;
        assert!((0..pages / 2).all(|page| pool.discard(page).unwrap()));
        assert_eq!((get(&pool, 0), get(&pool, pages / 2)), (0, pages / 2 + 1));
        if atomic {
            // Until the next checkpoint a crash brings them back.
            let crashed = open(&memory.crash_to_durable(), config.clone()).unwrap();
            assert!((0..pages).all(|page| get(&crashed, page) == page + 1));
        }
        pool.checkpoint().unwrap();
        assert!(pool.room().unwrap().0 > full + pages / 2 - 8, "their places are free");
        let should = |page| if page < pages / 2 { 0 } else { page + 1 };
        let crashed = open(&memory.crash_to_durable(), config.clone()).unwrap();
        assert!((0..pages).all(|page| get(&crashed, page) == should(page)));
        // Cleaning must not forget that they were discarded.
        for round in 0..20 {
            (pages / 2..pages).for_each(|page| put(&pool, page, round << 20 | page).unwrap());
            pool.checkpoint().unwrap();
        }
        let crashed = open(&memory.crash_to_durable(), config).unwrap();
        assert!((0..pages / 2).all(|page| get(&crashed, page) == 0));
    }
}

#[test]
fn a_full_device_says_so_and_keeps_the_last_checkpoint() {
    let mut config = config().out_of_place(options().atomic_checkpoints(true));
    config.frames = 16;
    let memory = device(16);
    let pool = open(&memory, config.clone()).unwrap();
    let pages = pool.pages();
    (0..pages).for_each(|page| put(&pool, page, page + 1).unwrap());
    pool.checkpoint().unwrap();
    // All that is written now needs places besides those of the checkpoint.
    let full = (0..pages).find_map(|page| Some((page, put(&pool, page, 77).err()?)));
    let (page, error) = full.expect("it is full");
    assert!(matches!(error, PoolError::Full { kept: 1.., .. }), "{error}");
    assert!(error.to_string().contains("next checkpoint"), "{error}");
    let left = open(&memory.crash_to_durable(), config.clone()).unwrap();
    assert!((0..pages).all(|page| get(&left, page) == page + 1));
    // There is room for a checkpoint, and then for what follows.
    pool.checkpoint().unwrap();
    put(&pool, page, 77).unwrap();
    pool.checkpoint().unwrap();
    let left = open(&memory.crash_to_durable(), config).unwrap();
    assert!((0..pages).all(|at| get(&left, at) == if at <= page { 77 } else { at + 1 }));
}

#[test]
fn a_pool_that_crashed_is_read_without_a_write() {
    for atomic in [false, true] {
        let config = config().out_of_place(options().atomic_checkpoints(atomic));
        let memory = device(24);
        let pool = open(&memory, config.clone()).unwrap();
        let pages = pool.pages();
        (0..pages).for_each(|page| put(&pool, page, page + 1).unwrap());
        pool.checkpoint().unwrap();
        put(&pool, 5, 99).unwrap();
        drop(pool);
        let left = memory.crash_to_durable();
        let is_full = Faulty::new(left.clone(), [Fault::enospc().on(Op::Write)]);
        let pool = Pool::open(Arc::new(is_full), config.clone()).unwrap();
        assert!((0..pages).all(|page| get(&pool, page) == page + 1));
        pool.checkpoint().unwrap();
        // What was discarded before there was room is there again.
        assert!(pool.discard(3).unwrap());
        assert_eq!(get(&pool, 3), 0);
        let refused = pool.checkpoint().unwrap_err();
        assert!(matches!(refused, PoolError::PageMap { .. }), "{refused}");
        drop(pool);
        let pool = open(&left, config.clone()).unwrap();
        assert!((0..pages).all(|page| get(&pool, page) == page + 1));
        assert!(pool.discard(3).unwrap());
        put(&pool, 4, 88).unwrap();
        pool.checkpoint().unwrap();
        let pool = open(&left.crash_to_durable(), config).unwrap();
        assert_eq!((get(&pool, 3), get(&pool, 4), get(&pool, 5)), (0, 88, 6));
    }
}

#[test]
fn a_page_that_is_damaged_after_a_checkpoint_is_named_and_not_read_as_it_was_before() {
    let config = config().out_of_place(options().atomic_checkpoints(true));
    let memory = device(24);
    let pool = open(&memory, config.clone()).unwrap();
    for value in 1..=3 {
        (0..20).for_each(|page| put(&pool, page, 100 * value + page).unwrap());
        pool.checkpoint().unwrap();
    }
    // Without a page map, as after a kill.
    drop(pool);
    let content = memory.contents(0, (48 + 24 * 16) * PAGE as usize);
    let is_newest = |page: &[u8]| page.starts_with(&305u64.to_le_bytes());
    let at = content.chunks(PAGE as usize).position(is_newest).unwrap() as u64 * PAGE;
    memory.flip_bit(at + 77, 2);
    for _ in 0..2 {
        let pool = open(&memory, config.clone()).unwrap();
        let damaged = pool.read(5).unwrap_err();
        assert!(matches!(damaged, PoolError::Corrupt { page: 5, .. }), "{damaged}");
        assert!((0..20).filter(|page| *page != 5).all(|page| get(&pool, page) == 300 + page));
        // The second time from a page map.
        put(&pool, 0, 300).unwrap();
        pool.close().unwrap();
    }
    // Written anew it is whole.
    let pool = open(&memory, config.clone()).unwrap();
    pool.create(5).unwrap();
    put(&pool, 5, 9).unwrap();
    pool.checkpoint().unwrap();
    drop(pool);
    assert_eq!(get(&open(&memory, config).unwrap(), 5), 9);
}

#[test]
fn what_cannot_be_opened_is_named() {
    let memory = device(16);
    let pool = open(&memory, config()).unwrap();
    put(&pool, 3, 9).unwrap();
    pool.close().unwrap();
    let refused = |device: &MemoryDevice, config: PoolConfig| match open(device, config) {
        Err(PoolError::Config(error)) => error,
        other => panic!("{other:?}"),
    };
    let mut other = config();
    (other.page_bytes, other.frames) = (8192, 8);
    assert!(matches!(refused(&memory, other), ConfigError::OtherPageBytes { laid_out: 4096, .. }));
    let segments = config().out_of_place(options().segment_bytes(8 * PAGE as u32));
    assert!(matches!(refused(&memory, segments), ConfigError::OtherSegmentBytes { laid_out: 65_536, .. }));
    let odd = config().out_of_place(options().segment_bytes(5000));
    assert!(matches!(refused(&memory, odd), ConfigError::SegmentBytes { .. }));
    let spare = config().out_of_place(options().spare(0.0));
    assert!(matches!(refused(&memory, spare), ConfigError::Spare { .. }));
    assert!(matches!(refused(&device(3), config()), ConfigError::TooFewSegments { .. }));
    assert!(matches!(refused(&memory, config().checksums(false)), ConfigError::OutOfPlaceWithoutChecksums));
    assert!(matches!(refused(&memory, config().double_write(true)), ConfigError::OutOfPlaceDoubleWrite));
    let plain = device(16);
    let pool = open(&plain, PoolConfig::new(4096, 8)).unwrap();
    put(&pool, 0, 1).unwrap();
    pool.close().unwrap();
    assert_eq!(refused(&plain, config()), ConfigError::NotOutOfPlace);
    // Both superblocks are of a later format.
    for at in [0, 65_536] {
        let mut bytes = memory.contents(at, 4096);
        bytes[8] = 3;
        let sum = crc32fast::hash(&bytes[..4092]);
        let bits = |at: u64, from: u8, to: u8| {
            (0..8).filter(|bit| (from ^ to) >> bit & 1 == 1).for_each(|bit| memory.flip_bit(at, bit));
        };
        let before = memory.contents(at, 4096);
        bits(at + 8, before[8], 3);
        (0..4).for_each(|i| bits(at + 4092 + i as u64, before[4092 + i], sum.to_le_bytes()[i]));
    }
    assert_eq!(refused(&memory, config()), ConfigError::PlacesVersion { version: 3 });
}

#[test]
fn segments_of_any_size_and_batches_of_any_size_go_together() {
    for (page, segment_pages) in [(4096u32, 4u32), (4096, 5), (4096, 37), (4096, 100), (65_536, 4)] {
        for n in [1, 7, 64, 512] {
            let device = MemoryDevice::new((1 << 20) + u64::from(page) * 1400, 512);
            let options = OutOfPlace::default().segment_bytes(segment_pages * page).spare(0.3);
            let config = PoolConfig::new(page, 128).ace(Ace::CowX).n(n).out_of_place(options);
            let pool = Pool::open(Arc::new(device.clone()), config).unwrap();
            let mut random = fastrand::Rng::with_seed(n.into());
            let mut newest = HashMap::new();
            for value in 0..4000 {
                let page = random.u64(..pool.pages());
                put(&pool, page, value).unwrap();
                newest.insert(page, value);
                if value % 900 == 0 {
                    pool.checkpoint().unwrap();
                }
            }
            assert!(newest.iter().all(|(page, value)| get(&pool, *page) == *value));
            pool.close().unwrap();
        }
    }
}

#[test]
fn a_pool_that_was_closed_is_opened_with_few_reads() {
    let memory = device(200);
    let pool = open(&memory, config()).unwrap();
    for page in 0..1600 {
        put(&pool, page, page + 1).unwrap();
    }
    pool.close().unwrap();
    let counted = Arc::new(Faulty::new(memory, [Fault::delay(0).on(Op::Read)]));
    let pool = Pool::open(Arc::clone(&counted) as _, config()).unwrap();
    // Two superblocks, the page map's two pages, and the segment that is not full.
    assert!(counted.strikes()[0] <= 5, "{} reads", counted.strikes()[0]);
    assert!((0..1600).all(|page| get(&pool, page) == page + 1));
}

/// A superblock whose write failed may be on the device all the same, and names fewer segments.
#[test]
fn pages_written_after_a_superblock_that_failed_survive_a_crash() {
    for nth in 0..24 {
        let memory = device(64);
        let failed = Fault::errno_though_done(5).on(Op::Write).within(0..65_536 + PAGE).nth(nth);
        let faulty = Arc::new(Faulty::new(memory.clone(), [failed]));
        let Ok(pool) = Pool::open(Arc::clone(&faulty) as _, config()) else { continue };
        let again = |step: &dyn Fn() -> Result<(), PoolError>| step().or_else(|_| step()).unwrap();
        for value in 1..=24 {
            (0..48).for_each(|page| again(&|| put(&pool, page, value)));
            again(&|| pool.checkpoint());
            let left = open(&memory.crash_to_durable(), config()).unwrap();
            assert!((0..48).all(|page| get(&left, page) == value), "superblock {nth}, value {value}");
            let _ = pool.write_page_map();
        }
        assert!(faulty.strikes()[0] == 1, "there was no superblock {nth}");
    }
}

/// Opening reads many pages with one request, of which one may be unreadable.
#[test]
fn one_page_that_cannot_be_read_hides_no_others_when_a_pool_is_opened() {
    let memory = device(64);
    let pool = open(&memory, config()).unwrap();
    (0..64).for_each(|page| put(&pool, page, page + 1).unwrap());
    pool.checkpoint().unwrap();
    drop(pool);
    let unreadable = Fault::eio().on(Op::Read).within(52 * PAGE..53 * PAGE);
    let pool = Pool::open(Arc::new(Faulty::new(memory, [unreadable])), config()).unwrap();
    let hidden: Vec<u64> = (0..64).filter(|page| get(&pool, *page) != page + 1).collect();
    assert_eq!(hidden.len(), 1, "{hidden:?}");
}
