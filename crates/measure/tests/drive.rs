//! A drive whose read buffer and refreshes are known, in virtual time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use leadline_device::{Completion, Geometry, Nanos, Op, Request};
use leadline_sim::{DeviceModel, VirtualDevice};

const PAGE: u64 = 4096;

/// Pages of a block: those that a refresh counts the reads of together.
const BLOCK_PAGES: u64 = 256;

/// What a drive is like; microseconds.
#[derive(Debug, Clone)]
pub struct Drive {
    pub capacity: u64,
    /// Bytes of its read buffer, which drops what was not read for longest; 0: none.
    pub buffer: u64,
    /// What the buffer holds at once, bytes: a page of the medium.
    pub unit: u64,
    /// Drops a page at random instead.
    pub drops_any: bool,
    pub hit_us: f64,
    pub read_us: f64,
    /// Standard deviation of the logarithm of each latency.
    pub sigma: f64,
    /// A block is refreshed after so many reads of it, which makes one of them slower by that much.
    pub refresh: Option<(f64, f64)>,
    /// By how much the reads to the next refresh differ, standard deviation as a share.
    pub drift: f64,
    /// Every so many microseconds the first read is slower by that much.
    pub tick: Option<(f64, f64)>,
    pub seed: u64,
}

impl Default for Drive {
    fn default() -> Self {
        Drive {
            capacity: 256 << 20,
            buffer: 0,
            unit: PAGE,
            drops_any: false,
            hit_us: 8.0,
            read_us: 80.0,
            sigma: 0.1,
            refresh: None,
            drift: 0.0,
            tick: None,
            seed: 1,
        }
    }
}

impl Drive {
    pub fn device(&self) -> VirtualDevice<Model> {
        let blocks = (self.capacity / PAGE / BLOCK_PAGES) as usize;
        let mut random = fastrand::Rng::with_seed(self.seed);
        let left = self.refresh.map_or(f64::INFINITY, |(reads, _)| reads);
        VirtualDevice::new(Model {
            left: (0..blocks).map(|_| (random.f64() * left).max(1.0)).collect(),
            stamps: vec![0; (self.capacity / self.unit) as usize],
            held: VecDeque::new(),
            holds: 0,
            next_stamp: 1,
            next_tick: 0,
            due: BinaryHeap::new(),
            arrivals: 0,
            random,
            drive: self.clone(),
        })
    }
}

/// The drive at work: as many requests at once as arrive.
pub struct Model {
    drive: Drive,
    random: fastrand::Rng,
    /// Reads until each block is refreshed.
    left: Vec<f64>,
    /// When each unit was read last, by number; 0 where it is not in the buffer.
    stamps: Vec<u64>,
    /// Units in the order in which they were read; those read again since have another stamp.
    held: VecDeque<(u64, usize)>,
    holds: u64,
    next_stamp: u64,
    next_tick: Nanos,
    /// (time, number of arrival, slot, bytes)
    due: BinaryHeap<Reverse<(Nanos, u64, u32, i32)>>,
    arrivals: u64,
}

impl Model {
    /// Whether this unit is in the buffer; it is afterwards.
    fn is_held(&mut self, unit: usize) -> bool {
        let held = self.stamps[unit] != 0;
        if self.drive.drops_any {
            if !held {
                if self.holds * self.drive.unit >= self.drive.buffer {
                    let at = self.random.usize(..self.held.len());
                    self.stamps[self.held[at].1] = 0;
                    self.held[at] = (1, unit);
                } else {
                    self.held.push_back((1, unit));
                    self.holds += 1;
                }
                self.stamps[unit] = 1;
            }
            return held;
        }
        self.next_stamp += 1;
        self.stamps[unit] = self.next_stamp;
        self.held.push_back((self.next_stamp, unit));
        self.holds += u64::from(!held);
        while self.holds * self.drive.unit > self.drive.buffer {
            let (stamp, oldest) = self.held.pop_front().expect("something is held");
            if self.stamps[oldest] == stamp {
                self.stamps[oldest] = 0;
                self.holds -= 1;
            }
        }
        held
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (1.0 - self.random.f64(), self.random.f64());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    fn read_us(&mut self, request: &Request, at: Nanos) -> f64 {
        let units = request.offset / self.drive.unit
            ..(request.offset + u64::from(request.len)).div_ceil(self.drive.unit);
        let mut all_held = self.drive.buffer > 0;
        if all_held {
            for unit in units {
                all_held &= self.is_held(unit as usize);
            }
        }
        let spread = (self.drive.sigma * self.normal()).exp();
        let mut us = spread * if all_held { self.drive.hit_us } else { self.drive.read_us };
        if let Some((reads, penalty)) = self.drive.refresh.filter(|_| !all_held) {
            let block = (request.offset / PAGE / BLOCK_PAGES) as usize;
            self.left[block] -= 1.0;
            if self.left[block] <= 0.0 {
                self.left[block] += reads * (1.0 + self.drive.drift * self.normal());
                us += penalty;
            }
        }
        if let Some((every, penalty)) = self.drive.tick.filter(|_| at >= self.next_tick) {
            self.next_tick = at + (every * 1e3) as Nanos - (at - self.next_tick) % (every * 1e3) as Nanos;
            us += penalty;
        }
        us
    }
}

impl DeviceModel for Model {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: self.drive.capacity, block_bytes: 512, writable: true }
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        let us = if request.op == Op::Read { self.read_us(request, at) } else { 20.0 };
        self.arrivals += 1;
        let due = at + (us * 1e3) as Nanos;
        self.due.push(Reverse((due, self.arrivals, request.slot, request.len as i32)));
    }

    fn next_completion(&self) -> Option<Nanos> {
        self.due.peek().map(|next| next.0.0)
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        while let Some(&Reverse((at, _, slot, result))) = self.due.peek().filter(|next| next.0.0 <= now) {
            self.due.pop();
            completions.push(Completion { slot, result, at });
        }
    }

    fn in_flight(&self) -> u32 {
        self.due.len() as u32
    }
}
