//! A search on lists in memory, level by level, in whichever direction looks at fewer entries (Beamer,
//! Asanović, Patterson, SC 2012, with their parameters).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use leadline_graph_store::format::{Direction, Vertex};
use rayon::prelude::*;

use super::{Searched, UNREACHED};
use crate::algorithms::{numbers, plain};
use crate::engine::{Csr, Passes};
use crate::{Engine, GraphError};

/// Pulling begins where the frontier has more than this share of the entries that are left: 1 in this many.
const PULL_ABOVE: u64 = 15;

/// It ends once the frontier shrinks and has less than this share of all vertices: 1 in this many.
const PUSH_BELOW: u64 = 18;

/// A frontier with no more entries is pushed by one thread: to wake others takes longer.
const ALONE: u64 = 8 << 10;

/// Vertices of the frontier that a thread pushes at a time.
const PUSHED: usize = 64;

/// Words of the bitmaps that a thread pulls at a time.
const PULLED: usize = 64;

/// Lists by which levels are found.
pub(super) struct Lists {
    /// Of outgoing edges.
    outgoing: Arc<Csr>,
    /// Of incoming edges, if they are known.
    incoming: Option<Arc<Csr>>,
}

impl Lists {
    /// Those of a graph, if they are in memory or are to be.
    ///
    /// # Errors
    /// As [`Engine::csr`].
    pub(super) fn of(engine: &mut Engine<'_>) -> Result<Option<Lists>, GraphError> {
        let graph = engine.graph();
        // A frontier of all vertices, in parts by thread and together, and two bitmaps.
        let beside = graph.vertices() * 8 + graph.vertices() / 4;
        let has_reverse = graph.header().has_reverse();
        // One direction is not decoded where the other one has no room.
        let reverse = if has_reverse { engine.bytes_of_reverse_lists() } else { 0 };
        let Some(outgoing) = engine.csr(Direction::Forward, Passes::One, beside + reverse)? else {
            return Ok(None);
        };
        if !has_reverse {
            return Ok(Some(Lists { outgoing, incoming: None }));
        }
        let incoming = engine.csr(Direction::Reverse, Passes::One, beside)?;
        Ok(incoming.map(|incoming| Lists { outgoing, incoming: Some(incoming) }))
    }
}

struct Search<'a> {
    lists: &'a Lists,
    levels: Vec<AtomicU32>,
    /// Entries that were looked at.
    seen: u64,
}

/// What a level has.
#[derive(Default)]
struct Level {
    vertices: Vec<Vertex>,
    /// Entries of their lists.
    entries: u64,
}

/// Levels from some sources.
pub(super) fn search(
    engine: &mut Engine<'_>,
    lists: &Lists,
    sources: &[Vertex],
) -> Result<Searched, GraphError> {
    let vertices = engine.graph().vertices();
    let levels = numbers(vertices, |_| UNREACHED);
    let mut search = Search { lists, levels, seen: 0 };
    let mut frontier = Level::default();
    for source in sources {
        search.reach_alone(*source, 0, &mut frontier);
    }
    let (mut level, mut reached) = (0, frontier.vertices.len() as u64);
    let mut left = search.lists.outgoing.entries();
    while !frontier.vertices.is_empty() {
        level += 1;
        left = left.saturating_sub(frontier.entries);
        if frontier.entries > (left / PULL_ABOVE).max(ALONE) && search.lists.incoming.is_some() {
            let mut bits = bitmap(vertices, &frontier.vertices);
            let mut width = frontier.vertices.len() as u64;
            loop {
                engine.begin_pass(0)?;
                let (next, found) = search.pull(&bits, level);
                let grows = found >= width;
                (bits, width, reached) = (next, found, reached + found);
                if found == 0 || !grows && found <= vertices / PUSH_BELOW {
                    break;
                }
                level += 1;
            }
            frontier = search.level(&bits);
            left = left.saturating_sub(frontier.entries);
        } else {
            engine.begin_pass(0)?;
            frontier = search.push(&frontier, level);
            reached += frontier.vertices.len() as u64;
        }
    }
    engine.add_scanned_edges(search.seen);
    let depth = level.saturating_sub(1);
    Ok(Searched { levels: plain(search.levels).into(), reached, depth })
}

impl Search<'_> {
    /// Gives a vertex a level if it has none. Only one thread may run it at a time: it reads the level, then
    /// stores it.
    #[inline]
    fn reach_alone(&self, vertex: Vertex, level: u32, next: &mut Level) {
        let place = &self.levels[vertex as usize];
        if place.load(Ordering::Relaxed) == UNREACHED {
            place.store(level, Ordering::Relaxed);
            next.vertices.push(vertex);
            next.entries += u64::from(self.lists.outgoing.degree(vertex));
        }
    }

    /// The ends of the frontier's edges that have no level yet: they are on this one.
    fn push(&mut self, frontier: &Level, level: u32) -> Level {
        self.seen += frontier.entries;
        let mut next = Level::default();
        if frontier.entries <= ALONE {
            for vertex in &frontier.vertices {
                for neighbour in self.lists.outgoing.list(*vertex) {
                    self.reach_alone(*neighbour, level, &mut next);
                }
            }
            return next;
        }
        let parts: Vec<Level> = frontier
            .vertices
            .par_chunks(PUSHED)
            .fold(Level::default, |mut found, vertices| {
                for neighbour in vertices.iter().flat_map(|vertex| self.lists.outgoing.list(*vertex)) {
                    let place = &self.levels[*neighbour as usize];
                    let is_first = place.load(Ordering::Relaxed) == UNREACHED
                        && place
                            .compare_exchange(UNREACHED, level, Ordering::Relaxed, Ordering::Relaxed)
                            .is_ok();
                    if is_first {
                        found.vertices.push(*neighbour);
                        found.entries += u64::from(self.lists.outgoing.degree(*neighbour));
                    }
                }
                found
            })
            .collect();
        for part in parts {
            next.vertices.extend(part.vertices);
            next.entries += part.entries;
        }
        next
    }

    /// Vertices without a level that have a neighbour in the frontier: they are on this one. Their bits, and
    /// how many they are.
    fn pull(&mut self, frontier: &[u64], level: u32) -> (Vec<u64>, u64) {
        let Some(incoming) = &self.lists.incoming else { return (Vec::new(), 0) };
        let mut next = vec![0; frontier.len()];
        let seen = AtomicU64::new(0);
        let found = (next.par_chunks_mut(PULLED).zip(self.levels.par_chunks(PULLED * 64)))
            .enumerate()
            // One at a time: what is found soon, and what is not, lies together.
            .with_max_len(1)
            .map(|(chunk, (words, levels))| {
                let (mut found, mut looked) = (0, 0);
                let first = chunk * PULLED * 64;
                let lists = incoming.lists(first..first + levels.len());
                for ((place, list), at) in levels.iter().zip(lists).zip(0..) {
                    if place.load(Ordering::Relaxed) != UNREACHED {
                        continue;
                    }
                    let in_frontier =
                        |vertex: &Vertex| frontier[*vertex as usize / 64] >> (vertex % 64) & 1 == 1;
                    match list.iter().position(in_frontier) {
                        Some(place_of_first) => {
                            looked += place_of_first as u64 + 1;
                            place.store(level, Ordering::Relaxed);
                            words[at / 64] |= 1 << (at % 64);
                            found += 1;
                        }
                        None => looked += list.len() as u64,
                    }
                }
                seen.fetch_add(looked, Ordering::Relaxed);
                found
            })
            .sum();
        self.seen += seen.into_inner();
        (next, found)
    }

    /// The vertices of a bitmap.
    fn level(&self, bits: &[u64]) -> Level {
        let mut level = Level::default();
        for (word, first) in bits.iter().zip((0..).step_by(64)) {
            let mut word = *word;
            while word != 0 {
                let vertex = first + word.trailing_zeros();
                level.vertices.push(vertex);
                level.entries += u64::from(self.lists.outgoing.degree(vertex));
                word &= word - 1;
            }
        }
        level
    }
}

/// A bit for each of some vertices.
fn bitmap(vertices: u64, set: &[Vertex]) -> Vec<u64> {
    let mut bits = vec![0; (vertices as usize).div_ceil(64)];
    set.iter().for_each(|vertex| bits[*vertex as usize / 64] |= 1 << (vertex % 64));
    bits
}
