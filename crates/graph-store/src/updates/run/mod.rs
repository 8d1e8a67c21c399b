//! A sorted run: rows in a file, in blocks with an index in front of which block begins with which key
//! (docs/graph-format.md).

mod code;
mod merge;
#[cfg(test)]
mod tests;
mod writer;

use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::fs::OFlags;

use self::code::decode;
use super::filter::Filter;
use super::rows::{self, Row};
use crate::GraphError;
use crate::format::{ALIGNMENT, checksum};

pub(crate) use self::merge::{Cursor, SortedRows, merge, merge_rows};
pub(crate) use self::writer::RunWriter;

const MAGIC: &[u8; 8] = b"LEADRUN1";

/// Bytes of a block.
const BLOCK: usize = 16 << 10;

/// Bytes in front of a block's rows: checksum, number of rows.
const BLOCK_HEAD: usize = 12;

/// Blocks that are read at a time.
const AHEAD: usize = 8;

/// Bytes that the largest row takes: two numbers and a weight.
const MOST_ROW: usize = 10 + 5 + 8;

/// Bytes of a write: some blocks.
const WRITE: usize = 4 * BLOCK;

/// An open run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) forward: Arc<RunSide>,
    /// Of a directed graph with reverse lists.
    pub(crate) reverse: Option<Arc<RunSide>>,
}

/// The rows of one direction.
#[derive(Debug)]
pub(crate) struct RunSide {
    file: Arc<File>,
    name: String,
    seed: u64,
    weighted: bool,
    /// Of the first block in the file, and its number there.
    offset: u64,
    base: u64,
    /// By block, its first key.
    firsts: Vec<u64>,
    /// Of all keys; made once as many were looked up as there are blocks.
    filter: OnceLock<Filter>,
    looked_up: AtomicU64,
}

/// The block of a run that a thread looked at last.
#[derive(Debug, Default)]
pub(crate) struct Window {
    rows: Vec<Row>,
    block: Option<usize>,
    /// Some blocks as they are in the file, from `from` on.
    raw: Vec<u8>,
    start: usize,
    from: usize,
    there: usize,
    /// Reads of the file.
    reads: u64,
    /// A key from which on no rows are asked for soon, if it is known.
    reach: Option<u64>,
}

impl Window {
    /// For another run.
    fn forget(&mut self) {
        (self.block, self.there) = (None, 0);
    }

    /// Reads of the file since this was asked last.
    pub(crate) fn take_reads(&mut self) -> u64 {
        std::mem::take(&mut self.reads)
    }

    /// Says that up to a key rows are asked for next: the file is read no further.
    pub(crate) fn expect(&mut self, reach: u64) {
        self.reach = Some(reach);
    }

    /// Bytes in memory, about.
    pub(crate) const BYTES: u64 = ((AHEAD + 1) * BLOCK + BLOCK * 16) as u64;
}

impl RunSide {
    /// Appends the rows of a range of keys.
    ///
    /// # Errors
    /// [`GraphError::Read`], [`GraphError::Damaged`].
    pub(crate) fn rows(
        &self,
        keys: Range<u64>,
        window: &mut Window,
        out: &mut Vec<Row>,
    ) -> Result<(), GraphError> {
        debug_assert!(keys.start <= keys.end && self.firsts.is_sorted());
        let mut block = self.first_block(keys.start);
        while self.firsts.get(block).is_some_and(|first| *first < keys.end) {
            self.load(block, window)?;
            out.extend_from_slice(rows::within(&window.rows, keys.clone()));
            block += 1;
        }
        Ok(())
    }

    /// Calls `each` with all rows of some keys, which ascend. Once many were looked up, the file is read for
    /// hardly any that no row has.
    ///
    /// # Errors
    /// As [`RunSide::rows`].
    pub(crate) fn each_of(
        &self,
        keys: &[u64],
        window: &mut Window,
        mut each: impl FnMut(Row),
    ) -> Result<(), GraphError> {
        let before = self.looked_up.fetch_add(keys.len() as u64, Ordering::Relaxed);
        // A pass over all blocks takes as much reading.
        let is_worth_it = before + keys.len() as u64 >= self.firsts.len() as u64;
        let filter = if is_worth_it { Some(self.filter()?) } else { None };
        window.forget();
        let mut rows = Vec::new();
        for key in keys.iter().filter(|key| filter.is_none_or(|filter| filter.may_have(**key))) {
            window.expect(key + 1);
            self.rows(*key..key + 1, window, &mut rows)?;
            rows.drain(..).for_each(&mut each);
        }
        Ok(())
    }

    /// Rows, about; more than there are if their keys lie far apart.
    fn expected_rows(&self) -> u64 {
        self.row_bytes() / 4
    }

    /// Bytes that the filter of its keys takes.
    pub(crate) fn filter_bytes(&self) -> u64 {
        Filter::bytes_for(self.expected_rows())
    }

    fn filter(&self) -> Result<&Filter, GraphError> {
        if self.filter.get().is_none() {
            let mut filter = Filter::new(self.expected_rows());
            let mut cursor = Cursor::new(self);
            while let Some(row) = cursor.peek()? {
                filter.insert(row.key);
                cursor.step();
            }
            // Another thread may have made the same.
            let _ = self.filter.set(filter);
        }
        self.filter.get().ok_or_else(|| unreachable!("it is set"))
    }

    /// The first block that may have rows of a key.
    fn first_block(&self, key: u64) -> usize {
        let mut block = self.firsts.partition_point(|first| *first <= key).saturating_sub(1);
        // Rows of one key may be in two blocks.
        while block > 0 && self.firsts[block] == key {
            block -= 1;
        }
        block
    }

    /// The first key of all; none where there are no rows.
    pub(crate) fn first(&self) -> Option<u64> {
        self.firsts.first().copied()
    }

    /// Bytes of all blocks.
    pub(crate) fn row_bytes(&self) -> u64 {
        (self.firsts.len() * BLOCK) as u64
    }

    pub(crate) fn index_bytes(&self) -> u64 {
        size_of_val(&self.firsts[..]) as u64
    }

    fn load(&self, block: usize, window: &mut Window) -> Result<(), GraphError> {
        if window.block == Some(block) {
            return Ok(());
        }
        window.block = None;
        if !(window.from..window.from + window.there).contains(&block) {
            self.read(block, window)?;
        }
        let at = window.start + (block - window.from) * BLOCK;
        let bytes = &window.raw[at..at + BLOCK];
        let number = self.base + block as u64;
        let damaged = |what: &str| {
            let place = self.offset + (block * BLOCK) as u64;
            GraphError::damaged(&self.name, format!("block {number}, at byte {place}, {what}"))
        };
        let (sum, rest) = bytes.split_at(8);
        if sum != checksum(rest, self.seed ^ number).to_le_bytes() {
            return Err(damaged("fails its checksum"));
        }
        window.rows.clear();
        decode(rest, self.weighted, &mut window.rows)
            .ok_or_else(|| damaged("has rows that no writer writes"))?;
        window.block = Some(block);
        Ok(())
    }

    /// Reads some blocks from one on.
    fn read(&self, block: usize, window: &mut Window) -> Result<(), GraphError> {
        let Window { raw, start, from, there, reads, reach, .. } = window;
        if raw.is_empty() {
            // Direct reads go to aligned places.
            raw.resize(AHEAD * BLOCK + ALIGNMENT as usize, 0);
            *start = raw.as_ptr().align_offset(ALIGNMENT as usize);
        }
        assert!(block < self.firsts.len(), "block {block} of {}", self.firsts.len());
        let behind = reach.map_or(self.firsts.len(), |reach| self.firsts.partition_point(|key| *key < reach));
        let count = behind.saturating_sub(block).clamp(1, AHEAD).min(self.firsts.len() - block);
        let bytes = &mut raw[*start..*start + count * BLOCK];
        *there = 0;
        *reads += 1;
        let read = self.file.read_exact_at(bytes, self.offset + (block * BLOCK) as u64);
        read.map_err(|error| GraphError::read(&self.name, error))?;
        (*from, *there) = (block, count);
        Ok(())
    }
}

impl Run {
    /// Opens a run, for reads past the page cache.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Path`] where it is gone.
    pub(crate) fn open(path: &Path, seed: u64) -> Result<Run, GraphError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
        let failed = |error| GraphError::read(&name, error);
        let length = file.metadata().map_err(failed)?.len();
        let mut head = [0; 48];
        file.read_exact_at(&mut head, 0).map_err(failed)?;
        let number = |at: usize| u64::from_le_bytes(*head[at..].first_chunk().unwrap_or(&[0; 8]));
        let damaged = |what: &str| GraphError::damaged(&name, what.into());
        if head[..8] != *MAGIC || number(40) != checksum(&head[..40], seed) {
            return Err(damaged("its first bytes are not the head of this store's run"));
        }
        let [weighted, sides, forward, reverse] = [8, 16, 24, 32].map(number);
        let bytes_of = |blocks: u64| blocks.checked_mul(BLOCK as u64 + 8)?.checked_add(ALIGNMENT + 8);
        let blocks = forward.checked_add(reverse).filter(|blocks| bytes_of(*blocks) == Some(length));
        let Some(blocks) = blocks else { return Err(damaged("it is not as long as it has blocks")) };
        let end = ALIGNMENT + blocks * BLOCK as u64;
        let mut index = vec![0; 8 * blocks as usize + 8];
        file.read_exact_at(&mut index, end).map_err(failed)?;
        let (firsts, sum) = index.split_at(8 * blocks as usize);
        if sum != checksum(firsts, seed).to_le_bytes() {
            return Err(damaged("its index fails its checksum"));
        }
        let firsts: Vec<u64> = firsts.as_chunks().0.iter().map(|raw| u64::from_le_bytes(*raw)).collect();
        let direct = OpenOptions::new().read(true).custom_flags(OFlags::DIRECT.bits() as i32).open(path);
        let file = Arc::new(direct.unwrap_or(file));
        let side = |base: u64, firsts: &[u64]| {
            Arc::new(RunSide {
                file: Arc::clone(&file),
                name: name.clone(),
                seed,
                weighted: weighted != 0,
                offset: ALIGNMENT + base * BLOCK as u64,
                base,
                firsts: firsts.to_vec(),
                filter: OnceLock::new(),
                looked_up: AtomicU64::new(0),
            })
        };
        let (of_forward, of_reverse) = firsts.split_at(forward as usize);
        let reverse = (sides == 2).then(|| side(forward, of_reverse));
        Ok(Run { forward: side(0, of_forward), reverse })
    }
}
