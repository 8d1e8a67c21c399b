//! A device whose truth is known exactly: servers, service times, jitter, a cap. What measures it can be held
//! to it.
//!
//! Reads and writes have servers of their own. A request takes `service_us + per_kib_us * KiB`, times a
//! jitter of mean one, on one server; with `k` requests in flight and any-free placement the throughput is
//! min(k, servers) / time, so alpha, alpha_1, k_r and k_w follow from the description. Hashed placement is
//! appendix A of Papon and Athanassoulis (DaMoN 2021): a request waits for the server its address picks, busy
//! or not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex};

use leadline_catalogue::Description;
use leadline_device::{
    Clock, Completion, Device, DeviceError, Geometry, NEVER, Nanos, Op, QueuePair, QueueShape, Request,
    RequestError, parse_size,
};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::SimError;

/// Addresses are hashed and requests aligned in units of this.
const BLOCK_BYTES: u32 = 512;

/// The simulator's part of a description, as docs/simulated-devices.md has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametricSpec {
    kind: String,
    #[serde(deserialize_with = "size")]
    /// Addressable bytes.
    pub capacity: u64,
    /// What multiplies the service time.
    #[serde(default)]
    pub jitter: Jitter,
    /// Of the lognormal: standard deviation of its logarithm.
    #[serde(default = "default_sigma")]
    pub sigma: f64,
    /// Which server a request goes to.
    #[serde(default)]
    pub placement: Placement,
    /// Most requests per second, reads and writes together; 0 is unlimited.
    #[serde(default)]
    pub cap_iops: f64,
    /// Seed of the jitter.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Standard deviation of the whole device's speed, whose mean stays 1: neighbours, garbage collection,
    /// weather.
    #[serde(default)]
    pub noise: f64,
    /// How long a speed lasts before the next is drawn, milliseconds of virtual time.
    #[serde(default = "default_noise_ms")]
    pub noise_ms: f64,
    /// Seed of the noise.
    #[serde(default = "default_seed")]
    pub noise_seed: u64,
    /// How it reads.
    pub read: ServerSpec,
    /// How it writes.
    pub write: ServerSpec,
    // The catalogue's part of the file: `Description::parse` reads it.
    #[serde(default, skip_serializing, rename = "description")]
    _description: IgnoredAny,
    #[serde(default, skip_serializing, rename = "source")]
    _source: IgnoredAny,
    #[serde(default, skip_serializing, rename = "class")]
    _class: IgnoredAny,
    #[serde(default, skip_serializing, rename = "published")]
    _published: IgnoredAny,
}

/// The servers of one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// Microseconds a request, whatever its size.
    pub service_us: f64,
    /// Microseconds more per KiB.
    #[serde(default)]
    pub per_kib_us: f64,
    /// Requests served at once.
    pub servers: u32,
}

/// What multiplies the service time; mean 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Jitter {
    /// Nothing.
    #[default]
    None,
    /// An exponential variate.
    Exponential,
    /// A lognormal variate of the given sigma.
    Lognormal,
}

/// Which server a request goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// The first that is free.
    #[default]
    AnyFree,
    /// The one its block address hashes to.
    Hashed,
}

fn default_sigma() -> f64 {
    0.3
}

fn default_noise_ms() -> f64 {
    50.0
}

fn default_seed() -> u64 {
    1
}

fn size<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Size {
        Bytes(u64),
        Text(String),
    }
    match Size::deserialize(deserializer)? {
        Size::Bytes(bytes) => Ok(bytes),
        Size::Text(text) => parse_size(&text).map_err(serde::de::Error::custom),
    }
}

impl ParametricSpec {
    /// Reads a description; `path` is for the messages.
    ///
    /// # Errors
    /// [`SimError::Syntax`] with the line, [`SimError::Value`] with the field, [`SimError::Catalogue`] for
    /// what the simulator itself has no use for.
    pub fn parse(text: &str, path: &str) -> Result<Self, SimError> {
        let spec: ParametricSpec = toml::from_str(text).map_err(|error| SimError::Syntax {
            path: path.to_owned(),
            line: error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count()),
            reason: error.message().replace('\n', " "),
        })?;
        spec.check(path)?;
        Description::parse(text, path)?;
        Ok(spec)
    }

    fn check(&self, path: &str) -> Result<(), SimError> {
        let bad = |field, reason: &str| {
            Err(SimError::Value { path: path.to_owned(), field, reason: reason.to_owned() })
        };
        if self.kind != "parametric" {
            return bad("kind", "this version simulates kind = \"parametric\" only");
        }
        if self.capacity < 1 << 20 || self.capacity > 1 << 60 {
            return bad("capacity", "must be from 1M to 1048576T");
        }
        if !self.capacity.is_multiple_of(u64::from(BLOCK_BYTES)) {
            return bad("capacity", "must be a multiple of 512 bytes");
        }
        if !(self.cap_iops == 0.0 || (self.cap_iops >= 1e-3 && self.cap_iops <= 1e9)) {
            return bad("cap_iops", "must be 0 (no cap) or from 0.001 to 1e9 requests per second");
        }
        if !(0.0..=3.0).contains(&self.sigma) {
            return bad("sigma", "must be from 0 to 3");
        }
        if !(0.0..=1.0).contains(&self.noise) {
            return bad("noise", "must be from 0 to 1");
        }
        if !(0.001..=1e9).contains(&self.noise_ms) {
            return bad("noise_ms", "must be from 0.001 to 1e9 milliseconds");
        }
        for (fields, server) in [
            (["read.service_us", "read.per_kib_us", "read.servers"], &self.read),
            (["write.service_us", "write.per_kib_us", "write.servers"], &self.write),
        ] {
            if !(0.0..=1e9).contains(&server.service_us) {
                return bad(fields[0], "must be from 0 to 1e9 microseconds");
            }
            if !(0.0..=1e6).contains(&server.per_kib_us) {
                return bad(fields[1], "must be from 0 to 1e6 microseconds");
            }
            if server.service_us + server.per_kib_us < 0.001 {
                return bad(fields[0], "a request must take time: service_us or per_kib_us must be positive");
            }
            if !(1..=1 << 20).contains(&server.servers) {
                return bad(fields[2], "must be from 1 to 1048576");
            }
        }
        Ok(())
    }
}

/// The device. Its state passes from one queue pair to the next: there is one at a time.
pub struct Parametric {
    spec: ParametricSpec,
    /// Taken by the queue pair that is alive, so that no lock stands on its path.
    state: Arc<Mutex<Option<Box<State>>>>,
}

impl Parametric {
    /// A device at time zero, idle.
    pub fn new(spec: ParametricSpec) -> Self {
        let state = State::new(&spec);
        Parametric { spec, state: Arc::new(Mutex::new(Some(Box::new(state)))) }
    }

    /// The description it was made from.
    pub fn spec(&self) -> &ParametricSpec {
        &self.spec
    }
}

impl Device for Parametric {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: self.spec.capacity, block_bytes: BLOCK_BYTES, writable: true }
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        if shape.depth == 0 || shape.slots < shape.depth {
            return Err(DeviceError::Unsupported(
                "a queue pair needs a depth of at least 1 and as many slots".into(),
            ));
        }
        let state = self.state.lock().expect("no holder panics").take().ok_or_else(|| {
            DeviceError::Unsupported("a simulated device has one queue pair at a time; use one thread".into())
        })?;
        Ok(Box::new(ParametricQueue {
            geometry: self.geometry(),
            shape,
            in_flight_len: vec![None; shape.slots as usize],
            state: Some(state),
            home: Arc::clone(&self.state),
        }))
    }
}

/// One operation's servers: when each is free again.
enum Servers {
    AnyFree(BinaryHeap<Reverse<Nanos>>),
    Hashed(Vec<Nanos>),
}

struct Station {
    fixed_ns: f64,
    ns_per_byte: f64,
    servers: Servers,
}

impl Station {
    fn new(spec: &ServerSpec, placement: Placement) -> Self {
        let n = spec.servers as usize;
        Station {
            fixed_ns: spec.service_us * 1e3,
            ns_per_byte: spec.per_kib_us * 1e3 / 1024.0,
            servers: match placement {
                Placement::AnyFree => Servers::AnyFree(vec![Reverse(0); n].into()),
                Placement::Hashed => Servers::Hashed(vec![0; n]),
            },
        }
    }

    /// When a request that arrives at `arrival` and takes `time` is done.
    fn serve(&mut self, arrival: Nanos, time: Nanos, offset: u64) -> Nanos {
        match &mut self.servers {
            Servers::AnyFree(heap) => {
                let mut first = heap.peek_mut().expect("at least one server");
                let done = arrival.max(first.0).saturating_add(time);
                *first = Reverse(done);
                done
            }
            Servers::Hashed(free) => {
                let server = scramble(offset / u64::from(BLOCK_BYTES)) % free.len() as u64;
                let free = &mut free[server as usize];
                *free = arrival.max(*free).saturating_add(time);
                *free
            }
        }
    }
}

/// SplitMix64's finaliser: neighbouring addresses land on unrelated servers.
fn scramble(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

struct State {
    now: Nanos,
    read: Station,
    write: Station,
    /// Nanoseconds between two admissions under the cap; 0 without one.
    cap_gap_ns: f64,
    next_admission: f64,
    /// When the last write accepted so far is done: what a flush waits for.
    last_write_done: Nanos,
    jitter: Jitter,
    sigma: f64,
    random: fastrand::Rng,
    noise: Noise,
    /// (done, sequence, slot): ties complete in the order they were submitted.
    in_flight: BinaryHeap<Reverse<(Nanos, u64, u32)>>,
    sequence: u64,
}

impl State {
    fn new(spec: &ParametricSpec) -> Self {
        State {
            now: 0,
            read: Station::new(&spec.read, spec.placement),
            write: Station::new(&spec.write, spec.placement),
            cap_gap_ns: if spec.cap_iops > 0.0 { 1e9 / spec.cap_iops } else { 0.0 },
            next_admission: 0.0,
            last_write_done: 0,
            jitter: spec.jitter,
            sigma: spec.sigma,
            random: fastrand::Rng::with_seed(spec.seed),
            noise: Noise::new(spec),
            in_flight: BinaryHeap::new(),
            sequence: 0,
        }
    }

    fn accept(&mut self, request: &Request) {
        let done = match request.op {
            Op::Flush => self.now.max(self.last_write_done),
            Op::Read | Op::Write => {
                let admitted = self.admit();
                let factor = self.jitter_factor() / self.noise.speed(admitted);
                let station = if request.op == Op::Read { &mut self.read } else { &mut self.write };
                let time = (station.fixed_ns + station.ns_per_byte * f64::from(request.len)) * factor;
                let done = station.serve(admitted, nearest(time).max(1), request.offset);
                if request.op == Op::Write {
                    self.last_write_done = self.last_write_done.max(done);
                }
                done
            }
        };
        self.in_flight.push(Reverse((done, self.sequence, request.slot)));
        self.sequence += 1;
    }

    /// The cap admits requests one by one, evenly spaced, and saves up no credit.
    fn admit(&mut self) -> Nanos {
        if self.cap_gap_ns == 0.0 {
            return self.now;
        }
        let admitted = self.next_admission.max(self.now as f64);
        self.next_admission = admitted + self.cap_gap_ns;
        nearest(admitted)
    }

    fn jitter_factor(&mut self) -> f64 {
        match self.jitter {
            Jitter::None => 1.0,
            Jitter::Exponential => -(1.0 - self.random.f64()).ln(),
            Jitter::Lognormal => lognormal(&mut self.random, self.sigma),
        }
    }
}

/// The nearest whole number. Not [`f64::round`]: without SSE4.1 that is a call, and this is done for every
/// request.
#[inline]
fn nearest(nanos: f64) -> Nanos {
    (nanos + 0.5) as Nanos
}

/// A lognormal variate of mean 1 whose logarithm has the standard deviation `sigma`.
fn lognormal(random: &mut fastrand::Rng, sigma: f64) -> f64 {
    // Box and Muller; the second variate is thrown away, so that one request draws the same numbers whatever
    // came before it.
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    let normal = radius * (std::f64::consts::TAU * random.f64()).cos();
    (sigma * normal - 0.5 * sigma * sigma).exp()
}

/// The speed of the whole device, drawn anew every so often.
struct Noise {
    /// Standard deviation of the logarithm; 0 for a device of constant speed.
    sigma: f64,
    lasts: Nanos,
    seed: u64,
    /// Which speed is in force, and that speed.
    current: (Nanos, f64),
}

impl Noise {
    fn new(spec: &ParametricSpec) -> Self {
        let sigma = spec.noise.powi(2).ln_1p().sqrt();
        let lasts = ((spec.noise_ms * 1e6) as Nanos).max(1);
        Noise { sigma, lasts, seed: spec.noise_seed, current: (Nanos::MAX, 1.0) }
    }

    /// Speed at `at`, of mean 1. It depends on the moment and the seed alone, not on what was asked before.
    fn speed(&mut self, at: Nanos) -> f64 {
        if self.sigma == 0.0 {
            return 1.0;
        }
        let period = at / self.lasts;
        if self.current.0 != period {
            let mut random = fastrand::Rng::with_seed(scramble(self.seed) ^ scramble(!period));
            self.current = (period, lognormal(&mut random, self.sigma));
        }
        self.current.1
    }
}

struct ParametricQueue {
    geometry: Geometry,
    shape: QueueShape,
    /// Length of each slot's request, while it is in flight.
    in_flight_len: Vec<Option<u32>>,
    state: Option<Box<State>>,
    home: Arc<Mutex<Option<Box<State>>>>,
}

impl ParametricQueue {
    fn state(&self) -> &State {
        self.state.as_ref().expect("held until dropped")
    }
}

impl QueuePair for ParametricQueue {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn shape(&self) -> QueueShape {
        self.shape
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(self.in_flight_len[slot as usize].is_none(), "slot {slot} is in flight");
        &mut []
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        request.validate(&self.geometry, &self.shape)?;
        let refuse = |reason| Err(RequestError { request, reason });
        if self.in_flight_len[request.slot as usize].is_some() {
            return refuse("its slot is in flight");
        }
        let state = self.state.as_mut().expect("held until dropped");
        if state.in_flight.len() >= self.shape.depth as usize {
            return refuse("the queue pair is full");
        }
        self.in_flight_len[request.slot as usize] = Some(request.len);
        state.accept(&request);
        Ok(())
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        let state = self.state.as_mut().expect("held until dropped");
        // With nothing in flight the deadline alone ends the wait, whatever was asked for.
        let min = if state.in_flight.is_empty() { 1 } else { min };
        let mut reaped = 0;
        while let Some(&Reverse((done, _, slot))) = state.in_flight.peek() {
            // Past what is already due, time moves only for completions that the caller waits for.
            if done > state.now && (reaped >= min || done > deadline) {
                break;
            }
            state.in_flight.pop();
            state.now = state.now.max(done);
            let len = self.in_flight_len[slot as usize].take().unwrap_or(0);
            completions.push(Completion { slot, result: len as i32, at: done });
            reaped += 1;
        }
        let waits = reaped < min && (reaped == 0 || !state.in_flight.is_empty());
        if waits && deadline != NEVER {
            state.now = state.now.max(deadline);
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.state().now
    }

    fn in_flight(&self) -> u32 {
        self.state().in_flight.len() as u32
    }
}

impl Drop for ParametricQueue {
    fn drop(&mut self) {
        let mut state = self.state.take().expect("held until dropped");
        // Whoever comes next finds the device idle, as after a reset.
        for Reverse((done, ..)) in state.in_flight.drain() {
            state.now = state.now.max(done);
        }
        *self.home.lock().expect("no holder panics") = Some(state);
    }
}
