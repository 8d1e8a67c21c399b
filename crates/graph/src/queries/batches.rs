//! All edges, in batches.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::naming::{AllIds, Naming, Sizes};
use super::room::Room;
use crate::algorithms::most_values;
use crate::format::{Block, Direction, Scratch, Vertex};
use crate::output::{RowColumn, RowValues, Rows, grouped};
use crate::{Engine, Graph, GraphError, Which};

/// Most blocks that are read for a batch at a time.
const BLOCKS: u64 = 1024;

/// Some edges of a graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EdgeBatch {
    /// The vertices that they lead from.
    pub sources: Vec<Vertex>,
    /// The vertices that they lead to.
    pub targets: Vec<Vertex>,
    /// Their weights; empty where the graph has none.
    pub weights: Vec<f64>,
}

/// All edges of a graph, batch by batch; see [`Graph::edges`].
#[derive(Debug)]
pub struct Edges<'g> {
    graph: &'g Graph,
    cursor: EdgeCursor,
}

impl Graph {
    /// All edges, that many in each batch and the rest in the last, by source and then by target, as vertices
    /// are numbered; an undirected edge once. Blocks are read some at a time, and each once.
    ///
    /// An item is an error where half of the memory does not hold a batch, or the device or a damaged store
    /// gives one; nothing follows it.
    ///
    /// # Panics
    /// For batches of no edges.
    pub fn edges(&self, batch: usize) -> Edges<'_> {
        Edges { graph: self, cursor: EdgeCursor::new(batch) }
    }
}

impl Iterator for Edges<'_> {
    type Item = Result<EdgeBatch, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.next_batch(self.graph).transpose()
    }
}

/// How far a reader of all edges has come; for who cannot keep the graph borrowed, as [`Edges`] does.
#[derive(Debug)]
pub struct EdgeCursor {
    batch: usize,
    /// The next block to read; none once all were read, or something failed.
    next: Option<u32>,
    read: VecDeque<Edge>,
    /// Kept from batch to batch, where the memory has room for them.
    ids: Option<Arc<AllIds>>,
}

/// An edge that was read.
type Edge = (Vertex, Vertex, f64);

/// Its bytes.
const EDGE_BYTES: u64 = size_of::<Edge>() as u64;

impl EdgeCursor {
    /// At the first edge.
    ///
    /// # Panics
    /// For batches of no edges.
    pub fn new(batch: usize) -> EdgeCursor {
        assert!(batch > 0, "a batch has edges");
        EdgeCursor { batch, next: Some(0), read: VecDeque::new(), ids: None }
    }

    /// The next edges of the graph, which is the same at each call; none behind the last.
    ///
    /// # Errors
    /// As the items of [`Graph::edges`]; there are no more edges then.
    pub fn next_batch(&mut self, graph: &Graph) -> Result<Option<EdgeBatch>, GraphError> {
        while self.read.len() < self.batch
            && let Some(first) = self.next.take()
        {
            let read = self.read_some(graph, first);
            if read.is_err() {
                (self.next, self.read) = (None, VecDeque::new());
            }
            self.next = read?;
        }
        let count = self.batch.min(self.read.len());
        if count == 0 {
            return Ok(None);
        }
        let weighted = graph.header().weights.bytes() > 0;
        let mut batch = EdgeBatch::default();
        for (source, target, weight) in self.read.drain(..count) {
            batch.sources.push(source);
            batch.targets.push(target);
            if weighted {
                batch.weights.push(weight);
            }
        }
        Ok(Some(batch))
    }

    /// The same as rows: `source`, `target`, and `weight` where the graph has weights.
    ///
    /// # Errors
    /// As [`EdgeCursor::next_batch`]; [`GraphError::Damaged`] (the ids).
    pub fn next_rows(&mut self, graph: &Graph) -> Result<Option<Rows>, GraphError> {
        if self.ids.is_none() && AllIds::bytes(graph) <= graph.options().memory / 4 {
            graph.make_room(AllIds::bytes(graph));
            self.ids = Some(Arc::new(AllIds::read(graph)?));
        }
        let Some(batch) = self.next_batch(graph)? else { return Ok(None) };
        let rows = batch.sources.len();
        let held = (self.read.len() + rows) as u64 * EDGE_BYTES + self.ids_bytes(graph);
        let names = if self.ids.is_some() { 0 } else { 2 * rows };
        let mut naming = Naming::begin(graph, &Sizes { held, names, rows, ids: 2, others: 0 })?;
        match &self.ids {
            Some(ids) => naming = naming.with(Arc::clone(ids)),
            None => naming.read(batch.sources.iter().chain(&batch.targets).copied())?,
        }
        batch.rows(naming).map(Some)
    }

    fn ids_bytes(&self, graph: &Graph) -> u64 {
        self.ids.as_ref().map_or(0, |_| AllIds::bytes(graph))
    }

    /// Reads some blocks from one on; the block behind them.
    fn read_some(&mut self, graph: &Graph, first: u32) -> Result<Option<u32>, GraphError> {
        let blocks = graph.directory(Direction::Forward).blocks();
        let what = format!("a batch of {} edges", grouped(self.batch as u64));
        let held = (self.read.len().max(self.batch) as u64).saturating_mul(2 * EDGE_BYTES);
        let (end, _) = Room::run(graph, what, self.ids_bytes(graph), |engine, room| {
            room.take(held)?;
            // While they are collected, and in their order.
            let of_block = most_values(graph) * 2 * EDGE_BYTES;
            let most = (room.left() / of_block).clamp(1, BLOCKS) as u32;
            let end = blocks.min(first.saturating_add(most));
            let wanted: Vec<u32> = (first..end).collect();
            let read = edges_of(engine, &wanted)?;
            // Changes may have made blocks larger.
            room.take(read.len() as u64 * 2 * EDGE_BYTES)?;
            self.read.extend(read);
            Ok(end)
        })?;
        Ok((end < blocks).then_some(end))
    }
}

/// What a thread reads: edges, and which of them are of which block.
type Local = (Scratch, Vec<(u32, Range<usize>)>, Vec<Edge>);

/// The edges of blocks, which ascend, in their order.
fn edges_of(engine: &mut Engine<'_>, blocks: &[u32]) -> Result<Vec<Edge>, GraphError> {
    let directed = engine.graph().header().directed;
    let visit = |(scratch, blocks, edges): &mut Local, block: &Block<'_>| {
        let start = edges.len();
        for vertex in block.vertices() {
            let list = block.list(vertex, scratch);
            // Its other end has the edge, too.
            let first = match directed {
                true => 0,
                false => list.neighbours.partition_point(|other| *other < vertex),
            };
            for (i, other) in list.neighbours.iter().enumerate().skip(first) {
                edges.push((vertex, *other, list.weights.get(i).copied().unwrap_or(0.0)));
            }
        }
        blocks.push((block.number(), start..edges.len()));
    };
    let locals = engine.sweep(Direction::Forward, Which::Blocks(blocks), Local::default, visit)?;
    let mut parts: Vec<(u32, &[Edge])> = Vec::new();
    for (_, blocks, edges) in &locals {
        parts.extend(blocks.iter().map(|(block, range)| (*block, &edges[range.clone()])));
    }
    parts.sort_unstable_by_key(|(block, _)| *block);
    let all: Vec<&[Edge]> = parts.into_iter().map(|(_, edges)| edges).collect();
    engine.add_scanned_edges(all.iter().map(|edges| edges.len() as u64).sum());
    Ok(all.concat())
}

impl EdgeBatch {
    fn rows(self, mut naming: Naming<'_>) -> Result<Rows, GraphError> {
        let mut column = |name, vertices: &[Vertex]| {
            let ranks: Vec<u32> = vertices.iter().map(|vertex| naming.rank(*vertex)).collect();
            naming.column(name, &ranks)
        };
        let mut columns = vec![column("source", &self.sources)?, column("target", &self.targets)?];
        if !self.weights.is_empty() {
            columns.push(RowColumn::full("weight", RowValues::Doubles(self.weights)));
        }
        Ok(Rows { columns })
    }
}
