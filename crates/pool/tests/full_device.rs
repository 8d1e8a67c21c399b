//! The pool on a device that has no more room: what was changed stays, everything can be read, and changes go
//! on once there is room.

use std::sync::Arc;

use leadline_device::{
    Clock, Device, DeviceError, Fault, Faulty, Geometry, MemoryDevice, Op, QueuePair, QueueShape,
};
use leadline_pool::ace::Ace;
use leadline_pool::{OutOfPlace, Pool, PoolConfig, PoolError};

const PAGE: u64 = 4096;
const PAGES: u64 = 400;
const FRAMES: u32 = 64;
const KEPT: u32 = 8;

fn modes() -> [(&'static str, PoolConfig); 2] {
    let config = PoolConfig::new(PAGE as u32, FRAMES).ace(Ace::CowX).n(4).reads_ahead(16);
    let config = config.kept_for_readers(KEPT);
    let out_of_place = OutOfPlace::default().atomic_checkpoints(true);
    [("in place", config.clone()), ("out of place", config.out_of_place(out_of_place))]
}

/// A device that is open for reading only.
struct ReadOnly(MemoryDevice);

impl Device for ReadOnly {
    fn geometry(&self) -> Geometry {
        Geometry { writable: false, ..self.0.geometry() }
    }

    fn clock(&self) -> Clock {
        self.0.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        self.0.queue_pair(shape)
    }
}

fn put(pool: &Pool, page: u64, value: u64) -> Result<(), PoolError> {
    pool.write(page)?[..8].copy_from_slice(&value.to_le_bytes());
    Ok(())
}

fn value(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

fn is_full(error: &PoolError) -> bool {
    match error {
        PoolError::Io { source, .. } => source.kind() == std::io::ErrorKind::StorageFull,
        PoolError::PageMap { source } => is_full(source),
        _ => false,
    }
}

/// A device with pages that have their numbers as values.
fn filled(config: &PoolConfig) -> MemoryDevice {
    let memory = MemoryDevice::new(64 << 20, 4096);
    let pool = Pool::open(Arc::new(memory.clone()), config.clone()).unwrap();
    (0..PAGES).for_each(|page| put(&pool, page, page).unwrap());
    pool.close().unwrap();
    memory
}

/// Reads all pages, one at a time and at once; `changed` of them have their number and 1000 as value.
fn read_all(what: &str, pool: &Pool, changed: &[u64]) {
    let expected = |page: u64| if changed.contains(&page) { page + 1000 } else { page };
    for page in (0..PAGES).chain((0..PAGES).rev()) {
        assert_eq!(value(&pool.read(page).unwrap()), expected(page), "{what}: page {page}");
    }
    let all: Vec<u64> = (0..PAGES).collect();
    pool.read_many(&all, |page, bytes| assert_eq!(value(bytes), expected(page as u64), "{what}")).unwrap();
}

/// Changes pages until one cannot be; those that were.
fn fill(what: &str, pool: &Pool) -> Vec<u64> {
    let mut changed = Vec::new();
    for page in 0..PAGES {
        match put(pool, page, page + 1000) {
            Ok(()) => changed.push(page),
            Err(error) => {
                assert!(is_full(&error), "{what}: {error}");
                return changed;
            }
        }
    }
    panic!("{what}: all pages could be changed")
}

#[test]
fn a_full_device_can_be_read_and_is_changed_again_once_there_is_room() {
    for (what, config) in modes() {
        let memory = filled(&config);
        let full: Vec<Fault> = (0..100).map(|nth| Fault::enospc().on(Op::Write).nth(nth)).collect();
        let device = Arc::new(Faulty::new(memory.clone(), full));
        let pool = Pool::open(Arc::clone(&device) as _, config.clone()).unwrap();
        let mut changed = fill(what, &pool);
        assert!(changed.len() >= (FRAMES - KEPT) as usize / 2, "{what}: {}", changed.len());
        for _ in 0..2 {
            read_all(what, &pool, &changed);
            assert!(is_full(&put(&pool, PAGES - 1, 1).unwrap_err()), "{what}");
            assert!(is_full(&pool.create(PAGES).unwrap_err()), "{what}");
            assert!(pool.checkpoint().is_err(), "{what}");
        }
        // Each attempt uses up some faults: then there is room.
        while put(&pool, PAGES - 1, PAGES - 1 + 1000).is_err() {}
        changed.push(PAGES - 1);
        read_all(what, &pool, &changed);
        for page in 0..PAGES {
            put(&pool, page, page + 1000).unwrap();
        }
        pool.close().unwrap();
        let pool = Pool::open(Arc::new(memory), config).unwrap();
        read_all(what, &pool, &(0..PAGES).collect::<Vec<_>>());
    }
}

#[test]
fn many_threads_read_and_change_a_device_that_is_full_at_times() {
    for (what, config) in modes() {
        let memory = filled(&config);
        let full = Fault::enospc().on(Op::Write).chance(0.3).seed(7);
        let pool = Pool::open(Arc::new(Faulty::new(memory, [full])), config).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let pool = &pool;
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(thread);
                    for _ in 0..3000 {
                        let page = random.u64(..PAGES);
                        if random.bool() {
                            assert_eq!(value(&pool.read(page).unwrap()) % 1000, page, "{what}");
                        } else if let Err(error) = put(pool, page, page + 1000 * random.u64(..9)) {
                            assert!(is_full(&error), "{what}: {error}");
                        }
                    }
                });
            }
        });
    }
}

#[test]
fn changes_of_a_device_that_is_only_read_stay_in_memory_as_far_as_they_fit() {
    for (what, config) in modes() {
        let memory = filled(&config);
        let device = Arc::new(ReadOnly(memory.clone()));
        let pool = Pool::open(device, config.clone().changes_in_memory(true)).unwrap();
        let mut changed = Vec::new();
        let refused = (0..PAGES).find_map(|page| match put(&pool, page, page + 1000) {
            Ok(()) => {
                changed.push(page);
                None
            }
            Err(error) => Some(error),
        });
        let refused = refused.expect("they do not all fit");
        assert!(matches!(refused, PoolError::ChangesDoNotFit { frames: FRAMES }), "{what}: {refused}");
        assert_eq!(changed.len(), (FRAMES - KEPT) as usize, "{what}");
        read_all(what, &pool, &changed);
        drop(pool);
        let pool = Pool::open(Arc::new(memory), config).unwrap();
        read_all(what, &pool, &[]);
    }
}
