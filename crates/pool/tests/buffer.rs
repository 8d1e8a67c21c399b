//! The pool against a plain map: what was written is read, whatever the policy, the write-back and the size.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_device::{Device, FileDevice, FileOptions, IoEngine, MemoryDevice, direct_alignment};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::{Pool, PoolConfig, PoolError};

/// A device of so many pages of 4 KiB.
fn device(pages: u64) -> Arc<dyn Device> {
    let file: File = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.set_len(pages * 4096).unwrap();
    let mut options = FileOptions::new(IoEngine::best().0, 4096);
    options.direct = direct_alignment(&file).is_ok_and(|alignment| alignment <= 4096);
    Arc::new(FileDevice::new(file, pages * 4096, options).unwrap())
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Each thread counts in pages of its own, and all count in pages that they share; nothing may get lost.
fn count(pool: &Pool, threads: u64, pages: u64, operations: u64) -> Vec<AtomicU64> {
    let counts: Vec<AtomicU64> = (0..pages).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let counts = &counts;
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(thread);
                for _ in 0..operations {
                    let page = random.u64(..pages);
                    if random.bool() {
                        let mut guard = retry(|| pool.write(page));
                        let before = number(&guard, 0);
                        assert!(before == 0 || number(&guard, 8) == page, "page {page} is another");
                        guard[..8].copy_from_slice(&(before + 1).to_le_bytes());
                        guard[8..16].copy_from_slice(&page.to_le_bytes());
                        let last = guard.len() - 8;
                        guard[last..].copy_from_slice(&(before + 1).to_le_bytes());
                        counts[page as usize].fetch_add(1, Ordering::Relaxed);
                    } else {
                        let guard = retry(|| pool.read(page));
                        let count = number(&guard, 0);
                        assert!(count == 0 || number(&guard, 8) == page, "page {page} is another");
                        assert_eq!(count, number(&guard, guard.len() - 8), "page {page} is half written");
                    }
                    if random.u32(..1000) == 0 {
                        pool.prefetch(page..(page + 4).min(pages)).unwrap();
                    }
                }
            });
        }
    });
    counts
}

/// More threads than frames may find all of them pinned.
fn retry<T>(mut take: impl FnMut() -> Result<T, PoolError>) -> T {
    loop {
        match take() {
            Ok(guard) => return guard,
            Err(PoolError::NoFrame { .. }) => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

fn config(frames: u32, ace: Ace, n: u32, cleaner: Cleaner) -> PoolConfig {
    let mut config = PoolConfig::new(4096, frames);
    (config.ace, config.n, config.cleaner) = (ace, n, cleaner);
    config
}

#[test]
fn no_update_is_lost_by_any_variant_in_any_pool() {
    for ace in Ace::ALL {
        for (frames, n) in [(1, 4), (2, 2), (5, 3), (24, 8)] {
            for cleaner in [Cleaner::Off, Cleaner::Depth(1), Cleaner::Auto] {
                for &policy in PolicyKind::ALL {
                    // A file for one policy; flushing it takes longer than all the rest.
                    let device = match policy {
                        PolicyKind::Lru if frames == 5 => device(40),
                        _ => Arc::new(MemoryDevice::new(40 * 4096, 512)),
                    };
                    let mut config = config(frames, ace, n, cleaner);
                    config.policy = policy;
                    // One of the policies looks for n as it goes.
                    config.adaptive = policy == PolicyKind::Clock;
                    let what = format!("{ace:?} {frames} frames, n = {n}, {cleaner:?}, {policy:?}");
                    let pool = Pool::open(Arc::clone(&device), config.clone()).unwrap();
                    let counts = count(&pool, 3, 40, 150);
                    for (page, count) in counts.iter().enumerate() {
                        let count = count.load(Ordering::Relaxed);
                        assert_eq!(number(&pool.read(page as u64).unwrap(), 0), count, "{what}, page {page}");
                    }
                    pool.close().unwrap();
                    let pool = Pool::open(device, config).unwrap();
                    for (page, count) in counts.iter().enumerate() {
                        let count = count.load(Ordering::Relaxed);
                        assert_eq!(number(&pool.read(page as u64).unwrap(), 0), count, "{what}, page {page}");
                    }
                }
            }
        }
    }
}

#[test]
fn pins_that_exhaust_the_pool_are_refused_at_once() {
    let mut config = config(3, Ace::CowX, 8, Cleaner::Off);
    config.next_page = 6;
    let pool = Pool::open(device(8), config).unwrap();
    let (a, b, c) = (pool.read(0).unwrap(), pool.write(1).unwrap(), pool.read(2).unwrap());
    let error = pool.read(3).unwrap_err();
    assert!(matches!(error, PoolError::NoFrame { page: 3, frames: 3 }), "{error}");
    assert!(matches!(pool.new_page(), Err(PoolError::NoFrame { page: 6, .. })));
    assert_eq!(pool.next_page(), 6, "it is given out the next time");
    assert!(pool.read(0).is_ok(), "what is there can be had");
    drop(b);
    assert!(pool.read(3).is_ok());
    drop((a, c));
}

#[test]
fn what_no_pool_can_be_made_of_is_refused() {
    let refused = |config: PoolConfig| Pool::open(device(8), config).err().map(|error| error.to_string());
    let says = |config: PoolConfig, word: &str| {
        let error = refused(config).expect(word);
        assert!(error.contains(word), "{error}");
    };
    says(PoolConfig::new(4096, 0), "frames: 0");
    says(PoolConfig::new(4000, 1), "page size: 4000");
    says(PoolConfig::new(2048, 1), "page size: 2048");
    says(PoolConfig::new(131_072, 1), "page size: 131072");
    says(PoolConfig::new(65_536, 1), "less than one page");
    says(PoolConfig::new(4096, 1).n(0), "at least 1");
    says(PoolConfig::new(4096, 1).checksums(false).double_write(true), "checksums");
    says(PoolConfig::new(4096, 1).adaptive(true).double_write(true), "exclude");
    says(PoolConfig::new(4096, 8).double_write(true).n(8), "double-write area of 18");
    assert_eq!(refused(PoolConfig::new(4096, 1)), None);
    let simulation = Arc::from(leadline_sim::open("flash").unwrap());
    let error = Pool::open(simulation, PoolConfig::new(4096, 1)).expect_err("it keeps no data").to_string();
    assert!(error.contains("simulation"), "{error}");
}

#[test]
fn pages_beyond_the_device_are_named_with_its_size() {
    let pool = Pool::open(device(8), config(2, Ace::Off, 1, Cleaner::Off)).unwrap();
    for page in [8, 1 << 36, u64::MAX] {
        for error in [pool.read(page).map(drop), pool.write(page).map(drop), pool.flush(page)] {
            let error = error.unwrap_err().to_string();
            assert!(error.contains(&format!("page {page} ")) && error.contains("32768 bytes"), "{error}");
        }
    }
    assert!(pool.prefetch(6..9).is_err());
    assert!(pool.prefetch(6..8).is_ok());
}

#[test]
fn new_pages_are_zeroed_and_end_with_the_device() {
    let device = device(4);
    let pool = Pool::open(Arc::clone(&device), config(2, Ace::Off, 1, Cleaner::Off)).unwrap();
    (0..4).for_each(|page| pool.write(page).unwrap().fill(9));
    pool.close().unwrap();
    let mut config = config(2, Ace::Off, 1, Cleaner::Off);
    config.next_page = 1;
    let pool = Pool::open(Arc::clone(&device), config).unwrap();
    drop(pool.read(2).unwrap()); // already in the pool when it is made
    for expected in 1..4 {
        let (page, guard) = pool.new_page().unwrap();
        assert_eq!(page, expected);
        assert!(guard.iter().all(|byte| *byte == 0), "page {page}");
    }
    for _ in 0..2 {
        assert!(matches!(pool.new_page(), Err(PoolError::BeyondDevice { page: 4, pages: 4, .. })));
    }
    assert_eq!(pool.next_page(), 4);
    assert_eq!(pool.read(0).unwrap()[0], 9, "not a new one");
    pool.close().unwrap();
}

#[test]
fn only_what_was_asked_for_is_written() {
    let device = device(8);
    let pool = Pool::open(Arc::clone(&device), config(8, Ace::Off, 1, Cleaner::Off)).unwrap();
    (0..4).for_each(|page| pool.write(page).unwrap().fill(9));
    pool.flush(1).unwrap();
    drop(pool);
    let pool = Pool::open(device, config(8, Ace::Off, 1, Cleaner::Off)).unwrap();
    let first: Vec<u8> = (0..4).map(|page| pool.read(page).unwrap()[0]).collect();
    assert_eq!(first, [0, 9, 0, 0], "dropping a pool writes nothing");
}

#[test]
fn checksums_take_eight_bytes_of_a_page_and_can_be_done_without() {
    for page_bytes in [4096, 16_384, 65_536] {
        for checksums in [false, true] {
            let mut config = PoolConfig::new(page_bytes, 2);
            config.checksums = checksums;
            let pool = Pool::open(device(64), config).unwrap();
            let len = page_bytes as usize - if checksums { 8 } else { 0 };
            assert_eq!((pool.page_len(), pool.read(1).unwrap().len()), (len, len));
            pool.write(1).unwrap().fill(7);
            (2..4).for_each(|page| drop(pool.read(page).unwrap()));
            assert!(pool.read(1).unwrap().iter().all(|byte| *byte == 7));
        }
    }
}

#[test]
fn pages_read_ahead_are_found_and_counted_when_used() {
    let pool = Pool::open(device(64), config(16, Ace::Off, 1, Cleaner::Off)).unwrap();
    pool.prefetch(0..6).unwrap();
    assert_eq!(pool.stats().prefetches, 6);
    drop(pool.read(2).unwrap());
    drop(pool.write(4).unwrap());
    drop(pool.read(4).unwrap());
    drop(pool.read(20).unwrap());
    let stats = pool.stats();
    assert_eq!((stats.misses, stats.hits, stats.prefetches_used), (1, 3, 2));
    // A reader on another thread finds what this one asked for.
    pool.prefetch(30..33).unwrap();
    std::thread::scope(|scope| scope.spawn(|| drop(pool.read(31).unwrap())).join().unwrap());
    assert_eq!(pool.stats().misses, 1);
}

#[test]
fn any_pages_can_be_read_ahead_together() {
    let mut config = config(16, Ace::Off, 1, Cleaner::Off);
    config.reads_ahead = 5;
    let pool = Pool::open(device(64), config).unwrap();
    (0..64).for_each(|page| pool.write(page).unwrap()[0] = page as u8);
    pool.checkpoint().unwrap();
    pool.prefetch_pages(&[]).unwrap();
    assert!(pool.prefetch_pages(&[3, 64, 4]).is_err());
    assert_eq!(pool.stats().prefetches, 0, "nothing is read where a page does not exist");
    // 60 is in memory, 7 is asked for twice, 2 and 4 find no room on the I/O queue.
    pool.prefetch_pages(&[40, 7, 60, 7, 13, 0, 20, 2, 4]).unwrap();
    assert_eq!(pool.stats().prefetches, 5);
    let misses = pool.stats().misses;
    for page in [40, 7, 13, 0, 20] {
        assert_eq!(pool.read(page).unwrap()[0], page as u8);
    }
    let stats = pool.stats();
    assert_eq!((stats.misses, stats.prefetches_used), (misses, 5));
}

#[test]
fn reading_ahead_writes_nothing() {
    let pool = Pool::open(device(64), config(4, Ace::Off, 1, Cleaner::Off)).unwrap();
    (0..4).for_each(|page| drop(pool.write(page).unwrap()));
    pool.prefetch(10..14).unwrap();
    let stats = pool.stats();
    assert_eq!((stats.prefetches, stats.writes), (0, 0));
}

#[test]
fn dirty_pages_are_written_while_others_are_changed() {
    let pool = Pool::open(device(64), config(16, Ace::CowX, 4, Cleaner::Off)).unwrap();
    (0..10).for_each(|page| drop(pool.write(page).unwrap()));
    let (reading, mut changing) = (pool.read(3).unwrap(), pool.write(7).unwrap());
    pool.write_dirty().unwrap();
    let stats = pool.stats();
    assert_eq!((stats.writes, stats.flushes), (9, 0));
    changing[0] = 1;
    drop((reading, changing));
    drop(pool.write(2).unwrap());
    pool.checkpoint().unwrap();
    assert_eq!((pool.stats().writes, pool.stats().flushes), (11, 1));
}

#[test]
fn a_dirty_victim_takes_n_with_it() {
    // LRU, all dirty: each write-back of COW-X(4) cleans four, so that the next three victims cost nothing.
    let pool = Pool::open(device(64), config(8, Ace::CowX, 4, Cleaner::Off)).unwrap();
    (0..8).for_each(|page| drop(pool.write(page).unwrap()));
    for (page, batches, writes) in [(8, 1, 4), (9, 1, 4), (10, 1, 4), (11, 1, 4), (12, 2, 8)] {
        drop(pool.read(page).unwrap());
        let stats = pool.stats();
        assert_eq!((stats.batches, stats.writes), (batches, writes), "page {page}");
    }
}

#[test]
fn a_discarded_page_is_not_written_and_one_created_again_is_zeros() {
    for policy in PolicyKind::ALL {
        let memory = MemoryDevice::new(64 * 4096, 512);
        let pool = Pool::open(Arc::new(memory.clone()), PoolConfig::new(4096, 8).policy(*policy)).unwrap();
        for page in 0..4 {
            pool.write(page).unwrap().fill(1);
        }
        let guard = pool.read(1).unwrap();
        assert!(!pool.discard(1).unwrap(), "a guard holds it");
        drop(guard);
        assert!(pool.discard(1).unwrap() && pool.discard(2).unwrap() && pool.discard(40).unwrap());
        pool.checkpoint().unwrap();
        assert_eq!(pool.stats().writes, 2, "{policy:?}");
        assert_eq!(pool.read(2).unwrap()[0], 0, "it was never written");
        // In memory, and on the device only.
        pool.write(3).unwrap().fill(7);
        for page in [0, 3] {
            assert!(pool.create(page).unwrap().iter().all(|byte| *byte == 0));
        }
        (10..18).for_each(|page| drop(pool.read(page).unwrap()));
        assert!([0, 3].iter().all(|page| pool.read(*page).unwrap()[0] == 0), "{policy:?}");
        let misses = pool.stats().misses;
        drop(pool.create(9).unwrap());
        assert_eq!(pool.stats().misses, misses, "created without a read");
        assert!(matches!(pool.discard(64), Err(PoolError::BeyondDevice { .. })));
        assert!(matches!(pool.create(64), Err(PoolError::BeyondDevice { .. })));
    }
}
