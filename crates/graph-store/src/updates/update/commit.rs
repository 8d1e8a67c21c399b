//! From pending changes to a commit: at once where they fit in memory, else part by part.

use super::{GraphUpdate, Staged};
use crate::updates::compact::begun::Left;
use crate::updates::finder::Finder;
use crate::updates::held::Committed;
use crate::updates::lists::ReadLists;
use crate::updates::log::{Commit, Totals};
use crate::updates::pending::LOOKED_UP;
use crate::updates::resolve::{Batch, Loaded, Unmade};
use crate::updates::rows::Row;
use crate::updates::shares::Shares;
use crate::updates::snapshot::Changed;
use crate::{GraphError, Options};

/// What a commit did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct CommitReport {
    /// Changes since the store was imported, these among them.
    pub version: u64,
    /// Changes of this commit.
    pub changes: u64,
    /// Of these, removals and new weights of what is not there: they changed nothing.
    pub missing: u64,
    /// Edges that were not added because they are there already; 0 in a store that has parallel edges.
    pub duplicates_dropped: u64,
    /// Edges that were not added because they lead to where they come from; 0 in a store that has such edges.
    pub self_loops_dropped: u64,
    /// Vertices that there are now.
    pub vertices: u64,
    /// Edges that there are now; an undirected one counts once.
    pub edges: u64,
}

impl<L: ReadLists + Default> GraphUpdate<L> {
    /// Makes all that is pending durable, at once: a crash leaves all of it or nothing.
    ///
    /// # Errors
    /// Where nothing is committed, and what was pending is dropped: [`GraphError::Write`], a full disk above
    /// all; [`GraphError::TooManyVertices`]; what looking up gives.
    pub fn commit(&mut self) -> Result<CommitReport, GraphError> {
        self.rollback_on_error(|update| {
            let (commit, unmade) = update.resolve()?;
            let Staged { changes, unmade: before } = update.staged.unwrap_or_default();
            let changes = changes + update.pending.len() as u64;
            if update.staged.is_some() || changes > 0 && !update.fits(&commit) {
                update.begin_folder()?;
                update.add(commit);
                update.write_run()?;
                update.merge_full_levels()?;
                if update.changed.vertices.bytes() > update.shares().ids() {
                    update.renew_base()?;
                }
                update.publish()?;
            } else if changes > 0 {
                let weighted = update.is_weighted();
                update.log()?.append(&commit, weighted)?;
                update.add(commit);
            }
            update.pending.clear();
            update.staged = None;
            if update.held.install_folder()? {
                // Its files are elsewhere now.
                update.read_committed()?;
            }
            let Totals { vertices, .. } = update.changed.totals;
            let Unmade { missing, duplicates, self_loops } = before + unmade;
            Ok(CommitReport {
                version: update.version(),
                changes,
                missing,
                duplicates_dropped: duplicates,
                self_loops_dropped: self_loops,
                vertices,
                edges: update.edges(),
            })
        })
    }

    /// Adds a commit to what is in memory.
    fn add(&mut self, commit: Commit) {
        if let Some(finder) = &mut self.finder {
            finder.add(&commit.rows);
        }
        self.changed.add(commit, self.base.header.directed);
    }

    /// Edges that there are; an undirected one counts once.
    fn edges(&self) -> u64 {
        let Totals { entries, self_loops, .. } = self.changed.totals;
        if self.base.header.directed { entries } else { (entries + self_loops) / 2 }
    }

    /// Does something, and goes back to the last commit where it fails.
    pub(super) fn rollback_on_error<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        self.need_committed()?;
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
        // There is no room for both.
        self.is_unread = true;
        self.changed.forget();
        let Committed { manifest, base, changed, log, left } = self.held.committed()?;
        self.has_removed |= left == Left::Stale;
        (self.manifest, self.base, self.changed, self.log) = (manifest, base, changed, log);
        self.forget_base();
        self.is_unread = false;
        Ok(())
    }

    /// Reads again what could not be read when it had to be.
    pub(super) fn need_committed(&mut self) -> Result<(), GraphError> {
        if self.is_unread { self.read_committed() } else { Ok(()) }
    }

    /// Takes pending changes out of memory: into rows, and rows into a run that no reader sees yet.
    pub(super) fn stage(&mut self) -> Result<(), GraphError> {
        let (commit, unmade) = self.resolve()?;
        let Staged { changes, unmade: before } = self.staged.unwrap_or_default();
        let changes = changes + self.pending.len() as u64;
        self.begin_folder()?;
        self.add(commit);
        self.pending.clear();
        self.staged = Some(Staged { changes, unmade: before + unmade });
        if self.changed.loose_bytes() > self.shares().rows() {
            self.write_run()?;
            // Each run takes memory of whoever reads the store.
            self.merge_full_levels()?;
        }
        if self.changed.vertices.bytes() > self.shares().ids() {
            self.renew_base()?;
        }
        Ok(())
    }

    pub(super) fn shares(&self) -> Shares {
        Shares::of(self.options.run.memory)
    }

    /// Whether a commit's rows and ids may stay in memory together with those that are there.
    fn fits(&self, commit: &Commit) -> bool {
        let both_ends = if self.base.header.directed { 1 } else { 2 };
        let rows = (both_ends * size_of_val(&commit.rows[..])) as u64;
        self.changed.loose_bytes() + rows <= self.shares().rows()
            && self.changed.vertices.bytes() + Changed::most_id_bytes(commit) <= self.shares().ids()
    }

    /// Commits what is pending: nobody else may make it durable, not even a part that waits in runs.
    pub(super) fn commit_pending(&mut self) -> Result<(), GraphError> {
        if self.pending() > 0 {
            self.commit()?;
        }
        Ok(())
    }

    /// What pending changes come to, and how many of them come to nothing. Where the edges that some of them
    /// look up take too much memory at once, those before them are staged.
    fn resolve(&mut self) -> Result<(Commit, Unmade), GraphError> {
        let (batch, loaded) = loop {
            let index = self.shares().index();
            let batch = Batch::new(&self.base, &mut self.index, &self.changed, &self.pending, index)?;
            if !batch.needs_lists() {
                break (batch, Loaded::default());
            }
            match self.load(&batch)? {
                Ok(loaded) => break (batch, loaded),
                Err(edges) if self.pending.len() == 1 => {
                    let what = format!("deleting the {edges} edges of a vertex");
                    let needed = Shares::cap_for_alone(edges * LOOKED_UP as u64);
                    return Err(GraphError::Memory { what, given: self.options.run.memory, needed });
                }
                Err(_) => {
                    drop(batch);
                    let later = self.pending.split_off_half();
                    self.stage()?;
                    self.pending = later;
                }
            }
        };
        let (commit, unmade, first_missing) = batch.apply(loaded, self.options.one);
        if let Some(first) = first_missing.filter(|_| self.options.strict) {
            let (name, what) = (self.name.clone(), self.pending.words(first));
            return Err(GraphError::Missing { name, what, count: unmade.missing });
        }
        let version = self.changed.version + self.pending.len() as u64;
        Ok((Commit { version, ..commit }, unmade))
    }

    /// Reads what a batch changes, in the share of the memory that there is for it; only how many edges that
    /// is where they take too much.
    fn load(&mut self, batch: &Batch) -> Result<Result<Loaded, u64>, GraphError> {
        if let Some(keys) = batch.few_edges() {
            return self.find(&keys);
        }
        // It takes the same share of the memory.
        self.finder = None;
        let store = self.snapshot()?;
        // Changes are in memory anyway.
        let threads = self.options.run.threads.max(1) as u64;
        let changes = store.changes.as_ref().map_or(0, |changes| changes.bytes(threads));
        let memory = self.shares().lists() + changes;
        let is_alone = self.pending.len() == 1;
        let options = Options { memory, ..self.options.run.clone() };
        let loaded = batch.load(&self.lists, store, &self.name, &options, self.most_looked_up());
        if is_alone {
            // What it becomes may take the memory for lists too.
            self.lists.let_go();
        }
        loaded.map_err(|error| match error {
            GraphError::Memory { what, needed, .. } => {
                let needed = Shares::cap_for_lists(needed.saturating_sub(changes));
                GraphError::Memory { what, given: self.options.run.memory, needed }
            }
            error => error,
        })
    }

    /// The same for some edges.
    fn find(&mut self, keys: &[u64]) -> Result<Result<Loaded, u64>, GraphError> {
        self.lists.let_go();
        let mut finder = match self.finder.take() {
            Some(finder) => finder,
            None => {
                let path = self.held.base(&self.manifest);
                let rows = self.options.buffer / size_of::<Row>() as u64;
                Finder::new(&self.base, &path, self.pieces()?, self.shares().lists(), rows)?
            }
        };
        let copies = finder.find(&self.base, &self.changed, keys, self.stop())?;
        // After an error its reads are in no order.
        self.finder = Some(finder);
        let count = copies.values().map(|weights| weights.len() as u64).sum();
        Ok(if count > self.most_looked_up() { Err(count) } else { Ok(Loaded::of(copies)) })
    }

    /// Edges that may be looked up at a time.
    fn most_looked_up(&self) -> u64 {
        let is_alone = self.pending.len() == 1;
        let most = if is_alone { self.shares().alone() } else { self.shares().pending() };
        most / LOOKED_UP as u64
    }
}
