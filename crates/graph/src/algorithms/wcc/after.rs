//! Components after changes, from the components of an earlier version: they are joined by new edges, and
//! come apart where deleted edges held them together ([`Split`]).

mod split;

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;

use leadline_graph_store::format::{Direction, NO_VERTEX, Vertex};

use super::forest::{flatten, join};
use crate::algorithms::numbers;
use crate::algorithms::previous::Previous;
use crate::{Engine, Frontier, Graph, GraphError, Which};
use split::Split;

/// The id that a component is called by, and its first vertex that still belongs to it.
type First = (u64, Vertex);

/// What there is to go on from.
pub(super) struct Before {
    /// Components of the result.
    components: u64,
    /// Edges that were deleted since, once from each end where the graph is undirected.
    deleted: u64,
}

impl Before {
    pub(super) fn of(graph: &Graph, previous: &Previous) -> Result<Before, GraphError> {
        let mut before = Before { components: 0, deleted: 0 };
        previous.each(graph, |_, id, component| {
            before.components += u64::from(component == id);
            Ok(())
        })?;
        previous.deleted(graph, |_, _| before.deleted += 1)?;
        Ok(before)
    }

    /// Bytes in memory in addition to the trees.
    pub(super) fn bytes(&self, graph: &Graph) -> u64 {
        let split = if self.deleted > 0 { Split::bytes(graph, self.deleted) } else { 0 };
        self.components * size_of::<First>() as u64 + split
    }
}

/// Edges that were deleted.
struct Deleted {
    /// Their ends, which were in one component.
    edges: Vec<(Vertex, Vertex)>,
    /// By end, that component.
    components: HashMap<Vertex, u64>,
}

impl Deleted {
    fn of(graph: &Graph, previous: &Previous, before: &Before) -> Result<Deleted, GraphError> {
        let mut deleted = Deleted { edges: Vec::new(), components: HashMap::new() };
        let Deleted { edges, components } = &mut deleted;
        if before.deleted == 0 {
            return Ok(deleted);
        }
        let ends = Frontier::new(graph.vertices());
        previous.deleted(graph, |source, target| {
            ends.insert(source);
            ends.insert(target);
            edges.push((source, target));
        })?;
        previous.each(graph, |vertex, _, component| {
            if ends.contains(vertex) {
                components.insert(vertex, component);
            }
            Ok(())
        })?;
        // An edge between two components, or to a new vertex, was not there at first.
        edges.retain(|(a, b)| components.contains_key(a) && components.get(a) == components.get(b));
        Ok(deleted)
    }
}

/// By vertex, the root of its tree; nothing if the lists of most vertices would have to be read.
pub(super) fn roots(
    engine: &mut Engine<'_>,
    previous: &Previous,
    before: &Before,
) -> Result<Option<Vec<AtomicU32>>, GraphError> {
    let graph = engine.graph();
    let parents = numbers(graph.vertices(), |vertex| vertex);
    let join = |a: Vertex, b: Vertex| {
        join(&parents, 0, a, b, |low, _| low);
    };
    let Deleted { edges, components } = Deleted::of(graph, previous, before)?;
    let split = if edges.is_empty() { None } else { Some(Split::search(engine, &parents, &edges)?) };
    drop(edges);
    let mut undecided: Vec<u64> =
        split.iter().flat_map(|split| &split.undecided).map(|end| components[end]).collect();
    drop(components);
    undecided.sort_unstable();
    undecided.dedup();
    let again = Frontier::new(if undecided.is_empty() { 0 } else { graph.vertices() });
    // A component is called by the first id that it has, so that one's row comes first.
    let mut firsts: Vec<First> = Vec::with_capacity(before.components as usize);
    let mut row = 0;
    previous.each(graph, |vertex, id, component| {
        if component == id {
            // Rows ascend by their ids.
            firsts.push((id, NO_VERTEX));
        }
        let Ok(at) = firsts.binary_search_by_key(&component, |first| first.0) else {
            return Err(previous.wrong(row, format!("has a component {component} that has not begun")));
        };
        row += 1;
        if undecided.binary_search(&component).is_ok() {
            again.insert(vertex);
        } else if split.as_ref().is_none_or(|split| !split.is_apart(&parents, vertex)) {
            match &mut firsts[at].1 {
                first if *first == NO_VERTEX => *first = vertex,
                first => join(*first, vertex),
            }
        }
        Ok(())
    })?;
    if !undecided.is_empty() {
        if again.count() > graph.vertices() / 2 {
            return Ok(None);
        }
        join_again(engine, &parents, &again)?;
    }
    previous.added(graph, join)?;
    flatten(&parents, 0);
    Ok(Some(parents))
}

/// Joins the vertices of a set with their neighbours. All edges of a component of the result begin in it.
fn join_again(engine: &mut Engine<'_>, parents: &[AtomicU32], vertices: &Frontier) -> Result<(), GraphError> {
    let which = Which::Holding(vertices);
    let scanned = engine.sweep(Direction::Forward, which, u64::default, |scanned, block| {
        for vertex in vertices.iter(block.vertices()) {
            let mut root = vertex;
            *scanned += block.scan(vertex, |neighbour| {
                root = join(parents, 0, root, neighbour, |low, _| low);
                true
            }) as u64;
        }
    })?;
    engine.add_scanned_edges(scanned.into_iter().sum());
    Ok(())
}
