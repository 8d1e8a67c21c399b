//! Vertex state for which the cap has no room: columns, a value per vertex, in a file without a name. Ranges
//! of them are loaded and stored whole, past the page cache, with several requests in flight.

use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use leadline_graph_store::direct::{DirectFile, ReadQueue, WriteQueue};
use leadline_graph_store::format::ALIGNMENT;

use crate::GraphError;

/// Bytes of a buffer: with requests of this size a drive is as fast as it is with any.
const BUFFER_BYTES: usize = 128 << 10;

/// Buffers of reads, and as many of writes.
const BUFFERS: usize = 8;

/// Bytes of a read: [`ReadQueue`] has some more behind them.
const READ_BYTES: usize = BUFFER_BYTES - ALIGNMENT as usize;

/// Vertices by which ranges are cut: the columns of both widths are then cut where direct I/O permits.
pub(crate) const CUT: u64 = ALIGNMENT / 4;

/// A value that is kept in a column.
pub(crate) trait Stored: Send + Sync {
    /// Bytes of each; they divide [`ALIGNMENT`].
    const BYTES: usize;

    /// Writes it to the beginning of `bytes`.
    fn store(&self, bytes: &mut [u8]);

    /// Reads it from the beginning of `bytes`.
    fn load(bytes: &[u8]) -> Self;
}

macro_rules! stored {
    ($number:ty) => {
        impl Stored for $number {
            const BYTES: usize = size_of::<$number>();

            #[inline]
            fn store(&self, bytes: &mut [u8]) {
                bytes[..Self::BYTES].copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn load(bytes: &[u8]) -> $number {
                <$number>::from_le_bytes(bytes[..Self::BYTES].try_into().unwrap_or_default())
            }
        }
    };
}

stored!(u32);
stored!(u64);
stored!(f64);

/// A place in a [`StateFile`] for a value per vertex.
#[derive(Debug)]
pub(crate) struct StateColumn<T> {
    offset: u64,
    count: u64,
    values: PhantomData<T>,
}

impl<T> Clone for StateColumn<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for StateColumn<T> {}

impl<T> StateColumn<T> {
    /// Values.
    pub(crate) fn count(self) -> u64 {
        self.count
    }
}

/// A file of columns. It is gone when it is dropped, and when the process is killed.
#[derive(Debug)]
pub(crate) struct StateFile {
    file: Arc<DirectFile>,
    /// Bytes of all columns.
    bytes: u64,
    way: Mutex<Way>,
}

/// The way to the file. One thread at a time loads or stores.
#[derive(Debug, Default)]
struct Way {
    /// None before they are used, and after a failure, which may leave requests in them.
    queues: Option<(ReadQueue, WriteQueue)>,
    /// Bytes that columns have been given.
    given: u64,
    /// Bytes read and written so far.
    moved: u64,
}

impl StateFile {
    /// Bytes in memory.
    pub(crate) const BYTES: u64 = 2 * (BUFFERS * BUFFER_BYTES) as u64;

    /// Bytes of a column in the file.
    pub(crate) fn column_bytes<T: Stored>(count: u64) -> u64 {
        (count * T::BYTES as u64).next_multiple_of(ALIGNMENT)
    }

    /// A file for columns of that many bytes in all. What is never stored takes no room on the disk.
    ///
    /// # Errors
    /// [`GraphError::Path`] where no file can be made in the directory; [`GraphError::Device`].
    pub(crate) fn create(folder: &Path, bytes: u64) -> Result<StateFile, GraphError> {
        let failed = |error: std::io::Error| {
            let what =
                format!("no file can be made there for vertex state ({error}); name another directory");
            GraphError::path(folder, what)
        };
        let file = tempfile::tempfile_in(folder).map_err(failed)?;
        let file = DirectFile::sparse(&file, folder, bytes)?;
        Ok(StateFile { file, bytes, way: Mutex::default() })
    }

    /// As [`StateFile::create`], on a file that is there.
    #[cfg(test)]
    pub(crate) fn on(file: &std::fs::File, name: &Path, bytes: u64) -> Result<StateFile, GraphError> {
        Ok(StateFile { file: DirectFile::new(file, name)?, bytes, way: Mutex::default() })
    }

    /// A new column; its values are zeros until they are stored.
    ///
    /// # Panics
    /// Where the file was made for less.
    pub(crate) fn column<T: Stored>(&self, count: u64) -> StateColumn<T> {
        let mut way = self.way.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = way.given;
        way.given += StateFile::column_bytes::<T>(count);
        assert!(way.given <= self.bytes, "the file was made for less");
        StateColumn { offset, count, values: PhantomData }
    }

    /// Bytes read and written so far.
    pub(crate) fn moved(&self) -> u64 {
        self.way.lock().unwrap_or_else(PoisonError::into_inner).moved
    }

    /// Hands a range's values to `each`, with their places in the range.
    ///
    /// # Errors
    /// [`GraphError::Read`], [`GraphError::Device`].
    pub(crate) fn load<T: Stored>(
        &self,
        column: StateColumn<T>,
        range: Range<u64>,
        mut each: impl FnMut(usize, T),
    ) -> Result<(), GraphError> {
        debug_assert!(range.end <= column.count);
        let bytes = bytes_of(column, &range);
        let whole = bytes.start / ALIGNMENT * ALIGNMENT..bytes.end.next_multiple_of(ALIGNMENT);
        self.transfer(|reads, _| {
            pieces(&whole, READ_BYTES).try_for_each(|(offset, length)| reads.want(offset, length))?;
            let mut place = 0;
            for (offset, length) in pieces(&whole, READ_BYTES) {
                let from = bytes.start.max(offset);
                let to = bytes.end.min(offset + length as u64);
                reads.next(|buffer| {
                    let values =
                        buffer[(from - offset) as usize..(to - offset) as usize].chunks_exact(T::BYTES);
                    values.for_each(|value| {
                        each(place, T::load(value));
                        place += 1;
                    });
                })?;
            }
            Ok(whole.end - whole.start)
        })
    }

    /// Stores what `value` gives for the places of a range, which begins at a multiple of [`CUT`] and ends at
    /// one or with the column.
    ///
    /// # Errors
    /// [`GraphError::Write`], above all for a full disk; [`GraphError::Device`].
    pub(crate) fn store<T: Stored>(
        &self,
        column: StateColumn<T>,
        range: Range<u64>,
        value: impl Fn(usize) -> T,
    ) -> Result<(), GraphError> {
        debug_assert!(range.start.is_multiple_of(CUT) && range.end <= column.count);
        debug_assert!(range.end.is_multiple_of(CUT) || range.end == column.count);
        let bytes = bytes_of(column, &range);
        self.transfer(|_, writes| {
            let (mut place, mut written) = (0, 0);
            for (offset, length) in pieces(&bytes, BUFFER_BYTES) {
                for bytes in writes.buffer()?[..length].chunks_exact_mut(T::BYTES) {
                    value(place).store(bytes);
                    place += 1;
                }
                written += writes.write(length, offset)?;
            }
            writes.finish()?;
            Ok(written)
        })
    }

    /// Reads or writes, and counts the bytes.
    fn transfer(
        &self,
        work: impl FnOnce(&mut ReadQueue, &mut WriteQueue) -> Result<u64, GraphError>,
    ) -> Result<(), GraphError> {
        let mut way = self.way.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut reads, mut writes) = match way.queues.take() {
            Some(queues) => queues,
            None => (
                ReadQueue::new(&self.file, BUFFERS, READ_BYTES)?,
                WriteQueue::new(&self.file, BUFFERS, BUFFER_BYTES)?,
            ),
        };
        way.moved += work(&mut reads, &mut writes)?;
        way.queues = Some((reads, writes));
        Ok(())
    }
}

/// The requests of at most that many bytes, by offset and length, that make up a range.
fn pieces(range: &Range<u64>, most: usize) -> impl Iterator<Item = (u64, usize)> + use<> {
    let end = range.end;
    (range.start..end).step_by(most).map(move |offset| (offset, (end - offset).min(most as u64) as usize))
}

fn bytes_of<T: Stored>(column: StateColumn<T>, range: &Range<u64>) -> Range<u64> {
    let at = |place: u64| column.offset + place * T::BYTES as u64;
    at(range.start)..at(range.end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn loaded<T: Stored + Default + Clone>(
        file: &StateFile,
        column: StateColumn<T>,
        range: Range<u64>,
    ) -> Vec<T> {
        let mut values = vec![T::default(); (range.end - range.start) as usize];
        file.load(column, range, |place, value| values[place] = value).unwrap();
        values
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
        #[test]
        fn what_is_stored_by_ranges_is_loaded_from_any(
            count in 1u64..200_000, cuts in prop::collection::vec(0u64..200, 0..4), from in any::<u64>(), to in any::<u64>()
        ) {
            let folder = tempfile::tempdir().unwrap();
            let bytes = StateFile::column_bytes::<f64>(count) + StateFile::column_bytes::<u32>(count);
            let file = StateFile::create(folder.path(), bytes).unwrap();
            let (doubles, numbers) = (file.column::<f64>(count), file.column::<u32>(count));
            let cuts = cuts.iter().map(|cut| cut * CUT).filter(|cut| *cut < count);
            let mut ends: Vec<u64> = cuts.chain([count]).collect();
            ends.sort_unstable();
            let mut start = 0;
            for end in ends {
                file.store(doubles, start..end, |place| (start + place as u64) as f64 / 3.0).unwrap();
                file.store(numbers, start..end, |place| (start as u32 + place as u32).wrapping_mul(7)).unwrap();
                start = end;
            }
            let (from, to) = (from % (count + 1), to % (count + 1));
            let range = from.min(to)..from.max(to);
            prop_assert!(loaded(&file, doubles, range.clone()).into_iter().eq(range.clone().map(|at| at as f64 / 3.0)));
            prop_assert!(loaded(&file, numbers, range.clone()).into_iter().eq(range.map(|at| (at as u32).wrapping_mul(7))));
        }
    }

    #[test]
    fn what_was_never_stored_is_zero_and_leaves_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = StateFile::create(folder.path(), StateFile::column_bytes::<f64>(5)).unwrap();
        let column = file.column::<f64>(5);
        assert_eq!(loaded(&file, column, 0..5), [0.0; 5]);
        assert!(loaded(&file, column, 3..3).is_empty());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_takes_no_file_is_named() {
        let error = StateFile::create(Path::new("/proc/self"), 4096).unwrap_err();
        assert!(error.is_input() && error.to_string().starts_with("/proc/self: "), "{error}");
    }
}
