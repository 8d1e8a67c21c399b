//! The double-write area on devices that fail, and under pools that are opened in another way.

use std::sync::Arc;

use leadline_device::{Fault, Faulty, MemoryDevice, Op, Survival};
use leadline_pool::ace::Ace;
use leadline_pool::{ConfigError, PageOp, Pool, PoolConfig, PoolError};

const PAGE: u64 = 4096;

/// Two pages at once, so that the area has the last six pages of the device.
fn config() -> PoolConfig {
    PoolConfig::new(PAGE as u32, 4).ace(Ace::CowX).n(2).double_write(true)
}

fn device() -> MemoryDevice {
    MemoryDevice::new(16 * PAGE, 512)
}

fn open(device: &MemoryDevice, config: PoolConfig) -> Result<Pool, PoolError> {
    Pool::open(Arc::new(device.clone()), config)
}

fn put(pool: &Pool, page: u64, value: u8) -> Result<(), PoolError> {
    pool.write(page)?.fill(value);
    Ok(())
}

fn get(pool: &Pool, page: u64) -> u8 {
    let found = pool.read(page).unwrap();
    assert!(found.iter().all(|byte| *byte == found[0]), "page {page} is a mixture");
    found[0]
}

/// A device on which pages 0 and 1 were torn by a power cut in their places, and are whole in the area.
fn torn() -> MemoryDevice {
    let memory = device();
    let pool = open(&memory, config()).unwrap();
    (0..2).for_each(|page| put(&pool, page, 1).unwrap());
    pool.checkpoint().unwrap();
    (0..2).for_each(|page| put(&pool, page, 2).unwrap());
    // Evictions write both, and flush only the area.
    (4..8).for_each(|page| drop(pool.read(page).unwrap()));
    let left = memory.crash(|write| {
        assert!(write.offset < 2 * PAGE, "the area was not flushed");
        Survival::Sectors(vec![true, false, true])
    });
    assert!((0..2).all(|page| plain(&left).read(page).is_err()), "both are torn");
    left
}

/// Without the area: what is in place.
fn plain(device: &MemoryDevice) -> Pool {
    Pool::open(Arc::new(device.clone()), PoolConfig::new(PAGE as u32, 4)).unwrap()
}

#[test]
fn a_torn_page_that_the_device_cannot_read_is_written_again_from_the_area() {
    let memory = torn();
    let unreadable = Fault::eio().on(Op::Read).within(0..PAGE).nth(0);
    let pool = Pool::open(Arc::new(Faulty::new(memory.clone(), [unreadable])), config()).unwrap();
    assert_eq!((get(&pool, 0), get(&pool, 1)), (2, 2));
}

#[test]
fn a_list_that_cannot_be_read_stops_the_pool_before_it_is_written_over() {
    let memory = torn();
    for list in [14, 15] {
        let unreadable = Fault::eio().on(Op::Read).within(list * PAGE..(list + 1) * PAGE).nth(0);
        let device = Arc::new(Faulty::new(memory.clone(), [unreadable]));
        let error = Pool::open(Arc::clone(&device) as _, config()).unwrap_err();
        assert!(matches!(error, PoolError::Io { op: PageOp::Read, page, .. } if page == list), "{error}");
        assert!(memory.unsynced().is_empty(), "nothing was written");
    }
    let pool = open(&memory, config()).unwrap();
    assert_eq!((get(&pool, 0), get(&pool, 1)), (2, 2));
}

#[test]
fn a_pool_of_another_batch_size_is_refused_and_repairs_nothing_wrongly() {
    let memory = torn();
    for (other, asked) in [(config().n(1), 1), (config().n(3), 3), (config().n(100), 4)] {
        let error = open(&memory, other).unwrap_err();
        let expected = ConfigError::DoubleWriteBatch { made_for: 2, asked };
        assert!(matches!(&error, PoolError::Config(found) if *found == expected), "{error}");
    }
    assert!(memory.unsynced().is_empty(), "nothing was written");
    let pool = open(&memory, config()).unwrap();
    assert_eq!((get(&pool, 0), get(&pool, 1)), (2, 2));
}

#[test]
fn a_page_that_a_device_tore_and_failed_to_flush_is_written_again_before_its_copy_goes() {
    // The device tears the page in its place without a word, and then fails the flush: it dropped the rest.
    for seed in 0..8 {
        let memory = device();
        let faults = [
            Fault::torn(512).on(Op::Write).within(0..PAGE).nth(1).seed(seed),
            // After the flush of the first batch and of the first checkpoint, and of the second batch.
            Fault::eio().on(Op::Flush).nth(3),
        ];
        let device = Arc::new(Faulty::new(memory.clone(), faults));
        let pool = Pool::open(Arc::clone(&device) as _, config()).unwrap();
        put(&pool, 0, 1).unwrap();
        pool.checkpoint().unwrap();
        put(&pool, 0, 2).unwrap();
        assert!(matches!(pool.checkpoint(), Err(PoolError::Flush { .. })));
        assert_eq!(device.strikes(), [1, 1]);
        // Another page is saved again and again, in both halves.
        for value in 3..9 {
            put(&pool, 1, value).unwrap();
            pool.flush(1).unwrap();
            let after = open(&memory.crash_to_durable(), config()).unwrap();
            assert!([1, 2].contains(&get(&after, 0)), "seed {seed}, value {value}");
            assert_eq!(get(&after, 1), value);
        }
    }
}

#[test]
fn large_batches_and_many_reads_ahead_have_slots_on_their_queue() {
    // As large as they may be: more is asked for than a queue has slots.
    for (page_bytes, double_write) in [(4096, true), (65_536, true), (4096, false)] {
        let pages = 6000;
        let memory = MemoryDevice::new(pages * u64::from(page_bytes), 512);
        let config = PoolConfig::new(page_bytes, 1500).n(5000).ace(Ace::CowX).double_write(double_write);
        let pool = Pool::open(Arc::new(memory), config.reads_ahead(5000)).unwrap();
        for page in 0..1500 {
            pool.write(page).unwrap()[0] = 7;
        }
        pool.checkpoint().unwrap();
        pool.prefetch(1500..3000).unwrap();
        for page in 1500..3000 {
            pool.write(page).unwrap()[0] = 7;
        }
        drop(pool.read(0).unwrap());
        let stats = pool.stats();
        assert_eq!((stats.read_errors, stats.write_errors), (0, 0), "{page_bytes}, {double_write}");
    }
}
