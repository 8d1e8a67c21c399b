//! What a layout costs: point queries, scans, inserts, amplification, with intervals.

use std::sync::Arc;

use leadline_profile::OpKind;

use crate::block::Blocks;
use crate::bound::Bound;
use crate::costs::{DeviceCosts, End};
use crate::fill::{COARSE, Fill, Filled, fill, fills};
use crate::intervals::{Error, FILL, POINT, SCAN, widened};
use crate::query::{Reads, Shape};
use crate::queue::{Demand, closed};
use crate::tree::memtable_pairs;
use crate::{Data, Estimate, Layout, Mix, Operation, ProcessorCosts};

/// Loads over which the state of a tree at the end of one is averaged.
const LOADS: u32 = 6;

/// Loads over which what a tree in service takes is averaged. A single one decides by chance what several
/// agree on within some percent.
const FILLS: u32 = 6;

/// The same at the ends of the device's costs.
const FILLS_OF_ENDS: u32 = 2;

/// The machine that a tree runs on.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// Its device.
    pub device: &'a DeviceCosts,
    /// What RocksDB costs its processor.
    pub processor: &'a ProcessorCosts,
    /// Its cores.
    pub cores: u32,
}

/// What is asked of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demands {
    /// The operations.
    pub mix: Mix,
    /// Queries at a time: threads that each wait for their answer.
    pub clients: u32,
    /// Pairs that a scan returns.
    pub scan_pairs: f64,
}

/// What loading the tree, and keeping it, comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadPrediction {
    /// From the first insert to the end of the last compaction, seconds.
    pub seconds: Estimate,
    /// Until the last insert, seconds.
    pub insert_seconds: f64,
    /// Of these, in which writes were stopped or slowed down, seconds.
    pub stalled_seconds: f64,
    /// Bytes that flushes and compactions wrote over bytes inserted, the load from empty.
    pub write_amplification: Estimate,
    /// Processor time of client, flushes and compactions, seconds.
    pub processor_seconds: f64,
    /// Compactions at a time while any runs, parts of a divided one counted.
    pub concurrency: f64,
    /// Whether the tree was too large to be simulated closely: writes of its lowest levels are then
    /// underestimated.
    pub is_coarse: bool,
    /// Files and bytes per level when all compactions are done.
    pub levels: Vec<(u32, f64)>,
}

/// What an operation costs at the given number of clients, all of them doing only this.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryPrediction {
    /// Time of one operation, microseconds.
    pub us: Estimate,
    /// Operations per second of all clients.
    pub per_second: f64,
    /// Data blocks looked at, in the cache or on the device.
    pub blocks: f64,
    /// Requests to the device.
    pub requests: f64,
    /// Bytes read from the device.
    pub bytes: f64,
    /// Processor time, microseconds.
    pub processor_us: f64,
    /// Device time of its requests, one at a time, microseconds.
    pub device_us: f64,
    /// Operations at the device on average.
    pub at_device: f64,
    /// What keeps the clients from doing more.
    pub bound: Bound,
}

/// What flushes and compactions take of a machine at some rate of writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Busy {
    /// Of the time of all cores, 0 to 1.
    pub processor: f64,
    /// Of the device's time, their requests one at a time; above 1 where requests of several must overlap.
    pub device: f64,
    /// Of what the device can do, with as many requests at a time as serve it best, 0 to 1.
    pub device_used: f64,
}

/// What a mix of operations comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct MixPrediction {
    /// Operations per second of all clients.
    pub per_second: Estimate,
    /// Its interval by what the device's costs and the chance of loads leave open, without the error of the
    /// model: that is common to the layouts of a tree, and decides nothing between them.
    pub without_model_ci: [f64; 2],
    /// Mean time of its queries where clients do nothing else, microseconds; 0 where it has none.
    pub read_us: f64,
    /// Time of a point query within the mix, microseconds.
    pub point_us: f64,
    /// Its 99th percentile, microseconds.
    pub point_p99_us: f64,
    /// What sets the pace.
    pub bound: Bound,
    /// Operations at the device on average.
    pub at_device: f64,
    /// Of the time of all cores, what the operations themselves take.
    pub processor: f64,
    /// What compactions take meanwhile.
    pub compactions: Busy,
}

/// Everything about one layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The layout.
    pub layout: Layout,
    /// Loading it.
    pub load: LoadPrediction,
    /// A query for a key that is there.
    pub point: QueryPrediction,
    /// A query for a key that is not.
    pub absent: QueryPrediction,
    /// A scan.
    pub scan: QueryPrediction,
    /// Pairs per second that a tree of its full size takes, compactions keeping up.
    pub insert_per_s: Estimate,
    /// Loads that what is said of a tree of its full size is the mean of.
    pub fills: u32,
    /// Standard error of `insert_per_s` by chance of those loads, a share of it. The intervals hold it.
    pub fill_error: f64,
    /// What compactions take meanwhile.
    pub insert_busy: Busy,
    /// Bytes that flushes and compactions write per byte inserted into a tree of its full size.
    pub write_amplification: Estimate,
    /// Bytes of all files over bytes of the distinct pairs, without compression.
    pub space_amplification: Estimate,
    /// The mix.
    pub mix: MixPrediction,
}

/// A tree that was loaded in simulated time, to be asked for any query.
pub(crate) struct LoadedTree<'a> {
    data: Data,
    layout: Layout,
    machine: Machine<'a>,
    filled: Arc<Filled>,
    /// Loads that it is the mean of.
    fills: u32,
}

/// Predicts a tree that was just loaded for each of `demands`, with intervals: what a benchmark that loads
/// and then asks will see. [`predict`] is for a tree in service.
pub fn predict_loaded(
    data: &Data,
    layout: &Layout,
    machine: &Machine,
    demands: &[Demands],
) -> Vec<Prediction> {
    with_intervals(machine, |machine, _| LoadedTree::after_load(data, layout, machine), demands)
}

/// Predicts one layout, with intervals.
pub fn predict(data: &Data, layout: &Layout, machine: &Machine, demands: &Demands) -> Prediction {
    let replacing = demands.mix.replacing();
    let one = std::slice::from_ref(demands);
    with_intervals(machine, |machine, loads| LoadedTree::load(data, layout, machine, replacing, loads), one)
        .remove(0)
}

/// What the tree that `load` makes comes to, with intervals from both ends of the device's costs. It is
/// loaded three times, however much is asked of it.
fn with_intervals(
    machine: &Machine,
    load: impl for<'m> Fn(&Machine<'m>, u32) -> LoadedTree<'m>,
    demands: &[Demands],
) -> Vec<Prediction> {
    let ends = [End::Low, End::High].map(|end| machine.device.at(end));
    let [low, high] = ends.each_ref().map(|device| Machine { device, ..*machine });
    let trees = [load(machine, FILLS), load(&low, FILLS_OF_ENDS), load(&high, FILLS_OF_ENDS)];
    let [middle, low, high] = &trees;
    demands.iter().map(|demands| middle.prediction(demands, [low, high])).collect()
}

impl<'a> LoadedTree<'a> {
    /// A tree in service: the mean of this many loads, the first of them from empty.
    pub(crate) fn load(
        data: &Data,
        layout: &Layout,
        machine: &Machine<'a>,
        replacing: f64,
        loads: u32,
    ) -> Self {
        Self::in_service(data, layout, machine, replacing, loads, true)
    }

    /// The same without a load from empty: they begin with a tree that is nearly as large.
    pub(crate) fn warm(
        data: &Data,
        layout: &Layout,
        machine: &Machine<'a>,
        replacing: f64,
        loads: u32,
    ) -> Self {
        Self::in_service(data, layout, machine, replacing, loads, false)
    }

    fn in_service(
        data: &Data,
        layout: &Layout,
        machine: &Machine<'a>,
        replacing: f64,
        loads: u32,
        from_empty: bool,
    ) -> Self {
        let how = Fill { replacing, cores: f64::from(machine.cores), draw: None, from_empty };
        let filled = Arc::new(fills(data, layout, machine.device, machine.processor, &how, loads));
        LoadedTree { data: *data, layout: *layout, machine: *machine, filled, fills: loads }
    }

    /// The tree after a load, as a mean over loads of nearly the same size.
    pub(crate) fn after_load(data: &Data, layout: &Layout, machine: &Machine<'a>) -> Self {
        let memtable = memtable_pairs(layout, data);
        let how = Fill { replacing: 0.0, cores: f64::from(machine.cores), draw: None, from_empty: true };
        let loads: Vec<(f64, Filled)> = (0..LOADS)
            .map(|i| {
                let fewer = Data { pairs: (data.pairs - f64::from(i) * 0.7 * memtable).max(1.0), ..*data };
                let mut filled = fill(&fewer, layout, machine.device, machine.processor, &how);
                // How many files a load leaves in level 0 is chance: they are merged.
                filled.load.tree.empty_level_0();
                filled.states = vec![filled.load.tree.runs()];
                (data.pairs, filled)
            })
            .collect();
        let filled = Filled::mean(&loads, data.pairs);
        LoadedTree { data: *data, layout: *layout, machine: *machine, filled: Arc::new(filled), fills: LOADS }
    }

    /// The same tree with another layout that differs only in what queries see: blocks, filters, cache.
    pub(crate) fn with_queries_of(&self, layout: &Layout) -> LoadedTree<'a> {
        LoadedTree { layout: *layout, filled: Arc::clone(&self.filled), ..*self }
    }

    pub(crate) fn prediction(&self, demands: &Demands, ends: [&LoadedTree; 2]) -> Prediction {
        let of = |value: fn(&Filled) -> f64| {
            Estimate::of(value(&self.filled), ends.map(|tree| value(&tree.filled)))
        };
        let query = |reads: fn(&Shape, &Demands) -> Reads, error_of_model: Error| {
            let mut found = self.query(&self.reads(demands, reads), demands.clients);
            let us = ends.map(|tree| tree.query(&tree.reads(demands, reads), demands.clients).us.value);
            found.us = widened(Estimate::of(found.us.value, us), error_of_model);
            found
        };
        let mut mix = self.mix(demands);
        mix.per_second =
            Estimate::of(mix.per_second.value, ends.map(|tree| tree.mix(demands).per_second.value));
        let chance = Error::of_fills(self.filled.tail_error);
        if mix.bound == Bound::Compaction {
            mix.per_second = widened(mix.per_second, chance);
        }
        mix.without_model_ci = mix.per_second.ci;
        mix.per_second = widened(mix.per_second, if mix.bound == Bound::Compaction { FILL } else { POINT });
        let blocks = self.blocks();
        let bytes = |pairs: f64| pairs * blocks.stored_pair_bytes();
        let levels = self.filled.load.tree.files_by_level();
        let load = LoadPrediction {
            seconds: widened(of(|filled| filled.load.seconds), FILL),
            insert_seconds: self.filled.load.insert_seconds,
            stalled_seconds: self.filled.load.stalled_seconds,
            write_amplification: of(|filled| filled.load.write_amplification),
            processor_seconds: self.filled.load.processor_seconds,
            concurrency: self.filled.load.concurrency,
            is_coarse: self.filled.load.scale > COARSE,
            levels: levels
                .iter()
                .map(|&(files, pairs)| ((files as f64 * self.filled.load.scale).round() as u32, bytes(pairs)))
                .collect(),
        };
        Prediction {
            layout: self.layout,
            load,
            point: query(|shape, _| shape.point(true), POINT),
            absent: query(|shape, _| shape.point(false), POINT),
            scan: query(|shape, demands| shape.scan(demands.scan_pairs), SCAN),
            insert_per_s: widened(widened(of(|filled| filled.tail_pairs_per_second), chance), FILL),
            fills: self.fills,
            fill_error: self.filled.tail_error,
            insert_busy: self.busy(self.filled.tail_pairs_per_second),
            write_amplification: widened(of(|filled| filled.tail_write_amplification), chance),
            space_amplification: of(|filled| filled.space_amplification),
            mix,
        }
    }

    fn blocks(&self) -> Blocks {
        Blocks::of(&self.data, &self.layout, self.machine.device.unit_bytes())
    }

    /// What an operation reads, averaged over the states in which a tree at rest may be.
    fn reads(&self, demands: &Demands, of: fn(&Shape, &Demands) -> Reads) -> Reads {
        let states = &self.filled.states;
        let all: Vec<Reads> = states
            .iter()
            .map(|runs| {
                let shape = Shape {
                    layout: &self.layout,
                    blocks: self.blocks(),
                    runs,
                    processor: self.machine.processor,
                };
                of(&shape, demands)
            })
            .collect();
        Reads::mean(&all)
    }

    /// Seconds at the device per operation that makes these requests, n operations there.
    fn device_seconds(&self, reads: &Reads, operations: f64) -> f64 {
        let device = self.machine.device;
        reads.requests.iter().map(|&(bytes, n)| n * device.request(OpKind::Read, bytes, operations)).sum()
    }

    /// The same for 1, 2, ... operations there, up to twice as many as there are clients.
    fn device_times(&self, reads: &Reads, clients: u32) -> Vec<f64> {
        let most = (2 * clients).min(DeviceCosts::MOST_IN_FLIGHT);
        (1..=most).map(|n| self.device_seconds(reads, f64::from(n))).collect()
    }

    /// What compactions take while `inserted` pairs per second are written.
    fn busy(&self, inserted: f64) -> Busy {
        Busy {
            processor: inserted * self.filled.tail_processor / f64::from(self.machine.cores),
            device: inserted * self.filled.tail_device,
            device_used: (inserted * self.filled.tail_used).min(1.0),
        }
    }

    fn query(&self, reads: &Reads, clients: u32) -> QueryPrediction {
        let device = self.device_times(reads, clients);
        let cores = f64::from(self.machine.cores);
        let demand = Demand { processor: reads.processor, reading: reads.reading, cores, device: &device };
        let load = closed(&demand, clients);
        let us = f64::from(clients) / load.per_second * 1e6;
        QueryPrediction {
            us: Estimate { value: us, ci: [us; 2] },
            per_second: load.per_second,
            blocks: reads.blocks,
            requests: reads.count(),
            bytes: reads.bytes(),
            processor_us: (reads.processor + reads.reading) * 1e6,
            device_us: device[0] * 1e6,
            at_device: load.at_device,
            bound: Bound::of(&demand, clients),
        }
    }

    /// Its layout.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Pairs per second that it takes at its full size.
    pub(crate) fn sustained_inserts_per_s(&self) -> f64 {
        self.filled.tail_pairs_per_second
    }

    /// Bytes that flushes and compactions write per byte inserted at its full size.
    pub(crate) fn sustained_write_amplification(&self) -> f64 {
        self.filled.tail_write_amplification
    }

    /// Pairs in all files over distinct pairs.
    pub(crate) fn space_amplification(&self) -> f64 {
        self.filled.space_amplification
    }

    /// Clients that do a mix, with the compactions that its writes cause.
    pub(crate) fn mix(&self, demands: &Demands) -> MixPrediction {
        let mix = &demands.mix;
        let of = |operation, reads: fn(&Shape, &Demands) -> Reads| match mix.share(operation) > 0.0 {
            true => self.reads(demands, reads).scaled(mix.share(operation)),
            false => Reads::default(),
        };
        let point = self.reads(demands, |shape, _| shape.point(true));
        let insert = Reads { processor: self.machine.processor.insert_us * 1e-6, ..Reads::default() };
        let queries = Reads::sum(&[
            point.scaled(mix.share(Operation::Point)),
            of(Operation::Absent, |shape, _| shape.point(false)),
            of(Operation::Scan, |shape, demands| shape.scan(demands.scan_pairs)),
        ]);
        let asked = 1.0 - mix.writes();
        let read_us = match asked > 0.0 {
            true => self.query(&queries.scaled(1.0 / asked), demands.clients).us.value,
            false => 0.0,
        };
        let mean = Reads::sum(&[queries, insert.scaled(mix.writes())]);
        let cores = f64::from(self.machine.cores);
        let filled = &self.filled;
        let alone = self.device_times(&mean, demands.clients);
        // What compactions leave of the cores and of the device when clients do `x` operations per second.
        let left = |x: f64| {
            let busy = self.busy(x * mix.writes());
            let left = |used: f64| (1.0 - used).max(0.02);
            let slower = 1.0 / left(busy.device_used);
            let device: Vec<f64> = alone.iter().map(|seconds| slower * seconds).collect();
            (cores * left(busy.processor), device)
        };
        let at = |x: f64| {
            let (cores, device) = left(x);
            closed(
                &Demand { processor: mean.processor, reading: mean.reading, cores, device: &device },
                demands.clients,
            )
        };
        // The rate at which they can do as many as they do.
        let (mut low, mut high) = (0.0, at(0.0).per_second);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if at(middle).per_second > middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        let limit =
            if mix.writes() > 0.0 { filled.tail_pairs_per_second / mix.writes() } else { f64::INFINITY };
        let per_second = low.min(limit);
        let (cores_left, device) = left(per_second);
        let demand =
            Demand { processor: mean.processor, reading: mean.reading, cores: cores_left, device: &device };
        let load = closed(&demand, demands.clients);
        // A client's time at the device, over what its requests take alone there.
        let alone = alone[0].max(1e-12);
        let slower = (load.at_device / load.per_second / alone).max(1.0);
        let waiting =
            (f64::from(demands.clients) / load.per_second - slower * alone) / mean.processor.max(1e-12);
        let point_us = (point.processor * waiting.max(1.0) + slower * self.device_seconds(&point, 1.0)) * 1e6;
        // The slowest of its reads takes as long as 99 of 100 do not.
        let one_read = slower * self.device_seconds(&point, 1.0) / point.count().max(1.0) * 1e6;
        let p99 = self.machine.device.read_p99_over_mean(load.at_device.max(1.0));
        MixPrediction {
            per_second: Estimate { value: per_second, ci: [per_second; 2] },
            without_model_ci: [per_second; 2],
            read_us,
            point_us,
            point_p99_us: point_us + one_read * (p99 - 1.0),
            bound: if limit <= low { Bound::Compaction } else { Bound::of(&demand, demands.clients) },
            at_device: load.at_device,
            processor: per_second * (mean.processor + mean.reading) / cores,
            compactions: self.busy(per_second * mix.writes()),
        }
    }
}
