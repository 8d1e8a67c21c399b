//! An open graph.

mod kept;
mod opening;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use leadline_device::Device;
use leadline_graph_store::format::{Direction, Directory, Header, Ids, Vertex};
use leadline_graph_store::updates::{Changes, History, Merged, SideChanges};

use crate::engine::{Blocks, Cache, KeptLists, Limited, Meter};
use crate::{GraphError, Options};

/// An open store, ready to run algorithms on. What one run has cached is there for the next.
pub struct Graph {
    name: String,
    /// For ids and directory, which are read plainly.
    file: File,
    device: Box<dyn Device>,
    /// After changes.
    header: Header,
    /// Of the file, before changes.
    base: Header,
    forward: Directory,
    reverse: Option<Directory>,
    changes: Option<Changes>,
    version: u64,
    history: History,
    /// Bytes that changes take in memory; the options have what is left.
    taken: u64,
    options: Options,
    cache: Mutex<Option<Cache>>,
    merged: Mutex<Option<Merged>>,
    /// What earlier runs decoded.
    lists: Mutex<KeptLists>,
    /// Whether an earlier run ended well.
    was_run: AtomicBool,
    notes: Vec<String>,
    meter: Arc<Meter>,
    limited: Limited,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph")
            .field("name", &self.name)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl Graph {
    /// How many changes were made to the store since it was imported.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What is known of its changes.
    pub(crate) fn history(&self) -> History {
        self.history
    }

    /// Calls `each` with the ends of the edges that changed after a version since which the store was not
    /// compacted, as [`Changes::changed_since`].
    ///
    /// # Errors
    /// Of reading changes.
    pub(crate) fn changed_since(
        &self,
        version: u64,
        each: impl FnMut(Vertex, Vertex, bool),
    ) -> Result<(), GraphError> {
        self.changes.as_ref().map_or(Ok(()), |changes| changes.changed_since(version, each))
    }

    /// No less than what ids that the store did not have at first take as a table.
    pub(crate) fn new_id_bytes(&self) -> u64 {
        self.changes.as_ref().and_then(Changes::ids).map_or(0, |ids| ids.bytes())
    }

    /// Changes of the lists of a direction, if there are any.
    pub(crate) fn changes(&self, direction: Direction) -> Option<&SideChanges> {
        self.changes.as_ref().map(|changes| changes.side(direction))
    }

    /// What the store says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Vertices.
    pub fn vertices(&self) -> u64 {
        self.header.vertices
    }

    /// How it is worked on. Its memory is less than what was given by what changes take.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The same graph, worked on otherwise.
    pub fn set_options(&mut self, mut options: Options) {
        options.memory = options.memory.saturating_sub(self.taken);
        self.options = options;
    }

    /// The store's path, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What had to be done without, in plain words, each once; to be shown.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.device.warnings());
        notes
    }

    /// How far the run on it is, for other threads to look at meanwhile.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// Shows how far its runs are where those of another graph are shown.
    pub(crate) fn share_meter(&mut self, with: &Graph) {
        self.show_on(&with.meter);
    }

    /// Shows how far its runs are on another meter.
    pub(crate) fn show_on(&mut self, meter: &Arc<Meter>) {
        self.meter = Arc::clone(meter);
    }

    /// The users' ids.
    pub fn ids(&self) -> Ids<'_> {
        let changes = self.changes.as_ref().and_then(Changes::ids);
        Ids::new(&self.file, &self.name, &self.base, changes, self.header.vertices)
    }

    /// The vertex of an id.
    ///
    /// # Errors
    /// [`GraphError::NoVertex`] where there is none; [`GraphError::Damaged`].
    pub fn vertex(&self, id: &str) -> Result<Vertex, GraphError> {
        let mut ids = self.ids();
        match ids.rank(id)? {
            Some(rank) => ids.vertex(rank),
            None => Err(GraphError::NoVertex {
                name: self.name.clone(),
                id: id.into(),
                known: self.known_ids(&mut ids),
            }),
        }
    }

    /// The id of a vertex, for errors. In a renumbered store it is looked for.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn id_of(&self, vertex: Vertex) -> Result<String, GraphError> {
        let mut ids = self.ids();
        if !ids.renumbered() {
            return ids.text(vertex.into());
        }
        for rank in 0..self.vertices() {
            if ids.vertex(rank)? == vertex {
                return ids.text(rank);
            }
        }
        Err(GraphError::damaged(&self.name, format!("vertex {vertex} has no rank")))
    }

    /// Which block holds which vertices.
    ///
    /// # Panics
    /// Where the graph has no lists of that direction: ask [`Graph::need_reverse`] first.
    pub fn directory(&self, direction: Direction) -> &Directory {
        match (direction, &self.reverse) {
            (Direction::Reverse, Some(reverse)) => reverse,
            (Direction::Reverse, None) => {
                assert!(!self.header.directed, "the graph has no reverse lists");
                &self.forward
            }
            (Direction::Forward, _) => &self.forward,
        }
    }

    /// Whether edges are weighted, for algorithms that cannot do without.
    ///
    /// # Errors
    /// [`GraphError::NeedsWeights`].
    pub fn need_weights(&self, what: &str) -> Result<(), GraphError> {
        if self.header.weights.bytes() > 0 {
            return Ok(());
        }
        Err(GraphError::NeedsWeights { name: self.name.clone(), what: what.into() })
    }

    /// Whether incoming edges can be read, for algorithms that cannot do without.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`].
    pub fn need_reverse(&self, what: &str) -> Result<(), GraphError> {
        if self.header.has_reverse() {
            return Ok(());
        }
        Err(GraphError::NeedsReverse { name: self.name.clone(), what: what.into() })
    }

    /// Which ids there are, for errors.
    fn known_ids(&self, ids: &mut Ids<'_>) -> String {
        match self.vertices() {
            0 => "it has none".to_owned(),
            n => match (ids.text(0), ids.text(n - 1)) {
                (Ok(first), Ok(last)) => format!("its ids go from {first} to {last}"),
                _ => format!("it has {n}"),
            },
        }
    }

    /// Where temporary files are made.
    pub(crate) fn temp_folder(&self) -> &Path {
        self.options.temp.as_deref().unwrap_or(leadline_files::folder_of(Path::new(&self.name)))
    }

    /// What its runs found out about the device.
    pub(crate) fn limited(&self) -> &Limited {
        &self.limited
    }

    pub(crate) fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Blocks of both directions.
    pub(crate) fn all_blocks(&self) -> u32 {
        self.forward.blocks() + self.reverse.as_ref().map_or(0, Directory::blocks)
    }

    pub(crate) fn blocks(&self, direction: Direction) -> Blocks<'_> {
        let section = self.header.blocks(direction);
        let reverse = direction == Direction::Reverse && self.reverse.is_some();
        Blocks {
            name: &self.name,
            direction: if reverse { Direction::Reverse } else { Direction::Forward },
            offset: section.offset,
            base: if reverse { self.forward.blocks() } else { 0 },
            block_bytes: self.header.block_bytes,
            directory: self.directory(direction),
            vertices: self.base.vertices,
            decoder: self.header.decoder(),
            weights: self.header.weights,
        }
    }

    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Counts a step of a pass for whoever watches; false once somebody asked to stop.
    #[inline]
    pub(crate) fn step(&self) -> bool {
        self.meter.take(1);
        !self.stopped()
    }

    /// An error once somebody asked to stop.
    pub(crate) fn check_stop(&self) -> Result<(), GraphError> {
        if self.stopped() { Err(GraphError::Interrupted) } else { Ok(()) }
    }
}
