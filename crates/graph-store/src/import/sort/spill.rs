//! Files without a name for what does not fit in memory: a process that is killed leaves none.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::GraphError;
use crate::direct::{DirectFile, ReadQueue, WriteQueue};
use crate::import::plan::{ImportPlan, READ_PIECE};

/// A nameless file that several threads write, and then read.
#[derive(Debug)]
pub(crate) struct Spill {
    file: Arc<DirectFile>,
    end: AtomicU64,
    written: AtomicU64,
    /// Reads that were put back.
    idle: Mutex<Vec<ReadQueue>>,
}

impl Spill {
    pub(crate) fn new(folder: &Path) -> Result<Spill, GraphError> {
        let file = tempfile::tempfile_in(folder).map_err(|error| GraphError::write(folder, error))?;
        let file = DirectFile::new(&file, folder)?;
        Ok(Spill { file, end: AtomicU64::new(0), written: AtomicU64::new(0), idle: Mutex::default() })
    }

    /// A place for that many bytes.
    pub(crate) fn reserve(&self, bytes: u64) -> u64 {
        self.end.fetch_add(bytes, Ordering::Relaxed)
    }

    /// Bytes written.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Buffers of at least that many bytes, to be written with [`Spill::write`].
    pub(crate) fn writes(&self, depth: usize, bytes: usize) -> Result<WriteQueue, GraphError> {
        WriteQueue::new(&self.file, depth, bytes)
    }

    /// Writes the first bytes of the queue's buffer.
    pub(crate) fn write(&self, queue: &mut WriteQueue, bytes: usize, at: u64) -> Result<(), GraphError> {
        let written = queue.write(bytes, at)?;
        self.written.fetch_add(written, Ordering::Relaxed);
        Ok(())
    }

    /// Reads for a thread, of at most [`READ_PIECE`] bytes each.
    pub(crate) fn reads(&self, plan: &ImportPlan) -> Result<ReadQueue, GraphError> {
        match self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            Some(reads) => Ok(reads),
            None => ReadQueue::new(&self.file, plan.read_depth(), READ_PIECE),
        }
    }

    /// Keeps reads, all of which were taken, for whoever wants some next: to make their buffers takes longer
    /// than to read a small bucket.
    pub(crate) fn put_back(&self, reads: ReadQueue) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reads);
    }

    /// Frees what was put back.
    pub(crate) fn free_idle(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
