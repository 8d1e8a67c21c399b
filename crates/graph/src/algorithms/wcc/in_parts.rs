//! Connected components where the cap has no room for a number per vertex: the trees of one part of the
//! vertices at a time are in memory, from the highest part down to the lowest, and all numbers are a column
//! of a file.
//!
//! This is contraction from the highest vertex down, as of external minimum spanning trees (Sibeyn's
//! sweeping: Dementiev, Sanders, Schultes, Sibeyn, "Engineering an External Memory Minimum Spanning Tree
//! Algorithm", TCS 2004), by parts and not by vertices. An edge that leads from a tree to a lower part
//! becomes the tree's exit; of two exits one is kept, and that both hang together is left as a *pair* to the
//! part of the higher. So is an edge to a higher part, which only directed graphs have to read. A pair that
//! is joined leaves one other at most.
//!
//! Mostly there is one large component, and most edges out of a tree lead to it. A *hub* stands for it: a low
//! vertex, with the set of all vertices that are on record to hang together with it. Each of them is put on
//! record once, and is then the hub to every tree.
//!
//! A part whose pairs outnumber its vertices is brought to memory in between, and its pairs are joined: there
//! is never more than about one pair per vertex. Where all is joined, exits become components, from the
//! lowest part up.

mod names;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Direction, NO_VERTEX, Vertex};
use rayon::prelude::*;

use super::forest::{find, flatten, join};
use super::most_frequent;
use super::pairs::{Found, Pair, Pairs, Shared, Sizes};
use crate::algorithms::lists::most_values;
use crate::algorithms::parts::{EqualPartitionBytes, EqualPartitions, MOST_EQUAL_PARTITIONS, places};
use crate::engine::{CUT, StateColumn, StateFile};
use crate::{Engine, FileValues, Frontier, Graph, GraphError, PerVertex, Which};

/// Blocks of the first sweep, after which a hub is chosen.
const FIRST_BLOCKS: u32 = 64;

/// Pairs that may be found between two looks at their number, at least.
const LEAST_FOUND: u64 = 1 << 20;

/// Pairs that a thread joins at a time.
const JOINED: usize = 1 << 9;

/// Bytes in memory.
pub(super) fn bytes(graph: &Graph) -> EqualPartitionBytes {
    let vertices = graph.vertices();
    let threads = graph.options().threads.max(1) as u64;
    // Parts may have some vertices more, and pairs as many as the largest part are found at a time.
    let most = 2 * (vertices + MOST_EQUAL_PARTITIONS * CUT) + LEAST_FOUND;
    let pairs = Sizes::most_bytes(most, threads);
    let fixed = Frontier::bytes(vertices) + pairs + StateFile::BYTES;
    let each = if graph.header().renumbered { names::EACH } else { EACH };
    EqualPartitionBytes { each, fixed }
}

/// Bytes of a vertex of a part: its number, and in the end the component of one in a lower part.
const EACH: u64 = 8;

/// As [`super::spilled_bytes`].
pub(super) fn spilled_bytes(graph: &Graph, parts: &EqualPartitions) -> [u64; 2] {
    let (header, vertices) = (graph.header(), graph.vertices());
    let column = StateFile::column_bytes::<u32>(vertices);
    // Numbers are stored, loaded for the components, and stored again.
    let mut least = 3 * column;
    // In the end, a part may be loaded for each higher one.
    let mut most = least + column / 2 * parts.ranges.len() as u64;
    // Written and read; more of one part than it has vertices are joined at once, for which it and the part
    // in memory are moved.
    let pair = 16;
    most += PAIRS_BY_EDGE * header.graph_edges() * (pair + 16);
    if header.directed {
        most += 2 * column;
    }
    if header.renumbered {
        least += 2 * column;
        most += 2 * column + 2 * vertices * pair;
    }
    [least, most]
}

/// Pairs that come of an edge at most: somewhat more than where there are many components of random edges
/// (see the tests).
const PAIRS_BY_EDGE: u64 = 2;

/// How many pairs there are room for, and how many are found between two looks at their number.
#[derive(Debug, Clone, Copy)]
struct Portions {
    sizes: Sizes,
    found: u64,
}

impl Portions {
    fn new(graph: &Graph, parts: &EqualPartitions) -> Portions {
        // A block at least.
        let found = part_vertices(&parts.ranges).max(LEAST_FOUND).max(most_values(graph));
        Portions { sizes: Sizes::new(parts.ranges.len(), most_pairs(&parts.ranges, found)), found }
    }
}

/// Most pairs that there are at a time: as many in each part as it has vertices, and those just found.
fn most_pairs(ranges: &[Range<Vertex>], found: u64) -> u64 {
    ranges.len() as u64 * part_vertices(ranges) + found
}

/// Vertices of each part, except for the last.
fn part_vertices(ranges: &[Range<Vertex>]) -> u64 {
    ranges.first().map_or(1, |range| range.len() as u64)
}

/// The components of all vertices, and how many there are.
pub(super) fn components(
    engine: &mut Engine<'_>,
    parts: &EqualPartitions,
) -> Result<(PerVertex<Vertex>, u64), GraphError> {
    let portions = Portions::new(engine.graph(), parts);
    components_by(engine, &parts.ranges, portions)
}

fn components_by(
    engine: &mut Engine<'_>,
    ranges: &[Range<Vertex>],
    portions: Portions,
) -> Result<(PerVertex<Vertex>, u64), GraphError> {
    let graph = engine.graph();
    let mut parts = Trees::new(graph, ranges, portions)?;
    for part in (0..ranges.len()).rev() {
        parts.begin(part)?;
        parts.join_pairs()?;
        parts.choose_hub();
        parts.join_lists(engine, portions)?;
        parts.end()?;
    }
    // What leads to higher parts.
    parts.join_all(0)?;
    let Trees { file, column, mut pairs, own, .. } = parts;
    drop(own);
    if graph.header().renumbered {
        names::name(graph, &file, column, &mut pairs, ranges)?;
    }
    drop(pairs);
    let count = resolve(graph, &file, column, ranges)?;
    engine.spilled(file.moved());
    Ok((PerVertex::File(FileValues::new(file, column)), count))
}

/// The trees of all parts.
struct Trees<'a> {
    graph: &'a Graph,
    ranges: &'a [Range<Vertex>],
    file: Arc<StateFile>,
    /// By vertex: a root's exit, or itself, or a root.
    column: StateColumn<u32>,
    /// Whether a part's numbers are in the file.
    is_stored: Vec<bool>,
    pairs: Pairs,
    /// The part in memory.
    part: usize,
    own: Own,
}

/// The trees of the part in memory, and what is known of the largest component.
struct Own {
    range: Range<Vertex>,
    /// As in `forest`.
    parents: Vec<AtomicU32>,
    hub: Vertex,
    /// Vertices that are on record to hang together with the hub.
    recorded: Frontier,
}

impl<'a> Trees<'a> {
    fn new(graph: &'a Graph, ranges: &'a [Range<Vertex>], portions: Portions) -> Result<Self, GraphError> {
        let vertices = graph.vertices();
        let part_vertices = part_vertices(ranges) as u32;
        let bytes = StateFile::column_bytes::<u32>(vertices) + portions.sizes.file_bytes();
        let file = Arc::new(StateFile::create(graph.temp_folder(), bytes)?);
        let column = file.column(vertices);
        let pairs = Pairs::new(Arc::clone(&file), portions.sizes, ranges.len(), part_vertices);
        let own = Own {
            range: 0..0,
            parents: leadline_files::huge_vec(part_vertices as usize),
            hub: NO_VERTEX,
            recorded: Frontier::new(vertices),
        };
        let is_stored = vec![false; ranges.len()];
        Ok(Trees { graph, ranges, file, column, is_stored, pairs, part: 0, own })
    }

    /// Brings a part to memory.
    fn begin(&mut self, part: usize) -> Result<(), GraphError> {
        self.graph.check_stop()?;
        let range = &self.ranges[part];
        self.part = part;
        self.own.range = range.clone();
        let parents = &mut self.own.parents;
        parents.resize_with(range.len(), || AtomicU32::new(0));
        if self.is_stored[part] {
            return self.file.load(self.column, places(range), |place, parent| {
                *parents[place].get_mut() = parent;
            });
        }
        parents.par_iter().zip(range.clone()).for_each(|(parent, vertex)| {
            parent.store(vertex, Ordering::Relaxed);
        });
        Ok(())
    }

    /// Brings the part in memory to the file.
    fn end(&mut self) -> Result<(), GraphError> {
        let Own { range, parents, .. } = &self.own;
        flatten(parents, range.start);
        self.is_stored[self.part] = true;
        self.file.store(self.column, places(range), |place| parents[place].load(Ordering::Relaxed))
    }

    /// Joins the pairs that were left to the part in memory.
    fn join_pairs(&mut self) -> Result<(), GraphError> {
        let own = &self.own;
        let mut some = Vec::new();
        while self.pairs.take(self.part, &mut some)? {
            let shared = Shared::new(&mut self.pairs);
            some.par_chunks(JOINED).for_each(|pairs| {
                let mut found = Found::new(&shared);
                for (vertex, other) in pairs {
                    own.connect(find(&own.parents, own.range.start, *vertex), *other, &mut found);
                }
            });
            shared.end()?;
        }
        Ok(())
    }

    /// Joins the pairs of all parts that have more than that many, the highest first, since they leave others
    /// to lower ones.
    fn join_all(&mut self, most: u64) -> Result<(), GraphError> {
        for part in (0..self.ranges.len()).rev() {
            if self.pairs.count(part) > most {
                self.begin(part)?;
                self.join_pairs()?;
                self.end()?;
            }
        }
        Ok(())
    }

    /// Joins the vertices of the part in memory with their neighbours.
    fn join_lists(&mut self, engine: &mut Engine<'_>, portions: Portions) -> Result<(), GraphError> {
        let directory = self.graph.directory(Direction::Forward);
        let range = &self.ranges[self.part];
        let mut next = directory.block_of(range.start);
        let end = directory.last_block_of(range.end - 1) + 1;
        let most = (portions.found / most_values(self.graph)).max(1) as u32;
        let mut count = if self.own.has_hub() { most } else { FIRST_BLOCKS };
        while next < end {
            let blocks: Vec<u32> = (next..end.min(next.saturating_add(count.min(most)))).collect();
            next += blocks.len() as u32;
            count = count.saturating_mul(4);
            self.join_blocks(engine, &blocks)?;
            self.choose_hub();
            let (own, most_pairs) = (self.part, part_vertices(self.ranges));
            if (0..self.ranges.len()).any(|part| self.pairs.count(part) > most_pairs) {
                self.end()?;
                self.join_all(most_pairs)?;
                self.begin(own)?;
            }
        }
        Ok(())
    }

    fn join_blocks(&mut self, engine: &mut Engine<'_>, blocks: &[u32]) -> Result<(), GraphError> {
        // Of an undirected edge the list of the higher end is enough.
        let lower_only = !self.graph.header().directed;
        let own = &self.own;
        let shared = Shared::new(&mut self.pairs);
        let local = || (Found::new(&shared), 0);
        let (direction, which) = (Direction::Forward, Which::Blocks(blocks));
        let workers =
            engine.sweep_until(&shared.has_failed, direction, which, local, |(found, joined), block| {
                for vertex in block.vertices().filter(|vertex| own.range.contains(vertex)) {
                    let mut root = None;
                    block.scan(vertex, |neighbour| {
                        if lower_only && neighbour >= vertex {
                            return false;
                        }
                        let from = root.unwrap_or_else(|| find(&own.parents, own.range.start, vertex));
                        root = Some(own.connect(from, neighbour, found));
                        *joined += 1;
                        true
                    });
                }
            })?;
        let joined = workers.iter().map(|(_, joined)| joined).sum();
        drop(workers);
        shared.end()?;
        engine.add_scanned_edges(joined);
        Ok(())
    }

    /// Makes the exit that most trees of the part in memory have the hub, if there is no hub below the part,
    /// or far fewer have it as their exit.
    fn choose_hub(&mut self) {
        let Own { range, parents, hub, recorded } = &mut self.own;
        let start = range.start;
        let number = |place: &AtomicU32| {
            let parent = place.load(Ordering::Relaxed);
            // A vertex that is no root has a way to one.
            if parent < start {
                return parent;
            }
            parents[(find(parents, start, parent) - start) as usize].load(Ordering::Relaxed)
        };
        let [(exit, count), (_, of_hub)] =
            most_frequent(parents, |place| Some(number(place)).filter(|exit| *exit < start), *hub);
        if count > 0 && (*hub >= start || count > 2 * of_hub) {
            *hub = exit;
            recorded.clear();
            recorded.insert(exit);
        }
    }
}

impl Own {
    /// Whether the hub is an exit.
    #[inline]
    fn has_hub(&self) -> bool {
        self.hub < self.range.start
    }

    /// Joins the tree of a root of the part with any vertex; returns its root then.
    #[inline]
    fn connect(&self, root: Vertex, other: Vertex, found: &mut Found<'_, '_>) -> Vertex {
        let Range { start, end } = self.range;
        if self.range.contains(&other) {
            return join(&self.parents, start, root, other, |root, exit| self.attach(root, exit, found));
        }
        let other = if self.has_hub() && self.recorded.contains(other) { self.hub } else { other };
        if other < end {
            return self.attach(root, other, found);
        }
        // For a higher part, the exit stands for the tree.
        let number = self.parents[(root - start) as usize].load(Ordering::Relaxed);
        self.defer_pair(other, if number < start { number } else { root }, found);
        root
    }

    /// Makes a vertex below the part the exit of a tree, unless it has another; returns its root.
    #[inline]
    fn attach(&self, mut root: Vertex, other: Vertex, found: &mut Found<'_, '_>) -> Vertex {
        let start = self.range.start;
        loop {
            let place = &self.parents[(root - start) as usize];
            let number = place.load(Ordering::Relaxed);
            if number == other {
                return root;
            }
            if number >= start && number != root {
                // Another thread has joined it with a lower one.
                root = find(&self.parents, start, number);
                continue;
            }
            let (kept, left) = match number {
                // The hub is what most others have; else low ones meet sooner.
                exit if exit < start && (exit == self.hub || exit < other && other != self.hub) => {
                    (exit, Some(other))
                }
                exit if exit < start => (other, Some(exit)),
                _ => (other, None),
            };
            if kept == number
                || place.compare_exchange(number, kept, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            {
                if let Some(left) = left {
                    self.defer_pair(kept, left, found);
                }
                return root;
            }
        }
    }

    /// Leaves it to the part of the higher that two vertices hang together, if that is not on record.
    #[inline]
    fn defer_pair(&self, a: Vertex, b: Vertex, found: &mut Found<'_, '_>) {
        let is_on_record =
            a == self.hub && !self.recorded.insert(b) || b == self.hub && !self.recorded.insert(a);
        if !is_on_record {
            let pair: Pair = (a.max(b), a.min(b));
            found.push(pair);
        }
    }
}

/// From roots and exits to components, by vertex; how many there are.
fn resolve(
    graph: &Graph,
    file: &StateFile,
    column: StateColumn<u32>,
    ranges: &[Range<Vertex>],
) -> Result<u64, GraphError> {
    let most = part_vertices(ranges) as usize;
    let (mut own, mut below) = (leadline_files::huge_vec(most), leadline_files::huge_vec(most));
    let mut count = 0;
    for (at, range) in ranges.iter().enumerate() {
        graph.check_stop()?;
        let start = range.start;
        load(file, column, range, &mut own)?;
        // Roots without an exit have their own number, or that of the component's first vertex, which is no
        // lower.
        count += own.iter().zip(range.clone()).filter(|(number, vertex)| **number >= *vertex).count() as u64;
        let mut lower = vec![false; at];
        let mut waiting = Frontier::new(range.len() as u64);
        for (place, vertex) in range.clone().enumerate() {
            let number = own[place];
            if (start..vertex).contains(&number) {
                // Roots keep their numbers, so that it does not matter which is first.
                own[place] = own[(number - start) as usize];
            }
            if own[place] < start {
                waiting.insert(place as u32);
                lower[own[place] as usize / most] = true;
            }
        }
        for (range, _) in ranges.iter().zip(&lower).filter(|(_, is_wanted)| **is_wanted) {
            load(file, column, range, &mut below)?;
            for place in waiting.iter(0..own.len() as u32) {
                if let Some(component) = below.get(own[place as usize].wrapping_sub(range.start) as usize) {
                    own[place as usize] = *component;
                    waiting.remove(place);
                }
            }
        }
        file.store(column, places(range), |place| own[place])?;
        waiting.clear();
    }
    Ok(count)
}

/// The numbers of a range.
fn load(
    file: &StateFile,
    column: StateColumn<u32>,
    range: &Range<Vertex>,
    out: &mut Vec<u32>,
) -> Result<(), GraphError> {
    out.resize(range.len(), 0);
    file.load(column, places(range), |place, number| out[place] = number)
}

#[cfg(test)]
mod tests;
