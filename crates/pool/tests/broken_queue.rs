//! Queue pairs that break, and such as refuse a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use leadline_device::{
    Clock, Completion, Device, DeviceError, Geometry, MemoryDevice, Nanos, Op, QueuePair, QueueShape,
    Request, RequestError,
};
use leadline_pool::ace::Ace;
use leadline_pool::{Pool, PoolConfig, PoolError};

const PAGE: u32 = 4096;

/// What goes wrong, on all queue pairs of a device.
#[derive(Debug, Default)]
struct Trouble {
    /// No queue pair works, and none is to be had.
    broken: AtomicBool,
    /// Writes to take before one is refused; 0 refuses none.
    refuse_after: AtomicU32,
}

struct Troubled {
    memory: MemoryDevice,
    trouble: Arc<Trouble>,
}

struct TroubledPair {
    inner: Box<dyn QueuePair>,
    trouble: Arc<Trouble>,
}

fn broken() -> DeviceError {
    DeviceError::Unsupported("it was unplugged".into())
}

impl Device for Troubled {
    fn geometry(&self) -> Geometry {
        self.memory.geometry()
    }

    fn clock(&self) -> Clock {
        self.memory.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        if self.trouble.broken.load(Ordering::SeqCst) {
            return Err(broken());
        }
        let inner = self.memory.queue_pair(shape)?;
        Ok(Box::new(TroubledPair { inner, trouble: Arc::clone(&self.trouble) }))
    }
}

impl QueuePair for TroubledPair {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.inner.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    fn submit(&mut self, mut request: Request) -> Result<(), RequestError> {
        let left = &self.trouble.refuse_after;
        if request.op == Op::Write
            && left.load(Ordering::SeqCst) > 0
            && left.fetch_sub(1, Ordering::SeqCst) == 1
        {
            // Beyond the device: the device says so itself.
            request.offset = self.inner.geometry().capacity_bytes;
        }
        self.inner.submit(request)
    }

    fn reap(&mut self, min: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        if self.trouble.broken.load(Ordering::SeqCst) {
            return Err(broken());
        }
        self.inner.reap(min, deadline, done)
    }

    fn now(&self) -> Nanos {
        self.inner.now()
    }

    fn in_flight(&self) -> u32 {
        self.inner.in_flight()
    }
}

fn open(memory: &MemoryDevice, config: PoolConfig) -> (Pool, Arc<Trouble>) {
    let trouble = Arc::new(Trouble::default());
    let device = Troubled { memory: memory.clone(), trouble: Arc::clone(&trouble) };
    (Pool::open(Arc::new(device), config).unwrap(), trouble)
}

fn put(pool: &Pool, page: u64, value: u8) {
    pool.write(page).unwrap().fill(value);
}

#[test]
fn a_device_that_is_gone_is_an_error_of_every_call_and_stops_none() {
    for double_write in [false, true] {
        let memory = MemoryDevice::new(32 * u64::from(PAGE), 512);
        let config = PoolConfig::new(PAGE, 2).ace(Ace::CowX).n(2).double_write(double_write);
        let (pool, trouble) = open(&memory, config);
        (0..2).for_each(|page| put(&pool, page, 7));
        trouble.broken.store(true, Ordering::SeqCst);
        for _ in 0..3 {
            assert!(pool.checkpoint().is_err());
            assert!(pool.flush(0).is_err());
            assert!(pool.read(5).is_err());
        }
        assert_eq!(pool.read(0).unwrap()[0], 7, "what is in memory can be read");
        // It is there again: nothing was forgotten.
        trouble.broken.store(false, Ordering::SeqCst);
        pool.checkpoint().unwrap();
        let after = memory.crash_to_durable().contents(0, 2 * PAGE as usize);
        assert_eq!((after[0], after[PAGE as usize]), (7, 7));
    }
}

#[test]
fn a_request_that_is_refused_leaves_no_other_whose_result_a_flush_would_take() {
    // The list and two copies in the area, and two pages in place: each write is refused once.
    for refused in 1..=5 {
        let memory = MemoryDevice::new(32 * u64::from(PAGE), 512);
        let config = PoolConfig::new(PAGE, 4).ace(Ace::CowX).n(2).double_write(true);
        let (pool, trouble) = open(&memory, config);
        (0..2).for_each(|page| put(&pool, page, 7));
        trouble.refuse_after.store(refused, Ordering::SeqCst);
        let error = pool.checkpoint().unwrap_err();
        assert!(matches!(error, PoolError::Device(_) | PoolError::Io { .. }), "write {refused}: {error}");
        pool.checkpoint().unwrap();
        let after = memory.crash_to_durable().contents(0, 2 * PAGE as usize);
        assert_eq!((after[0], after[PAGE as usize]), (7, 7), "write {refused}");
    }
}
