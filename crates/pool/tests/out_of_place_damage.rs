//! Damage on a device after a crash, whose pages are written out of place with atomic checkpoints: no page is
//! ever read as it was before without a word, and what is not damaged can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leadline_device::{Fault, Faulty, MemoryDevice, Op};
use leadline_pool::ace::Ace;
use leadline_pool::{OutOfPlace, Pool, PoolConfig, PoolError};

const PAGE: u64 = 4096;
const SEGMENT_PAGES: u64 = 8;
const SEGMENTS: u64 = 28;
const PAGES: u64 = 80;
/// Of the first segment.
const FIRST: u64 = 40;
const SUPERBLOCKS: [u64; 2] = [0, 65_536];

fn config() -> PoolConfig {
    let options = OutOfPlace::default().segment_bytes((SEGMENT_PAGES * PAGE) as u32);
    let options = options.atomic_checkpoints(true).spare(0.02);
    PoolConfig::new(PAGE as u32, 6).ace(Ace::CowX).n(3).out_of_place(options)
}

fn open(device: &MemoryDevice) -> Result<Pool, PoolError> {
    Pool::open(Arc::new(device.clone()), config())
}

fn put(pool: &Pool, page: u64, word: u64) {
    pool.write(page)
        .unwrap()
        .chunks_exact_mut(8)
        .for_each(|chunk| chunk.copy_from_slice(&word.to_le_bytes()));
}

fn get(pool: &Pool, page: u64) -> Result<u64, PoolError> {
    let found = pool.read(page)?;
    let mut words = found.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    let first = words.next().unwrap();
    assert!(words.all(|word| word == first), "page {page} is a mixture");
    Ok(first)
}

/// A device after a crash some time after a checkpoint, and what its pages are.
fn crashed(seed: u64) -> (MemoryDevice, BTreeMap<u64, u64>) {
    let device = MemoryDevice::new((FIRST + SEGMENTS * SEGMENT_PAGES) * PAGE, 512);
    let pool = open(&device).unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut now = BTreeMap::new();
    let mut last = BTreeMap::new();
    for step in 1..500 + seed * 17 {
        let page = if random.bool() { random.u64(..PAGES) } else { random.u64(..PAGES / 8) };
        if random.u32(..30) == 0 {
            pool.discard(page).unwrap();
            now.insert(page, 0);
        } else {
            put(&pool, page, step << 16 | page);
            now.insert(page, step << 16 | page);
        }
        if step % 40 == 0 {
            pool.checkpoint().unwrap();
            last.clone_from(&now);
        }
    }
    drop(pool);
    (device.crash_to_durable(), last)
}

fn flip(device: &MemoryDevice, at: u64, mask: u8) {
    (0..8).filter(|bit| mask >> bit & 1 == 1).for_each(|bit| device.flip_bit(at, bit));
}

/// The pages that are named as damaged; none where the page map is. All others are what they were.
fn named(pool: Result<Pool, PoolError>, pages: &BTreeMap<u64, u64>, what: &str) -> Option<BTreeSet<u64>> {
    let pool = match pool {
        Ok(pool) => pool,
        Err(PoolError::PageMapCorrupt { .. }) => return None,
        Err(other) => panic!("{what}: {other}"),
    };
    let mut named = BTreeSet::new();
    for (page, word) in pages {
        match get(&pool, *page) {
            Ok(found) => assert_eq!(found, *word, "page {page}, {what}"),
            Err(PoolError::Corrupt { page: found, .. } | PoolError::Io { page: found, .. }) => {
                assert_eq!(found, *page, "{what}");
                named.insert(found);
            }
            Err(other) => panic!("page {page}, {what}: {other}"),
        }
    }
    Some(named)
}

/// How a page is damaged.
#[derive(Debug, Clone, Copy)]
enum Damage {
    /// One byte.
    Byte(u64, u8),
    /// Zeros throughout.
    Zeros,
    Unreadable,
}

/// What comes of a page of the device that is damaged.
fn damaged(
    left: &MemoryDevice,
    at: u64,
    damage: Damage,
    pages: &BTreeMap<u64, u64>,
) -> Option<BTreeSet<u64>> {
    let what = format!("{damage:?} at byte {at}");
    let before = left.contents(at, PAGE as usize);
    let masks: Vec<(u64, u8)> = match damage {
        Damage::Byte(byte, mask) => vec![(byte, mask)],
        Damage::Zeros => (0..).zip(before).collect(),
        Damage::Unreadable => Vec::new(),
    };
    masks.iter().for_each(|(byte, mask)| flip(left, at + byte, *mask));
    let pool = if matches!(damage, Damage::Unreadable) {
        let unreadable = Fault::eio().on(Op::Read).within(at..at + PAGE);
        Pool::open(Arc::new(Faulty::new(left.clone(), [unreadable])), config())
    } else {
        open(left)
    };
    let named = named(pool, pages, &what);
    masks.iter().for_each(|(byte, mask)| flip(left, at + byte, *mask));
    named
}

#[test]
fn every_durable_page_that_is_damaged_is_named_and_all_others_can_be_read() {
    let seeds = if leadline_testing::exhaustive() { 12 } else { 3 };
    for seed in 0..seeds {
        let (left, pages) = crashed(seed);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut copies: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let places = (FIRST..FIRST + SEGMENTS * SEGMENT_PAGES).map(|page| page * PAGE);
        for at in places.clone() {
            let word = u64::from_le_bytes(left.contents(at, 512)[..8].try_into().unwrap());
            if pages.get(&(word & 0xFFFF)) == Some(&word) && word != 0 {
                copies.entry(word & 0xFFFF).or_default().push(at);
            }
        }
        assert!(copies.len() > 60, "{} pages", copies.len());
        let bytes: Vec<u64> = if leadline_testing::exhaustive() {
            (0..PAGE).collect()
        } else {
            // The end of a page says which it is, and how new.
            (PAGE - 24..PAGE).step_by(3).chain((0..2).map(|_| random.u64(..PAGE - 24))).collect()
        };
        let bytes = bytes.into_iter().map(|byte| Damage::Byte(byte, random.u8(1..)));
        for damage in bytes.chain([Damage::Zeros, Damage::Unreadable]) {
            let mut named = BTreeSet::new();
            for at in places.clone() {
                named.extend(damaged(&left, at, damage, &pages).unwrap_or_default());
            }
            // What has been moved is at two places for some time.
            let once = copies.iter().filter(|(_, at)| at.len() == 1).map(|(page, _)| *page);
            let unnoticed: Vec<u64> = once.filter(|page| !named.contains(page)).collect();
            assert_eq!(unnoticed, [0; 0], "{damage:?}, seed {seed}");
        }
    }
}

/// Until a superblock is acknowledged it is at both of its places.
#[test]
fn either_superblock_may_be_lost() {
    let (left, pages) = crashed(1);
    let whole = Some(BTreeSet::new());
    for at in SUPERBLOCKS {
        for byte in (0..100).chain([1000, 4091, 4092, 4095]) {
            assert_eq!(damaged(&left, at, Damage::Byte(byte, 0x10), &pages), whole);
        }
        assert_eq!(damaged(&left, at, Damage::Zeros, &pages), whole);
        assert_eq!(damaged(&left, at, Damage::Unreadable, &pages), whole);
    }
    let unreadable = SUPERBLOCKS.map(|at| Fault::eio().on(Op::Read).within(at..at + PAGE));
    let refused = Pool::open(Arc::new(Faulty::new(left.clone(), unreadable)), config()).map(|_| ());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("superblock at byte "), "{refused}");
    // One that was lost is there again after the next checkpoint.
    flip(&left, 7, 1);
    let pool = open(&left).unwrap();
    put(&pool, 3, 9);
    pool.checkpoint().unwrap();
    drop(pool);
    flip(&left, SUPERBLOCKS[1] + 7, 1);
    assert_eq!(get(&open(&left).unwrap(), 3).unwrap(), 9);
}

/// Version 1 of the superblock, without lists.
#[test]
fn a_device_of_the_version_before_is_read_and_written() {
    let (left, mut pages) = crashed(2);
    open(&left).unwrap().write_page_map().unwrap();
    for at in SUPERBLOCKS {
        let now = left.contents(at, PAGE as usize);
        let mut before = now.clone();
        before[8] = 1;
        assert_eq!(before[84..96], [0; 12], "there is a list");
        before.copy_within(96..4092, 88);
        before[4084..4092].fill(0);
        let sum = crc32fast::hash(&before[..4092]);
        before[4092..4096].copy_from_slice(&sum.to_le_bytes());
        for (byte, (now, before)) in (0..).zip(now.iter().zip(&before)) {
            flip(&left, at + byte, now ^ before);
        }
    }
    for value in 1..9 {
        assert_eq!(named(open(&left), &pages, "version 1"), Some(BTreeSet::new()));
        let pool = open(&left).unwrap();
        put(&pool, value, value);
        pages.insert(value, value);
        pool.checkpoint().unwrap();
    }
    assert_eq!(left.contents(0, 512)[8], 2);
}
