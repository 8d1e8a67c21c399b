//! Local clustering: how many of a vertex's neighbours are neighbours of each other. And triangles.
//!
//! Each edge belongs to its end with the shorter list, so that no vertex has more of them than the square
//! root of all entries (Chiba, Nishizeki, "Arboricity and Subgraph Listing Algorithms", SIAM Journal on
//! Computing 14, 1985). These lists are half as long as those in the store, and all are held in memory where
//! they fit. Where they do not, as many as fit are held at a time, and all are streamed past them (Hu, Tao,
//! Chung, "Massive Graph Triangulation", SIGMOD 2013).

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use super::lists::{Gathering, Lists, batches, directions, most_values, spare, sweep_range};
use super::table::{SIFTED, Table};
use super::{by_vertex, numbers};
use crate::format::{Block, Direction, Vertex};
use crate::{Engine, Graph, GraphError, RunStats, Which};

/// Most vertices: an entry of a list in memory holds a vertex and a bit.
const MOST_VERTICES: u64 = (1 << 31) - 1;

/// A list so many times as long as the other is searched and not walked.
const SEARCH_ABOVE: usize = 16;

/// Vertices that a thread takes at a time.
const CHUNK: usize = 64;

/// The clustering of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Lcc {
    /// By vertex: edges among its neighbours by those there could be, 0 to 1; 0 where it has fewer than two
    /// neighbours.
    pub coefficients: Vec<f64>,
    /// Triangles of the graph, whichever way edges lead, each counted once.
    pub triangles: u64,
    /// How often the edges were streamed past lists in memory; 1: all lists were held at once.
    pub passes: u64,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// Local clustering coefficients and triangles. Neighbours are those on outgoing and on incoming edges;
    /// in a directed graph an edge among them counts for each way it leads. Self-loops and repetitions of an
    /// edge do not count.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::TooManyVertices`] above 2^31 - 1; [`GraphError::Memory`] below about 28 bytes per
    /// vertex; what the device or a damaged store gives.
    pub fn lcc(&self) -> Result<Lcc, GraphError> {
        self.need_reverse("local clustering")?;
        let vertices = self.vertices();
        if vertices > MOST_VERTICES {
            let what = format!("local clustering of {} takes", self.name());
            return Err(GraphError::TooManyVertices { found: vertices, what, most: MOST_VERTICES });
        }
        let (room, bytes) = Room::of(self, self.options().memory);
        let ((coefficients, triangles, passes), stats) =
            Engine::run(self, "local clustering", bytes, |engine| count(engine, room))?;
        Ok(Lcc { coefficients, triangles, passes, stats })
    }
}

/// Entries of lists that there is room for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) held: u64,
    /// 0 where all are held.
    pub(crate) streamed: u64,
}

impl Room {
    /// Under a cap of `memory` bytes, and the bytes of vertex state, room included.
    pub(crate) fn of(graph: &Graph, memory: u64) -> (Room, u64) {
        let listed = graph.header().edges * directions(graph).len() as u64;
        let blocks = u64::from(graph.all_blocks());
        let threads = graph.options().threads.max(1) as u64;
        let fixed = graph.vertices() * 28
            + blocks * 4
            + threads * (Table::bytes(most_above(listed)) + most_values(graph) * 4 * 2);
        let room = Room::new(listed, blocks, spare(graph, memory, fixed) / 4);
        (room, fixed + 4 * (room.held + room.streamed))
    }

    /// Of `spare` entries, for a graph with so many listed in so many blocks.
    fn new(listed: u64, blocks: u64, spare: u64) -> Room {
        // Half of the listed ones lead upwards. Pieces of one list may each have the value where they meet.
        let all = listed / 2 + blocks;
        // From either direction.
        let longest = 2 * most_above(listed) + blocks;
        // Half of what is left keeps blocks.
        let room = (spare / 2).max(2 * longest);
        match room {
            room if room >= all => Room { held: all, streamed: 0 },
            room => {
                let streamed = (room / 4).max(longest);
                Room { held: room - streamed, streamed }
            }
        }
    }
}

/// Most neighbours above a vertex: each of them has at least as long a list as it has itself.
fn most_above(listed: u64) -> u64 {
    listed.isqrt() + 1
}

struct LccState {
    /// Entries of a vertex's lists; longer lists, and of equal ones higher vertices, are above.
    lengths: Vec<AtomicU32>,
    /// Of these, entries that are above the vertex.
    counts: Vec<AtomicU32>,
    /// Neighbours.
    degrees: Vec<AtomicU32>,
    /// Edges among neighbours.
    among: Vec<AtomicU64>,
    directed: bool,
}

/// Coefficients, triangles and passes.
fn count(engine: &mut Engine<'_>, room: Room) -> Result<(Vec<f64>, u64, u64), GraphError> {
    let graph = engine.graph();
    let vertices = graph.vertices();
    let state = LccState {
        lengths: numbers(vertices, |_| 0),
        counts: numbers(vertices, |_| 0),
        degrees: numbers(vertices, |_| 0),
        among: by_vertex(vertices, |_| AtomicU64::new(0)),
        directed: graph.header().directed,
    };
    state.measure(engine)?;
    let held = batches(&state.counts, room.held);
    let streamed = if held.len() > 1 { batches(&state.counts, room.streamed) } else { Vec::new() };
    let mut triangles = 0;
    for range in &held {
        let lists = state.gather(engine, range)?;
        state.count_neighbours(&lists);
        if streamed.is_empty() {
            triangles += state.close(&lists, &lists);
        }
        for range in &streamed {
            triangles += state.close(&state.gather(engine, range)?, &lists);
        }
    }
    let coefficient = |(among, degree): (AtomicU64, &AtomicU32)| {
        let degree = f64::from(degree.load(Ordering::Relaxed));
        let could = degree * (degree - 1.0);
        if could > 0.0 { among.into_inner() as f64 / could } else { 0.0 }
    };
    let coefficients = state.among.into_iter().zip(&state.degrees).map(coefficient).collect();
    Ok((coefficients, triangles, held.len() as u64))
}

impl LccState {
    /// How long all lists are, then how many entries of each are above their vertex.
    fn measure(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        for direction in directions(engine.graph()) {
            engine.sweep(
                *direction,
                Which::All,
                || (),
                |(), block| {
                    for vertex in block.vertices() {
                        self.lengths[vertex as usize]
                            .fetch_add(block.degree(vertex) as u32, Ordering::Relaxed);
                    }
                },
            )?;
        }
        for direction in directions(engine.graph()) {
            engine.sweep(
                *direction,
                Which::All,
                || (),
                |(), block| {
                    for vertex in block.vertices() {
                        let mut count = 0;
                        self.above(block, vertex, |_| count += 1);
                        self.counts[vertex as usize].fetch_add(count, Ordering::Relaxed);
                    }
                },
            )?;
        }
        Ok(())
    }

    /// Calls `each` with the neighbours in a block that are above a vertex; one that is repeated within it
    /// once.
    #[inline]
    fn above(&self, block: &Block<'_>, vertex: Vertex, mut each: impl FnMut(Vertex)) {
        let place = |vertex: Vertex| (self.lengths[vertex as usize].load(Ordering::Relaxed), vertex);
        let own = place(vertex);
        let mut before = vertex;
        block.scan(vertex, |neighbour| {
            if neighbour != before && place(neighbour) > own {
                each(neighbour);
            }
            before = neighbour;
            true
        });
    }

    /// The neighbours above each vertex of a range, ascending, doubled; the lowest bit is set where edges
    /// lead both ways.
    fn gather(&self, engine: &mut Engine<'_>, range: &Range<Vertex>) -> Result<Lists, GraphError> {
        let gathering = Gathering::new(range.clone(), &self.counts);
        for direction in directions(engine.graph()) {
            let side = u32::from(!self.directed || *direction == Direction::Reverse);
            let visit = |(edges, found): &mut (u64, Vec<u32>), block: &Block<'_>| {
                for vertex in block.vertices().filter(|vertex| range.contains(vertex)) {
                    found.clear();
                    self.above(block, vertex, |neighbour| found.push(neighbour << 1 | side));
                    *edges += found.len() as u64;
                    gathering.put(vertex, found);
                }
            };
            let counted = sweep_range(engine, *direction, range, Default::default, visit)?;
            engine.looked_at(counted.into_iter().map(|(edges, _)| edges).sum());
        }
        let mut lists = gathering.end();
        lists.for_each(|_, list| list.sort_unstable());
        lists.squeeze(
            |a, b| a >> 1 == b >> 1,
            |run| match run {
                [first, .., last] if first != last => first | 1,
                [first, ..] if self.directed => first & !1,
                _ => run[0],
            },
        );
        Ok(lists)
    }

    /// How many neighbours each vertex has: those above it, and those it is above.
    fn count_neighbours(&self, lists: &Lists) {
        lists.vertices().into_par_iter().for_each(|vertex| {
            let list = lists.list(vertex);
            self.degrees[vertex as usize].fetch_add(list.len() as u32, Ordering::Relaxed);
            for entry in list {
                self.degrees[(entry >> 1) as usize].fetch_add(1, Ordering::Relaxed);
            }
        });
    }
}

/// In how many ways the edge of an entry leads.
#[inline]
fn ways(entry: u32) -> u64 {
    u64::from(1 + (entry & 1))
}

impl LccState {
    /// Finds the triangles whose lowest vertex is in `lists` and whose middle one is in `held`; how many.
    fn close(&self, lists: &Lists, held: &Lists) -> u64 {
        let vertices = lists.vertices().into_par_iter().with_max_len(CHUNK);
        vertices
            .map_init(Table::default, |table, vertex| self.close_one(table, vertex, lists.list(vertex), held))
            .sum()
    }

    fn close_one(&self, table: &mut Table, vertex: Vertex, list: &[u32], held: &Lists) -> u64 {
        if list.len() < 2 {
            return 0;
        }
        table.fill(list);
        let (mut triangles, mut own) = (0, 0);
        for edge in list.iter().filter(|edge| held.vertices().contains(&(*edge >> 1))) {
            let middle = held.list(edge >> 1);
            let mut others = 0;
            // The third vertex: an entry in the middle one's list, and its place in the table.
            let mut found = |table: &mut Table, entry: u32, at: usize| {
                triangles += 1;
                own += ways(entry);
                others += ways(table.entries[at]);
                table.among[at] += ways(*edge);
            };
            if middle.len() > list.len() * SEARCH_ABOVE {
                for entry in list {
                    if let Ok(at) = middle.binary_search_by_key(&(entry >> 1), |other| other >> 1)
                        && let Some(place) = table.find(*entry)
                    {
                        found(table, middle[at], place);
                    }
                }
            } else {
                for part in middle.chunks(SIFTED) {
                    let mut kept = [0; SIFTED];
                    let count = table.sift(part, &mut kept);
                    for entry in &kept[..count] {
                        if let Some(place) = table.find(*entry) {
                            found(table, *entry, place);
                        }
                    }
                }
            }
            self.add(edge >> 1, others);
        }
        self.add(vertex, own);
        for entry in list {
            if let Some(at) = table.find(*entry) {
                self.add(entry >> 1, std::mem::take(&mut table.among[at]));
            }
        }
        table.unmark(list);
        triangles
    }

    #[inline]
    fn add(&self, vertex: Vertex, among: u64) {
        if among > 0 {
            self.among[vertex as usize].fetch_add(among, Ordering::Relaxed);
        }
    }
}
