//! The load generator is the instrument: held to what must come out of devices that are known exactly.

mod closed;
mod file;
mod open;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use leadline_device::{
    Clock, Completion, Device, DeviceError, Geometry, Nanos, QueuePair, QueueShape, Request, RequestError,
};
use leadline_measure::MeasureError;
use leadline_measure::load::{
    AddressStream, Arrivals, Lane, Limits, Recorder, Region, Spread, Window, Workload, closed_loop, open_loop,
};
use leadline_sim::{Parametric, ParametricSpec};

const US: Nanos = 1_000;
const MS: Nanos = 1_000_000;
const S: Nanos = 1_000_000_000;
const REGION: Region = Region { start: 0, len: 64 << 20 };

/// `servers` that each take `service_us`, for reads and writes alike.
fn device(servers: u32, service_us: u64, jitter: &str) -> Parametric {
    let side = format!("service_us = {service_us}\nservers = {servers}\n");
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"64M\"\njitter = \"{jitter}\"\n[read]\n{side}[write]\n{side}"
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

fn workload(read_share: f64, random_fraction: f64) -> Workload {
    Workload { read_share, block_bytes: 4096, random_fraction, spread: Spread::Uniform, durable: false }
}

fn reads() -> AddressStream {
    AddressStream::new(workload(1.0, 1.0), REGION, 3)
}

fn writes() -> AddressStream {
    AddressStream::new(workload(0.0, 1.0), REGION, 3)
}

fn lane(device: &dyn Device, depth: u32) -> Lane {
    Lane::new(device.queue_pair(QueueShape::new(depth, 4096)).unwrap(), device.clock(), 1)
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

/// One closed-loop slice of reads on a new lane, with its latencies.
fn closed(device: &dyn Device, k: u32, limits: &Limits) -> Result<(Window, Recorder), MeasureError> {
    let mut recorder = Recorder::new();
    let window = closed_loop(&mut lane(device, k), &mut reads(), k, limits, &mut recorder, &never())?;
    Ok((window, recorder))
}

/// One open-loop slice of reads on a new lane, with its latencies.
fn open(
    device: &dyn Device,
    depth: u32,
    arrivals: Arrivals,
    duration: Nanos,
) -> Result<(Window, Recorder), MeasureError> {
    let (mut lane, mut recorder) = (lane(device, depth), Recorder::new());
    let limits = Limits::of(duration);
    let window = open_loop(&mut lane, &mut reads(), arrivals, &limits, &mut recorder, 7, &never())?;
    Ok((window, recorder))
}

fn rate(window: &Window) -> f64 {
    window.ops as f64 * 1e9 / window.length as f64
}

fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
}

/// Runs something that must end: a loop that does not would otherwise hang all tests.
fn ends<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(run()));
    receiver.recv_timeout(Duration::from_secs(20)).expect("it does not end")
}

/// A device that writes down what it is asked, when, and raises a flag at the nth request.
struct Spy<D> {
    device: D,
    log: Arc<Mutex<Vec<(Nanos, Request)>>>,
    flag: Arc<AtomicBool>,
    flag_at: usize,
}

impl<D: Device> Spy<D> {
    fn new(device: D, flag_at: usize) -> Self {
        Spy { device, log: Arc::default(), flag: Arc::default(), flag_at }
    }

    fn requests(&self) -> Vec<(Nanos, Request)> {
        self.log.lock().unwrap().clone()
    }
}

impl<D: Device> Device for Spy<D> {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn clock(&self) -> Clock {
        self.device.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(SpyPair {
            inner: self.device.queue_pair(shape)?,
            log: Arc::clone(&self.log),
            flag: Arc::clone(&self.flag),
            flag_at: self.flag_at,
        }))
    }
}

struct SpyPair {
    inner: Box<dyn QueuePair>,
    log: Arc<Mutex<Vec<(Nanos, Request)>>>,
    flag: Arc<AtomicBool>,
    flag_at: usize,
}

impl QueuePair for SpyPair {
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
        let mut log = self.log.lock().unwrap();
        log.push((self.inner.now(), request));
        if log.len() == self.flag_at {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.inner.submit(request)
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        self.inner.reap(min, deadline, completions)
    }

    fn now(&self) -> Nanos {
        self.inner.now()
    }

    fn in_flight(&self) -> u32 {
        self.inner.in_flight()
    }
}
