//! Communities of high modularity (Newman, Girvan, Physical Review E 69, 2004), level by level: what Louvain
//! and Leiden have in common.
//!
//! Modularity, with a resolution (Reichardt, Bornholdt, Physical Review E 74, 2006): the sum over communities
//! of the share of the weights that is within, less `resolution` times the share that chance would put there.
//! Edges lead no way; an edge from a vertex to itself adds twice its weight to the vertex's degree.
//!
//! Each level moves the vertices of a graph, and the next level's graph has a vertex for each community. All
//! threads move vertices at the same time, in a way that makes the result depend on the seed, and on nothing
//! else: `rounds.rs` says how.

mod aggregate;
mod batches;
#[cfg(test)]
mod checked;
mod condense;
mod lists;
mod memory;
mod moving;
mod near;
mod pool;
mod refine;
mod rounds;
mod run;
mod state;
mod store_lists;

use std::time::Instant;

use aggregate::{Aggregate, Sorting};
use condense::condense;
use leadline_graph_store::format::Vertex;
use lists::Lists;
use memory::MemoryPlan;
use moving::renumber;
use pool::Pool;
use refine::refine;
pub use run::CommunitiesRun;
pub(super) use run::{LEIDEN, LOUVAIN};
use serde::Serialize;
use state::{State, Terms};
use store_lists::StoreLists;

use super::walk::random::mix;
use crate::algorithm::Needs;
use crate::{Engine, Graph, GraphError, RunStats};

/// How communities are looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommunityOptions {
    /// Above 0. Larger values make more and smaller communities; with 1 it is modularity as first defined.
    pub resolution: f64,
    /// Decides which vertices are moved at the same time, and in which order: nothing else that may change
    /// from run to run decides the result.
    pub seed: u64,
    /// Levels after which it ends, at least 1.
    pub max_levels: u32,
}

impl Default for CommunityOptions {
    /// Resolution 1, seed 1, as many levels as it takes.
    fn default() -> CommunityOptions {
        CommunityOptions { resolution: 1.0, seed: 1, max_levels: u32::MAX }
    }
}

/// What one level found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CommunityLevel {
    /// Communities.
    pub communities: u64,
    /// Their modularity.
    pub modularity: f64,
}

/// The communities of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Communities {
    /// By vertex: its community, as the place in the order of ids of the community's first vertex.
    pub communities: Vec<u32>,
    /// Communities.
    pub count: u64,
    /// Their modularity.
    pub modularity: f64,
    /// What each level found, from the smallest to the largest: its communities; by the Leiden algorithm
    /// their parts, all connected.
    pub levels: Vec<CommunityLevel>,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// Communities by the Louvain method (Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of
    /// communities in large networks", Journal of Statistical Mechanics P10008, 2008), by weights if the
    /// graph has them: every vertex moves to the neighbouring community where modularity gains most, until no
    /// move gains anything; then communities become vertices, and all begins again. All threads move vertices
    /// at the same time; the seed decides the result, and the number of threads does not.
    ///
    /// Lists that fit in memory are read once. Otherwise a pass reads the lists of vertices whose neighbours
    /// have moved since, and no bound on the number of passes is known; a level takes one more for degrees
    /// and one to aggregate. About 52 bytes per vertex, and the lists of 64 neighbouring vertices at a time.
    ///
    /// Directed edges are taken as undirected ones: an edge there and one back are two. `each_level` is
    /// called with each level's number, from 1 on, and a function that gives its communities.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::Resolution`]; [`GraphError::Malformed`] where a weight is negative or not finite;
    /// [`GraphError::Memory`] below about 52 bytes per vertex and 12 MiB; what the device, temporary files, a
    /// damaged store or `each_level` gives.
    pub fn louvain(
        &self,
        options: &CommunityOptions,
        each_level: impl FnMut(u32, LevelCommunities<'_>) -> Result<(), GraphError>,
    ) -> Result<Communities, GraphError> {
        coarsen(self, Method::Louvain, options, each_level)
    }

    /// Communities by the Leiden algorithm (Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing
    /// well-connected communities", Scientific Reports 9:5233, 2019), with the graph and `each_level` taken
    /// as by [`Graph::louvain`]. Before communities become vertices, each is refined: taken apart into its
    /// vertices, which merge again only along edges and only if they are tied well to the rest of the
    /// community. The parts become the vertices of the next level, which begins in the communities. It ends
    /// when each community is one vertex, so every community is connected. Two passes more for each level
    /// than Louvain, and 28 bytes per vertex more.
    ///
    /// # Errors
    /// As there, with [`GraphError::Memory`] below about 80 bytes per vertex and 12 MiB.
    pub fn leiden(
        &self,
        options: &CommunityOptions,
        each_level: impl FnMut(u32, LevelCommunities<'_>) -> Result<(), GraphError>,
    ) -> Result<Communities, GraphError> {
        coarsen(self, Method::Leiden, options, each_level)
    }
}

/// How the communities of a level become the vertices of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// As they are.
    Louvain,
    /// Taken apart first.
    Leiden,
}

impl Method {
    fn what(self) -> &'static str {
        match self {
            Method::Louvain => "Louvain communities",
            Method::Leiden => "Leiden communities",
        }
    }

    /// Bytes per vertex: its community and the next level's number of it, those of a level, and the labels
    /// that one level hands to the next.
    fn bytes(self) -> u64 {
        match self {
            Method::Louvain => 4 + 4 + State::BYTES + 4,
            Method::Leiden => 4 + 4 + State::BYTES + 4 + refine::BYTES + 8,
        }
    }
}

/// What a level leaves to the next.
struct Step {
    /// The modularity of the communities that the level began with.
    modularity: f64,
    /// None where it could do no better.
    next: Option<NextLevel>,
    spilled: u64,
}

struct NextLevel {
    graph: Aggregate,
    /// By vertex of the level: the vertex of the next.
    labels: Vec<u32>,
    count: u32,
    /// By vertex of the next level: the community that it begins in.
    begin: Option<Vec<u32>>,
}

/// Gives the communities of a level: by vertex, the place in the order of ids of the first vertex of its
/// community. 4 bytes per vertex, and as many meanwhile. Fails with [`GraphError::Damaged`] where ids do.
pub type LevelCommunities<'a> = &'a dyn Fn() -> Result<Vec<u32>, GraphError>;

/// All levels. `each_level` gets the number of each and what gives its communities.
fn coarsen(
    graph: &Graph,
    method: Method,
    options: &CommunityOptions,
    mut each_level: impl FnMut(u32, LevelCommunities<'_>) -> Result<(), GraphError>,
) -> Result<Communities, GraphError> {
    let what = method.what();
    Needs::REVERSE.check(graph, what)?;
    if !(options.resolution > 0.0 && options.resolution.is_finite()) {
        return Err(GraphError::Resolution { given: options.resolution });
    }
    let begun = Instant::now();
    let MemoryPlan { work, reading, longest, bytes, .. } =
        MemoryPlan::new(graph, method, graph.options().memory);
    let sorting = Sorting { graph, sort_bytes: work / 2, list_bytes: work / 2 };
    let refuse = |from: Vertex, to: Vertex| negative(graph, from, to);
    let threads = graph.options().threads.max(1);
    let terms = Terms { resolution: options.resolution, threads, longest: longest as usize, refuse: &refuse };
    let level = Level { method, options, sorting: &sorting, terms: &terms };
    let run = |graph: &Graph, bytes: u64, number: u32, begin: Option<Vec<u32>>| {
        Engine::run(graph, what, bytes, |engine| {
            level.step(&mut StoreLists::new(engine, work / 2), number, begin)
        })
    };
    let mut pool = Pool::new(threads);
    let (mut step, mut stats) = run(graph, bytes, 1, None)?;
    let mut membership: Option<Vec<u32>> = None;
    let (mut levels, mut count) = (Vec::<CommunityLevel>::new(), graph.vertices());
    loop {
        stats.spilled_bytes += step.spilled;
        let modularity = step.modularity;
        if let Some(level) = levels.last_mut() {
            level.modularity = modularity;
        }
        let Some(NextLevel { graph: next, labels, count: found, begin }) = step.next else {
            stats.seconds = begun.elapsed().as_secs_f64();
            stats.edges_per_second = stats.edges as f64 / stats.seconds;
            let mut communities = membership.unwrap_or_else(|| (0..graph.vertices() as u32).collect());
            name(graph, &mut communities)?;
            return Ok(Communities { communities, count, modularity, levels, stats });
        };
        count = u64::from(found);
        levels.push(CommunityLevel { communities: count, modularity: 0.0 });
        membership = Some(match membership {
            None => labels,
            Some(mut all) => {
                all.iter_mut().for_each(|label| *label = labels[*label as usize]);
                all
            }
        });
        let number = levels.len() as u32;
        if let Some(membership) = &membership {
            each_level(number, &|| {
                let mut named = membership.clone();
                name(graph, &mut named)?;
                Ok(named)
            })?;
        }
        step = match next {
            Aggregate::Memory(mut lists) => {
                graph.check_stop()?;
                let entries = lists.neighbours.len();
                pool.run(entries, || level.step(&mut lists, number + 1, begin))?
            }
            Aggregate::Store(next) => {
                graph.make_room(u64::MAX);
                let (step, more) = run(&next, bytes - reading, number + 1, begin)?;
                add(&mut stats, &more);
                step
            }
        };
    }
}

/// What is the same for all levels.
#[derive(Clone, Copy)]
struct Level<'a> {
    method: Method,
    options: &'a CommunityOptions,
    sorting: &'a Sorting<'a>,
    terms: &'a Terms<'a>,
}

impl Level<'_> {
    /// One level, from vertices in communities, or each alone.
    fn step(&self, lists: &mut impl Lists, number: u32, begin: Option<Vec<u32>>) -> Result<Step, GraphError> {
        let CommunityOptions { seed, max_levels, .. } = *self.options;
        let mut state = State::new(lists, begin, self.terms)?;
        let modularity = state.alone;
        let ended = Step { modularity, next: None, spilled: 0 };
        if number > max_levels {
            return Ok(ended);
        }
        let seed = mix(seed ^ mix(number.into()));
        let moved = state.move_vertices(lists, seed)?;
        let (labels, count, begin) = match self.method {
            Method::Louvain if !moved => return Ok(ended),
            Method::Louvain => {
                let mut labels = std::mem::take(&mut state.community);
                let count = renumber(&mut labels);
                (labels, count, None)
            }
            Method::Leiden => {
                let mut parts = refine(&state, lists, seed)?;
                let count = renumber(&mut parts);
                if u64::from(count) == lists.vertices() {
                    return Ok(ended);
                }
                let mut communities = std::mem::take(&mut state.community);
                renumber(&mut communities);
                let mut begin = vec![0; count as usize];
                for (part, community) in parts.iter().zip(communities) {
                    begin[*part as usize] = community;
                }
                (parts, count, Some(begin))
            }
        };
        let summing = state.into_summing();
        let (graph, spilled) = match lists.in_memory() {
            Some(lists) => {
                let graph = condense(lists, &labels, count, summing.into_near(), self.terms.threads);
                (Aggregate::Memory(graph), 0)
            }
            None => self.sorting.aggregate(lists, &labels, count, &summing)?,
        };
        Ok(Step { modularity, next: Some(NextLevel { graph, labels, count, begin }), spilled })
    }
}

/// Adds what a run on a level's store did.
fn add(stats: &mut RunStats, more: &RunStats) {
    stats.sweeps += more.sweeps;
    stats.edges += more.edges;
    stats.bytes_read += more.bytes_read;
    stats.requests += more.requests;
    stats.cache_hits += more.cache_hits;
    stats.cache_misses += more.cache_misses;
    stats.memory_bytes = stats.memory_bytes.max(more.memory_bytes);
}

/// From labels to the place in the order of ids of the first vertex that has each.
fn name(graph: &Graph, labels: &mut [u32]) -> Result<(), GraphError> {
    let mut first = vec![u32::MAX; labels.len()];
    let mut rank = 0;
    graph.ids().each_vertex(|vertex| {
        let place = &mut first[labels[vertex as usize] as usize];
        *place = (*place).min(rank);
        rank += 1;
    })?;
    labels.iter_mut().for_each(|label| *label = first[*label as usize]);
    Ok(())
}

/// An edge whose weight has no place in modularity.
fn negative(graph: &Graph, from: Vertex, to: Vertex) -> GraphError {
    match (graph.id_of(from), graph.id_of(to)) {
        (Ok(from), Ok(to)) => {
            let what = format!(
                "the edge between {from} and {to} has a negative weight, or one that is not finite; modularity \
                 needs weights of 0 and more"
            );
            GraphError::malformed(graph.name(), what)
        }
        (Err(error), _) | (_, Err(error)) => error,
    }
}
