//! Merges sorted runs with trees of losers (Knuth, The Art of Computer Programming, volume 3, section 5.4.1).
//!
//! Each thread merges a part of the runs; the thread that called merges what they bring. Runs are in the order of the
//! input, and of equal keys the one of the earlier run comes first: the result does not depend on the memory.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::plan::Plan;
use super::record::{Key, Record, Weight};
use super::run::{self, Cursor, Place, Run};
use super::spill::Spill;
use crate::GraphError;

/// Fewer records are merged without threads.
const FEW: u64 = 1 << 18;

/// Batches that wait between two threads.
const WAITING: usize = 4;

/// Where sorted records come from, a batch at a time.
pub(crate) trait Source<R> {
    /// Puts the next records into `out`, which is cleared; none are left where it stays empty.
    fn fill(&mut self, out: &mut Vec<R>) -> Result<(), GraphError>;
}

/// The runs of a sort, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(crate) runs: Vec<Run>,
    pub(crate) spill: Spill,
    /// Equal keys become one, with the least weight.
    pub(crate) unique: bool,
    /// Runs and bytes that were written to files, those of further passes included.
    pub(crate) spilled: (u64, u64),
}

impl Runs {
    pub(crate) fn records(&self) -> u64 {
        self.runs.iter().map(|run| run.records).sum()
    }

    /// Counts what an earlier sort wrote too.
    pub(crate) fn add_spilled(&mut self, (runs, bytes): (u64, u64)) {
        self.spilled.0 += runs;
        self.spilled.1 += bytes;
    }

    /// How many runs so much memory merges at once.
    fn fan_in<K: Key, W: Weight>(memory: u64, plan: &Plan) -> usize {
        (memory / Cursor::<K, W>::bytes(plan.least_read(), plan)).max(2) as usize
    }

    /// Merges groups of runs until few enough are left for [`Runs::merge`] with so much memory.
    pub(crate) fn reduce<K: Key, W: Weight>(
        &mut self,
        folder: &Path,
        memory: u64,
        plan: &Plan,
    ) -> Result<(), GraphError> {
        let fan_in = Self::fan_in::<K, W>(memory, plan);
        while self.runs.len() > fan_in {
            let spill = Spill::new(folder)?;
            let mut runs = Vec::new();
            for group in self.runs.chunks(fan_in) {
                let low_bits = group.iter().map(|run| run.low_bits).max().unwrap_or(0);
                let (mut before, mut code) = (K::default(), Vec::with_capacity(plan.buffer() + 64));
                let (at, mut records) = (spill.len(), 0);
                let merged = self.merge_some(
                    group,
                    memory,
                    plan,
                    |key: K| key,
                    |batch: &[Record<K, W>]| {
                        records += batch.len() as u64;
                        for &Record { key, weight } in batch {
                            run::append(
                                Record { key: key.squeeze(low_bits), weight },
                                &mut before,
                                &mut code,
                            );
                            if code.len() >= plan.buffer() {
                                spill.write(&code, spill.reserve(code.len() as u64))?;
                                code.clear();
                            }
                        }
                        Ok(())
                    },
                );
                merged?;
                spill.write(&code, spill.reserve(code.len() as u64))?;
                runs.push(Run { low_bits, records, place: Place::File { at, bytes: spill.len() - at } });
            }
            self.add_spilled((runs.len() as u64, spill.len()));
            (self.runs, self.spill) = (runs, spill);
        }
        Ok(())
    }

    /// Hands all records to `sink`, in order, some at a time, with what `map` makes of their keys; it keeps their order. The
    /// runs stay as they are.
    pub(crate) fn merge<K: Key, W: Weight>(
        &self,
        memory: u64,
        plan: &Plan,
        map: impl Fn(K) -> K + Sync,
        sink: impl FnMut(&[Record<K, W>]) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        self.merge_some(&self.runs, memory, plan, map, sink)
    }

    fn merge_some<K: Key, W: Weight>(
        &self,
        runs: &[Run],
        memory: u64,
        plan: &Plan,
        map: impl Fn(K) -> K + Sync,
        sink: impl FnMut(&[Record<K, W>]) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let files = runs.iter().filter(|run| matches!(run.place, Place::File { .. })).count();
        let batch = plan.batch() as u64 * Record::<K, W>::BYTES as u64;
        let each = (memory.saturating_sub(runs.len() as u64 * batch)) / files.max(1) as u64;
        let read_bytes = each.clamp(plan.least_read() as u64, 4 << 20) as usize;
        let _taken = plan.take(files as u64 * read_bytes as u64 + runs.len() as u64 * batch);
        let records: u64 = runs.iter().map(|run| run.records).sum();
        let threads = if records < FEW { 1 } else { plan.workers.min(runs.len() / 4).max(1) };
        let open = |run| Cursor::<K, W>::new(run, &self.spill, read_bytes, plan);
        if threads == 1 {
            return drain(Tree::new(runs.iter().map(open), self.unique)?, plan, map, sink);
        }
        let map = &map;
        std::thread::scope(|scope| {
            let parts = runs.chunks(runs.len().div_ceil(threads)).map(|part| {
                let (full, receiver) = sync_channel(WAITING);
                let tree = Tree::new(part.iter().map(open), self.unique);
                scope.spawn(move || {
                    let sent = tree.and_then(|tree| feed(tree, plan, map, &full));
                    if let Err(error) = sent {
                        // Nobody listens where the other side has failed.
                        let _ = full.send(Err(error));
                    }
                });
                Part { receiver }
            });
            let parts: Vec<Part<Record<K, W>>> = parts.collect();
            drain(Tree::new(parts.into_iter(), self.unique)?, plan, |key| key, sink)
        })
    }
}

/// Batches from another thread.
struct Part<R> {
    receiver: Receiver<Result<Vec<R>, GraphError>>,
}

impl<R> Source<R> for Part<R> {
    fn fill(&mut self, out: &mut Vec<R>) -> Result<(), GraphError> {
        out.clear();
        if let Ok(batch) = self.receiver.recv() {
            *out = batch?;
        }
        Ok(())
    }
}

fn feed<S: Source<Record<K, W>>, K: Key, W: Weight>(
    mut tree: Tree<S, K, W>,
    plan: &Plan,
    map: impl Fn(K) -> K,
    full: &SyncSender<Result<Vec<Record<K, W>>, GraphError>>,
) -> Result<(), GraphError> {
    let most = 8 * plan.batch();
    loop {
        plan.check_stop()?;
        let mut batch = Vec::with_capacity(most);
        tree.take(&mut batch, most)?;
        batch.iter_mut().for_each(|record| record.key = map(record.key));
        if batch.is_empty() || full.send(Ok(batch)).is_err() {
            return Ok(());
        }
    }
}

fn drain<S: Source<Record<K, W>>, K: Key, W: Weight>(
    mut tree: Tree<S, K, W>,
    plan: &Plan,
    map: impl Fn(K) -> K,
    mut sink: impl FnMut(&[Record<K, W>]) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let most = 8 * plan.batch();
    let mut batch = Vec::with_capacity(most);
    loop {
        plan.check_stop()?;
        batch.clear();
        tree.take(&mut batch, most)?;
        batch.iter_mut().for_each(|record| record.key = map(record.key));
        if batch.is_empty() {
            return Ok(());
        }
        sink(&batch)?;
    }
}

/// A source, what it brought last, and how much of that is gone.
struct Lane<S, R> {
    source: S,
    batch: Vec<R>,
    at: usize,
}

/// Who lost here: the key, and the lane; of lanes at their end, the lane plus [`ENDED`].
#[derive(Clone, Copy)]
struct Node<K> {
    key: K,
    lane: u32,
}

const ENDED: u32 = 1 << 30;
const EMPTY: u32 = u32::MAX;

impl<K: Key> Node<K> {
    /// Of equal keys the earlier lane comes first, and one that has ended last.
    #[inline]
    fn before(&self, other: &Node<K>) -> bool {
        (self.key < other.key) | ((self.key == other.key) & (self.lane < other.lane))
    }
}

/// The winner is at 0, the losers behind it; the lanes are the leaves.
struct Tree<S, K, W> {
    lanes: Vec<Lane<S, Record<K, W>>>,
    nodes: Vec<Node<K>>,
    unique: bool,
    /// Of a tree of unique keys: the record that more of the same key may follow.
    held: Option<Record<K, W>>,
}

impl<S: Source<Record<K, W>>, K: Key, W: Weight> Tree<S, K, W> {
    fn new(sources: impl Iterator<Item = S>, unique: bool) -> Result<Self, GraphError> {
        let lanes: Vec<_> = sources.map(|source| Lane { source, batch: Vec::new(), at: 0 }).collect();
        let nodes = vec![Node { key: K::MAX, lane: EMPTY }; lanes.len().max(1)];
        let mut tree = Tree { lanes, nodes, unique, held: None };
        for lane in 0..tree.lanes.len() {
            let mut node = tree.head(lane)?;
            let mut place = (lane + tree.lanes.len()) / 2;
            while place > 0 {
                if tree.nodes[place].lane == EMPTY {
                    break;
                }
                if tree.nodes[place].before(&node) {
                    std::mem::swap(&mut tree.nodes[place], &mut node);
                }
                place /= 2;
            }
            tree.nodes[place] = node;
        }
        Ok(tree)
    }

    /// What a lane offers, from its next batch where the last is used up.
    fn head(&mut self, lane: usize) -> Result<Node<K>, GraphError> {
        let own = &mut self.lanes[lane];
        if own.at == own.batch.len() {
            own.at = 0;
            own.source.fill(&mut own.batch)?;
        }
        Ok(match own.batch.get(own.at) {
            Some(record) => Node { key: record.key, lane: lane as u32 },
            None => Node { key: K::MAX, lane: lane as u32 + ENDED },
        })
    }

    /// Appends the next records, `most` at most; none at the end.
    fn take(&mut self, out: &mut Vec<Record<K, W>>, most: usize) -> Result<(), GraphError> {
        while out.len() < most {
            let winner = self.nodes[0];
            if winner.lane >= ENDED {
                out.extend(self.held.take());
                return Ok(());
            }
            let lane = winner.lane as usize;
            let own = &mut self.lanes[lane];
            let record = own.batch[own.at];
            own.at += 1;
            let mut node = match own.batch.get(own.at) {
                Some(record) => Node { key: record.key, lane: winner.lane },
                None => self.head(lane)?,
            };
            let mut place = (lane + self.lanes.len()) / 2;
            while place > 0 {
                let loser = &mut self.nodes[place];
                let swap = loser.before(&node);
                let (low, high) = if swap { (*loser, node) } else { (node, *loser) };
                (node, *loser) = (low, high);
                place /= 2;
            }
            self.nodes[0] = node;
            if !self.unique {
                out.push(record);
                continue;
            }
            match &mut self.held {
                Some(held) if held.key == record.key => held.weight = held.weight.least(record.weight),
                held => out.extend(held.replace(record)),
            }
        }
        Ok(())
    }
}
