//! The writer: takes changes in the users' ids, and makes commits of them.

use std::path::{Path, PathBuf};

use super::folder::{self, Manifest, Pieces, WriterLock};
use super::log::{Commit, Log};
use super::resolve::{Batch, Request, What};
use super::snapshot::{Changed, Snapshot, base_of};
use super::vertices::Id;
use crate::format::Weights;
use crate::inspect::StoreFile;
use crate::{Graph, GraphError, Options};

/// How a store is changed.
#[derive(Debug, Clone, Default)]
pub struct UpdateOptions {
    /// Threads, reads in flight and the cap on memory for looking up what is removed.
    pub run: Options,
    /// An edge's removal, or its new weight, is for one of its parallel copies and not for all.
    pub one: bool,
}

/// A store that is being changed. There is one writer at a time; readers see the last commit.
#[derive(Debug)]
pub struct GraphUpdate {
    folder: PathBuf,
    _lock: WriterLock,
    manifest: Manifest,
    base: StoreFile,
    log: Log,
    changed: Changed,
    options: UpdateOptions,
    pending: Vec<Request>,
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

impl GraphUpdate {
    /// Opens a store to change it. One that is a file becomes a folder.
    ///
    /// # Errors
    /// [`GraphError::Path`] where another process changes it; as [`Graph::open`].
    pub fn open(path: impl AsRef<Path>, options: UpdateOptions) -> Result<GraphUpdate, GraphError> {
        let path = path.as_ref();
        if !folder::is_folder(path) {
            folder::make(path)?;
        }
        // Not followed any more: whatever becomes of links meanwhile, it is this folder.
        let folder = std::fs::canonicalize(path).map_err(|error| GraphError::opening(path, error))?;
        // Before the lock is made: what is no store is left alone.
        Manifest::read(&folder)?;
        let lock = WriterLock::take(&folder)?;
        let manifest = Manifest::read(&folder)?;
        let base_path = folder::file(&folder, &manifest.base);
        let base = StoreFile::open_base(&base_path)?;
        base_of(&base.file, &base_path, &manifest)?;
        folder::mark(&base_path)?;
        folder::remove_others(&folder, &manifest).map_err(|error| GraphError::write(&folder, error))?;
        let mut changed = Changed::new(&manifest, &base.header);
        let log_path = folder::file(&folder, &manifest.log);
        let log = Log::open(&log_path, folder::log_seed(&manifest), |commit| {
            changed.add(commit, base.header.directed);
            Ok(())
        })?;
        let pending = Vec::new();
        Ok(GraphUpdate { folder, _lock: lock, manifest, base, log, changed, options, pending })
    }

    /// Whether ids are strings; they are numbers else.
    pub fn ids_are_strings(&self) -> bool {
        self.base.ids().are_strings()
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
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Bytes of the log of commits.
    pub fn log_bytes(&self) -> u64 {
        self.log.bytes()
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
        let weight = weight.unwrap_or(if self.is_weighted() { 1.0 } else { 0.0 });
        self.push(What::Insert(weight), source.into(), Some(target.into()))
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

    /// Makes all that is pending durable, at once: a crash leaves all of it or nothing.
    ///
    /// # Errors
    /// Where nothing is committed, and what was pending still is: [`GraphError::Write`], a full disk above
    /// all;
    /// [`GraphError::TooManyVertices`]; what looking up gives.
    pub fn commit(&mut self) -> Result<CommitReport, GraphError> {
        let changes = self.pending.len() as u64;
        let (mut commit, missing) = self.resolve()?;
        commit.version = self.changed.version + changes;
        if changes > 0 {
            self.log.append(&commit, self.is_weighted())?;
            self.changed.add(commit, self.base.header.directed);
            self.pending.clear();
        }
        let totals = self.changed.totals;
        let edges = match self.base.header.directed {
            true => totals.entries,
            false => (totals.entries + totals.self_loops) / 2,
        };
        Ok(CommitReport { version: self.changed.version, changes, missing, vertices: totals.vertices, edges })
    }

    fn resolve(&self) -> Result<(Commit, u64), GraphError> {
        let batch = Batch::new(&self.base, &self.changed, &self.pending)?;
        let loaded = match batch.needs_lists() {
            true => batch.load(&self.graph()?)?,
            false => Default::default(),
        };
        batch.apply(loaded, self.options.one)
    }

    /// The graph as of the last commit.
    fn graph(&self) -> Result<Graph, GraphError> {
        let name = self.folder.display().to_string();
        let file = self.base.file.try_clone().map_err(|error| GraphError::read(&name, error))?;
        let pieces =
            Pieces::read(&folder::file(&self.folder, &self.manifest.pieces), self.manifest.base_checksum)?;
        let snapshot = Snapshot::with(file, &name, self.base.header, pieces, &self.changed)?;
        Graph::open_snapshot(snapshot, name, self.options.run.clone())
    }

    fn check_weight(&self, weight: Option<f64>) -> Result<(), GraphError> {
        match weight {
            None => Ok(()),
            Some(weight) if !weight.is_finite() => Err(GraphError::malformed(
                self.folder.display(),
                format!("expected a finite number as weight, found {weight}"),
            )),
            Some(weight) if !self.is_weighted() => Err(GraphError::malformed(
                self.folder.display(),
                format!("was imported without weights, and an edge is to have {weight}"),
            )),
            Some(_) => Ok(()),
        }
    }

    fn push(&mut self, what: What, source: Id, target: Option<Id>) -> Result<(), GraphError> {
        let strings = self.ids_are_strings();
        for id in [Some(&source), target.as_ref()].into_iter().flatten() {
            if matches!(id, Id::Text(_)) != strings {
                let kind = if strings { "strings" } else { "numbers" };
                let what = format!("has {kind} as ids, which {id} is not");
                return Err(GraphError::malformed(self.folder.display(), what));
            }
        }
        self.pending.push(Request { what, source, target });
        Ok(())
    }
}
