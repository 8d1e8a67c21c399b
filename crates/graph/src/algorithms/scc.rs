//! Strongly connected components: which vertices can reach each other along edges.
//!
//! Forward and backward reachability after trimming, then colouring (Fleischer, Hendrickson, Pınar, "On
//! Identifying Strongly Connected Components in Parallel", IPDPS workshops 2000; Slota, Rajamanickam,
//! Madduri, "BFS and Coloring-Based Parallel Algorithms for Strongly Connected Components and Related
//! Problems", IPDPS 2014). Each round
//!
//! 1. trims: a vertex that no edge leads to, or none leads from, is a component of its own, and is taken away
//!    together with its edges, until there is none;
//! 2. ends with Tarjan's algorithm if what is left fits in memory (`finish`);
//! 3. the first time, takes away the component of the vertex with most edges: what it reaches and is reached
//!    from. In most graphs one component is larger than all others together;
//! 4. later, colours: the highest of all priorities is passed along edges until none changes. The vertices of
//!    a colour that reach the one whose priority it is are the component of that one. From then on edges
//!    between colours no longer count, since no component has two.
//!
//! Priorities are drawn again each round. A vertex has the colour of any of its ancestors with the
//! same chance, and on average at most half of the ancestors are left: the ones after that ancestor. So
//! log n rounds are to be expected, whatever the graph. What a round reads depends on how far vertices are
//! apart that are in no common block: within a block edges are followed at once (`spread`).
//!
//! 12 bytes and three bits per vertex, and as much as there is room for of the 21 per vertex and 4 per edge
//! with which the rest is finished.

mod finish;
mod run;
mod spread;

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Direction, Vertex};
use rayon::prelude::*;

use super::lists::{most_values, spare};
use super::wcc::first_ids;
use super::{numbers, plain};
use crate::algorithm::Algorithm as _;
use crate::engine::Passes;
use crate::{Engine, Frontier, Graph, GraphError, PerVertex, RunStats, Which};
use finish::{finish, finish_all};
pub(super) use run::DEFINITION;
pub use run::SccRun;
use spread::{Spread, spread};

/// The strongly connected components of a graph.
#[derive(Debug, Clone)]
pub struct Scc {
    /// By vertex: the first vertex, in the order of the users' ids, of its component.
    pub components: PerVertex<Vertex>,
    /// Components.
    pub count: u64,
    /// What it took.
    pub stats: RunStats,
}

/// Vertices that a thread looks through at a time.
const CHUNK: u32 = 1 << 16;

/// The class of a vertex whose component is known.
const SETTLED: u32 = u32::MAX;

impl Graph {
    /// Strongly connected components. In an undirected graph they are its components, which [`Graph::wcc`]
    /// finds.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::Memory`] below about 12.4 bytes per vertex; what the device or a damaged store gives.
    pub fn scc(&self) -> Result<Scc, GraphError> {
        if !self.header().directed {
            let found = self.wcc()?;
            return Ok(Scc { components: found.components, count: found.count, stats: found.stats });
        }
        SccRun.check(self)?;
        let plan = MemoryPlan::new(self, self.options().memory);
        let ((components, count), stats) =
            Engine::run(self, SccRun.name(), plan.bytes, |engine| components(engine, plan))?;
        Ok(Scc { components: components.into(), count, stats })
    }
}

/// How memory is shared out, for a directed graph.
#[derive(Debug, Clone, Copy)]
struct MemoryPlan {
    /// For the rest of the graph, in memory.
    rest: u64,
    /// Whether that is enough for the whole graph.
    at_once: bool,
    /// Bytes of all.
    bytes: u64,
}

impl MemoryPlan {
    /// Under a cap of `memory` bytes.
    fn new(graph: &Graph, memory: u64) -> MemoryPlan {
        let vertices = graph.vertices();
        let threads = graph.options().threads.max(1) as u64;
        let lists = Spread::most_bytes(graph.header().block_bytes) + most_values(graph) * 4 * 2;
        let fixed = vertices * 12 + 3 * Frontier::bytes(vertices) + threads * lists;
        let all = finish::bytes(Left { vertices, entries: graph.header().edges });
        // Half of what is left keeps blocks.
        let rest = all.min(spare(graph, memory, fixed) / 2);
        let at_once = rest == all && graph.header().edges <= finish::MOST_ENTRIES;
        MemoryPlan { rest, at_once, bytes: fixed + rest }
    }

    fn fits(&self, left: Left) -> bool {
        finish::bytes(left) <= self.rest && left.entries <= finish::MOST_ENTRIES
    }
}

/// What no component is known of.
#[derive(Debug, Clone, Copy, Default)]
struct Left {
    vertices: u64,
    /// Edges between vertices of one class.
    entries: u64,
}

struct SccState {
    /// By vertex: a vertex of its component, once it is settled.
    components: Vec<AtomicU32>,
    /// By vertex: vertices of different classes are not in one component. [`SETTLED`] where it is known.
    classes: Vec<AtomicU32>,
    /// By vertex: the highest priority that has come to it; or edges from or to others of its class.
    colours: Vec<AtomicU32>,
}

/// By vertex, the first one of its component, and how many components there are.
fn components(engine: &mut Engine<'_>, plan: MemoryPlan) -> Result<(Vec<Vertex>, u64), GraphError> {
    let graph = engine.graph();
    let vertices = graph.vertices();
    let mut state = SccState {
        components: numbers(vertices, |vertex| vertex),
        classes: numbers(vertices, |_| 0),
        colours: numbers(vertices, |_| 0),
    };
    let mut sets = [(); 3].map(|()| Frontier::new(vertices));
    // Lists on blocks are read twice.
    let lists = if plan.at_once { engine.csr(Direction::Forward, Passes::Several, 0)? } else { None };
    if let Some(lists) = lists {
        finish_all(engine, &state, &lists)?;
    } else if plan.at_once {
        state.count(engine, Direction::Forward, &mut sets[0])?;
        let left = state.left();
        finish(engine, &mut state, &mut sets[0], left)?;
    }
    for round in 0.. {
        let [now, next, reached] = &mut sets;
        let left = match plan.at_once {
            true => Left::default(),
            false => state.trim(engine, now, next)?,
        };
        if left.vertices == 0 {
            break;
        } else if plan.fits(left) {
            finish(engine, &mut state, now, left)?;
            break;
        } else if round == 0 {
            state.take_largest(engine, now, next, reached)?;
        } else {
            state.take_by_colour(engine, round, now, next)?;
        }
    }
    drop(sets);
    state.name(graph)
}

impl SccState {
    /// A number of a vertex.
    #[inline]
    fn get(numbers: &[AtomicU32], vertex: Vertex) -> u32 {
        numbers[vertex as usize].load(Ordering::Relaxed)
    }

    #[inline]
    fn class(&self, vertex: Vertex) -> u32 {
        SccState::get(&self.classes, vertex)
    }

    #[inline]
    fn colour(&self, vertex: Vertex) -> u32 {
        SccState::get(&self.colours, vertex)
    }

    /// Calls `each` for every vertex that is not settled, on all threads; what it made of each.
    fn unsettled<T: Send>(
        &self,
        each: impl Fn(&mut dyn Iterator<Item = Vertex>) -> T + Sync + Send,
    ) -> impl ParallelIterator<Item = T> {
        let vertices = self.classes.len() as u32;
        (0..vertices.div_ceil(CHUNK)).into_par_iter().map(move |chunk| {
            let start = chunk * CHUNK;
            let range: Range<Vertex> = start..start.saturating_add(CHUNK).min(vertices);
            each(&mut range.filter(|vertex| self.class(*vertex) != SETTLED))
        })
    }

    /// Calls `each` for every vertex that is not settled.
    fn for_unsettled(&self, each: impl Fn(Vertex) + Sync + Send) {
        self.unsettled(|vertices| vertices.for_each(&each)).for_each(|()| ());
    }

    #[inline]
    fn settle(&self, vertex: Vertex, component: Vertex) {
        self.components[vertex as usize].store(component, Ordering::Relaxed);
        self.classes[vertex as usize].store(SETTLED, Ordering::Relaxed);
    }

    /// The same while other threads do; whether this one did.
    #[inline]
    fn claim(&self, vertex: Vertex, component: Vertex) -> bool {
        let is_first = self.class(vertex) != SETTLED
            && self.classes[vertex as usize].swap(SETTLED, Ordering::Relaxed) != SETTLED;
        if is_first {
            self.components[vertex as usize].store(component, Ordering::Relaxed);
        }
        is_first
    }

    /// Counts the entries of each list that are of the vertex's own class, into the place of its colour.
    fn count(
        &self,
        engine: &mut Engine<'_>,
        direction: Direction,
        unsettled: &mut Frontier,
    ) -> Result<(), GraphError> {
        unsettled.clear();
        self.for_unsettled(|vertex| {
            self.colours[vertex as usize].store(0, Ordering::Relaxed);
            unsettled.insert(vertex);
        });
        let unsettled = &*unsettled;
        let visit = |edges: &mut u64, block: &leadline_graph_store::format::Block<'_>| {
            for vertex in unsettled.iter(block.vertices()) {
                let (class, mut count) = (self.class(vertex), 0);
                *edges += block.scan(vertex, |other| {
                    count += u32::from(other != vertex && self.class(other) == class);
                    true
                }) as u64;
                self.colours[vertex as usize].fetch_add(count, Ordering::Relaxed);
            }
        };
        let edges = engine.sweep(direction, Which::Holding(unsettled), || 0, visit)?;
        engine.add_scanned_edges(edges.into_iter().sum());
        Ok(())
    }

    /// What is left, where [`SccState::count`] has counted.
    fn left(&self) -> Left {
        let count = |vertices: &mut dyn Iterator<Item = Vertex>| {
            vertices.fold(Left::default(), |left, vertex| Left {
                vertices: left.vertices + 1,
                entries: left.entries + u64::from(self.colour(vertex)),
            })
        };
        let add =
            |a: Left, b: Left| Left { vertices: a.vertices + b.vertices, entries: a.entries + b.entries };
        self.unsettled(count).reduce(Left::default, add)
    }

    /// Settles what no edge of its class leads to, then what none leads from, with all that is so only
    /// without these. What is left, its outgoing edges counted.
    ///
    /// Once is enough for either side: what no edge leads to is left by edges only, and to take it away
    /// takes no edge from any that has one to it.
    fn trim(
        &self,
        engine: &mut Engine<'_>,
        now: &mut Frontier,
        next: &mut Frontier,
    ) -> Result<Left, GraphError> {
        for (counted, followed) in
            [(Direction::Reverse, Direction::Forward), (Direction::Forward, Direction::Reverse)]
        {
            self.count(engine, counted, now)?;
            now.clear();
            self.for_unsettled(|vertex| {
                if self.colour(vertex) == 0 {
                    now.insert(vertex);
                }
            });
            // Classes stay what they are meanwhile, so that each edge is taken away that was counted.
            let falls = |from: Vertex, to: Vertex| {
                self.class(from) == self.class(to)
                    && self.colours[to as usize].fetch_sub(1, Ordering::Relaxed) == 1
            };
            spread(engine, followed, now, next, |_| 0, falls)?;
            self.for_unsettled(|vertex| {
                if self.colour(vertex) == 0 {
                    self.settle(vertex, vertex);
                }
            });
        }
        Ok(self.left())
    }

    /// Settles the component of the vertex with most outgoing edges.
    fn take_largest(
        &self,
        engine: &mut Engine<'_>,
        now: &mut Frontier,
        next: &mut Frontier,
        reached: &mut Frontier,
    ) -> Result<(), GraphError> {
        let most = |vertices: &mut dyn Iterator<Item = Vertex>| {
            vertices.map(|vertex| (self.colour(vertex), vertex)).max()
        };
        let Some((_, pivot)) = self.unsettled(most).flatten().max() else { return Ok(()) };
        reached.clear();
        let reached = &*reached;
        reached.insert(pivot);
        now.insert(pivot);
        let is_new = |_, to: Vertex| self.class(to) != SETTLED && reached.insert(to);
        spread(engine, Direction::Forward, now, next, |_| 0, is_new)?;
        now.insert(pivot);
        self.settle(pivot, pivot);
        let is_both = |_, to: Vertex| reached.contains(to) && self.claim(to, pivot);
        spread(engine, Direction::Reverse, now, next, |_| 0, is_both)?;
        self.for_unsettled(|vertex| {
            self.classes[vertex as usize].store(u32::from(reached.contains(vertex)), Ordering::Relaxed);
        });
        Ok(())
    }

    /// Settles, in each class, the component of the vertex with the highest priority and some others, and
    /// divides the rest into classes.
    fn take_by_colour(
        &self,
        engine: &mut Engine<'_>,
        round: u32,
        now: &mut Frontier,
        next: &mut Frontier,
    ) -> Result<(), GraphError> {
        now.clear();
        self.for_unsettled(|vertex| {
            self.colours[vertex as usize].store(priority(vertex, round), Ordering::Relaxed);
            now.insert(vertex);
        });
        let rises = |from: Vertex, to: Vertex| {
            let colour = self.colour(from);
            self.class(from) == self.class(to)
                && colour > self.colour(to)
                && self.colours[to as usize].fetch_max(colour, Ordering::Relaxed) < colour
        };
        spread(engine, Direction::Forward, now, next, |vertex| self.colour(vertex), rises)?;
        self.for_unsettled(|vertex| {
            if self.colour(vertex) == priority(vertex, round) {
                self.settle(vertex, vertex);
                now.insert(vertex);
            }
        });
        let is_of_both = |from: Vertex, to: Vertex| {
            self.colour(from) == self.colour(to) && self.claim(to, SccState::get(&self.components, from))
        };
        spread(engine, Direction::Reverse, now, next, |_| 0, is_of_both)?;
        self.for_unsettled(|vertex| {
            self.classes[vertex as usize].store(self.colour(vertex), Ordering::Relaxed);
        });
        Ok(())
    }

    /// Names each component by its first vertex in the order of ids; how many there are.
    fn name(self, graph: &Graph) -> Result<(Vec<Vertex>, u64), GraphError> {
        let SccState { components, classes, colours: lowest } = self;
        drop(classes);
        lowest.par_iter().for_each(|place| place.store(u32::MAX, Ordering::Relaxed));
        components.par_iter().zip(0..lowest.len() as u32).for_each(|(component, vertex)| {
            lowest[component.load(Ordering::Relaxed) as usize].fetch_min(vertex, Ordering::Relaxed);
        });
        components.par_iter().for_each(|component| {
            let name = SccState::get(&lowest, component.load(Ordering::Relaxed));
            component.store(name, Ordering::Relaxed);
        });
        drop(lowest);
        if graph.header().renumbered {
            first_ids(graph, &components)?;
        }
        let components = plain(components);
        let count = components.iter().zip(0..).filter(|(name, vertex)| *name == vertex).count() as u64;
        Ok((components, count))
    }
}

/// The priority of a vertex in a round: another for each vertex, as if drawn by lot, and never [`SETTLED`].
fn priority(vertex: Vertex, round: u32) -> u32 {
    match shuffled(vertex, round) {
        // No vertex has this number, so what it would have had is free.
        SETTLED => shuffled(u32::MAX, round),
        priority => priority,
    }
}

/// A permutation of all numbers of 32 bits, another for each round: the finaliser of MurmurHash3 (Appleby).
fn shuffled(number: u32, round: u32) -> u32 {
    let mut mixed = number ^ round.wrapping_mul(0x9e37_79b9);
    mixed = (mixed ^ mixed >> 16).wrapping_mul(0x85eb_ca6b);
    mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}
