//! An adaptive pool on a device of known width: n leaves a stale start and finds the device's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use leadline_device::{
    Clock, Completion, Device, DeviceError, Geometry, MemoryDevice, Nanos, Op, QueuePair, QueueShape,
    Request, RequestError,
};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::{Pool, PoolConfig};

/// How long a wave of writes takes.
const WAVE: Nanos = 100_000;

/// A device in memory that writes `servers` pages at once: so many go in one wave, more in several. Each of
/// its queue pairs has a clock of its own, which only writes move.
#[derive(Clone)]
struct Waves {
    memory: MemoryDevice,
    servers: Arc<AtomicU32>,
    /// Most writes that were ever in flight together.
    most: Arc<AtomicU32>,
}

struct WavesPair {
    device: Waves,
    inner: Box<dyn QueuePair>,
    writes: u32,
    now: Nanos,
}

impl Waves {
    fn new(pages: u64, servers: u32) -> Waves {
        let memory = MemoryDevice::new(pages * 4096, 4096);
        Waves { memory, servers: Arc::new(AtomicU32::new(servers)), most: Arc::default() }
    }
}

impl Device for Waves {
    fn geometry(&self) -> Geometry {
        self.memory.geometry()
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        let inner = self.memory.queue_pair(shape)?;
        Ok(Box::new(WavesPair { device: self.clone(), inner, writes: 0, now: 0 }))
    }
}

impl QueuePair for WavesPair {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.inner.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.inner.submit(request)?;
        self.writes += u32::from(request.op == Op::Write);
        Ok(())
    }

    fn reap(&mut self, _min: u32, _deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        let waves = self.writes.div_ceil(self.device.servers.load(Ordering::Relaxed));
        self.device.most.fetch_max(self.writes, Ordering::Relaxed);
        self.now += u64::from(waves) * WAVE;
        self.writes = 0;
        self.inner.reap(0, 0, done)
    }

    fn now(&self) -> Nanos {
        self.now
    }

    fn in_flight(&self) -> u32 {
        self.inner.in_flight()
    }
}

const FRAMES: u32 = 512;

fn pool(device: &Waves, n: u32, adaptive: bool, cleaner: Cleaner) -> Pool {
    let config = PoolConfig::new(4096, FRAMES).n(n).adaptive(adaptive).ace(Ace::CowX).cleaner(cleaner);
    Pool::open(Arc::new(device.clone()), config).unwrap()
}

/// Changes pages one after the other, so many that every victim is dirty.
fn change(pool: &Pool, pages: std::ops::Range<u64>) {
    for page in pages {
        pool.write(page % pool.pages()).unwrap()[..8].copy_from_slice(&page.to_le_bytes());
    }
}

#[test]
fn batches_lead_a_stale_n_to_the_width_of_the_device() {
    for (servers, stale) in [(9, 1), (9, 3), (8, 200), (1, 8), (21, 8)] {
        let device = Waves::new(2048, servers);
        let pool = pool(&device, stale, true, Cleaner::Off);
        assert_eq!(pool.stats().n, stale, "where it begins");
        change(&pool, 0..60_000);
        assert_eq!(pool.stats().n, servers, "from {stale}");
        // Nothing got lost on the way.
        (60_000 - 2048..60_000).for_each(|page| {
            let bytes = pool.read(page % 2048).unwrap()[..8].try_into().unwrap();
            assert_eq!(u64::from_le_bytes(bytes), page);
        });
    }
}

#[test]
fn the_cleaner_finds_it_too() {
    let device = Waves::new(2048, 6);
    let pool = pool(&device, 2, true, Cleaner::Auto);
    // How often the cleaner is short of dirty pages depends on the threads' turns: it may take a while.
    let mut page = 0;
    while pool.stats().n != 6 {
        change(&pool, page..page + 4096);
        page += 4096;
        assert!(page < 400_000, "it stays at {}", pool.stats().n);
    }
    assert!(pool.stats().writes_by_cleaner > 0);
}

#[test]
fn without_adaptive_n_stays_as_it_is() {
    let device = Waves::new(2048, 9);
    let pool = pool(&device, 3, false, Cleaner::Off);
    change(&pool, 0..20_000);
    assert_eq!(pool.stats().n, 3);
    assert_eq!(device.most.load(Ordering::Relaxed), 3, "and so many were written at once");
}
