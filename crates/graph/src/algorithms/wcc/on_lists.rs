//! Components of an undirected graph whose lists are in memory (Afforest: Sutton, Ben-Nun, Barak, IPDPS
//! 2018).

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{NO_VERTEX, Vertex};
use rayon::prelude::*;

use super::forest::{find, flatten, join};
use super::{FEW, largest};
use crate::engine::Csr;
use crate::{Engine, GraphError};

/// Vertices that a thread joins at a time.
const CHUNK: usize = 1 << 12;

/// Joins all vertices with their neighbours; `parents` are roots at first, and in the end have one. First a
/// few edges of each vertex, which make nearly all of the largest component. What leads out of it is listed
/// at the other end too, so the lists of those that are not in it are enough for the rest.
pub(super) fn join_all(
    engine: &mut Engine<'_>,
    lists: &Csr,
    parents: &[AtomicU32],
) -> Result<(), GraphError> {
    engine.begin_pass(0)?;
    let few = join_lists(parents, lists, NO_VERTEX, |vertex, list| {
        let lower = list.iter().take(FEW as usize).take_while(|neighbour| **neighbour < vertex).count();
        &list[..lower]
    });
    flatten(parents, 0);
    engine.begin_pass(0)?;
    let rest = join_lists(parents, lists, largest(parents), |_, list| list);
    engine.add_scanned_edges(few + rest);
    flatten(parents, 0);
    Ok(())
}

/// Joins each vertex with some of its neighbours, but not those whose parent is `skipped`. How many joins
/// that was.
fn join_lists<'l>(
    parents: &[AtomicU32],
    lists: &'l Csr,
    skipped: Vertex,
    some: impl Fn(Vertex, &'l [Vertex]) -> &'l [Vertex] + Sync,
) -> u64 {
    let join_chunk = |(chunk, places): (usize, &[AtomicU32])| {
        let first = chunk * CHUNK;
        let mut joined = 0;
        for ((place, list), vertex) in
            places.iter().zip(lists.lists(first..first + places.len())).zip(first as Vertex..)
        {
            if place.load(Ordering::Relaxed) == skipped {
                continue;
            }
            let list = some(vertex, list);
            if list.is_empty() {
                continue;
            }
            let mut root = find(parents, 0, vertex);
            for neighbour in list {
                root = join(parents, 0, root, *neighbour, |root, _| root);
            }
            joined += list.len() as u64;
        }
        joined
    };
    parents.par_chunks(CHUNK).enumerate().map(join_chunk).sum()
}
