//! Times by replaying captures in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use leadline_sim::DeviceModel;
use leadline_tiers::{CacheOptions, CachedModel, PlacedModel};

use super::migrate::copy_ns;
use super::{FileSize, Query, Storage, StudyError, Times};
use crate::{Captured, PlacementError, Waits, replay, side_by_side};

/// Files are laid out in blocks of this many bytes.
const BLOCK_BYTES: u64 = 4096;

/// Captures, and the devices that they are replayed on.
pub struct Simulated {
    captures: Vec<Capture>,
    queries: Vec<Query>,
    files: Vec<FileSize>,
    fast: OsString,
    slow: OsString,
    block_bytes: u32,
    fast_capacity_bytes: u64,
}

/// A capture, ready to be replayed.
struct Capture {
    captured: Captured,
    waits: Waits,
    /// Where each file begins on the slow device, and where the last one ends.
    layout: (Vec<u64>, u64),
    /// The number of each of its files among all queries' files; `None` without requests.
    numbers: Vec<Option<usize>>,
}

impl Simulated {
    /// Of captures of queries, on a fast and a slow device by their names (as [`leadline_tiers::open`] takes
    /// them), with cached blocks of that many bytes. Each query has the weight 1.
    ///
    /// # Errors
    /// [`StudyError`]: a device cannot be opened or is too small, captures without names or of one name.
    pub fn new(
        captures: Vec<Captured>,
        fast: &(impl AsRef<OsStr> + ?Sized),
        slow: &(impl AsRef<OsStr> + ?Sized),
        block_bytes: u32,
    ) -> Result<Simulated, StudyError> {
        let (fast, slow) = (fast.as_ref(), slow.as_ref());
        let fast_capacity_bytes = model(fast)?.geometry().capacity_bytes;
        let capacity_bytes = model(slow)?.geometry().capacity_bytes;
        let mut simulated = Simulated {
            captures: Vec::new(),
            queries: Vec::new(),
            files: Vec::new(),
            fast: fast.to_owned(),
            slow: slow.to_owned(),
            block_bytes,
            fast_capacity_bytes,
        };
        let mut numbers = BTreeMap::new();
        for captured in captures {
            let layout = side_by_side(&captured);
            if layout.1 > capacity_bytes {
                let (name, device) = (captured.name, slow.display().to_string());
                let too_large = PlacementError::TooLarge { name, bytes: layout.1, device, capacity_bytes };
                return Err(too_large.into());
            }
            simulated.add(captured, layout, &mut numbers)?;
        }
        Ok(simulated)
    }

    fn add(
        &mut self,
        captured: Captured,
        layout: (Vec<u64>, u64),
        numbers: &mut BTreeMap<String, usize>,
    ) -> Result<(), StudyError> {
        let name = captured.name.clone();
        if self.queries.iter().any(|query| query.name == name) {
            return Err(StudyError::SameName { name });
        }
        if captured.files.iter().all(|file| file.name.is_empty()) {
            return Err(StudyError::NoNames { name });
        }
        let mut number = |file: &crate::File| {
            // A file that was only synced has nothing to place.
            let bytes = file.bytes.next_multiple_of(BLOCK_BYTES);
            let number = *numbers.entry(file.name.clone()).or_insert_with(|| {
                self.files.push(FileSize { name: file.name.clone(), bytes: 0 });
                self.files.len() - 1
            });
            self.files[number].bytes = self.files[number].bytes.max(bytes);
            number
        };
        let numbers: Vec<Option<usize>> =
            captured.files.iter().map(|file| (file.bytes > 0).then(|| number(file))).collect();
        let files: BTreeSet<usize> = numbers.iter().copied().flatten().collect();
        self.queries.push(Query { name, weight: 1.0, files });
        let waits = Waits::of(&captured);
        self.captures.push(Capture { captured, waits, layout, numbers });
        Ok(())
    }

    /// Gives queries by their names another weight than 1.
    ///
    /// # Errors
    /// [`StudyError::UnknownQuery`], and [`StudyError::NoWeight`] where all are 0.
    pub fn weigh(&mut self, weights: &[(String, f64)]) -> Result<(), StudyError> {
        for (name, weight) in weights {
            match self.queries.iter_mut().find(|query| query.name == *name) {
                Some(query) => query.weight = *weight,
                None => {
                    let known: Vec<&str> = self.queries.iter().map(|query| query.name.as_str()).collect();
                    return Err(StudyError::UnknownQuery { name: name.clone(), known: known.join(", ") });
                }
            }
        }
        if self.queries.iter().all(|query| query.weight == 0.0) { Err(StudyError::NoWeight) } else { Ok(()) }
    }

    /// Checks sizes of the fast device; without any, eighths of all files.
    ///
    /// # Errors
    /// [`StudyError::FastSize`] names the size and the range.
    pub fn fast_sizes(&self, wanted: &[u64]) -> Result<Vec<u64>, StudyError> {
        let (block_bytes, most_bytes) = (self.block_bytes, self.fast_capacity_bytes);
        let mut sizes = wanted.to_vec();
        if sizes.is_empty() {
            let all: u64 = self.files.iter().map(|file| file.bytes).sum();
            let eighths = (1..=8).map(|i| (all * i).div_ceil(8).next_multiple_of(1 << 20).min(most_bytes));
            sizes.extend(eighths);
        }
        sizes.sort_unstable();
        sizes.dedup();
        match sizes.iter().find(|&&bytes| bytes < u64::from(block_bytes) || bytes > most_bytes) {
            Some(&bytes) => Err(StudyError::FastSize { bytes, block_bytes, most_bytes }),
            None => Ok(sizes),
        }
    }

    /// Where files lie with those of a set on the fast part; the border, and the bytes behind it.
    fn place(&self, capture: &Capture, set: &BTreeSet<usize>) -> (Vec<u64>, u64, u64) {
        let (mut layout, border) = capture.layout.clone();
        let mut end = border;
        for (start, number) in layout.iter_mut().zip(&capture.numbers) {
            if let Some(number) = number.filter(|number| set.contains(number)) {
                *start = end;
                end += self.files[number].bytes;
            }
        }
        (layout, border, end - border)
    }
}

/// A new model of a device.
fn model(name: &OsStr) -> Result<Box<dyn DeviceModel>, StudyError> {
    Ok(leadline_tiers::open(name, None)?.model)
}

impl Times for Simulated {
    fn queries(&self) -> &[Query] {
        &self.queries
    }

    fn files(&self) -> &[FileSize] {
        &self.files
    }

    fn seconds(&self, query: usize, storage: &Storage) -> Result<f64, StudyError> {
        let capture = &self.captures[query];
        let (mut layout, _) = capture.layout.clone();
        let mut device: Box<dyn DeviceModel> = match storage {
            Storage::Slow => model(&self.slow)?,
            Storage::Fast => model(&self.fast)?,
            Storage::Placed(set) => {
                let (placed, border, bytes) = self.place(capture, set);
                layout = placed;
                Box::new(PlacedModel::new(model(&self.fast)?, model(&self.slow)?, border, bytes))
            }
            &Storage::Cached(bytes, policy, admission) => {
                let blocks = bytes / u64::from(self.block_bytes);
                let blocks = u32::try_from(blocks).unwrap_or(u32::MAX).clamp(1, 1 << 29);
                let options = CacheOptions { block_bytes: self.block_bytes, blocks, policy, admission };
                Box::new(CachedModel::new(model(&self.fast)?, model(&self.slow)?, options))
            }
        };
        Ok(replay(&capture.captured, &capture.waits, &layout, &mut *device).seconds())
    }

    fn migration_seconds(&self, bytes: u64) -> Result<f64, StudyError> {
        Ok(copy_ns(&mut *model(&self.slow)?, &mut *model(&self.fast)?, bytes) as f64 / 1e9)
    }
}
