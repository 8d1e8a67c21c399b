//! Changes of a store, with the engine to look up which edges are there.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use leadline_graph_store::format::{Direction, Directory, Header, Vertex};
use leadline_graph_store::updates::{
    BlockLists, CompactReport, ReadLists, Snapshot, UpdateOptions, WantedLists,
};

use crate::engine::Cache;
use crate::{Engine, Frontier, Graph, GraphError, Options, Progress, Which};

/// A store that is being changed. There is one writer at a time; readers see the last commit.
pub type GraphUpdate = leadline_graph_store::updates::GraphUpdate<EngineLists>;

/// Puts the base of a store and its changes together, with the threads and in the memory of `options`.
/// Readers go on with the version that they have. A process that ends before the compaction does leaves the
/// store as it was, and the next compaction goes on where it ended.
///
/// # Errors
/// [`GraphError::Path`] where another process changes the store; [`GraphError::Write`];
/// [`GraphError::Interrupted`]; as [`Graph::open`].
pub fn compact(
    path: impl AsRef<Path>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<CompactReport, GraphError> {
    let options = UpdateOptions::new(options.clone());
    let stop = options.run.stop.clone();
    GraphUpdate::open(path, options)?.compact(stop.as_deref(), progress)
}

/// Reads lists by sweeps of an [`Engine`], with as many reads in flight as the options say. Blocks that one
/// commit looked at are there for the next.
#[derive(Debug, Default)]
pub struct EngineLists {
    cached: Mutex<Option<(BaseBlocks, Cache)>>,
}

/// Which blocks a cache has: those of a base, as long as it is the same file with as many of them.
#[derive(Debug, PartialEq)]
struct BaseBlocks {
    header: Header,
    /// Device, number, and when it was changed last: a file that takes another's number does so later.
    file: (u64, u64, i64, i64),
    /// Forward and in all: those of new vertices are not in the file, but have numbers too.
    blocks: (u32, u32),
}

impl BaseBlocks {
    fn of(store: &Snapshot) -> Option<BaseBlocks> {
        let file = store.file.metadata().ok()?;
        let (forward, reverse) =
            (store.forward.blocks(), store.reverse.as_ref().map_or(0, Directory::blocks));
        Some(BaseBlocks {
            header: store.base,
            file: (file.dev(), file.ino(), file.ctime(), file.ctime_nsec()),
            blocks: (forward, forward + reverse),
        })
    }
}

impl ReadLists for EngineLists {
    fn read_lists<T: Default + Send>(
        &self,
        store: Snapshot,
        name: &str,
        options: &Options,
        wanted: &[(Direction, WantedLists)],
        see: impl Fn(&mut T, Direction, Vertex, &BlockLists<'_>) + Sync,
    ) -> Result<Vec<T>, GraphError> {
        let blocks = BaseBlocks::of(&store);
        let graph = Graph::open_snapshot(store, name.to_owned(), options.clone())?;
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((_, cache)) = cached.filter(|(of, _)| Some(of) == blocks.as_ref()) {
            graph.put_cache(cache);
        }
        let frontiers: Vec<Option<Frontier>> =
            wanted.iter().map(|(_, lists)| frontier(&graph, lists)).collect();
        let state = frontiers.iter().flatten().count() as u64 * Frontier::bytes(graph.vertices());
        let (found, _) = Engine::run(&graph, "looking up edges", state, |engine| {
            let (mut found, all) = (Vec::new(), AtomicBool::new(false));
            for ((direction, _), frontier) in wanted.iter().zip(&frontiers) {
                let which = frontier.as_ref().map_or(Which::All, Which::Holding);
                found.extend(engine.sweep_lists(&all, *direction, which, T::default, |found, lists| {
                    let mut see = |vertex| see(found, *direction, vertex, lists);
                    match frontier {
                        Some(frontier) => frontier.iter(lists.vertices()).for_each(&mut see),
                        None => lists.vertices().for_each(&mut see),
                    }
                })?);
            }
            Ok(found)
        })?;
        let kept = blocks.zip(graph.into_cache());
        *self.cached.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(found)
    }

    fn let_go(&self) {
        *self.cached.lock().unwrap_or_else(PoisonError::into_inner) = None;
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
