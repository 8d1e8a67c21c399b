//! The simulation and the real pool, driven by one trace: every decision of the one is that of the other.
//!
//! What they decide is seen from both ends: a policy that records what it is told (misses, victims, pages
//! that come in, pages that became clean), and a device that records what it is asked for (batches of writes,
//! reads with those ahead).

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use leadline_device::{
    Completion, Device, DeviceError, Geometry, MemoryDevice, Nanos, Op, QueuePair, QueueShape, Request,
    RequestError,
};
use leadline_trace::{Trace, TraceError, Unit};

use crate::ace::Ace;
use crate::policy::{Frame, Page, Policy, PolicyKind, Verdict, Walk};
use crate::simulate::{Config, simulate_with};
use crate::{Pool, PoolConfig};

const PAGE_BYTES: u32 = 4096;
const PAGES: u64 = 400;
const FRAMES: u32 = 48;

/// One decision, as policy or device learnt of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Miss(Page),
    Insert {
        frame: Frame,
        page: Page,
        dirty: bool,
    },
    Evict {
        frame: Frame,
        page: Page,
    },
    Cleaned(Frame),
    /// Pages written between two waits.
    Batch(Vec<Page>),
    /// Pages read between two waits: the one asked for, then those ahead.
    Reads(Vec<Page>),
}

/// Decisions in their order: those that the policy learnt of, those that the device learnt of.
#[derive(Debug, Default, PartialEq, Eq)]
struct Record {
    by_policy: Vec<Decision>,
    by_device: Vec<Decision>,
}

type Recorder = Arc<Mutex<Record>>;

struct RecordingPolicy {
    inner: Box<dyn Policy>,
    record: Recorder,
}

impl RecordingPolicy {
    fn push(&self, decision: Decision) {
        self.record.lock().unwrap().by_policy.push(decision);
    }
}

impl Policy for RecordingPolicy {
    fn missed(&mut self, page: Page) {
        self.push(Decision::Miss(page));
        self.inner.missed(page);
    }

    fn insert(&mut self, frame: Frame, page: Page, dirty: bool) {
        self.push(Decision::Insert { frame, page, dirty });
        self.inner.insert(frame, page, dirty);
    }

    fn hit(&mut self, frame: Frame, write: bool) {
        self.inner.hit(frame, write);
    }

    fn cleaned(&mut self, frame: Frame) {
        self.push(Decision::Cleaned(frame));
        self.inner.cleaned(frame);
    }

    fn evict(&mut self, frame: Frame, page: Page) {
        self.push(Decision::Evict { frame, page });
        self.inner.evict(frame, page);
    }

    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        self.inner.walk(visit);
    }

    fn walk_other(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        self.inner.walk_other(visit);
    }

    fn rotates_on_write_back(&self) -> bool {
        self.inner.rotates_on_write_back()
    }

    fn passed(&mut self, frames: &[Frame], why: Walk) {
        self.inner.passed(frames, why);
    }
}

/// A device in memory that records the requests it gets, in groups between two waits.
struct RecordingDevice {
    inner: MemoryDevice,
    record: Recorder,
}

struct RecordingPair {
    inner: Box<dyn QueuePair>,
    record: Recorder,
    /// A wait has ended the group of requests before.
    new_group: bool,
}

impl Device for RecordingDevice {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn clock(&self) -> leadline_device::Clock {
        self.inner.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        let (inner, record) = (self.inner.queue_pair(shape)?, Arc::clone(&self.record));
        Ok(Box::new(RecordingPair { inner, record, new_group: true }))
    }
}

impl QueuePair for RecordingPair {
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
        let page = request.offset / u64::from(PAGE_BYTES);
        let by_device = &mut self.record.lock().unwrap().by_device;
        match (by_device.last_mut(), request.op) {
            (Some(Decision::Batch(pages)), Op::Write) | (Some(Decision::Reads(pages)), Op::Read)
                if !self.new_group =>
            {
                pages.push(page);
            }
            (_, Op::Write) => by_device.push(Decision::Batch(vec![page])),
            (_, Op::Read) => by_device.push(Decision::Reads(vec![page])),
            (_, Op::Flush | Op::Trim) => {}
        }
        self.new_group = false;
        self.inner.submit(request)
    }

    fn reap(&mut self, min: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        self.new_group = true;
        self.inner.reap(min, deadline, done)
    }

    fn now(&self) -> Nanos {
        self.inner.now()
    }

    fn in_flight(&self) -> u32 {
        self.inner.in_flight()
    }
}

/// Accesses that give every prefetcher something to do: jumps, runs, and a loop that comes back.
#[derive(Clone)]
struct Accesses(std::vec::IntoIter<(Page, bool)>);

impl Accesses {
    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let cycle: Vec<Page> = (0..40).map(|_| random.u64(..PAGES)).collect();
        let mut accesses = Vec::new();
        while accesses.len() < 3000 {
            match random.u32(..4) {
                0 => {
                    let first = random.u64(..PAGES - 30);
                    accesses.extend((first..first + 30).map(|page| (page, random.u32(..3) == 0)));
                }
                1 => accesses.extend(cycle.iter().map(|&page| (page, random.bool()))),
                _ => {
                    accesses.extend((0..20).map(|_| (random.u64(..PAGES).pow(2) / PAGES, random.bool())));
                }
            }
        }
        Accesses(accesses.into_iter())
    }
}

impl Trace for Accesses {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn next(&mut self) -> Result<Option<leadline_trace::Request>, TraceError> {
        let request =
            |(address, write)| leadline_trace::Request { at_ns: 0, volume: 0, write, address, length: 1 };
        Ok(self.0.next().map(request))
    }
}

fn recorded(kind: PolicyKind) -> (RecordingPolicy, RecordingDevice, Recorder) {
    let record = Recorder::default();
    let inner = MemoryDevice::new(PAGES * u64::from(PAGE_BYTES), PAGE_BYTES);
    let policy = RecordingPolicy { inner: kind.build(FRAMES), record: Arc::clone(&record) };
    (policy, RecordingDevice { inner, record: Arc::clone(&record) }, record)
}

fn taken(record: &Recorder) -> Record {
    std::mem::take(&mut record.lock().unwrap())
}

fn simulated(config: &Config, mut trace: Accesses) -> Record {
    let (policy, device, record) = recorded(config.policy);
    let queue = device.queue_pair(config.queue_shape().unwrap()).unwrap();
    simulate_with(policy, &mut trace, config, Some(queue), &AtomicBool::new(false)).unwrap();
    taken(&record)
}

fn real(config: &Config, trace: Accesses) -> Record {
    let (policy, device, record) = recorded(config.policy);
    let pool_config = PoolConfig::new(PAGE_BYTES, FRAMES)
        .policy(config.policy)
        .ace(config.ace)
        .n(config.n)
        .checksums(false)
        .reads_ahead(1024);
    let pool = Pool::with_policy(Arc::new(device), pool_config, Box::new(policy)).unwrap();
    for (page, write) in trace.0 {
        match write {
            true => drop(pool.write(page).unwrap()),
            false => drop(pool.read(page).unwrap()),
        }
    }
    taken(&record)
}

#[test]
fn the_simulation_and_the_pool_decide_alike() {
    let (mut ahead, mut batches) = (0, 0);
    for &policy in PolicyKind::ALL {
        for ace in Ace::ALL {
            for n in [1, 5, 64] {
                let config = Config::new(PAGE_BYTES, FRAMES).policy(policy).ace(ace).n(n);
                let trace = Accesses::new(u64::from(n));
                let (simulated, real) = (simulated(&config, trace.clone()), real(&config, trace));
                let name = format!("{} {} {n}", policy.name(), ace.name());
                assert_same(&simulated.by_policy, &real.by_policy, &name);
                assert_same(&simulated.by_device, &real.by_device, &name);
                for decision in simulated.by_device {
                    match decision {
                        Decision::Batch(pages) => batches += usize::from(pages.len() > 1),
                        Decision::Reads(pages) => ahead += pages.len() - 1,
                        _ => {}
                    }
                }
            }
        }
    }
    assert!(batches > 1000 && ahead > 1000, "{batches} batches, {ahead} pages read ahead: too few to tell");
}

/// Shows the first decision that differs rather than thousands that do not.
fn assert_same(simulated: &[Decision], real: &[Decision], name: &str) {
    let differs = simulated.iter().zip(real).position(|(simulated, real)| simulated != real);
    let at = differs.unwrap_or(simulated.len().min(real.len()));
    assert_eq!(simulated.get(at), real.get(at), "{name}: decision {at}");
}
