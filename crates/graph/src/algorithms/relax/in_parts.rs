//! Lowering labels where the cap has no room for the labels of all vertices: they are a column of a file, and
//! the labels of one part of the vertices, or of two, are in memory.
//!
//! The part with the lowest label that waits is worked on until nothing within it changes, as if it were a
//! graph of its own. Then each other part that its edges lead to is loaded next to it, and offered labels.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use leadline_graph_store::format::{Direction, Directory, Scratch, Vertex};

use super::{Labels, Rule, lower, relax, relax_bytes};
use crate::algorithms::parts::{EqualPartitionBytes, EqualPartitions, places};
use crate::engine::{StateColumn, StateFile, Stored};
use crate::{Engine, Frontier, Graph, GraphError, Which};

/// Bytes in memory: of each vertex of a part its label, in two parts at a time; of no part the sets of
/// vertices, what [`relax`] takes, and the way to the file.
pub(crate) fn bytes(graph: &Graph) -> EqualPartitionBytes {
    let fixed = 3 * Frontier::bytes(graph.vertices()) + relax_bytes(graph) + StateFile::BYTES;
    EqualPartitionBytes { each: 16, fixed }
}

/// A label as it is in a file.
pub(crate) trait LabelValue: Stored + Copy {
    /// The label that it stands for.
    fn label(self) -> u64;

    /// What stands for a label.
    fn of(label: u64) -> Self;
}

impl LabelValue for f64 {
    fn label(self) -> u64 {
        self.to_bits()
    }

    fn of(label: u64) -> f64 {
        f64::from_bits(label)
    }
}

/// The labels of one part.
struct Part {
    range: Range<Vertex>,
    labels: Vec<AtomicU64>,
}

impl Part {
    fn new(vertices: usize) -> Part {
        Part { range: 0..0, labels: leadline_files::huge_vec(vertices) }
    }

    fn load<T: LabelValue>(
        &mut self,
        file: &StateFile,
        column: StateColumn<T>,
        range: &Range<Vertex>,
    ) -> Result<(), GraphError> {
        self.range = range.clone();
        self.labels.resize_with(range.len(), || AtomicU64::new(0));
        let labels = &mut self.labels;
        file.load(column, places(range), |place, value: T| *labels[place].get_mut() = value.label())
    }

    fn store<T: LabelValue>(&self, file: &StateFile, column: StateColumn<T>) -> Result<(), GraphError> {
        file.store(column, places(&self.range), |place| T::of(self.labels[place].load(Ordering::Relaxed)))
    }

    #[inline]
    fn get(&self, vertex: Vertex) -> u64 {
        self.labels[(vertex - self.range.start) as usize].load(Ordering::Relaxed)
    }

    /// Makes a vertex's label this low, if it is higher; whether it was. None for a vertex of another part.
    #[inline]
    fn lower(&self, vertex: Vertex, label: u64) -> Option<bool> {
        self.labels.get(vertex.wrapping_sub(self.range.start) as usize).map(|place| lower(place, label))
    }
}

/// A part on its own, and what leads out of it.
struct Own<'a> {
    part: &'a Part,
    /// Vertices with edges to other parts that were offered labels.
    crossing: &'a Frontier,
    /// By part: whether such an edge leads there.
    touched: &'a [AtomicBool],
    part_vertices: u32,
}

impl Labels for Own<'_> {
    #[inline]
    fn get(&self, vertex: Vertex) -> u64 {
        self.part.get(vertex)
    }

    #[inline]
    fn lower(&self, vertex: Vertex, neighbour: Vertex, label: u64) -> bool {
        self.part.lower(neighbour, label).unwrap_or_else(|| {
            self.crossing.insert(vertex);
            let touched = &self.touched[(neighbour / self.part_vertices) as usize];
            if !touched.load(Ordering::Relaxed) {
                touched.store(true, Ordering::Relaxed);
            }
            false
        })
    }
}

/// As [`relax`], with labels in a file. `waiting` holds the vertices whose edges may lower a label.
///
/// # Errors
/// What the device, the file or a damaged store gives.
pub(crate) fn relax_in_parts<T: LabelValue, R: Rule>(
    engine: &mut Engine<'_>,
    file: &StateFile,
    column: StateColumn<T>,
    parts: &EqualPartitions,
    rule: &R,
    waiting: &Frontier,
) -> Result<Result<(), (Vertex, Vertex)>, GraphError> {
    let graph = engine.graph();
    let Some(part_vertices) = parts.ranges.first().map(|range| range.end) else { return Ok(Ok(())) };
    let greedy = !engine.holds_all();
    let (mut own, mut other) = (Part::new(part_vertices as usize), Part::new(part_vertices as usize));
    let (active, crossing) = (Frontier::new(graph.vertices()), Frontier::new(graph.vertices()));
    // By part, the lowest label that waits.
    let has_any = |range: &Range<Vertex>| waiting.iter(range.clone()).next().is_some();
    let lowest: Vec<AtomicU64> =
        parts.ranges.iter().map(|range| AtomicU64::new(if has_any(range) { 0 } else { u64::MAX })).collect();
    loop {
        let waits = |part: &usize| lowest[*part].load(Ordering::Relaxed);
        let next = (0..lowest.len()).min_by_key(waits).filter(|part| waits(part) < u64::MAX);
        let Some(next) = next else { return Ok(Ok(())) };
        lowest[next].store(u64::MAX, Ordering::Relaxed);
        let range = &parts.ranges[next];
        own.load(file, column, range)?;
        for vertex in waiting.iter(range.clone()) {
            waiting.remove(vertex);
            active.insert(vertex);
        }
        let touched: Vec<AtomicBool> = parts.ranges.iter().map(|_| AtomicBool::new(false)).collect();
        let alone = Own { part: &own, crossing: &crossing, touched: &touched, part_vertices };
        if let Err(edge) = relax(engine, &alone, rule, &active, greedy)? {
            return Ok(Err(edge));
        }
        own.store(file, column)?;
        let blocks = blocks_of(graph.directory(Direction::Forward), &crossing, range);
        for (at, _) in touched.iter().enumerate().filter(|(_, touched)| touched.load(Ordering::Relaxed)) {
            other.load(file, column, &parts.ranges[at])?;
            let fallen = cross(engine, rule, [&own, &other], &crossing, waiting, &blocks)?;
            if fallen < u64::MAX {
                other.store(file, column)?;
                lowest[at].fetch_min(fallen, Ordering::Relaxed);
            }
        }
        for vertex in crossing.iter(range.clone()) {
            crossing.remove(vertex);
        }
    }
}

/// Offers labels from one part to another; the lowest that was taken.
fn cross<R: Rule>(
    engine: &mut Engine<'_>,
    rule: &R,
    [own, other]: [&Part; 2],
    crossing: &Frontier,
    waiting: &Frontier,
    blocks: &[u32],
) -> Result<u64, GraphError> {
    let local = || (Scratch::default(), 0, u64::MAX);
    let visited = engine.sweep(
        Direction::Forward,
        Which::Blocks(blocks),
        local,
        |(scratch, edges, lowest), block| {
            for vertex in crossing.iter(block.vertices()).filter(|vertex| own.range.contains(vertex)) {
                let offered = rule.offers(own.get(vertex), block, vertex, scratch, |neighbour, label| {
                    if other.lower(neighbour, label) == Some(true) {
                        waiting.insert(neighbour);
                        *lowest = (*lowest).min(label);
                    }
                });
                // What may be refused was, when its own part was worked on.
                *edges += offered.unwrap_or(0);
            }
        },
    )?;
    engine.add_scanned_edges(visited.iter().map(|(_, edges, _)| edges).sum());
    Ok(visited.iter().map(|(.., lowest)| *lowest).min().unwrap_or(u64::MAX))
}

/// The blocks with lists of those vertices of a range that are in a set, ascending.
fn blocks_of(directory: &Directory, set: &Frontier, range: &Range<Vertex>) -> Vec<u32> {
    let (mut blocks, mut from) = (Vec::new(), range.start);
    while let Some(vertex) = set.next_within(from.into()..range.end.into()) {
        let last = directory.last_block_of(vertex);
        let first = directory.block_of(vertex);
        // A hub may begin in the block that the vertex before it was in.
        let first = blocks.last().map_or(first, |block: &u32| first.max(block + 1));
        blocks.extend(first..=last);
        let Some(next) = directory.last_of(last).checked_add(1) else { break };
        from = next.max(vertex + 1);
    }
    blocks
}
