//! The graph of communities: a vertex for each, and between two of them an edge with the weight of all edges
//! between their vertices. Of lists that are not in memory it is made by sorting, and is in memory if it
//! fits, else a store again.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_graph_store::format::{Directory, Layout, StoreWriter, Weights};
use leadline_graph_store::import::sort::{Key, Record, SortedRecords, Sorter};
use leadline_graph_store::import::{ImportPlan, as_they_are};

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

use super::lists::{List, Lists, MemoryLists, Stretch};
use super::near::{Lent, Summing, Sums};
use crate::engine::Cache;
use crate::{Graph, GraphError};

/// Bytes of a block of a temporary store: large, so that its index is small.
const BLOCK_BYTES: u32 = 16 << 10;

/// Most bytes of an entry in it: a code of 5 bytes and a weight, and its share of what else is in a block.
const ENTRY_BYTES: u64 = 14;

/// Vertices whose lists a thread sums at a time.
const VERTICES: u32 = 256;

/// Bytes that each thread decodes a block of it into.
pub(super) const DECODED_BYTES: u64 = 4 * BLOCK_BYTES as u64;

/// Bytes in memory that reading it takes, if it has that many entries: its index, and what threads read into.
pub(super) fn reading_bytes(entries: u64, threads: u64) -> u64 {
    let block = u64::from(BLOCK_BYTES);
    let blocks = entries.saturating_mul(ENTRY_BYTES) / block + 1;
    Directory::bytes_for(blocks) + blocks * Cache::BYTES_PER_BLOCK + threads * 2 * block
}

/// The next level's graph.
pub(super) enum Aggregate {
    Memory(MemoryLists),
    /// A store without a name.
    Store(Box<Graph>),
}

/// What making it takes.
pub(super) struct Sorting<'a> {
    /// The graph whose options and directory of temporary files are used.
    pub(super) graph: &'a Graph,
    /// Bytes in memory of the sort.
    pub(super) sort_bytes: u64,
    /// Bytes that lists in memory may take.
    pub(super) list_bytes: u64,
}

impl Sorting<'_> {
    /// Of any lists; and the bytes written to temporary files.
    ///
    /// # Errors
    /// What the lists and temporary files give.
    pub(super) fn aggregate(
        &self,
        lists: &mut impl Lists,
        labels: &[u32],
        count: u32,
        summing: &Summing,
    ) -> Result<(Aggregate, u64), GraphError> {
        let folder = self.graph.temp_folder();
        let stop = self.graph.options().stop.clone().unwrap_or_else(|| Arc::new(AtomicBool::new(false)));
        let plan = ImportPlan::new(self.sort_bytes, stop);
        let sorter = Sorter::<u64, f64>::new(folder, plan.sort_alone(), None, &plan)?;
        let lanes = sorter.lanes();
        lists.each_stretch(&mut |stretch| {
            let parts = (0..(stretch.range.end - stretch.range.start).div_ceil(VERTICES)).into_par_iter();
            parts.try_for_each(|part| {
                let thread = rayon::current_thread_index().unwrap_or(0) % lanes;
                let mut lane = sorter.lane(thread);
                each_sum(&stretch, part, labels, summing, |own, other, weight| {
                    lane.push(Record::new(own.into(), other.into(), weight))
                })
            })
        })?;
        let sorted = sorter.finish()?;
        let mut found = 0;
        each_edge(&sorted, |_, _| {
            found += 1;
            Ok(())
        })?;
        let spilled = sorted.spilled;
        if MemoryLists::bytes(count.into(), found) <= self.list_bytes {
            return Ok((Aggregate::Memory(load(&sorted, count, found)?), spilled));
        }
        let (store, bytes) = self.store(&sorted, folder, count)?;
        Ok((Aggregate::Store(Box::new(store)), spilled + bytes))
    }

    /// Writes a store, opens it, and takes its name away: it is gone when it is closed. And its bytes.
    fn store(
        &self,
        sorted: &SortedRecords<u64, f64>,
        folder: &Path,
        count: u32,
    ) -> Result<(Graph, u64), GraphError> {
        let dir = tempfile::Builder::new().prefix("leadline-level").tempdir_in(folder);
        let dir = dir.map_err(|error| GraphError::write(folder, error))?;
        let path = dir.path().join("graph");
        let (weights, vertices) = (Weights::F64, u64::from(count));
        let layout =
            Layout { block_bytes: BLOCK_BYTES, compressed: true, directed: false, weights, vertices };
        let mut writer = StoreWriter::create(&path, layout)?;
        each_edge(sorted, |(from, to), weight| {
            // What leads from a community to itself is listed once in a store, and counts twice.
            writer.edge(from, to, if from == to { weight / 2.0 } else { weight })
        })?;
        let bytes = writer.finish()?.file_bytes;
        let options = self.graph.options().clone().with_temp(folder);
        let mut level = Graph::open(&path, options)?;
        level.share_meter(self.graph);
        Ok((level, bytes))
    }
}

/// Calls `each` with the labels of some vertices, those of their neighbours, and the weight between them.
fn each_sum(
    stretch: &Stretch<'_>,
    part: u32,
    labels: &[u32],
    summing: &Summing,
    mut each: impl FnMut(u32, u32, f64) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let first = part * VERTICES;
    let last = (first + VERTICES).min(stretch.range.end - stretch.range.start);
    for at in first..last {
        let vertex: Vertex = stretch.range.start + at;
        let list = stretch.lists.list(at as usize, vertex);
        let own = labels[vertex as usize];
        match summing.lend(list.len()) {
            Lent::Table(mut sums) => sum(list, labels, &mut *sums, |other, weight| each(own, other, weight))?,
            Lent::Dense(mut sums) => sum(list, labels, &mut *sums, |other, weight| each(own, other, weight))?,
        }
    }
    Ok(())
}

/// Calls `each` with the labels of a list, and the weight to each.
fn sum(
    list: List<'_>,
    labels: &[u32],
    sums: &mut impl Sums,
    mut each: impl FnMut(u32, f64) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    list.each(|neighbour, weight| sums.add(labels[neighbour as usize], weight));
    sums.all().try_for_each(|(other, weight)| each(other, weight))?;
    sums.clear();
    Ok(())
}

/// Lists of sorted records.
fn load(sorted: &SortedRecords<u64, f64>, count: u32, entries: u64) -> Result<MemoryLists, GraphError> {
    let mut lists = MemoryLists {
        ends: Vec::with_capacity(count as usize),
        neighbours: Vec::with_capacity(entries as usize),
        weights: Vec::with_capacity(entries as usize),
        loops: 1.0,
    };
    each_edge(sorted, |(from, to), weight| {
        lists.ends.resize(from as usize, lists.neighbours.len() as u64);
        lists.neighbours.push(to);
        lists.weights.push(weight);
        Ok(())
    })?;
    lists.ends.resize(count as usize, lists.neighbours.len() as u64);
    Ok(lists)
}

/// Calls `each` with every pair of communities that edges join, ascending, and the weight of them all.
fn each_edge(
    sorted: &SortedRecords<u64, f64>,
    mut each: impl FnMut((u32, u32), f64) -> Result<(), GraphError> + Send,
) -> Result<(), GraphError> {
    let mut last: Option<Record<u64, f64>> = None;
    let pair = |key: u64| (key.high() as u32, key.low() as u32);
    sorted.in_order(as_they_are, |records| {
        for record in records {
            match &mut last {
                Some(last) if last.key == record.key => last.weight += record.weight,
                before => {
                    if let Some(done) = before.replace(*record) {
                        each(pair(done.key), done.weight)?;
                    }
                }
            }
        }
        Ok(())
    })?;
    last.map_or(Ok(()), |last| each(pair(last.key), last.weight))
}
