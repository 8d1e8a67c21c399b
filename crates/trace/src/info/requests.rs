//! What can be said of requests one by one.

use std::collections::HashMap;
use std::ops::AddAssign;

use serde::Serialize;

use crate::Request;
use crate::bins::{DoublingBins, LogBins};

/// Rates over time begin with cells of about a millisecond: 2^20 ns.
const TIME_SHIFT: u32 = 20;

/// Heat is kept of that many volumes, the first that appear.
const MOST_HEATS: usize = 64;

/// Requests, how large they are, when they come and where they go.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Requests {
    /// All of them.
    pub count: u64,
    /// Requests that read.
    pub reads: u64,
    /// Requests that write.
    pub writes: u64,
    /// Reads / requests.
    pub read_share: Option<f64>,
    /// Bytes read; of a trace of pages, pages times their size.
    pub read_bytes: u64,
    /// Bytes written, likewise.
    pub written_bytes: u64,
    /// How large they are.
    pub sizes: Option<Sizes>,
    /// When they come, where the trace has times.
    pub rates: Option<Rates>,
    /// Devices they go to.
    pub volumes: u64,
    /// Lowest address touched, in the trace's unit.
    pub first_address: Option<u64>,
    /// Highest address touched.
    pub last_address: Option<u64>,
    /// Requests that start where the previous one of the same volume ended / requests.
    pub sequential_share: Option<f64>,
    /// Requests by address, one entry a volume (the first 64).
    pub heat: Vec<VolumeHeat>,
}

/// Sizes of requests, in the trace's unit; median and p99 within 0.8 %, and exact for the usual sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sizes {
    /// The smallest.
    pub min: u64,
    /// Half of the requests are no larger.
    pub median: u64,
    /// 99 % are no larger.
    pub p99: u64,
    /// The largest.
    pub max: u64,
    /// (smallest size, requests), ascending, one entry for sizes that differ by less than 0.8 %.
    pub histogram: Vec<(u64, u64)>,
}

/// Sizes of objects, one for each request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObjectSizes {
    /// The sum of all.
    pub requested_bytes: u64,
    /// How large they are, bytes.
    pub sizes: Sizes,
}

/// Requests over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rates {
    /// From the first request to the last, seconds.
    pub seconds: f64,
    /// Requests / seconds; `None` where all came at once.
    pub requests_per_second: Option<f64>,
    /// Bytes / seconds.
    pub bytes_per_second: Option<f64>,
    /// Length of a cell, seconds.
    pub cell_seconds: f64,
    /// One after the other, from the first that holds something.
    pub cells: Vec<RateCell>,
}

/// A piece of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RateCell {
    /// Where it begins, seconds from the first request.
    pub at_seconds: f64,
    /// Read requests in it.
    pub reads: u64,
    /// Write requests in it.
    pub writes: u64,
    /// Bytes of both.
    pub bytes: u64,
}

/// Requests by their first address.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VolumeHeat {
    /// Which volume.
    pub volume: u32,
    /// Addresses a cell.
    pub cell_width: u64,
    /// (first address, reads, writes), ascending, none empty.
    pub cells: Vec<(u64, u64, u64)>,
}

/// Reads, writes and bytes of a cell.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    reads: u64,
    writes: u64,
    bytes: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.bytes += other.bytes;
    }
}

/// Takes requests one by one.
pub(super) struct RequestCounter {
    unit_bytes: u64,
    all: Tally,
    written_bytes: u64,
    sizes: SizeCounter,
    /// Of objects, and their sum.
    objects: (SizeCounter, u64),
    lowest: u64,
    highest: u64,
    sequential: u64,
    /// Where the last request of each volume ended.
    ends: HashMap<u32, u64>,
    heat: Vec<(u32, DoublingBins<Tally>)>,
    /// Rates, and the time of the last request in nanoseconds, where there are times.
    times: Option<(DoublingBins<Tally>, u64)>,
}

impl RequestCounter {
    /// Of a trace whose addresses count `unit_bytes` each.
    pub(super) fn new(unit_bytes: u64, timed: bool) -> Self {
        RequestCounter {
            unit_bytes,
            all: Tally::default(),
            written_bytes: 0,
            sizes: SizeCounter::default(),
            objects: (SizeCounter::default(), 0),
            lowest: u64::MAX,
            highest: 0,
            sequential: 0,
            ends: HashMap::new(),
            heat: Vec::new(),
            times: timed.then(|| (DoublingBins::new(TIME_SHIFT), 0)),
        }
    }

    /// Requests taken so far.
    pub(super) fn count(&self) -> u64 {
        self.all.reads + self.all.writes
    }

    pub(super) fn add(&mut self, request: &Request) {
        let length = u64::from(request.length.max(1));
        let bytes = length * self.unit_bytes;
        let tally = Tally { reads: u64::from(!request.write), writes: u64::from(request.write), bytes };
        self.all += tally;
        self.written_bytes += if request.write { bytes } else { 0 };
        self.sizes.add(length);
        self.lowest = self.lowest.min(request.address);
        self.highest = self.highest.max(request.address.saturating_add(length - 1));
        let end = request.address.saturating_add(length);
        if self.ends.insert(request.volume, end) == Some(request.address) {
            self.sequential += 1;
        }
        self.heat_up(request, tally);
        if let Some((rates, last)) = &mut self.times {
            rates.add(request.at_ns, tally);
            *last = request.at_ns.max(*last);
        }
    }

    /// Bytes of the object of the request added last.
    pub(super) fn add_object(&mut self, bytes: u32) {
        self.objects.0.add(bytes.into());
        self.objects.1 += u64::from(bytes);
    }

    /// Sizes of objects, where there are any.
    pub(super) fn objects(&self) -> Option<ObjectSizes> {
        let (sizes, requested_bytes) = &self.objects;
        Some(ObjectSizes { requested_bytes: *requested_bytes, sizes: sizes.finish()? })
    }

    fn heat_up(&mut self, request: &Request, tally: Tally) {
        let known = self.heat.iter().position(|(volume, _)| *volume == request.volume);
        if known.is_none() && self.heat.len() < MOST_HEATS {
            self.heat.push((request.volume, DoublingBins::new(0)));
        }
        let place = known.unwrap_or(self.heat.len() - 1);
        let (volume, heat) = &mut self.heat[place];
        if *volume == request.volume {
            heat.add(request.address, tally);
        }
    }

    pub(super) fn finish(self) -> Requests {
        let count = self.count();
        let share = |part: u64| (count > 0).then(|| part as f64 / count as f64);
        Requests {
            count,
            reads: self.all.reads,
            writes: self.all.writes,
            read_share: share(self.all.reads),
            read_bytes: self.all.bytes - self.written_bytes,
            written_bytes: self.written_bytes,
            sizes: self.sizes.finish(),
            rates: self.rates(),
            volumes: self.ends.len() as u64,
            first_address: (count > 0).then_some(self.lowest),
            last_address: (count > 0).then_some(self.highest),
            sequential_share: share(self.sequential),
            heat: self.heat.iter().map(|(volume, heat)| heat_of(*volume, heat)).collect(),
        }
    }

    fn rates(&self) -> Option<Rates> {
        let (rates, last) = self.times.as_ref().filter(|_| self.count() > 0)?;
        let seconds = *last as f64 / 1e9;
        let a_second = |amount: u64| (seconds > 0.0).then(|| amount as f64 / seconds);
        let cell = |(begin, tally): (u64, Tally)| RateCell {
            at_seconds: begin as f64 / 1e9,
            reads: tally.reads,
            writes: tally.writes,
            bytes: tally.bytes,
        };
        Some(Rates {
            seconds,
            requests_per_second: a_second(self.count()),
            bytes_per_second: a_second(self.all.bytes),
            cell_seconds: rates.width() as f64 / 1e9,
            cells: rates.iter().map(cell).collect(),
        })
    }
}

/// Counts sizes.
struct SizeCounter {
    bins: LogBins,
    smallest: u64,
    largest: u64,
}

impl Default for SizeCounter {
    fn default() -> Self {
        SizeCounter { bins: LogBins::default(), smallest: u64::MAX, largest: 0 }
    }
}

impl SizeCounter {
    fn add(&mut self, size: u64) {
        self.bins.add(size, 1.0);
        self.smallest = self.smallest.min(size);
        self.largest = self.largest.max(size);
    }

    /// `None` where there was none.
    fn finish(&self) -> Option<Sizes> {
        let within = |size: u64| size.clamp(self.smallest, self.largest);
        Some(Sizes {
            min: self.smallest,
            median: within(self.bins.quantile(0.5)?),
            p99: within(self.bins.quantile(0.99)?),
            max: self.largest,
            histogram: self.bins.iter().map(|(first, _, weight)| (within(first), weight as u64)).collect(),
        })
    }
}

fn heat_of(volume: u32, heat: &DoublingBins<Tally>) -> VolumeHeat {
    let cells = heat.iter().filter(|(_, tally)| tally.reads + tally.writes > 0);
    let cells = cells.map(|(begin, tally)| (begin, tally.reads, tally.writes)).collect();
    VolumeHeat { volume, cell_width: heat.width(), cells }
}
