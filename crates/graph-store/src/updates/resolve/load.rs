//! What a batch has to know of the edges that are stored.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Batch;
use crate::format::{Direction, Vertex};
use crate::updates::block_lists::BlockLists;
use crate::updates::key_map::{KeyMap, KeySet};
use crate::updates::lists::{ReadLists, WantedLists};
use crate::updates::merge::ListMerger;
use crate::updates::rows::Row;
use crate::updates::snapshot::Snapshot;
use crate::{GraphError, Options};

/// The weights of the copies of edges, as they are before a batch, by [`Row::key`]. Of edges that a batch
/// looks up, and of all edges of vertices that go or get another number.
#[derive(Debug, Default)]
pub(crate) struct Loaded(pub(super) KeyMap<u64, Vec<f64>>);

impl Loaded {
    /// The copies that there are, in one order, wherever they were found.
    pub(crate) fn of(mut copies: KeyMap<u64, Vec<f64>>) -> Loaded {
        copies.values_mut().for_each(|weights| weights.sort_by(f64::total_cmp));
        Loaded(copies)
    }
}

/// Edges that are looked up one by one; of more a sweep on all threads finds them sooner.
const FEW: usize = 1 << 14;

/// Edges by [`Row::key`], ascending.
struct Wanted(Vec<u64>);

impl Wanted {
    fn contains(&self, key: u64) -> bool {
        self.0.binary_search(&key).is_ok()
    }

    /// Calls `found` with each wanted edge of a list and its place in it.
    fn each_in(&self, vertex: Vertex, neighbours: &[Vertex], mut found: impl FnMut(u64, usize)) {
        let first = self.0.partition_point(|key| *key < Row::key(vertex, 0));
        let mut at = 0;
        for key in self.0[first..].iter().take_while(|key| **key >> 32 == u64::from(vertex)) {
            at += neighbours[at..].partition_point(|neighbour| *neighbour < *key as Vertex);
            while neighbours.get(at) == Some(&(*key as Vertex)) {
                found(*key, at);
                at += 1;
            }
        }
    }
}

/// What a thread finds in lists.
#[derive(Default)]
struct Found {
    edges: Vec<(u64, f64)>,
    merger: ListMerger,
}

impl Batch {
    /// The edges that are looked up, ascending, if these are few and nothing else has to be known.
    pub(crate) fn few_edges(&self) -> Option<Vec<u64>> {
        if self.steps.len() > FEW || self.rewritten().next().is_some() {
            return None;
        }
        Some(self.looked_up_keys())
    }

    fn looked_up_keys(&self) -> Vec<u64> {
        let mut keys: Vec<u64> = self.looked_up().map(|(a, b)| Row::key(a, b)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Reads the stored edges that are looked up, and those of vertices that are rewritten, if there are at
    /// most `most`; otherwise only counts them.
    pub(crate) fn load(
        &self,
        lists: &impl ReadLists,
        store: Snapshot,
        name: &str,
        options: &Options,
        most: u64,
    ) -> Result<Result<Loaded, u64>, GraphError> {
        let count = AtomicU64::new(0);
        let wanted = Wanted(self.looked_up_keys());
        let rewritten: KeySet<Vertex> = self.rewritten().collect();
        // Each edge once: from its source, of an undirected graph from its lower end.
        let key = |direction: Direction, vertex: Vertex, neighbour: Vertex| match (self.directed, direction) {
            (true, Direction::Forward) => Row::key(vertex, neighbour),
            (true, Direction::Reverse) => Row::key(neighbour, vertex),
            (false, _) => Row::key(vertex.min(neighbour), vertex.max(neighbour)),
        };
        let has_reverse = store.header.has_reverse() && self.directed;
        let scans = self.directed && !has_reverse && !rewritten.is_empty();
        let see = |found: &mut Found, direction: Direction, vertex: Vertex, lists: &BlockLists<'_>| {
            let Found { edges, merger } = found;
            let list = lists.list(vertex, merger);
            let mut take = |key: u64, at: usize| {
                if count.fetch_add(1, Relaxed) < most {
                    edges.push((key, list.weights.get(at).copied().unwrap_or(0.0)));
                }
            };
            let own = rewritten.contains(&vertex);
            if !own && !scans {
                // Edges are looked up in the lists of their sources, or of their lower ends.
                wanted.each_in(vertex, list.neighbours, take);
                return;
            }
            for (at, neighbour) in list.neighbours.iter().enumerate() {
                let key = key(direction, vertex, *neighbour);
                // An edge between two rewritten vertices is in the lists of both.
                let other = rewritten.contains(neighbour);
                // Of an undirected graph, what the lower end's list did not give, the higher end's does.
                let twice = match (self.directed, direction) {
                    (true, Direction::Forward) => false,
                    (true, Direction::Reverse) => other || wanted.contains(key),
                    (false, _) => vertex > *neighbour && (other || wanted.contains(key)),
                };
                if (own || scans && other || wanted.contains(key)) && !twice {
                    take(key, at);
                }
            }
        };
        let passes = self.passes(scans, has_reverse);
        let found = lists.read_lists(store, name, options, &passes, see)?;
        let count = count.into_inner();
        if count > most {
            return Ok(Err(count));
        }
        let mut copies: KeyMap<u64, Vec<f64>> = KeyMap::default();
        for Found { edges, .. } in found {
            edges.into_iter().for_each(|(key, weight)| copies.entry(key).or_default().push(weight));
        }
        Ok(Ok(Loaded::of(copies)))
    }

    /// The lists to read: all where edges to a vertex that goes are in no list of its own.
    fn passes(&self, scans: bool, has_reverse: bool) -> Vec<(Direction, WantedLists)> {
        if scans {
            return vec![(Direction::Forward, WantedLists::All)];
        }
        let ends = self.looked_up().filter(|(a, b)| self.was_there(*a) && self.was_there(*b));
        let forward = ends.map(|ends| ends.0).chain(self.rewritten()).collect();
        let mut passes = vec![(Direction::Forward, WantedLists::Of(forward))];
        let rewritten: Vec<Vertex> = self.rewritten().collect();
        if has_reverse && !rewritten.is_empty() {
            passes.push((Direction::Reverse, WantedLists::Of(rewritten)));
        }
        passes
    }
}
