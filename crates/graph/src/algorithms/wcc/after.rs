//! Components after edges were added: the earlier components, joined by the new edges. No block is read.

use std::sync::atomic::AtomicU32;

use leadline_graph_store::format::Vertex;

use super::forest::{flatten, join};
use crate::algorithms::numbers;
use crate::algorithms::previous::Previous;
use crate::{Graph, GraphError};

/// The id that a component is called by, and its vertex.
type First = (u64, Vertex);

/// Bytes in memory in addition to the trees, for `components` components.
pub(super) fn bytes(components: u64) -> u64 {
    components * size_of::<First>() as u64
}

/// Components of the result.
pub(super) fn count(graph: &Graph, previous: &Previous) -> Result<u64, GraphError> {
    let mut components = 0;
    previous.each(graph, |_, id, component| {
        components += u64::from(component == id);
        Ok(())
    })?;
    Ok(components)
}

/// By vertex, the root of its tree; `components` is how many the result has.
pub(super) fn roots(
    graph: &Graph,
    previous: &Previous,
    components: u64,
) -> Result<Vec<AtomicU32>, GraphError> {
    let parents = numbers(graph.vertices(), |vertex| vertex);
    let join = |a: Vertex, b: Vertex| {
        join(&parents, 0, a, b, |low, _| low);
    };
    // A component is called by the first id that it has, so that one's row comes first.
    let mut firsts: Vec<First> = Vec::with_capacity(components as usize);
    let mut row = 0;
    previous.each(graph, |vertex, id, component| {
        match firsts.binary_search_by_key(&component, |first| first.0) {
            Ok(at) => join(firsts[at].1, vertex),
            // Rows ascend by their ids.
            Err(_) if component == id => firsts.push((id, vertex)),
            Err(_) => {
                return Err(previous.wrong(row, format!("has a component {component} that has not begun")));
            }
        }
        row += 1;
        Ok(())
    })?;
    previous.added(graph, join)?;
    flatten(&parents, 0);
    Ok(parents)
}
