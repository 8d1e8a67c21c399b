//! The writer: takes changes in the users' ids, and makes commits of them.

mod maintain;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::change::Change;
use super::folder::{self, Manifest};
use super::held::{Committed, Held};
use super::id_index::IdIndex;
use super::lists::ReadLists;
use super::log::{Commit, Log, Totals};
use super::options::UpdateOptions;
use super::pending::{Pending, What};
use super::pieces::Pieces;
use super::resolve::Batch;
use super::snapshot::{Changed, Snapshot};
use super::space::Space;
use super::vertices::Id;
use crate::GraphError;
use crate::format::Weights;
use crate::input::check_length;
use crate::inspect::StoreFile;

/// Pending changes may take this part of the memory before they become rows; resolving them takes some times
/// as much.
const PENDING_SHARE: u64 = 12;

/// Ids in memory may take this part of it.
const INDEX_SHARE: u64 = 16;

/// Rows may take this part of the memory before they are written to a run, with a commit or before it.
const ROWS_SHARE: u64 = 5;

/// A store that is being changed. There is one writer at a time; readers see the last commit.
#[derive(Debug)]
pub struct GraphUpdate<L> {
    /// As the user calls it, for messages.
    name: String,
    held: Held,
    manifest: Manifest,
    base: StoreFile,
    index: IdIndex,
    /// There is none while the store is a file.
    log: Option<Log>,
    changed: Changed,
    options: UpdateOptions,
    pending: Pending,
    staged: Option<Staged>,
    /// Looks up what is removed.
    lists: L,
}

/// Changes of the next commit that took too much memory: the manifest in memory has their runs, that of the
/// folder does not.
#[derive(Debug, Clone, Copy, Default)]
struct Staged {
    changes: u64,
    missing: u64,
}

/// What a commit did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct CommitReport {
    /// Changes since the store was imported, these among them.
    pub version: u64,
    /// Changes of this commit.
    pub changes: u64,
    /// Of these, removals and new weights of what is not there: they changed nothing.
    pub missing: u64,
    /// Vertices that there are now.
    pub vertices: u64,
    /// Edges that there are now; an undirected one counts once.
    pub edges: u64,
}

impl<L: ReadLists + Default> GraphUpdate<L> {
    /// Opens a store to change it. One that is a file becomes a folder with the first commit.
    ///
    /// # Errors
    /// [`GraphError::Path`] where another process changes it, or it may not be written; as
    /// [`Snapshot::open`].
    pub fn open(path: impl AsRef<Path>, options: UpdateOptions) -> Result<GraphUpdate<L>, GraphError> {
        let name = path.as_ref().display().to_string();
        let held = Held::take(path.as_ref())?;
        let Committed { manifest, base, changed, log } = held.committed()?;
        let pending = Pending::new(base.ids().are_strings());
        let index = IdIndex::default();
        Ok(GraphUpdate {
            name,
            held,
            manifest,
            base,
            index,
            log,
            changed,
            options,
            pending,
            staged: None,
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

    /// Changes since the store was imported, without those that are not committed.
    pub fn version(&self) -> u64 {
        self.changed.version
    }

    /// Changes that are not committed.
    pub fn pending(&self) -> u64 {
        self.pending.len() as u64 + self.staged.map_or(0, |staged| staged.changes)
    }

    /// As the user calls it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn stop(&self) -> Option<&AtomicBool> {
        self.options.run.stop.as_deref()
    }

    /// Work ends early once this flag is set, from now on instead of that of the options.
    pub fn set_stop(&mut self, stop: Option<Arc<AtomicBool>>) {
        self.options.run.stop = stop;
    }

    /// What the store takes on the device.
    ///
    /// # Errors
    /// [`GraphError::Read`].
    pub fn space(&self) -> Result<Space, GraphError> {
        if self.held.is_file() {
            return Space::of_file(&self.base.file, &self.name);
        }
        Space::of(self.held.folder(), &self.manifest)
    }

    /// Adds an edge, and its ends where they are not there. In a store with weights an edge that is given
    /// none has 1.
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

    /// Makes all that is pending durable, at once: a crash leaves all of it or nothing.
    ///
    /// # Errors
    /// Where nothing is committed, and what was pending is dropped: [`GraphError::Write`], a full disk above
    /// all; [`GraphError::TooManyVertices`]; what looking up gives.
    pub fn commit(&mut self) -> Result<CommitReport, GraphError> {
        self.rollback_on_error(|update| {
            let Staged { changes, missing } = update.staged.unwrap_or_default();
            let changes = changes + update.pending.len() as u64;
            let (commit, more_missing) = update.resolve()?;
            if update.staged.is_some() {
                update.changed.add(commit, update.base.header.directed);
                update.write_run()?;
                update.publish()?;
            } else if changes > 0 {
                let weighted = update.is_weighted();
                update.log()?.append(&commit, weighted)?;
                update.changed.add(commit, update.base.header.directed);
            }
            if update.held.install_folder()? {
                // Its files are elsewhere now.
                update.read_committed()?;
            }
            update.pending.clear();
            update.staged = None;
            let Totals { vertices, .. } = update.changed.totals;
            let missing = missing + more_missing;
            Ok(CommitReport { version: update.version(), changes, missing, vertices, edges: update.edges() })
        })
    }

    /// Edges that there are; an undirected one counts once.
    fn edges(&self) -> u64 {
        let Totals { entries, self_loops, .. } = self.changed.totals;
        if self.base.header.directed { entries } else { (entries + self_loops) / 2 }
    }

    /// Does something, and goes back to the last commit where it fails.
    fn rollback_on_error<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        let done = work(self);
        if done.is_err() {
            self.rollback()?;
        }
        done
    }

    /// Drops all that is pending.
    ///
    /// # Errors
    /// As [`GraphUpdate::open`], where what is committed cannot be read again.
    pub fn discard(&mut self) -> Result<(), GraphError> {
        match self.staged {
            Some(_) => self.rollback(),
            None => {
                self.pending.clear();
                Ok(())
            }
        }
    }

    /// Reads what is committed, as the store was then.
    fn rollback(&mut self) -> Result<(), GraphError> {
        self.pending.clear();
        self.staged = None;
        self.held.give_up();
        // Runs of what was dropped are removed: where the disk is full, they may be what fills it.
        self.read_committed()
    }

    fn read_committed(&mut self) -> Result<(), GraphError> {
        let Committed { manifest, base, changed, log } = self.held.committed()?;
        (self.manifest, self.base, self.changed, self.log) = (manifest, base, changed, log);
        Ok(())
    }

    /// The log, of a store that has its folder from now on.
    fn log(&mut self) -> Result<&mut Log, GraphError> {
        self.begin_folder()?;
        Ok(self.log.as_mut().expect("a folder has a log"))
    }

    /// Begins the folder of a store that is a file.
    fn begin_folder(&mut self) -> Result<(), GraphError> {
        if self.held.is_file() {
            self.log = Some(self.held.begin(&self.base)?);
        }
        Ok(())
    }

    /// Takes pending changes out of memory: into rows, and rows into a run that no reader sees yet.
    fn stage(&mut self) -> Result<(), GraphError> {
        let Staged { changes, missing } = self.staged.unwrap_or_default();
        let changes = changes + self.pending.len() as u64;
        let (commit, more_missing) = self.resolve()?;
        self.begin_folder()?;
        self.changed.add(commit, self.base.header.directed);
        self.pending.clear();
        self.staged = Some(Staged { changes, missing: missing + more_missing });
        if self.changed.loose_bytes() > self.options.run.memory / ROWS_SHARE {
            self.write_run()?;
            // Each run takes memory of whoever reads the store.
            self.merge_full_levels()?;
        }
        Ok(())
    }

    /// Commits what is pending: nobody else may make it durable, not even a part that waits in runs.
    fn commit_pending(&mut self) -> Result<(), GraphError> {
        if self.pending() > 0 {
            self.commit()?;
        }
        Ok(())
    }

    /// What pending changes come to, and how many are of what is not there.
    fn resolve(&mut self) -> Result<(Commit, u64), GraphError> {
        let batch = Batch::new(
            &self.base,
            &mut self.index,
            &self.changed,
            &self.pending,
            self.options.run.memory / INDEX_SHARE,
        )?;
        let loaded = match batch.needs_lists() {
            true => batch.load(&self.lists, self.snapshot()?, &self.name, &self.options.run)?,
            false => Default::default(),
        };
        let (commit, missing) = batch.apply(loaded, self.options.one);
        if let Some(first) = missing.first.filter(|_| self.options.strict) {
            let (name, what) = (self.name.clone(), self.pending.words(first));
            return Err(GraphError::Missing { name, what, count: missing.count });
        }
        let version = self.changed.version + self.pending.len() as u64;
        Ok((Commit { version, ..commit }, missing.count))
    }

    /// The store with all changes but those that are pending in memory.
    fn snapshot(&self) -> Result<Snapshot, GraphError> {
        let name = self.name.clone();
        let file = self.base.file.try_clone().map_err(|error| GraphError::read(&name, error))?;
        // Where there is no folder, there are no changes, which are all that pieces are for.
        let pieces = match self.held.is_file() {
            true => Pieces::default(),
            false => {
                let path = folder::file(self.held.folder(), &self.manifest.pieces);
                Pieces::read(&path, self.manifest.base_checksum)?
            }
        };
        Snapshot::with(file, &name, self.base.header, pieces, &self.changed)
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
        if self.pending.bytes() > self.options.run.memory / PENDING_SHARE {
            self.rollback_on_error(GraphUpdate::stage)?;
        }
        Ok(())
    }
}
