//! The writer: takes changes in the users' ids, and makes commits of them.

pub(super) mod commit;
mod maintain;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::change::Change;
use super::compact::begun::Left;
use super::finder::Finder;
use super::folder::{self, Manifest};
use super::held::{Committed, Held};
use super::id::Id;
use super::id_index::IdIndex;
use super::lists::ReadLists;
use super::log::Log;
use super::options::UpdateOptions;
use super::pending::{Pending, What};
use super::pieces::Pieces;
use super::resolve::Unmade;
use super::snapshot::{Changed, Snapshot};
use super::space::Space;
use crate::GraphError;
use crate::format::Weights;
use crate::input::check_length;
use crate::inspect::StoreFile;

/// A store that is being changed. There is one writer at a time; readers see the last commit.
#[derive(Debug)]
pub struct GraphUpdate<L> {
    /// As the user calls it, for messages.
    name: String,
    held: Held,
    manifest: Manifest,
    base: StoreFile,
    index: IdIndex,
    /// Looks up single edges; made when it is first needed.
    finder: Option<Finder>,
    /// There is none while the store is a file.
    log: Option<Log>,
    changed: Changed,
    /// Whether that is not what is committed, which could not be read.
    is_unread: bool,
    options: UpdateOptions,
    pending: Pending,
    staged: Option<Staged>,
    /// What a compaction had written before it was interrupted was of no use, and was removed.
    has_removed: bool,
    /// Looks up what is removed.
    lists: L,
}

/// Changes of the next commit that took too much memory: the manifest in memory has their runs, that of the
/// directory does not.
#[derive(Debug, Clone, Copy, Default)]
struct Staged {
    changes: u64,
    unmade: Unmade,
}

impl<L> Drop for GraphUpdate<L> {
    /// While the store is locked: later the log may be another writer's.
    fn drop(&mut self) {
        if let Some(log) = &mut self.log {
            log.trim();
        }
    }
}

impl<L: ReadLists + Default> GraphUpdate<L> {
    /// Opens a store to change it. One that is a file becomes a directory with the first commit.
    ///
    /// # Errors
    /// [`GraphError::Path`] where another process changes it, or it may not be written; as
    /// [`Snapshot::open`].
    pub fn open(path: impl AsRef<Path>, options: UpdateOptions) -> Result<GraphUpdate<L>, GraphError> {
        let name = path.as_ref().display().to_string();
        let held = Held::take(path.as_ref())?;
        let Committed { manifest, base, changed, log, left } = held.committed()?;
        // As much again is needed to work with them.
        let (given, needed) = (options.run.memory, 2 * (changed.loose_bytes() + changed.vertices.bytes()));
        if needed > given {
            let what = "the changes of the graph, until they are compacted,".into();
            return Err(GraphError::Memory { what, given, needed });
        }
        let rules = base.header.rules;
        if !rules.are_known() {
            let what = "was imported with a rule for changes that this version of Leadline does not know; \
                        update it with the version that it was imported with";
            return Err(GraphError::path(path.as_ref(), what));
        }
        let pending = Pending::new(base.ids().are_strings(), rules.dedupe() && !options.multi);
        let index = IdIndex::default();
        Ok(GraphUpdate {
            name,
            held,
            manifest,
            base,
            index,
            finder: None,
            log,
            changed,
            is_unread: false,
            options,
            pending,
            staged: None,
            has_removed: left == Left::Stale,
            lists: L::default(),
        })
    }

    /// Whether ids are strings; they are numbers else.
    pub fn ids_are_strings(&self) -> bool {
        self.base.ids().are_strings()
    }

    /// Whether edges lead one way.
    pub fn is_directed(&self) -> bool {
        self.base.header.directed
    }

    /// Whether edges have weights.
    pub fn is_weighted(&self) -> bool {
        self.base.header.weights != Weights::None
    }

    /// Changes since the store was imported, without uncommitted ones.
    pub fn version(&self) -> u64 {
        self.changed.version
    }

    /// Changes that are not committed.
    pub fn pending(&self) -> u64 {
        self.pending.len() as u64 + self.staged.map_or(0, |staged| staged.changes)
    }

    /// Whether what a compaction had written before it was interrupted was removed, because the store has
    /// changed since.
    pub fn has_removed_lists(&self) -> bool {
        self.has_removed
    }

    /// As the user calls it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn stop(&self) -> Option<&AtomicBool> {
        self.options.run.stop.as_deref()
    }

    /// Work ends early once this flag is set, from now on instead of the options' flag.
    pub fn set_stop(&mut self, stop: Option<Arc<AtomicBool>>) {
        self.options.run.stop = stop;
    }

    /// What the store takes on the device, without what is reserved for the next commits.
    ///
    /// # Errors
    /// [`GraphError::Read`].
    pub fn space(&self) -> Result<Space, GraphError> {
        if self.held.is_file() {
            return Space::of_file(&self.base.file, &self.name);
        }
        let mut space = Space::of(self.held.folder(), &self.manifest)?;
        // It is given back in the end.
        let reserved = self.log.as_ref().map_or(0, Log::reserved_bytes);
        space.log_bytes = space.log_bytes.saturating_sub(reserved);
        Ok(space)
    }

    /// Adds an edge, and its ends where they are not there. A store that was imported without parallel edges
    /// takes no edge that is there already, unless [`UpdateOptions::multi`], and a store that was imported
    /// without self-loops takes none; [`CommitReport`](super::CommitReport) counts what is left out. In a
    /// store with weights an edge that is given none has 1.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] where the id is not of the store's kind, or the weight is not a finite
    /// number or the store has none.
    pub fn insert_edge(
        &mut self,
        source: impl Into<Id>,
        target: impl Into<Id>,
        weight: Option<f64>,
    ) -> Result<(), GraphError> {
        self.check_weight(weight)?;
        let weight = weight.unwrap_or(self.usual_weight());
        self.push(What::Insert(weight), source.into(), Some(target.into()))
    }

    /// Of an edge that is added without one.
    pub(super) fn usual_weight(&self) -> f64 {
        if self.is_weighted() { 1.0 } else { 0.0 }
    }

    /// Removes an edge.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edge`].
    pub fn delete_edge(&mut self, source: impl Into<Id>, target: impl Into<Id>) -> Result<(), GraphError> {
        self.push(What::Delete, source.into(), Some(target.into()))
    }

    /// Gives an edge another weight.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edge`].
    pub fn set_weight(
        &mut self,
        source: impl Into<Id>,
        target: impl Into<Id>,
        weight: f64,
    ) -> Result<(), GraphError> {
        self.check_weight(Some(weight))?;
        self.push(What::Set(weight), source.into(), Some(target.into()))
    }

    /// Adds a vertex, where it is not there.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edge`].
    pub fn insert_vertex(&mut self, vertex: impl Into<Id>) -> Result<(), GraphError> {
        self.push(What::InsertVertex, vertex.into(), None)
    }

    /// Removes a vertex and all its edges. In a directed store without reverse lists all blocks are read for
    /// it.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edge`].
    pub fn delete_vertex(&mut self, vertex: impl Into<Id>) -> Result<(), GraphError> {
        self.push(What::DeleteVertex, vertex.into(), None)
    }

    /// The same as the method that is named after the change.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edge`].
    pub fn apply(&mut self, change: Change) -> Result<(), GraphError> {
        match change {
            Change::InsertEdge { source, target, weight } => self.insert_edge(source, target, weight),
            Change::DeleteEdge { source, target } => self.delete_edge(source, target),
            Change::SetWeight { source, target, weight } => self.set_weight(source, target, weight),
            Change::InsertVertex(vertex) => self.insert_vertex(vertex),
            Change::DeleteVertex(vertex) => self.delete_vertex(vertex),
        }
    }

    /// The log, of a store that has its directory from now on.
    fn log(&mut self) -> Result<&mut Log, GraphError> {
        self.begin_folder()?;
        Ok(self.log.as_mut().expect("a directory has a log"))
    }

    /// Begins the directory of a store that is a file.
    fn begin_folder(&mut self) -> Result<(), GraphError> {
        if self.held.is_file() {
            self.log = Some(self.held.begin(&self.base)?);
        }
        Ok(())
    }

    /// The store with all changes but those that are pending in memory.
    fn snapshot(&mut self) -> Result<Snapshot, GraphError> {
        let name = self.name.clone();
        let file = self.base.file.try_clone().map_err(|error| GraphError::read(&name, error))?;
        // Where there is no folder, there are no changes, for which alone it needs pieces.
        let pieces = if self.held.is_file() { Pieces::default() } else { self.pieces()? };
        Snapshot::with(file, &name, self.base.header, pieces, &mut self.changed)
    }

    /// How the blocks of the base begin.
    fn pieces(&self) -> Result<Pieces, GraphError> {
        if self.held.is_file() {
            return Pieces::of(&self.base);
        }
        let path = folder::file(self.held.folder(), &self.manifest.pieces);
        Pieces::read(&path, self.manifest.base_checksum)
    }

    /// Forgets what it keeps of a base that is to be another.
    fn forget_base(&mut self) {
        (self.index, self.finder) = (IdIndex::default(), None);
    }

    fn check_weight(&self, weight: Option<f64>) -> Result<(), GraphError> {
        match weight {
            None => Ok(()),
            Some(weight) if !weight.is_finite() => Err(GraphError::malformed(
                &self.name,
                format!("expected a finite number as weight, found {weight}"),
            )),
            Some(weight) if !self.is_weighted() => {
                Err(GraphError::malformed(&self.name, format!("has no weights; an edge is to have {weight}")))
            }
            Some(_) => Ok(()),
        }
    }

    pub(super) fn push(&mut self, what: What, source: Id, target: Option<Id>) -> Result<(), GraphError> {
        for id in [Some(&source), target.as_ref()].into_iter().flatten() {
            if let Id::Text(text) = id {
                // Readers would take a longer one for damage.
                check_length(text.as_bytes()).map_err(|what| GraphError::malformed(&self.name, what))?;
            }
        }
        if let Err(other) = self.pending.push(what, source, target) {
            let kind = if self.ids_are_strings() { "strings" } else { "numbers" };
            let what = format!("has {kind} as ids; {other} is not one");
            return Err(GraphError::malformed(&self.name, what));
        }
        if self.pending.bytes() > self.shares().pending() {
            self.rollback_on_error(GraphUpdate::stage)?;
        }
        Ok(())
    }
}
