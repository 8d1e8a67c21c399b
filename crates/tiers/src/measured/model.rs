//! Processor sharing at the measured speed.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};

use leadline_device::{Completion, Geometry, Nanos, Op, Request};
use leadline_profile::{DeviceProfile, OpKind, Pattern};
use leadline_sim::DeviceModel;

use super::curves::{Curves, Kind};
use super::streams::Streams;
use crate::MeasuredError;

/// Bytes of a device of which neither the profile nor the caller knows how many it has.
const UNKNOWN_CAPACITY: u64 = 1 << 60;

/// The timing of a device that was measured, from the points of its profile alone.
///
/// With n requests in flight each one progresses at X(n)/n, X being the throughput measured for its kind
/// (read or write, random or sequential, durable or not) and size; it is done when it has progressed by 1. A
/// loop that keeps k requests of one kind in flight so has exactly X(k) of it. In a mix, each has the speed
/// of its own kind at the n of all: a mix of two kinds takes as long as each would alone, one after the
/// other. docs/tiers.md has what lies between and beyond the points, and what such a model cannot know.
pub struct MeasuredModel {
    curves: Curves,
    geometry: Geometry,
    notes: Vec<String>,
    /// What a flush takes once the writes before it are done.
    flush_ns: Nanos,
    /// Streams of reads, and of writes.
    streams: [Streams; 2],
    classes: Vec<Class>,
    class_of: HashMap<(Kind, u32), usize>,
    /// Those with requests in flight.
    active: Vec<usize>,
    /// Requests that progress.
    progressing: u32,
    /// Writes in flight, by their order of arrival.
    writes: BTreeSet<u64>,
    /// Flushes that wait for writes before them: order of arrival and slot.
    flushes: VecDeque<(u64, u32)>,
    /// What is done, or will be whatever else happens: time, order of arrival, slot and length.
    done: BinaryHeap<Reverse<(Nanos, u64, u32, u32)>>,
    now: Nanos,
    sequence: u64,
    in_flight: u32,
}

/// Requests of one kind and size: all progress at the same speed.
struct Class {
    kind: Kind,
    len: u32,
    /// What a request takes, by requests in flight; 0 where that was not asked for yet.
    ns_by_k: Vec<f64>,
    /// With as many in flight as there are now.
    ns: f64,
    /// How far a request would be that had been there since the class was idle.
    progress: f64,
    /// The progress at which each is done, order of arrival and slot.
    requests: VecDeque<(f64, u64, u32)>,
}

impl MeasuredModel {
    /// An idle device. It has the capacity that the profile names, else `capacity_bytes`, else 2^60.
    ///
    /// # Errors
    /// [`MeasuredError::NoReads`] where nothing was measured of reads.
    pub fn new(profile: &DeviceProfile, capacity_bytes: Option<u64>) -> Result<Self, MeasuredError> {
        let curves = Curves::new(profile)?;
        let block_bytes = profile.device.logical_block_bytes.filter(|bytes| bytes.is_power_of_two());
        let geometry = Geometry {
            capacity_bytes: profile.device.capacity_bytes.or(capacity_bytes).unwrap_or(UNKNOWN_CAPACITY),
            block_bytes: block_bytes.unwrap_or(512),
            writable: true,
        };
        Ok(MeasuredModel {
            notes: notes(&curves),
            flush_ns: flush_ns(&curves),
            curves,
            geometry,
            streams: Default::default(),
            classes: Vec::new(),
            class_of: HashMap::new(),
            active: Vec::new(),
            progressing: 0,
            writes: BTreeSet::new(),
            flushes: VecDeque::new(),
            done: BinaryHeap::new(),
            now: 0,
            sequence: 0,
            in_flight: 0,
        })
    }

    /// What was assumed where the profile has no measurement, in words for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The class of a read or write.
    fn class(&mut self, request: &Request) -> usize {
        let (op, streams) = match request.op {
            Op::Write => (OpKind::Write, &mut self.streams[1]),
            _ => (OpKind::Read, &mut self.streams[0]),
        };
        let goes_on = streams.goes_on(request.offset, request.len);
        let pattern = if goes_on { Pattern::Sequential } else { Pattern::Random };
        let durable = request.durable && op == OpKind::Write;
        let kind = self.curves.measured(Kind { op, pattern, durable });
        let len = request.len;
        *self.class_of.entry((kind, len)).or_insert_with(|| {
            let requests = VecDeque::new();
            self.classes.push(Class { kind, len, ns_by_k: Vec::new(), ns: 0.0, progress: 0.0, requests });
            self.classes.len() - 1
        })
    }

    /// The number in flight has changed: so do all speeds.
    fn change_speeds(&mut self) {
        let k = self.progressing;
        for &class in &self.active {
            let Class { kind, len, ns_by_k, ns, .. } = &mut self.classes[class];
            if ns_by_k.len() <= k as usize {
                ns_by_k.resize(k as usize + 1, 0.0);
            }
            let known = &mut ns_by_k[k as usize];
            if *known == 0.0 {
                *known = self.curves.request_ns(*kind, *len, k).max(1.0);
            }
            *ns = *known;
        }
    }

    /// The next request to be done if nothing more arrives: when, and where in `active` its class is.
    fn next(&self) -> Option<(Nanos, usize)> {
        let due = |(at, &class): (usize, &usize)| {
            let class = &self.classes[class];
            let (target, ..) = class.requests.front()?;
            // What is due but for a rounding error is due.
            let left = ((target - class.progress) * class.ns - 1e-3).max(0.0).ceil();
            Some((self.now.saturating_add(left as Nanos), at))
        };
        self.active.iter().enumerate().filter_map(due).min()
    }

    /// All progress until `until`; those that are done by then are done in their order.
    fn run(&mut self, until: Nanos) {
        while let Some((at, active)) = self.next().filter(|(at, _)| *at <= until) {
            self.progress(at);
            let class = &mut self.classes[self.active[active]];
            let Some((_, sequence, slot)) = class.requests.pop_front() else { break };
            self.done.push(Reverse((at, sequence, slot, class.len)));
            if class.requests.is_empty() {
                class.progress = 0.0;
                self.active.swap_remove(active);
            }
            self.progressing -= 1;
            self.change_speeds();
            if self.writes.remove(&sequence) {
                self.begin_flushes();
            }
        }
        self.progress(until);
    }

    fn progress(&mut self, to: Nanos) {
        let passed = to.saturating_sub(self.now) as f64;
        for &class in &self.active {
            let class = &mut self.classes[class];
            class.progress += passed / class.ns;
        }
        self.now = self.now.max(to);
    }

    /// Flushes begin for which no write is in flight that came before them.
    fn begin_flushes(&mut self) {
        while let Some(&(sequence, slot)) = self.flushes.front()
            && self.writes.first().is_none_or(|&write| write > sequence)
        {
            self.flushes.pop_front();
            self.done.push(Reverse((self.now.saturating_add(self.flush_ns), sequence, slot, 0)));
        }
    }
}

/// What is assumed of kinds that were not measured.
fn notes(curves: &Curves) -> Vec<String> {
    let mut notes = Vec::new();
    if !curves.has(OpKind::Write, false) && !curves.has(OpKind::Write, true) {
        notes.push("no writes were measured: they are taken to be as quick as reads".to_owned());
    } else if !curves.has(OpKind::Write, true) {
        let text = "no durable writes were measured: they are taken to be as quick as others, flushes to \
                    take no time";
        notes.push(text.to_owned());
    }
    notes
}

/// What durability adds to one small write: the profile has no flushes.
fn flush_ns(curves: &Curves) -> Nanos {
    if !curves.has(OpKind::Write, true) || !curves.has(OpKind::Write, false) {
        return 0;
    }
    let ns = |durable| {
        let kind = curves.measured(Kind { op: OpKind::Write, pattern: Pattern::Random, durable });
        curves.request_ns(kind, 1, 1)
    };
    (ns(true) - ns(false)).max(0.0).round() as Nanos
}

impl DeviceModel for MeasuredModel {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        self.run(at);
        let sequence = self.sequence;
        self.sequence += 1;
        self.in_flight += 1;
        match request.op {
            Op::Read | Op::Write => {
                if request.op == Op::Write {
                    self.writes.insert(sequence);
                }
                let number = self.class(request);
                let class = &mut self.classes[number];
                if class.requests.is_empty() {
                    self.active.push(number);
                }
                class.requests.push_back((class.progress + 1.0, sequence, request.slot));
                self.progressing += 1;
                self.change_speeds();
            }
            Op::Flush => {
                self.flushes.push_back((sequence, request.slot));
                self.begin_flushes();
            }
            // What it takes was not measured.
            Op::Trim => self.done.push(Reverse((self.now, sequence, request.slot, request.len))),
        }
    }

    fn next_completion(&self) -> Option<Nanos> {
        let done = self.done.peek().map(|Reverse((at, ..))| *at);
        match (done, self.next()) {
            (Some(done), Some((next, _))) => Some(done.min(next)),
            (done, next) => done.or(next.map(|(next, _)| next)),
        }
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        self.run(now);
        while let Some(&Reverse((at, _, slot, len))) = self.done.peek()
            && at <= now
        {
            self.done.pop();
            self.in_flight -= 1;
            completions.push(Completion { slot, result: len as i32, at });
        }
    }

    fn in_flight(&self) -> u32 {
        self.in_flight
    }
}
