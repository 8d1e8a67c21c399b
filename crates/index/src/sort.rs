//! Entries in any order, brought into the order of their keys: in memory as far as that goes, otherwise in
//! sorted runs in temporary files, which are merged.

mod block;
mod merge;
mod run;

use std::path::Path;
use std::sync::Arc;

use block::Block;
use merge::merge;
use run::{CHUNK_BYTES, Run};

use crate::error::IndexError;

/// Chunks that fit in memory at least.
const LEAST_CHUNKS: usize = 4;

/// Sorts entries. Of several with the same key the last one counts.
pub(crate) struct Sorter {
    /// Where temporary files go. They have no names there, so that a crash leaves none.
    folder: Arc<Path>,
    most_bytes: usize,
    block: Block,
    /// From the oldest to the newest.
    runs: Vec<Run>,
}

impl Sorter {
    /// Sorts in about `most_bytes` bytes of memory, at least in a mebibyte.
    pub(crate) fn new(folder: &Path, most_bytes: usize) -> Sorter {
        let most_bytes = most_bytes.max(LEAST_CHUNKS * CHUNK_BYTES);
        Sorter { folder: folder.into(), most_bytes, block: Block::new(most_bytes), runs: Vec::new() }
    }

    pub(crate) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<(), IndexError> {
        if !self.block.has_room(key, value) {
            self.end_run()?;
            self.block = Block::new(self.most_bytes);
        }
        self.block.add(key, value);
        Ok(())
    }

    /// Calls `visit` with the entries in the order of their keys.
    pub(crate) fn finish(
        mut self,
        visit: impl FnMut(&[u8], &[u8]) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        if self.runs.is_empty() {
            return self.block.sorted(visit);
        }
        self.end_run()?;
        merge(self.runs, visit)
    }

    /// Writes what is in memory to a run of its own. The memory is free then: merging takes as much.
    fn end_run(&mut self) -> Result<(), IndexError> {
        let block = std::mem::take(&mut self.block);
        let run = Run::write(&self.folder, |run| block.sorted(|key, value| run.add(key, value)))?;
        self.runs.push(run);
        // A chunk of each is in memory when they are merged.
        if self.runs.len() >= self.most_bytes / CHUNK_BYTES {
            let runs = std::mem::take(&mut self.runs);
            let merged = Run::write(&self.folder, |run| merge(runs, |key, value| run.add(key, value)))?;
            self.runs.push(merged);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
