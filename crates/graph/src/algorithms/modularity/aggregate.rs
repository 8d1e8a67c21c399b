//! The graph of communities: a vertex for each, and between two of them an edge with the weight of all edges
//! between their vertices. Of lists in memory it is made in memory. Of a store it is made by sorting, and is
//! in memory if it fits, else a store again.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_graph_store::format::{Directory, Layout, StoreWriter, Weights};
use leadline_graph_store::import::sort::{Key, Record, SortedRecords, Sorter};
use leadline_graph_store::import::{ImportPlan, as_they_are};

use super::lists::{Lists, MemoryLists};
use super::moving::{Near, entries};
use crate::engine::Cache;
use crate::{Frontier, Graph, GraphError};

/// Bytes of a block of a temporary store: large, so that its index is small.
const BLOCK_BYTES: u32 = 16 << 10;

/// Most bytes of an entry in it: a code of 5 bytes and a weight, and its share of what else is in a block.
const ENTRY_BYTES: u64 = 14;

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

/// Of lists in memory. `labels` are below `count`.
pub(super) fn in_memory(lists: &MemoryLists, labels: &[u32], count: u32, near: &mut Near) -> MemoryLists {
    let mut ends = vec![0u32; count as usize + 1];
    for label in labels {
        ends[*label as usize + 1] += 1;
    }
    for label in 1..ends.len() {
        ends[label] += ends[label - 1];
    }
    let mut places = ends.clone();
    let mut members = vec![0u32; labels.len()];
    for (vertex, label) in (0..).zip(labels) {
        let place = &mut places[*label as usize];
        members[*place as usize] = vertex;
        *place += 1;
    }
    let mut made = MemoryLists::default();
    for label in 0..count as usize {
        for member in &members[ends[label] as usize..ends[label + 1] as usize] {
            for (neighbour, weight) in lists.list(*member) {
                near.add(labels[*neighbour as usize], *weight);
            }
        }
        near.labels.sort_unstable();
        made.entries.extend(near.labels.iter().map(|other| (*other, near.weight[*other as usize])));
        made.ends.push(made.entries.len() as u64);
        near.clear();
    }
    made
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
        near: &mut Near,
    ) -> Result<(Aggregate, u64), GraphError> {
        let folder = self.graph.temp_folder();
        let stop = self.graph.options().stop.clone().unwrap_or_else(|| Arc::new(AtomicBool::new(false)));
        let plan = ImportPlan::new(self.sort_bytes, stop);
        let sorter = Sorter::<u64, f64>::new(folder, plan.sort_alone(), None, &plan)?;
        let mut all = Frontier::new(lists.vertices());
        all.fill();
        lists.visit(&all, 0, &mut |vertex, list| {
            for (neighbour, weight) in entries(list) {
                near.add(labels[*neighbour as usize], *weight);
            }
            let own = u64::from(labels[vertex as usize]);
            let mut lane = sorter.lane(0);
            for other in &near.labels {
                lane.push(Record::new(own, u64::from(*other), near.weight[*other as usize]))?;
            }
            drop(lane);
            near.clear();
            Ok(())
        })?;
        drop(all);
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

/// Lists of sorted records.
fn load(sorted: &SortedRecords<u64, f64>, count: u32, entries: u64) -> Result<MemoryLists, GraphError> {
    let mut lists = MemoryLists {
        ends: Vec::with_capacity(count as usize),
        entries: Vec::with_capacity(entries as usize),
    };
    each_edge(sorted, |(from, to), weight| {
        lists.ends.resize(from as usize, lists.entries.len() as u64);
        lists.entries.push((to, weight));
        Ok(())
    })?;
    lists.ends.resize(count as usize, lists.entries.len() as u64);
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
