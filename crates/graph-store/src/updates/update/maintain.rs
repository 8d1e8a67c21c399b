//! What keeps a changed store small and quick to read: runs of its changes, merges of runs, and compaction.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::GraphUpdate;
use crate::inspect::StoreFile;
use crate::updates::begin;
use crate::updates::compact::begun::{self, Left, Notes};
use crate::updates::compact::{CompactReport, NewBase, Resumed};
use crate::updates::folder::{self, Manifest, RunEntry};
use crate::updates::lists::ReadLists;
use crate::updates::log::Log;
use crate::updates::owners::write_owners;
use crate::updates::rows;
use crate::updates::run::{self, Run, RunSide, RunWriter};
use crate::updates::snapshot::Changed;
use crate::{GraphError, Progress};

/// A base that has all changes, and what belongs to it.
struct Renewed {
    base: StoreFile,
    manifest: Manifest,
    log: Log,
}

impl<L: ReadLists + Default> GraphUpdate<L> {
    /// Writes changes to a sorted run if there are more than the buffer is to hold, merges runs where a level
    /// has as many as the fanout, and compacts the store if runs are more than half as large as its base.
    /// What is pending is committed first; what is committed is safe whether it succeeds or not.
    ///
    /// # Errors
    /// [`GraphError::Write`], a full disk above all; the store is as it was then.
    pub fn maintain(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), GraphError> {
        self.commit_pending()?;
        if self.held.is_file() {
            return Ok(());
        }
        if self.changed.loose_bytes() > self.options.buffer {
            self.flush()?;
        }
        self.rollback_on_error(|update| {
            if update.merge_full_levels()? {
                update.manifest.write(update.held.folder())?;
                // What stays where this fails is removed when the store is next opened to change it.
                let _ = folder::remove_others(update.held.folder(), &update.manifest, &[]);
            }
            Ok(())
        })?;
        let in_runs: u64 = self.manifest.runs.iter().map(|run| run.bytes).sum();
        let base = self.base.file.metadata().map_err(|error| GraphError::read(&self.base.name, error))?.len();
        if in_runs > base / 2 {
            let stop = self.options.run.stop.clone();
            self.compact(stop.as_deref(), progress)?;
        }
        Ok(())
    }

    /// Writes all changes that are in no run to a new one. What is pending is committed first.
    ///
    /// # Errors
    /// As [`GraphUpdate::maintain`].
    pub fn flush(&mut self) -> Result<(), GraphError> {
        self.commit_pending()?;
        if self.held.is_file() {
            return Ok(());
        }
        self.rollback_on_error(|update| {
            update.write_run()?;
            update.publish()
        })
    }

    /// Moves rows from memory to a new run of the manifest in memory.
    pub(super) fn write_run(&mut self) -> Result<(), GraphError> {
        let (mut rows, mut starts) = (Vec::with_capacity(self.changed.loose()), Vec::new());
        for layer in self.changed.layers.drain(..) {
            starts.push(rows.len());
            rows.extend_from_slice(&layer);
        }
        if let Some(finder) = &mut self.finder {
            finder.forget_rows();
        }
        rows::compose(&mut rows, &starts);
        if rows.is_empty() {
            return Ok(());
        }
        let file = self.manifest.name("run");
        let path = folder::file(self.held.folder(), &file);
        let seed = folder::seed(&self.manifest, &file);
        let mut writer = RunWriter::create(&path, seed, self.is_weighted(), self.options.writes)?;
        rows.iter().try_for_each(|row| writer.push(*row))?;
        if self.has_two_directions() {
            writer.start_reverse()?;
            rows.par_iter_mut().for_each(|row| *row = row.turned());
            rows::sort(&mut rows);
            rows.iter().try_for_each(|row| writer.push(*row))?;
        }
        let bytes = writer.finish()?;
        self.manifest.runs.push(RunEntry { file, version: self.changed.version, level: 0, bytes });
        self.changed.runs.push(Arc::new(Run::open(&path, seed)?));
        self.changed.run_versions.push(self.changed.version);
        Ok(())
    }

    /// Makes the manifest in memory that of the directory, with an empty log: all changes are in runs.
    pub(super) fn publish(&mut self) -> Result<(), GraphError> {
        let mut manifest = self.manifest.clone();
        manifest.owners = match self.changed.vertices.each().next() {
            Some(_) => {
                let name = manifest.name("owners");
                let path = folder::file(self.held.folder(), &name);
                write_owners(&path, folder::seed(&manifest, &name), &self.changed.vertices)?;
                Some(name)
            }
            None => None,
        };
        (manifest.version, manifest.totals) = (self.changed.version, self.changed.totals);
        manifest.history = self.changed.history;
        manifest.log = manifest.name("log");
        let path = folder::file(self.held.folder(), &manifest.log);
        let log = Log::create(&path, folder::seed(&manifest, &manifest.log))?;
        assert!(self.changed.layers.is_empty(), "all rows are in runs");
        self.install_manifest(manifest, log)
    }

    /// Merges runs, in the manifest in memory, until no level has as many as the fanout; whether there were
    /// any.
    pub(super) fn merge_full_levels(&mut self) -> Result<bool, GraphError> {
        let mut merged = false;
        while let Some(runs) = self.full_level() {
            self.merge(runs)?;
            merged = true;
        }
        Ok(merged)
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

    /// Makes one run of some that follow one another, in the manifest in memory.
    fn merge(&mut self, places: Range<usize>) -> Result<(), GraphError> {
        let file = self.manifest.name("run");
        let path = folder::file(self.held.folder(), &file);
        let seed = folder::seed(&self.manifest, &file);
        let mut writer = RunWriter::create(&path, seed, self.is_weighted(), self.options.writes)?;
        let runs = &self.changed.runs[places.clone()];
        let sides: Vec<&RunSide> = runs.iter().map(|run| &*run.forward).collect();
        run::merge(&sides, |row| writer.push(row))?;
        if self.has_two_directions() {
            writer.start_reverse()?;
            let sides: Vec<&RunSide> = runs.iter().filter_map(|run| run.reverse.as_deref()).collect();
            run::merge(&sides, |row| writer.push(row))?;
        }
        let bytes = writer.finish()?;
        let level = self.manifest.runs[places.start].level + 1;
        let version = self.manifest.runs[places.end - 1].version;
        self.manifest.runs.splice(places.clone(), [RunEntry { file, version, level, bytes }]);
        self.changed.runs.splice(places.clone(), [Arc::new(Run::open(&path, seed)?)]);
        self.changed.run_versions.splice(places, [version]);
        Ok(())
    }

    /// Makes one base of the base and all changes, or goes on where that was interrupted before. What is
    /// pending is committed first. Readers go on with the version that they have.
    ///
    /// # Errors
    /// [`GraphError::Write`]; [`GraphError::Interrupted`] where `stop` was set; the store is as it was then.
    pub fn compact(
        &mut self,
        stop: Option<&AtomicBool>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<CompactReport, GraphError> {
        self.commit_pending()?;
        self.need_committed()?;
        self.lists.let_go();
        let version = self.changed.version;
        if self.held.is_file() {
            let bytes = self.space()?.base_bytes;
            return Ok(CompactReport::of_nothing(version, bytes));
        }
        let bytes_before = self.space()?.total();
        let store = StoreFile::of_snapshot(self.snapshot()?, self.name.clone());
        if !store.is_changed() {
            return Ok(CompactReport::of_nothing(version, bytes_before));
        }
        self.forget_base();
        let notes = Notes {
            place: self.held.folder(),
            manifest: &self.manifest,
            version,
            every: self.options.note_every,
        };
        let (renewed, resumed) = self.renewed(&store, Some(notes), stop, progress)?;
        drop(store);
        // Where it fails at its last step, the folder is at the new version already.
        self.rollback_on_error(|update| {
            let (manifest, log) = update.go_over_to(renewed)?;
            update.install_manifest(manifest, log)
        })?;
        let bytes_after = self.space()?.total();
        let restarted = std::mem::take(&mut self.has_removed) || resumed == Resumed::Damaged;
        let resumed_bytes = if let Resumed::After(bytes) = resumed { bytes } else { 0 };
        Ok(CompactReport { version, bytes_before, bytes_after, compacted: true, resumed_bytes, restarted })
    }

    /// Ends a compaction that was interrupted, if the store has not changed since; what it did, if there was
    /// one.
    ///
    /// # Errors
    /// As [`GraphUpdate::compact`].
    pub fn resume_compaction(
        &mut self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<CompactReport>, GraphError> {
        let (manifest, version) = (&self.manifest, self.changed.version);
        if self.pending() > 0
            || self.held.is_file()
            || !matches!(Left::find(self.held.folder(), manifest, version), Left::Begun(_))
        {
            return Ok(None);
        }
        let stop = self.options.run.stop.clone();
        self.compact(stop.as_deref(), progress).map(Some)
    }

    /// Goes over, in memory, to a base that has all changes, those among them that the next commit is to
    /// show: where ids that were added or removed take more memory than they may. In a base they take none.
    pub(super) fn renew_base(&mut self) -> Result<(), GraphError> {
        self.begin_folder()?;
        self.forget_base();
        let store = StoreFile::of_snapshot(self.snapshot()?, self.name.clone());
        let stop = self.options.run.stop.clone();
        let (renewed, _) = self.renewed(&store, None, stop.as_deref(), &mut |_| {})?;
        drop(store);
        let (manifest, log) = self.go_over_to(renewed)?;
        (self.manifest, self.log) = (manifest, Some(log));
        Ok(())
    }

    /// Writes a base that has all changes, and what belongs to one that has none since; and says whether an
    /// earlier compaction had written a part of it. Where an interruption is noted, what is written is kept.
    fn renewed(
        &self,
        store: &StoreFile,
        notes: Option<Notes<'_>>,
        stop: Option<&AtomicBool>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Renewed, Resumed), GraphError> {
        let mut manifest = self.manifest.clone();
        let name = manifest.name("base");
        let place = self.held.folder();
        let path = folder::file(place, &name);
        let base = folder::file(place, &self.manifest.base);
        let is_noted = notes.is_some();
        let new = NewBase { store, base: &base, path: &path, notes, options: &self.options.run, stop };
        let written = new.write(progress);
        if matches!(&written, Err(error) if !is_noted || !matches!(error, GraphError::Interrupted)) {
            // Where the disk is full, it may be what fills it.
            let _ = begun::forget(place).and_then(|()| folder::remove(&path));
        }
        let resumed = written?;
        let base = StoreFile::open_base(&path)?;
        let (version, history) = (self.changed.version, self.changed.history);
        let manifest = Manifest::without_changes(name, &base.header, manifest.next, version, history);
        let log = begin::begin(self.held.folder(), &base, &manifest)?;
        Ok((Renewed { base, manifest, log }, resumed))
    }

    /// Works on a new base from now on; its manifest and log are the caller's to go over to.
    fn go_over_to(&mut self, renewed: Renewed) -> Result<(Manifest, Log), GraphError> {
        let Renewed { base, manifest, log } = renewed;
        self.changed = Changed::open(self.held.folder(), &manifest, &base.header)?;
        self.base = base;
        self.forget_base();
        Ok((manifest, log))
    }

    /// Goes over to a manifest whose files are all durable, and removes those that it does not name.
    fn install_manifest(&mut self, manifest: Manifest, log: Log) -> Result<(), GraphError> {
        manifest.write(self.held.folder())?;
        (self.manifest, self.log) = (manifest, Some(log));
        // What stays where this fails is removed when the store is next opened to change it.
        let _ = folder::remove_others(self.held.folder(), &self.manifest, &[]);
        Ok(())
    }

    fn has_two_directions(&self) -> bool {
        self.base.header.directed && self.base.header.has_reverse()
    }
}
