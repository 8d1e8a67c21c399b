//! The writer: takes changes in the users' ids, and makes commits of them.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::compact::{self, CompactReport};
use super::folder::{self, Manifest, Pieces, RunEntry, WriterLock};
use super::log::{Commit, Log};
use super::resolve::{Batch, Request, What};
use super::rows::{self, Row};
use super::run::{self, RunSide, RunWriter};
use super::snapshot::{Changed, Snapshot, base_of, turned};
use super::vertices::Id;
use crate::format::Weights;
use crate::inspect::StoreFile;
use crate::{Graph, GraphError, Options, Progress};

/// How a store is changed.
#[derive(Debug, Clone)]
pub struct UpdateOptions {
    /// Threads, reads in flight and the cap on memory for looking up what is removed.
    pub run: Options,
    /// An edge's removal, or its new weight, is for one of its parallel copies and not for all.
    pub one: bool,
    /// Bytes of changes that are kept in memory before they are written to a sorted run; readers hold them in
    /// memory, too.
    pub buffer: u64,
    /// Runs of one level that are merged into one of the next, at least 2.
    pub fanout: u32,
}

impl Default for UpdateOptions {
    /// A quarter of the default memory for changes, at most 16 MiB, and a fanout of 4.
    fn default() -> UpdateOptions {
        let run = Options::default();
        let buffer = (run.memory / 4).min(16 << 20);
        UpdateOptions { run, one: false, buffer, fanout: 4 }
    }
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
        let mut changed = Changed::open(&folder, &manifest, &base.header)?;
        let log_path = folder::file(&folder, &manifest.log);
        let log = Log::open(&log_path, folder::seed(&manifest, &manifest.log), |commit| {
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

    /// Writes changes to a sorted run if there are more than the buffer is to hold, merges runs where a level
    /// has as many as the fanout, and compacts the store if runs are more than half as large as its base. To
    /// be called between commits; what is committed is safe whether it succeeds or not.
    ///
    /// # Errors
    /// [`GraphError::Write`], a full disk above all; the store is as it was then.
    pub fn maintain(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), GraphError> {
        if (self.changed.loose() * size_of::<Row>()) as u64 > self.options.buffer {
            self.flush()?;
        }
        while let Some(runs) = self.full_level() {
            self.merge(runs)?;
        }
        let in_runs: u64 = self.manifest.runs.iter().map(|run| run.bytes).sum();
        let base = self.base.file.metadata().map_err(|error| GraphError::read(&self.base.name, error))?.len();
        if in_runs > base / 2 {
            self.compact(None, progress)?;
        }
        Ok(())
    }

    /// Writes all changes that are in no run to a new one.
    ///
    /// # Errors
    /// As [`GraphUpdate::maintain`].
    pub fn flush(&mut self) -> Result<(), GraphError> {
        let (mut rows, mut starts) = (Vec::with_capacity(self.changed.loose()), Vec::new());
        for layer in &self.changed.layers {
            starts.push(rows.len());
            rows.extend_from_slice(layer);
        }
        rows::compose(&mut rows, &starts);
        let mut manifest = self.manifest.clone();
        if !rows.is_empty() {
            let file = manifest.name("run");
            let path = folder::file(&self.folder, &file);
            let mut writer = RunWriter::create(&path, folder::seed(&manifest, &file), self.is_weighted())?;
            rows.iter().try_for_each(|row| writer.push(*row))?;
            if self.has_two_directions() {
                writer.start_reverse()?;
                turned(&rows).iter().try_for_each(|row| writer.push(*row))?;
            }
            let bytes = writer.finish()?;
            manifest.runs.push(RunEntry { file, level: 0, bytes });
        }
        manifest.owners = match self.changed.vertices.each().next() {
            Some(_) => {
                let name = manifest.name("owners");
                let path = folder::file(&self.folder, &name);
                folder::write_owners(&path, folder::seed(&manifest, &name), &self.changed.vertices)?;
                Some(name)
            }
            None => None,
        };
        (manifest.version, manifest.totals) = (self.changed.version, self.changed.totals);
        manifest.log = manifest.name("log");
        let path = folder::file(&self.folder, &manifest.log);
        let log = Log::create(&path, folder::seed(&manifest, &manifest.log))?;
        self.adopt(manifest, None, Some(log))
    }

    /// The runs of a level that has as many as the fanout, by their places.
    fn full_level(&self) -> Option<Range<usize>> {
        let runs = &self.manifest.runs;
        let mut start = 0;
        for level in runs.chunk_by(|a, b| a.level == b.level) {
            if level.len() >= self.options.fanout.max(2) as usize {
                return Some(start..start + level.len());
            }
            start += level.len();
        }
        None
    }

    /// Makes one run of some that follow one another.
    fn merge(&mut self, places: Range<usize>) -> Result<(), GraphError> {
        let mut manifest = self.manifest.clone();
        let file = manifest.name("run");
        let path = folder::file(&self.folder, &file);
        let mut writer = RunWriter::create(&path, folder::seed(&manifest, &file), self.is_weighted())?;
        let runs = &self.changed.runs[places.clone()];
        let sides: Vec<&RunSide> = runs.iter().map(|run| &*run.forward).collect();
        run::merge(&sides, |row| writer.push(row))?;
        if self.has_two_directions() {
            writer.start_reverse()?;
            let sides: Vec<&RunSide> = runs.iter().filter_map(|run| run.reverse.as_deref()).collect();
            run::merge(&sides, |row| writer.push(row))?;
        }
        let level = manifest.runs[places.start].level + 1;
        let bytes = writer.finish()?;
        manifest.runs.splice(places, [RunEntry { file, level, bytes }]);
        // Commits since the last run are still in the log.
        let (layers, vertices) = (self.changed.layers.clone(), self.changed.vertices.clone());
        let (version, totals) = (self.changed.version, self.changed.totals);
        self.adopt(manifest, None, None)?;
        self.changed.layers = layers;
        (self.changed.vertices, self.changed.version, self.changed.totals) = (vertices, version, totals);
        Ok(())
    }

    /// Makes one base of the base and all changes. Readers go on with the version that they have.
    ///
    /// # Errors
    /// [`GraphError::Write`]; [`GraphError::Interrupted`] where `stop` was set; the store is as it was then.
    pub fn compact(
        &mut self,
        stop: Option<&AtomicBool>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<CompactReport, GraphError> {
        let bytes = |folder: &Path| folder::bytes(folder).map_err(|error| GraphError::opening(folder, error));
        let bytes_before = bytes(&self.folder)?;
        let version = self.changed.version;
        let store = StoreFile::of_snapshot(self.snapshot()?, self.folder.display().to_string());
        if !store.is_changed() {
            return Ok(CompactReport { version, bytes_before, bytes_after: bytes_before, compacted: false });
        }
        let mut manifest = self.manifest.clone();
        let name = manifest.name("base");
        let path = folder::file(&self.folder, &name);
        compact::write(&store, &path, stop, progress)?;
        folder::mark(&path)?;
        let base = StoreFile::open_base(&path)?;
        let manifest = folder::begin(&self.folder, &base, &name, manifest.next, version)?;
        let log = Log::open(
            &folder::file(&self.folder, &manifest.log),
            folder::seed(&manifest, &manifest.log),
            |_| Ok(()),
        )?;
        self.adopt(manifest, Some(base), Some(log))?;
        Ok(CompactReport { version, bytes_before, bytes_after: bytes(&self.folder)?, compacted: true })
    }

    /// Goes over to a manifest whose files are all durable, and removes those that it does not name.
    fn adopt(
        &mut self,
        manifest: Manifest,
        base: Option<StoreFile>,
        log: Option<Log>,
    ) -> Result<(), GraphError> {
        let changed = Changed::open(&self.folder, &manifest, &base.as_ref().unwrap_or(&self.base).header)?;
        manifest.write(&self.folder)?;
        (self.manifest, self.changed) = (manifest, changed);
        if let Some(base) = base {
            self.base = base;
        }
        if let Some(log) = log {
            self.log = log;
        }
        folder::remove_others(&self.folder, &self.manifest)
            .map_err(|error| GraphError::write(&self.folder, error))
    }

    fn has_two_directions(&self) -> bool {
        self.base.header.directed && self.base.header.has_reverse()
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
        Graph::open_snapshot(self.snapshot()?, self.folder.display().to_string(), self.options.run.clone())
    }

    fn snapshot(&self) -> Result<Snapshot, GraphError> {
        let name = self.folder.display().to_string();
        let file = self.base.file.try_clone().map_err(|error| GraphError::read(&name, error))?;
        let pieces = folder::file(&self.folder, &self.manifest.pieces);
        let pieces = Pieces::read(&pieces, self.manifest.base_checksum)?;
        Snapshot::with(file, &name, self.base.header, pieces, &self.changed)
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
