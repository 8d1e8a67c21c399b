//! The write-ahead log: records in the order in which they were appended, in files of fixed size.
//!
//! - `record`: what a record is; its checksums
//! - `buffer`, `group_commit`: records in memory, and who writes them
//! - `folder`, `file`, `files`: where they are written to
//! - `replay`: reads them after a crash

mod buffer;
mod error;
mod file;
mod files;
mod folder;
mod group_commit;
mod record;
mod replay;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use self::buffer::Batch;
use self::files::Files;
use self::folder::{Directory, Folder};
use self::group_commit::{GroupCommit, Target};
use self::record::Payload;

pub(crate) use self::error::{LogError, is_no_room};
pub(crate) use self::files::SPARE;
pub(crate) use self::replay::Replayed;

/// What `group_commit` waits with.
mod primitives {
    use std::sync::PoisonError;
    pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
    use std::time::Duration;

    /// Also whether the time was over.
    pub(super) fn wait_at_most<'a, T>(
        condition: &Condvar,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> (MutexGuard<'a, T>, bool) {
        let (guard, result) = condition.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner);
        (guard, result.timed_out())
    }
}

/// A position in the log: bytes of all records ever appended before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lsn(pub(crate) u64);

/// When a change is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// When the call that made it returns. Threads that commit at the same time share a sync.
    EveryCommit,
    /// At most this much later.
    Every(Duration),
    /// After a checkpoint, or when the index is closed.
    Never,
}

/// How a log is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LogOptions {
    pub(crate) durability: Durability,
    /// Bytes of a file.
    pub(crate) file_bytes: u64,
    /// Bytes of records in memory; when there are more, they are handed to the operating system.
    pub(crate) buffer_bytes: u64,
    /// Whether it is replayed and nothing else: nothing is written.
    pub(crate) read_only: bool,
}

impl Default for LogOptions {
    fn default() -> Self {
        LogOptions {
            durability: Durability::EveryCommit,
            file_bytes: 64 << 20,
            buffer_bytes: 4 << 20,
            read_only: false,
        }
    }
}

/// A log, shared by threads.
#[derive(Debug)]
pub(crate) struct Log {
    shared: Arc<Shared>,
    options: LogOptions,
    from: Lsn,
    /// Syncs at intervals.
    ticker: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    group: GroupCommit,
    files: Mutex<Files>,
    /// Records could not be written, because the disk was full. Relaxed: who sees it too late is refused a
    /// moment later.
    is_full: AtomicBool,
    session: u64,
    closing: Mutex<bool>,
    closed: Condvar,
}

impl Log {
    /// Opens the log in `dir`, or makes it. `from` is the first position that is still needed: one that
    /// `flush` returned, or 0. [`Log::replay`] must follow before anything is appended.
    pub(crate) fn open(dir: &Path, from: Lsn, options: LogOptions) -> Result<Log, LogError> {
        let folder = match options.read_only {
            true => Directory::read_only(dir),
            false => Directory::new(dir).map_err(LogError::io("making the directory", dir))?,
        };
        Log::open_in(Box::new(folder), from, options)
    }

    fn open_in(folder: Box<dyn Folder>, from: Lsn, options: LogOptions) -> Result<Log, LogError> {
        let files = Files::open(folder, options.file_bytes)?;
        Ok(Log { shared: Arc::new(Shared::new(files, from)), options, from, ticker: None })
    }

    /// Calls `apply` with each whole record from the first position needed on, in order: its payload, and the
    /// position behind it, which `append` returned. Parts of records that a crash left behind the last one
    /// are left out, and will never be seen.
    ///
    /// # Errors
    /// A record that was durable is damaged or missing; `apply` failed.
    pub(crate) fn replay<E: From<LogError>>(
        &mut self,
        apply: impl FnMut(Lsn, &[u8]) -> Result<(), E>,
    ) -> Result<Replayed, E> {
        let mut files = self.shared.files();
        if !self.options.read_only {
            // A process that was killed may not have done so.
            files.sync_names()?;
        }
        let replayed = replay::replay(files.all(), files.folder().path(), self.from, apply)?;
        if !self.options.read_only {
            files.cut(replayed.end)?;
            if replayed.durable < replayed.end {
                files.rewrite(replayed.durable, replayed.end)?;
            }
        }
        drop(files);
        self.start(replayed.end);
        Ok(replayed)
    }

    /// Goes on at `end`.
    fn start(&mut self, end: Lsn) {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.group = GroupCommit::new(end);
        }
        if let Durability::Every(interval) = self.options.durability {
            let shared = Arc::clone(&self.shared);
            self.ticker = Some(std::thread::spawn(move || shared.tick(interval)));
        }
    }

    /// Appends a record to the buffer in memory, and returns the position behind it.
    ///
    /// # Errors
    /// The record is too large; the log has stopped; [`LogError::Full`]: the record is in the buffer.
    pub(crate) fn append(&self, parts: &[&[u8]]) -> Result<Lsn, LogError> {
        let payload = Payload::new(parts)?;
        let (end, unwritten) = self.shared.group.append(self.shared.session, &payload)?;
        if unwritten > self.options.buffer_bytes {
            self.shared.reach(Target::Written(end))?;
        }
        Ok(end)
    }

    /// Makes sure that there is room for a record, as far as is known.
    ///
    /// # Errors
    /// [`LogError::Full`]: earlier records still cannot be written.
    #[inline]
    pub(crate) fn check_room(&self) -> Result<(), LogError> {
        match self.shared.is_full.load(Ordering::Relaxed) {
            true => self.shared.reach(Target::Written(self.end())),
            false => Ok(()),
        }
    }

    /// Waits until everything before `lsn` is as durable as [`Durability`] says.
    ///
    /// # Errors
    /// The log has stopped, now or earlier: the record may or may not be found after a crash.
    pub(crate) fn commit(&self, lsn: Lsn) -> Result<(), LogError> {
        match self.options.durability {
            Durability::EveryCommit => self.shared.reach(Target::Durable(lsn)),
            Durability::Every(_) | Durability::Never => self.shared.group.check(),
        }
    }

    /// Makes durable all that was appended, and returns where that ends.
    ///
    /// # Errors
    /// The log has stopped.
    pub(crate) fn flush(&self) -> Result<Lsn, LogError> {
        self.shared.flush()
    }

    /// Bytes written since the log was opened: records, what is left of their blocks, zeros behind them.
    pub(crate) fn written(&self) -> u64 {
        self.shared.files().written()
    }

    /// The position behind the last record.
    pub(crate) fn end(&self) -> Lsn {
        self.shared.group.end()
    }

    /// Everything before `lsn` is no longer needed.
    ///
    /// # Errors
    /// A file cannot be renamed or removed.
    pub(crate) fn release_before(&self, lsn: Lsn) -> Result<(), LogError> {
        self.shared.files().release(lsn)
    }
}

impl Drop for Log {
    /// Makes durable what was appended. Who wants to know whether that worked calls [`Log::flush`].
    fn drop(&mut self) {
        *self.shared.closing() = true;
        self.shared.closed.notify_all();
        if let Some(ticker) = self.ticker.take() {
            let _ = ticker.join();
        }
        let _ = self.shared.flush();
    }
}

impl Shared {
    fn new(files: Files, from: Lsn) -> Shared {
        Shared {
            group: GroupCommit::new(from),
            session: files.session(),
            files: Mutex::new(files),
            is_full: AtomicBool::new(false),
            closing: Mutex::new(false),
            closed: Condvar::new(),
        }
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn closing(&self) -> MutexGuard<'_, bool> {
        self.closing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reach(&self, target: Target) -> Result<(), LogError> {
        self.group.reach(target, |batch, sync| self.write(batch, sync))
    }

    fn write(&self, batch: &Batch, sync: bool) -> Result<(), LogError> {
        let mut files = self.files();
        let written = files.write(batch.blocks(), batch.start());
        let is_full = written.as_ref().is_err_and(LogError::is_full);
        if is_full != self.is_full.load(Ordering::Relaxed) {
            self.is_full.store(is_full, Ordering::Relaxed);
        }
        written?;
        if sync { files.sync() } else { Ok(()) }
    }

    fn flush(&self) -> Result<Lsn, LogError> {
        let end = self.group.end();
        self.reach(Target::Durable(end))?;
        Ok(end)
    }

    /// Syncs every `interval`, until the log is closed.
    fn tick(&self, interval: Duration) {
        let mut closing = self.closing();
        while !*closing {
            let waited = self.closed.wait_timeout(closing, interval).unwrap_or_else(PoisonError::into_inner);
            drop(waited.0);
            // The next caller hears of an error.
            if self.flush().is_err_and(|error| !error.is_full()) {
                return;
            }
            closing = self.closing();
        }
    }
}
