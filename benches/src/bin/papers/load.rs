//! Load on a drive: several actors at once, each with requests of one kind.

use anyhow::Result;
use leadline_device::{Completion, NEVER, Nanos, Op, QueuePair, Request};
use leadline_measure::load::Recorder;

/// A stretch of the drive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Region {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

/// Someone who sends requests.
#[derive(Debug, Clone)]
pub(crate) struct Actor {
    op: Op,
    block_bytes: u32,
    /// Share of the requests that are of another kind: the operation, and how many bytes.
    others: Option<(f64, Op, u32)>,
    region: Region,
    order: Order,
    pace: Pace,
    random: fastrand::Rng,
    next: u64,
}

/// Where the next request goes.
#[derive(Debug, Clone)]
enum Order {
    /// Anywhere.
    Random,
    /// Behind the last one.
    Sequential,
    /// All blocks once, in this order, and again.
    As(Vec<u32>),
}

/// When the next request is sent.
#[derive(Debug, Clone, Copy)]
enum Pace {
    /// So many are kept in flight.
    InFlight(u32),
    /// So many per second, as a Poisson process.
    PerSecond(f64),
}

/// Random reads of so many bytes, one at a time.
pub(crate) fn reads(block_bytes: u32) -> Actor {
    let region = Region { start: 0, bytes: u64::from(block_bytes) };
    Actor {
        op: Op::Read,
        block_bytes,
        others: None,
        region,
        order: Order::Random,
        pace: Pace::InFlight(1),
        random: fastrand::Rng::with_seed(1),
        next: 0,
    }
}

/// Random writes of so many bytes, one at a time.
pub(crate) fn writes(block_bytes: u32) -> Actor {
    Actor { op: Op::Write, ..reads(block_bytes) }
}

impl Actor {
    pub(crate) fn over(self, region: Region) -> Self {
        Actor { region, ..self }
    }

    pub(crate) fn in_sequence(self) -> Self {
        Actor { order: Order::Sequential, ..self }
    }

    /// Makes a share of its requests reads of at most as many bytes.
    pub(crate) fn with_reads(self, share: f64, bytes: u32) -> Self {
        Actor { others: Some((share, Op::Read, bytes)), ..self }
    }

    /// Every block once, in an order that `seed` makes, and again in the same order.
    pub(crate) fn shuffled(self, seed: u64) -> Self {
        let mut order: Vec<u32> = (0..self.blocks() as u32).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut order);
        Actor { order: Order::As(order), ..self }
    }

    pub(crate) fn in_flight(&mut self, k: u32) {
        self.pace = Pace::InFlight(k);
    }

    /// Sends its requests at this rate, whether the drive keeps up or not.
    pub(crate) fn megabytes_per_second(self, rate: f64) -> Self {
        let pace = Pace::PerSecond(rate * 1e6 / f64::from(self.block_bytes));
        Actor { pace, ..self }
    }

    /// Blocks of its region.
    pub(crate) fn blocks(&self) -> u64 {
        self.region.bytes / u64::from(self.block_bytes)
    }

    fn request(&mut self, slot: u32) -> Request {
        let blocks = self.blocks();
        let nth = self.next;
        self.next = (nth + 1) % blocks;
        let block = match &self.order {
            Order::Random => self.random.u64(..blocks),
            Order::Sequential => nth,
            Order::As(order) => u64::from(order[nth as usize]),
        };
        let offset = self.region.start + block * u64::from(self.block_bytes);
        let (op, len) = match self.others {
            Some((share, op, bytes)) if self.random.f64() < share => (op, bytes),
            _ => (self.op, self.block_bytes),
        };
        Request { op, durable: false, slot, len, offset }
    }
}

/// What the first of the actors saw.
pub(crate) struct Measured {
    pub(crate) ops_per_second: f64,
    pub(crate) latencies: Recorder,
}

impl Measured {
    /// Mean latency, microseconds.
    pub(crate) fn mean(&self) -> f64 {
        self.latencies.mean() / 1e3
    }

    /// Latency that so many percent did not exceed, microseconds.
    pub(crate) fn percentile(&self, percent: f64) -> f64 {
        self.latencies.quantile(percent / 100.0) as f64 / 1e3
    }
}

/// Share of the first actor's requests after which they count.
const RAMP: u64 = 20;

/// Runs all of `actors` until the first has had `requests` answered; then waits for what is in flight.
pub(crate) fn run(
    queue: &mut dyn QueuePair,
    actors: &mut [Actor],
    requests: u64,
    seed: u64,
) -> Result<Measured> {
    let began = queue.now();
    let mut free: Vec<u32> = (0..queue.shape().depth).rev().collect();
    let mut started = vec![(0, 0); free.len()];
    let mut arrivals: Vec<f64> = actors.iter().map(|_| began as f64).collect();
    for (i, actor) in actors.iter_mut().enumerate() {
        actor.random = fastrand::Rng::with_seed(seed << 8 | i as u64);
        if let Pace::InFlight(k) = actor.pace {
            for _ in 0..k {
                send(queue, actor, i, &mut free, &mut started)?;
            }
        }
    }
    let (mut answered, mut counted_from, mut latencies) = (0, began, Recorder::new());
    let mut completions: Vec<Completion> = Vec::new();
    while answered < requests {
        let due = send_arrived(queue, actors, &mut arrivals, &mut free, &mut started)?;
        queue.reap(1, due, &mut completions)?;
        for completion in completions.drain(..) {
            let (i, from) = started[completion.slot as usize];
            free.push(completion.slot);
            if i == 0 {
                answered += 1;
                if answered == requests / RAMP {
                    counted_from = completion.at;
                }
                if answered > requests / RAMP {
                    latencies.record(completion.at - from);
                }
            }
            if matches!(actors[i].pace, Pace::InFlight(_)) && answered < requests {
                send(queue, &mut actors[i], i, &mut free, &mut started)?;
            }
        }
    }
    let seconds = (queue.now() - counted_from) as f64 / 1e9;
    queue.reap(queue.in_flight(), NEVER, &mut completions)?;
    Ok(Measured { ops_per_second: (requests - requests / RAMP) as f64 / seconds, latencies })
}

/// Sends what has arrived by now; gives when the next will.
fn send_arrived(
    queue: &mut dyn QueuePair,
    actors: &mut [Actor],
    arrivals: &mut [f64],
    free: &mut Vec<u32>,
    started: &mut [(usize, Nanos)],
) -> Result<Nanos> {
    let mut due = NEVER;
    for (i, actor) in actors.iter_mut().enumerate() {
        let Pace::PerSecond(rate) = actor.pace else { continue };
        // One slot is left for whoever keeps one in flight.
        while arrivals[i] <= queue.now() as f64 && free.len() > 1 {
            send(queue, actor, i, free, started)?;
            arrivals[i] -= (1.0 - actor.random.f64()).ln() * 1e9 / rate;
        }
        if free.len() > 1 {
            due = due.min(arrivals[i].ceil() as Nanos);
        }
    }
    Ok(due)
}

fn send(
    queue: &mut dyn QueuePair,
    actor: &mut Actor,
    i: usize,
    free: &mut Vec<u32>,
    started: &mut [(usize, Nanos)],
) -> Result<()> {
    let Some(slot) = free.pop() else { return Ok(()) };
    started[slot as usize] = (i, queue.now());
    queue.submit(actor.request(slot)).map_err(leadline_device::DeviceError::from)?;
    Ok(())
}
