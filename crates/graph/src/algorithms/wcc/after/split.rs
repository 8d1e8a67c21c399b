//! Which components come apart because edges were deleted.
//!
//! A search grows from the ends of all deleted edges at once, step by step, and joins what it finds to
//! *regions*. A region that has nothing left to look at is a whole component, however small the search and
//! large the graph. Regions that deleted edges link, directly or by other regions, are a *group*. Where each
//! group has at most one region that is not whole, what was one component and is in no whole region is still
//! one: whatever way led through deleted edges and whole regions begins and ends in the same region. That is
//! how it mostly ends after one or two steps: the ends of a deleted edge have a way around it, or one of them
//! has nothing else.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;

use leadline_graph_store::format::{Direction, Vertex};

use crate::algorithms::wcc::forest::{find, join};
use crate::{Engine, Frontier, Graph, GraphError, Which};

/// The search ends where it has looked at more than this share of the vertices: 1 in this many.
const MOST_SEEN: u64 = 8;

/// What such a search found.
pub(super) struct Split {
    /// Vertices that were found, and those of them whose lists were not looked at.
    seen: Frontier,
    left: Frontier,
    /// By the root of a region, how many of its lists were not looked at; none: it is whole.
    regions: HashMap<Vertex, Option<u64>>,
    /// Ends of deleted edges of which it is not known whether they hang together, ascending.
    pub(super) undecided: Vec<Vertex>,
}

impl Split {
    /// Bytes in memory for that many deleted edges: sets of vertices, ends of edges, and regions.
    pub(super) fn bytes(graph: &Graph, deleted: u64) -> u64 {
        5 * Frontier::bytes(graph.vertices()) + 256 * deleted
    }

    /// Searches from the ends of deleted edges, and joins what hangs together.
    pub(super) fn search(
        engine: &mut Engine<'_>,
        parents: &[AtomicU32],
        deleted: &[(Vertex, Vertex)],
    ) -> Result<Split, GraphError> {
        let vertices = engine.graph().vertices();
        // Where edges cannot be followed backwards, no region is known to be whole.
        let both_ways = engine.graph().header().has_reverse();
        let (seen, left) = (Frontier::new(vertices), Frontier::new(vertices));
        let mut split = Split { seen, left, regions: HashMap::new(), undecided: Vec::new() };
        for vertex in deleted.iter().flat_map(|(a, b)| [*a, *b]) {
            split.seen.insert(vertex);
            split.left.insert(vertex);
        }
        let mut step = Frontier::new(vertices);
        let mut looked_at = 0;
        loop {
            split.find_open(parents, deleted, both_ways);
            let undecided = split.undecided_regions(parents, deleted);
            step.clear();
            split.left.for_each(|vertex| {
                if undecided.get(&find(parents, 0, vertex)) == Some(&true) {
                    step.insert(vertex);
                    split.left.remove(vertex);
                }
            });
            looked_at += step.count();
            if undecided.is_empty() || step.is_empty() || looked_at > vertices / MOST_SEEN {
                let ends = deleted.iter().flat_map(|(a, b)| [*a, *b]);
                split.undecided =
                    ends.filter(|end| undecided.contains_key(&find(parents, 0, *end))).collect();
                split.undecided.sort_unstable();
                split.undecided.dedup();
                return Ok(split);
            }
            split.grow(engine, Direction::Forward, parents, &step)?;
            if both_ways && engine.graph().header().directed {
                split.grow(engine, Direction::Reverse, parents, &step)?;
            }
        }
    }

    /// Whether a vertex is in a region that is a whole component.
    pub(super) fn is_apart(&self, parents: &[AtomicU32], vertex: Vertex) -> bool {
        self.seen.contains(vertex) && self.regions.get(&find(parents, 0, vertex)) == Some(&None)
    }

    /// Finds out which regions are not whole.
    fn find_open(&mut self, parents: &[AtomicU32], deleted: &[(Vertex, Vertex)], both_ways: bool) {
        self.regions.clear();
        let ends = deleted.iter().flat_map(|(a, b)| [*a, *b]);
        self.regions.extend(ends.map(|end| (find(parents, 0, end), (!both_ways).then_some(0))));
        self.left.for_each(|vertex| {
            *self.regions.entry(find(parents, 0, vertex)).or_default().get_or_insert(0) += 1;
        });
    }

    /// The regions that are not whole, of groups that have several, by their roots, and which of them go on:
    /// all of a group but the largest, which the others meet or do not.
    fn undecided_regions(
        &self,
        parents: &[AtomicU32],
        deleted: &[(Vertex, Vertex)],
    ) -> HashMap<Vertex, bool> {
        // Regions under the root of their group, which is under itself.
        let mut groups: HashMap<Vertex, Vertex> = self.regions.keys().map(|root| (*root, *root)).collect();
        fn group(groups: &mut HashMap<Vertex, Vertex>, mut region: Vertex) -> Vertex {
            while groups[&region] != region {
                let above = groups[&groups[&region]];
                groups.insert(region, above);
                region = above;
            }
            region
        }
        for (a, b) in deleted {
            let [a, b] = [*a, *b].map(|end| group(&mut groups, find(parents, 0, end)));
            groups.insert(a.max(b), a.min(b));
        }
        let open: Vec<(u64, Vertex)> =
            self.regions.iter().filter_map(|(root, left)| Some(((*left)?, *root))).collect();
        // By group: how many are open, what is left in all, and the largest.
        let mut sums: HashMap<Vertex, (u64, u64, (u64, Vertex))> = HashMap::new();
        for region in &open {
            let (count, left, largest) = sums.entry(group(&mut groups, region.1)).or_default();
            (*count, *left, *largest) = (*count + 1, *left + region.0, (*largest).max(*region));
        }
        let goes_on = |region: (u64, Vertex)| {
            let (count, left, largest) = sums[&group(&mut groups, region.1)];
            (count > 1).then_some((region.1, region != largest || left == largest.0))
        };
        open.into_iter().filter_map(goes_on).collect()
    }

    /// Looks at the lists of some vertices.
    fn grow(
        &self,
        engine: &mut Engine<'_>,
        direction: Direction,
        parents: &[AtomicU32],
        step: &Frontier,
    ) -> Result<(), GraphError> {
        let which = Which::Holding(step);
        let scanned = engine.sweep(direction, which, u64::default, |scanned, block| {
            for vertex in step.iter(block.vertices()) {
                let mut root = vertex;
                *scanned += block.scan(vertex, |neighbour| {
                    root = join(parents, 0, root, neighbour, |low, _| low);
                    if self.seen.insert(neighbour) {
                        self.left.insert(neighbour);
                    }
                    true
                }) as u64;
            }
        })?;
        engine.add_scanned_edges(scanned.into_iter().sum());
        Ok(())
    }
}
