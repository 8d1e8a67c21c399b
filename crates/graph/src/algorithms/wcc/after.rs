//! Components after edges were added: those of before, joined by the new edges. No block is read.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;

use super::forest::{flatten, join};
use crate::algorithms::numbers;
use crate::algorithms::previous::Previous;
use crate::format::Vertex;
use crate::{Graph, GraphError};

/// By vertex, the root of its tree.
pub(super) fn roots(graph: &Graph, previous: &Previous) -> Result<Vec<AtomicU32>, GraphError> {
    let parents = numbers(graph.vertices(), |vertex| vertex);
    let join = |a: Vertex, b: Vertex| {
        join(&parents, 0, a, b, |low, _| low);
    };
    // A component is called by the first id that it has, so that one's row comes first.
    let mut first: HashMap<u64, Vertex> = HashMap::new();
    let mut row = 0;
    previous.each(graph, |vertex, id, component| {
        match first.get(&component) {
            Some(of_first) => join(*of_first, vertex),
            None if component == id => drop(first.insert(id, vertex)),
            None => {
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
