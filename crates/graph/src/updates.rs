//! Changes of a store, with the engine to look up which edges are there.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_graph_store::format::{Block, Direction, Vertex};
use leadline_graph_store::updates::{CompactReport, ReadLists, Snapshot, UpdateOptions, WantedLists};

use crate::{Engine, Frontier, Graph, GraphError, Options, Progress, Which};

/// A store that is being changed. There is one writer at a time; readers see the last commit.
pub type GraphUpdate = leadline_graph_store::updates::GraphUpdate<EngineLists>;

/// Puts the base of a store and its changes together. Readers go on with the version that they have. A
/// process that ends before the compaction does leaves the store as it was.
///
/// # Errors
/// [`GraphError::Path`] where another process changes the store; [`GraphError::Write`];
/// [`GraphError::Interrupted`]; as [`Graph::open`].
pub fn compact(
    path: impl AsRef<Path>,
    stop: Option<Arc<AtomicBool>>,
    progress: &mut dyn FnMut(Progress),
) -> Result<CompactReport, GraphError> {
    GraphUpdate::open(path, UpdateOptions::default())?.compact(stop.as_deref(), progress)
}

/// Reads lists by sweeps of an [`Engine`], with as many reads in flight as the options say.
#[derive(Debug, Clone, Copy, Default)]
pub struct EngineLists;

impl ReadLists for EngineLists {
    fn read_lists<T: Default + Send>(
        &self,
        store: Snapshot,
        name: &str,
        options: &Options,
        wanted: &[(Direction, WantedLists)],
        see: impl Fn(&mut T, Direction, Vertex, &Block<'_>) + Sync,
    ) -> Result<Vec<T>, GraphError> {
        let graph = Graph::open_snapshot(store, name.to_owned(), options.clone())?;
        let frontiers: Vec<Option<Frontier>> =
            wanted.iter().map(|(_, lists)| frontier(&graph, lists)).collect();
        let state = frontiers.iter().flatten().count() as u64 * Frontier::bytes(graph.vertices());
        let (found, _) = Engine::run(&graph, "looking up edges", state, |engine| {
            let mut found = Vec::new();
            for ((direction, _), frontier) in wanted.iter().zip(&frontiers) {
                let which = frontier.as_ref().map_or(Which::All, Which::Holding);
                found.extend(engine.sweep(*direction, which, T::default, |found, block| {
                    let mut see = |vertex| see(found, *direction, vertex, block);
                    match frontier {
                        Some(frontier) => frontier.iter(block.vertices()).for_each(&mut see),
                        None => block.vertices().for_each(&mut see),
                    }
                })?);
            }
            Ok(found)
        })?;
        Ok(found)
    }
}

/// The vertices whose lists are wanted; none where all are.
fn frontier(graph: &Graph, lists: &WantedLists) -> Option<Frontier> {
    let WantedLists::Of(vertices) = lists else { return None };
    let frontier = Frontier::new(graph.vertices());
    for vertex in vertices {
        frontier.insert(*vertex);
    }
    Some(frontier)
}
