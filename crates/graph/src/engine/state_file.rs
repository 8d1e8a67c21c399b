//! Vertex state for which the cap has no room: columns, a value per vertex, in a file without a name. Ranges
//! of them are loaded and stored whole, past the page cache, with several requests in flight.

use std::fs::File;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use leadline_device::{
    Completion, Device, FileDevice, FileOptions, IoEngine, NEVER, Op, QueuePair, QueueShape, Request,
};

use crate::GraphError;
use crate::format::ALIGNMENT;

/// Bytes of a request: at this size a drive is as fast as it is at any.
const REQUEST_BYTES: u32 = 128 << 10;

/// Requests in flight.
const DEPTH: u32 = 16;

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
pub(crate) struct StateFile {
    folder: PathBuf,
    pair: Mutex<Pair>,
}

/// The way to the file. One thread at a time loads or stores.
struct Pair {
    device: FileDevice,
    queue: Box<dyn QueuePair>,
    /// Bytes that columns have been given.
    given: u64,
    /// Of each slot: where its request begins, and how long it is.
    requests: Vec<(u64, u32)>,
    done: Vec<Completion>,
    /// Bytes read and written so far.
    moved: u64,
}

impl std::fmt::Debug for StateFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StateFile").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl StateFile {
    /// Bytes in memory.
    pub(crate) const BYTES: u64 = DEPTH as u64 * REQUEST_BYTES as u64;

    /// Bytes of a column in the file.
    pub(crate) fn column_bytes<T: Stored>(count: u64) -> u64 {
        (count * T::BYTES as u64).next_multiple_of(ALIGNMENT)
    }

    /// A file for columns of so many bytes in all. What is never stored takes no room on the disk.
    ///
    /// # Errors
    /// [`GraphError::Path`] where no file can be made in the folder; [`GraphError::Device`].
    pub(crate) fn create(folder: &Path, bytes: u64) -> Result<StateFile, GraphError> {
        let failed = |error: std::io::Error| {
            let what = format!("no file can be made there for vertex state ({error}); name another folder");
            GraphError::path(folder, what)
        };
        let file = tempfile::tempfile_in(folder).map_err(failed)?;
        file.set_len(bytes).map_err(|error| GraphError::write(folder, error))?;
        StateFile::on(&file, folder, bytes)
    }

    /// As [`StateFile::create`], on a file that is there and has so many bytes.
    pub(crate) fn on(file: &File, folder: &Path, bytes: u64) -> Result<StateFile, GraphError> {
        let name = folder.display().to_string();
        let device = open(file, bytes).map_err(|error| GraphError::device(&name, error))?;
        // Loaded by whichever thread wants it.
        let queue = device.shared_queue_pair(QueueShape::new(DEPTH, REQUEST_BYTES));
        let queue = queue.map_err(|error| GraphError::device(&name, error))?;
        let requests = vec![(0, 0); DEPTH as usize];
        let pair = Pair { device, queue, given: 0, requests, done: Vec::new(), moved: 0 };
        Ok(StateFile { folder: folder.to_owned(), pair: Mutex::new(pair) })
    }

    /// A new column; its values are zeros until they are stored.
    ///
    /// # Panics
    /// Where the file was made for less.
    pub(crate) fn column<T: Stored>(&self, count: u64) -> StateColumn<T> {
        let mut pair = self.pair.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = pair.given;
        pair.given += StateFile::column_bytes::<T>(count);
        assert!(pair.given <= pair.device.geometry().capacity_bytes, "the file was made for less");
        StateColumn { offset, count, values: PhantomData }
    }

    /// Bytes read and written so far.
    pub(crate) fn moved(&self) -> u64 {
        self.pair.lock().unwrap_or_else(PoisonError::into_inner).moved
    }

    /// Hands a range's values to `each`, with their places in the range, in no order.
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
        self.transfer(Op::Read, whole, |offset, buffer| {
            let from = bytes.start.max(offset);
            let to = bytes.end.min(offset + buffer.len() as u64);
            let first = ((from - bytes.start) / T::BYTES as u64) as usize;
            let values = buffer[(from - offset) as usize..(to - offset) as usize].chunks_exact(T::BYTES);
            values.enumerate().for_each(|(place, value)| each(first + place, T::load(value)));
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
        let whole = bytes.start..bytes.end.next_multiple_of(ALIGNMENT);
        self.transfer(Op::Write, whole, |offset, buffer| {
            let first = ((offset - bytes.start) / T::BYTES as u64) as usize;
            let last = (range.end - range.start) as usize;
            for (place, bytes) in (first..last).zip(buffer.chunks_exact_mut(T::BYTES)) {
                value(place).store(bytes);
            }
        })
    }

    /// Moves a range of bytes; `with` fills a request's bytes before they are written, and is given them once
    /// they were read.
    fn transfer(
        &self,
        op: Op,
        range: Range<u64>,
        mut with: impl FnMut(u64, &mut [u8]),
    ) -> Result<(), GraphError> {
        let mut pair = self.pair.lock().unwrap_or_else(PoisonError::into_inner);
        let result = pair.transfer(op, range, &mut with);
        if result.is_err() {
            // What is in flight is awaited: its buffers are the kernel's until then.
            let Pair { queue, done, .. } = &mut *pair;
            while queue.in_flight() > 0 && queue.reap(1, NEVER, done).is_ok() {}
            done.clear();
        }
        result.map_err(|error| match error {
            Failed::Device(error) => GraphError::device(&self.folder.display().to_string(), error),
            Failed::Io(error) if op == Op::Write => GraphError::write(&self.folder, error),
            Failed::Io(error) => {
                GraphError::read(&format!("temporary file in {}", self.folder.display()), error)
            }
        })
    }
}

/// Past the page cache, where the file system permits that.
fn open(file: &File, bytes: u64) -> Result<FileDevice, leadline_device::DeviceError> {
    let (engine, _) = IoEngine::best();
    let options = FileOptions::new(engine, ALIGNMENT as u32);
    let copy =
        || file.try_clone().map_err(|error| leadline_device::DeviceError::io("a temporary file", error));
    FileDevice::new(copy()?, bytes, options)
        .or_else(|_| FileDevice::new(copy()?, bytes, options.direct(false)))
}

fn bytes_of<T: Stored>(column: StateColumn<T>, range: &Range<u64>) -> Range<u64> {
    let at = |place: u64| column.offset + place * T::BYTES as u64;
    at(range.start)..at(range.end)
}

/// Why a transfer failed.
enum Failed {
    Device(leadline_device::DeviceError),
    Io(std::io::Error),
}

impl Pair {
    fn transfer(
        &mut self,
        op: Op,
        range: Range<u64>,
        with: &mut impl FnMut(u64, &mut [u8]),
    ) -> Result<(), Failed> {
        let mut free: Vec<u32> = (0..DEPTH).collect();
        let mut next = range.start;
        while next < range.end || self.queue.in_flight() > 0 {
            while next < range.end
                && let Some(slot) = free.pop()
            {
                let len = (range.end - next).min(REQUEST_BYTES.into()) as u32;
                let request = match op {
                    Op::Write => {
                        with(next, &mut self.queue.buffer(slot)[..len as usize]);
                        Request::write(slot, next, len)
                    }
                    _ => Request::read(slot, next, len),
                };
                self.queue.submit(request).map_err(|error| Failed::Device(error.into()))?;
                self.requests[slot as usize] = (next, len);
                next += u64::from(len);
            }
            self.queue.reap(1, NEVER, &mut self.done).map_err(Failed::Device)?;
            while let Some(done) = self.done.pop() {
                let (offset, len) = self.requests[done.slot as usize];
                if done.result != len as i32 {
                    let short = || std::io::ErrorKind::WriteZero.into();
                    let error = match done.result {
                        ..0 => std::io::Error::from_raw_os_error(-done.result),
                        _ => short(),
                    };
                    return Err(Failed::Io(error));
                }
                self.moved += u64::from(len);
                if op == Op::Read {
                    with(offset, &mut self.queue.buffer(done.slot)[..len as usize]);
                }
                free.push(done.slot);
            }
        }
        Ok(())
    }
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
        let file = StateFile::create(folder.path(), StateFile::column_bytes::<u64>(5)).unwrap();
        let column = file.column::<u64>(5);
        assert_eq!(loaded(&file, column, 0..5), [0; 5]);
        assert!(loaded(&file, column, 3..3).is_empty());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_takes_no_file_is_named() {
        let error = StateFile::create(Path::new("/proc/self"), 4096).unwrap_err();
        assert!(error.is_input() && error.to_string().starts_with("/proc/self: "), "{error}");
    }
}
