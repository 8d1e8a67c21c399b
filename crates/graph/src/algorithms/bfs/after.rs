//! Levels after changes, from the levels of an earlier version.
//!
//! Deleted edges first (Ramalingam, Reps, "An incremental algorithm for a generalization of the shortest-path
//! problem", Journal of Algorithms 21, 1996): level by level, a vertex to which an edge from the level above
//! was lost, or from a vertex that lost its own level, is *unsupported* if no edge comes from the level above
//! any more. Its level is then unknown, and is found again from the vertices whose level is known. Those are
//! right or too high, as after new edges, and fall until they are right (`relax`).

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use leadline_graph_store::format::{Direction, Vertex};

use super::found::InMemory;
use super::run::NAME;
use super::{Bfs, MemoryPlan, Searched, UNREACHED, bfs_bytes, reached_and_depth, search};
use crate::algorithms::previous::Previous;
use crate::algorithms::relax::relax_levels;
use crate::algorithms::{numbers, plain};
use crate::{Engine, Frontier, Graph, GraphError, Which};

/// A full search is made where more than this share of the vertices may lose their level: 1 in this many.
const MOST_LOST: u64 = 8;

/// And where that would go on for more levels than this.
const MOST_LEVELS: u32 = 256;

impl Graph {
    /// The same levels, from the levels of an earlier version and the same sources: only what new edges bring
    /// nearer and what deleted ones take farther away is looked at. Where that is a large part of the graph,
    /// or the cap has no room for levels, it is [`Graph::bfs`].
    ///
    /// # Errors
    /// As [`Graph::bfs`]; [`GraphError::Malformed`] where the result is not one of levels.
    ///
    /// # Panics
    /// As [`Graph::bfs`].
    pub fn bfs_after(&self, sources: &[Vertex], previous: &Previous) -> Result<Bfs, GraphError> {
        let mut deleted = 0u64;
        previous.deleted(self, |_, _| deleted += 1)?;
        let most_lost = self.vertices() / MOST_LOST;
        let state = match deleted {
            0 => bfs_bytes(self),
            _ => bfs_bytes(self) + Lost::bytes(self, deleted),
        };
        let plan = MemoryPlan::with(self, self.options().memory, state);
        if plan.is_in_file || deleted > most_lost {
            return self.bfs(sources);
        }
        let (searched, stats) = Engine::run(self, NAME, plan.bytes, |engine| {
            let levels = levels_of(self, previous)?;
            let frontier = Frontier::new(self.vertices());
            if deleted > 0 {
                let mut lost = Lost::new(&levels);
                previous.deleted(self, |source, target| lost.edge(source, target))?;
                if !lost.find_all(engine, most_lost)? {
                    drop(lost);
                    drop((frontier, levels));
                    return search(engine, sources, InMemory::new(self.vertices()));
                }
                lost.find_again(engine, &frontier)?;
            }
            let level = |vertex: Vertex| levels[vertex as usize].load(Relaxed);
            previous.added(self, |source, target| {
                let nearer = level(source).saturating_add(1);
                if nearer < level(target) {
                    levels[target as usize].store(nearer, Relaxed);
                    frontier.insert(target);
                }
            })?;
            relax_levels(engine, &levels, &frontier)?;
            let levels = plain(levels);
            let (reached, depth) = reached_and_depth(levels.iter().copied());
            Ok(Searched { levels: levels.into(), reached, depth })
        })?;
        let Searched { levels, reached, depth } = searched;
        Ok(Bfs { levels, reached, depth, stats })
    }
}

/// By vertex, the level in a result; unreached what it does not have.
fn levels_of(graph: &Graph, previous: &Previous) -> Result<Vec<AtomicU32>, GraphError> {
    let levels = numbers(graph.vertices(), |_| UNREACHED);
    let mut row = 0;
    previous.each(graph, |vertex, _, level| {
        // -1 is not reached.
        let level = if level == u64::MAX { Some(UNREACHED) } else { u32::try_from(level).ok() };
        let level = level.ok_or_else(|| previous.wrong(row, "has no level".to_owned()))?;
        levels[vertex as usize].store(level, Relaxed);
        row += 1;
        Ok(())
    })?;
    Ok(levels)
}

/// Vertices that lose their level.
struct Lost<'l> {
    levels: &'l [AtomicU32],
    /// Vertices to which an edge from the level above was deleted, with their levels.
    waiting: Vec<(u32, Vertex)>,
    /// All that have lost their level.
    lost: Frontier,
}

impl Lost<'_> {
    fn new(levels: &[AtomicU32]) -> Lost<'_> {
        Lost { levels, waiting: Vec::new(), lost: Frontier::new(levels.len() as u64) }
    }

    /// Bytes in memory for that many deleted edges: the sets of [`Lost::find_all`], and what waits.
    fn bytes(graph: &Graph, deleted: u64) -> u64 {
        4 * Frontier::bytes(graph.vertices()) + 2 * deleted * size_of::<(u32, Vertex)>() as u64
    }

    fn level(&self, vertex: Vertex) -> u32 {
        self.levels[vertex as usize].load(Relaxed)
    }

    /// Takes in that an edge is not there any more.
    fn edge(&mut self, source: Vertex, target: Vertex) {
        let level = self.level(target);
        if level != UNREACHED && self.level(source).checked_add(1) == Some(level) {
            self.waiting.push((level, target));
        }
    }

    /// Finds all that lose their level, and makes them unreached; false, and it ends early, if there may be
    /// more than `most`, or it goes on for too many levels.
    fn find_all(&mut self, engine: &mut Engine<'_>, most: u64) -> Result<bool, GraphError> {
        let vertices = engine.graph().vertices();
        let (mut doubted, mut supported, mut below) =
            (Frontier::new(vertices), Frontier::new(vertices), Frontier::new(vertices));
        let mut waiting = mem::take(&mut self.waiting);
        // The nearest last.
        waiting.sort_unstable_by(|a, b| b.cmp(a));
        let (mut level, mut seen, mut steps) = (0, 0, 0);
        while !below.is_empty() || !waiting.is_empty() {
            level = match waiting.last() {
                Some((nearest, _)) if below.is_empty() => *nearest,
                _ => level + 1,
            };
            mem::swap(&mut doubted, &mut below);
            while let Some((_, vertex)) = waiting.pop_if(|(nearest, _)| *nearest == level) {
                doubted.insert(vertex);
            }
            (seen, steps) = (seen + doubted.count(), steps + 1);
            if seen > most || steps > MOST_LEVELS {
                return Ok(false);
            }
            self.find_support(engine, level, &doubted, &supported)?;
            supported.for_each(|vertex| doubted.remove(vertex));
            if !doubted.is_empty() {
                self.lose(engine, level, &doubted, &below)?;
            }
            supported.clear();
            doubted.clear();
        }
        Ok(true)
    }

    /// Puts those of a set into `supported` to which an edge comes from the level above.
    fn find_support(
        &self,
        engine: &mut Engine<'_>,
        level: u32,
        doubted: &Frontier,
        supported: &Frontier,
    ) -> Result<(), GraphError> {
        let which = Which::Holding(doubted);
        let scanned = engine.sweep(Direction::Reverse, which, u64::default, |scanned, block| {
            for vertex in doubted.iter(block.vertices()) {
                let mut found = false;
                *scanned += block.scan(vertex, |neighbour| {
                    found = self.level(neighbour) == level - 1;
                    !found
                }) as u64;
                if found {
                    supported.insert(vertex);
                }
            }
        })?;
        engine.add_scanned_edges(scanned.into_iter().sum());
        Ok(())
    }

    /// Makes the vertices of a set, all of one level, unreached; those of the next level that they lead to
    /// are in doubt then.
    fn lose(
        &self,
        engine: &mut Engine<'_>,
        level: u32,
        unsupported: &Frontier,
        below: &Frontier,
    ) -> Result<(), GraphError> {
        unsupported.for_each(|vertex| {
            self.levels[vertex as usize].store(UNREACHED, Relaxed);
            self.lost.insert(vertex);
        });
        let which = Which::Holding(unsupported);
        let scanned = engine.sweep(Direction::Forward, which, u64::default, |scanned, block| {
            for vertex in unsupported.iter(block.vertices()) {
                *scanned += block.scan(vertex, |neighbour| {
                    if self.level(neighbour) == level + 1 {
                        below.insert(neighbour);
                    }
                    true
                }) as u64;
            }
        })?;
        engine.add_scanned_edges(scanned.into_iter().sum());
        Ok(())
    }

    /// Gives those that lost their level the one that the others lead to, if any do, and puts them into
    /// `frontier`.
    fn find_again(&self, engine: &mut Engine<'_>, frontier: &Frontier) -> Result<(), GraphError> {
        let which = Which::Holding(&self.lost);
        let scanned = engine.sweep(Direction::Reverse, which, u64::default, |scanned, block| {
            for vertex in self.lost.iter(block.vertices()) {
                let mut nearest = UNREACHED;
                *scanned += block.scan(vertex, |neighbour| {
                    nearest = nearest.min(self.level(neighbour));
                    true
                }) as u64;
                // Of another that lost its level, it may be one that is too high, and falls later.
                if nearest != UNREACHED {
                    self.levels[vertex as usize].fetch_min(nearest + 1, Relaxed);
                    frontier.insert(vertex);
                }
            }
        })?;
        engine.add_scanned_edges(scanned.into_iter().sum());
        Ok(())
    }
}
