//! Loads for simulated devices of any kind, and what they took.

use leadline_device::{Completion, Device, NEVER, Nanos, Op, QueuePair, QueueShape, Request};
use leadline_sim::{DeviceSpec, Simulated};

pub fn device(text: &str) -> Simulated {
    DeviceSpec::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}")).device()
}

pub fn queue(device: &Simulated, depth: u32) -> Box<dyn QueuePair> {
    device.queue_pair(QueueShape::new(depth, 1 << 20)).unwrap()
}

/// Waits for `min` completions.
pub fn reap(queue: &mut dyn QueuePair, min: u32) -> Vec<Completion> {
    let mut completions = Vec::new();
    queue.reap(min, NEVER, &mut completions).unwrap();
    completions
}

/// How long one request takes that finds whatever was before it done.
pub fn alone(queue: &mut dyn QueuePair, request: Request) -> Nanos {
    let from = queue.now();
    queue.submit(request).unwrap();
    reap(queue, 1)[0].at - from
}

/// Random requests of `len` bytes, aligned to that, within the first `region` bytes.
pub fn random(op: Op, len: u32, region: u64, seed: u64) -> impl FnMut(u32) -> Request {
    let mut random = fastrand::Rng::with_seed(seed);
    move |slot| {
        let offset = random.u64(..region / u64::from(len)) * u64::from(len);
        Request { op, durable: false, slot, len, offset }
    }
}

/// One request behind the other.
pub fn sequential(op: Op, len: u32) -> impl FnMut(u32) -> Request {
    let mut offset = 0;
    move |slot| {
        offset += u64::from(len);
        Request { op, durable: false, slot, len, offset: offset - u64::from(len) }
    }
}

/// What a load got.
pub struct Served {
    pub per_second: f64,
    /// Microseconds of each request, sorted.
    us: Vec<f64>,
}

impl Served {
    fn new(per_second: f64, mut us: Vec<f64>) -> Self {
        us.sort_by(f64::total_cmp);
        Served { per_second, us }
    }

    pub fn mean_us(&self) -> f64 {
        self.us.iter().sum::<f64>() / self.us.len() as f64
    }

    /// Microseconds that this share of the requests stays below.
    pub fn percentile_us(&self, percent: f64) -> f64 {
        self.us[((self.us.len() as f64 * percent / 100.0) as usize).min(self.us.len() - 1)]
    }
}

/// `k` requests in flight, `n` of them counted after a tenth as many.
pub fn closed_loop(device: &Simulated, k: u32, n: usize, mut next: impl FnMut(u32) -> Request) -> Served {
    let mut queue = queue(device, k);
    let mut sent = vec![queue.now(); k as usize];
    (0..k).for_each(|slot| queue.submit(next(slot)).unwrap());
    let (mut done, mut from, mut us) = (0, 0, Vec::with_capacity(n));
    while us.len() < n {
        for completion in reap(&mut *queue, 1) {
            let slot = completion.slot as usize;
            done += 1;
            if done == n / 10 {
                from = completion.at;
            } else if done > n / 10 {
                us.push((completion.at - sent[slot]) as f64 / 1e3);
            }
            queue.submit(next(completion.slot)).unwrap();
            sent[slot] = completion.at;
        }
    }
    Served::new(us.len() as f64 * 1e9 / (queue.now() - from) as f64, us)
}

/// What stands beside a foreground.
pub enum Beside {
    /// Requests that arrive as a Poisson process, so many bytes of them per second.
    Arrivals(f64),
    /// One at a time.
    OneAtATime,
}

/// One request of `foreground` at a time, `n` of them counted, beside requests of `background`.
pub fn beside(
    device: &Simulated,
    mut foreground: impl FnMut(u32) -> Request,
    mut background: impl FnMut(u32) -> Request,
    rate: &Beside,
    n: usize,
) -> Served {
    const SLOTS: u32 = 512;
    let mut queue = queue(device, SLOTS);
    let mut random = fastrand::Rng::with_seed(23);
    let mut free: Vec<u32> = (2..SLOTS).collect();
    let (mut sent, mut us, mut skipped) = (queue.now(), Vec::with_capacity(n), 0);
    queue.submit(foreground(0)).unwrap();
    let mut arrival = match rate {
        Beside::Arrivals(_) => queue.now(),
        Beside::OneAtATime => {
            queue.submit(background(1)).unwrap();
            NEVER
        }
    };
    let mut completions = Vec::new();
    while us.len() < n {
        queue.reap(1, arrival, &mut completions).unwrap();
        for completion in completions.drain(..) {
            match completion.slot {
                0 => {
                    skipped += 1;
                    if skipped > n / 10 {
                        us.push((completion.at - sent) as f64 / 1e3);
                    }
                    sent = completion.at;
                    queue.submit(foreground(0)).unwrap();
                }
                1 => queue.submit(background(1)).unwrap(),
                slot => free.push(slot),
            }
        }
        while let (Beside::Arrivals(bytes_per_second), true) = (rate, queue.now() >= arrival) {
            let request = background(free.pop().expect("the device keeps up"));
            let gap = -(1.0 - random.f64()).ln() * f64::from(request.len) * 1e9 / bytes_per_second;
            queue.submit(request).unwrap();
            arrival += gap as Nanos + 1;
        }
    }
    Served::new(0.0, us)
}
