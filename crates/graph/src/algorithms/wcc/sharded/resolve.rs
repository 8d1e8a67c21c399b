//! The component of each vertex, in a temporary file: first a vertex that hangs together with it, in the end
//! the lowest one that does.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::GraphError;
use crate::sharded::ShardedGraph;

/// Bytes of a vertex.
const VERTEX: usize = 5;

/// Vertices that are read and written at a time.
const PIECE: usize = 1 << 16;

/// A vertex for each vertex.
#[derive(Debug)]
pub(crate) struct Components {
    folder: PathBuf,
    file: File,
    hub: u64,
    moved: u64,
}

impl Components {
    pub(super) fn create(graph: &ShardedGraph, hub: u64) -> Result<Components, GraphError> {
        let folder = graph.temp_folder().to_owned();
        let file = tempfile::tempfile_in(&folder).map_err(|error| GraphError::write(&folder, error))?;
        Ok(Components { folder, file, hub, moved: 0 })
    }

    /// Bytes written and read so far.
    pub(super) fn moved(&self) -> u64 {
        self.moved
    }

    /// Writes the numbers of a part.
    pub(super) fn store(&mut self, part: &Range<u64>, numbers: &[AtomicU64]) -> Result<(), GraphError> {
        let mut bytes = Vec::with_capacity(PIECE * VERTEX);
        let mut at = part.start * VERTEX as u64;
        for numbers in numbers.chunks(PIECE) {
            bytes.clear();
            let raw = |number: &AtomicU64| number.load(Ordering::Relaxed).to_le_bytes();
            bytes.extend(numbers.iter().flat_map(|number| raw(number).into_iter().take(VERTEX)));
            self.file.write_all_at(&bytes, at).map_err(|error| GraphError::write(&self.folder, error))?;
            at += bytes.len() as u64;
            self.moved += bytes.len() as u64;
        }
        Ok(())
    }

    /// The numbers of a range of vertices.
    pub(crate) fn read(&mut self, range: Range<u64>, out: &mut Vec<u64>) -> Result<(), GraphError> {
        out.clear();
        let mut bytes = Vec::with_capacity(PIECE * VERTEX);
        let mut next = range.start;
        while next < range.end {
            let now = (range.end - next).min(PIECE as u64);
            bytes.resize(now as usize * VERTEX, 0);
            self.file
                .read_exact_at(&mut bytes, next * VERTEX as u64)
                .map_err(|error| GraphError::read(&self.folder.display().to_string(), error))?;
            let number = |raw: &[u8]| raw.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            out.extend(bytes.chunks_exact(VERTEX).map(number));
            self.moved += bytes.len() as u64;
            next += now;
        }
        Ok(())
    }

    /// Gives each vertex the number of its component, from the lowest part up. `numbers` is memory for a
    /// part.
    pub(super) fn resolve(
        &mut self,
        graph: &ShardedGraph,
        parts: &[Range<u64>],
        mut numbers: Vec<AtomicU64>,
    ) -> Result<(), GraphError> {
        let piece = (numbers.capacity() as u64 / 4).max(1);
        let (mut some, mut of_hub) = (Vec::with_capacity(piece as usize), self.hub);
        for part in parts {
            graph.check_stop()?;
            self.load(part, &mut some, piece, &mut numbers)?;
            if part.start == 0 {
                of_hub = numbers[self.hub as usize].load(Ordering::Relaxed);
                continue;
            }
            self.look_up(part, &numbers, (&mut some, piece), of_hub)?;
            self.store(part, &numbers)?;
        }
        Ok(())
    }

    fn load(
        &mut self,
        part: &Range<u64>,
        some: &mut Vec<u64>,
        piece: u64,
        numbers: &mut Vec<AtomicU64>,
    ) -> Result<(), GraphError> {
        numbers.clear();
        for start in part.clone().step_by(piece as usize) {
            self.read(start..(start + piece).min(part.end), some)?;
            numbers.extend(some.iter().map(|number| AtomicU64::new(*number)));
        }
        Ok(())
    }

    /// The numbers below a part become the components of those vertices.
    fn look_up(
        &mut self,
        part: &Range<u64>,
        numbers: &[AtomicU64],
        (some, piece): (&mut Vec<u64>, u64),
        of_hub: u64,
    ) -> Result<(), GraphError> {
        let (start, hub) = (part.start, self.hub);
        let mut is_wanted: Vec<bool> = vec![false; start.div_ceil(piece) as usize];
        // Roots keep their numbers, so that it does not matter which is first.
        numbers.par_iter().for_each(|number| {
            if let Some(root) = number.load(Ordering::Relaxed).checked_sub(start) {
                number.store(numbers[root as usize].load(Ordering::Relaxed), Ordering::Relaxed);
            }
        });
        for number in numbers {
            let found = number.load(Ordering::Relaxed);
            if found == hub {
                number.store(of_hub, Ordering::Relaxed);
            } else if found < start {
                is_wanted[(found / piece) as usize] = true;
            }
        }
        // A component has itself as its number, so that it does no harm to look it up too.
        for first in (0..start).step_by(piece as usize).zip(is_wanted).filter(|(_, wanted)| *wanted) {
            let (first, _) = first;
            self.read(first..(first + piece).min(start), some)?;
            numbers.par_iter().for_each(|number| {
                let found = number.load(Ordering::Relaxed);
                let place = usize::try_from(found.wrapping_sub(first)).unwrap_or(usize::MAX);
                if let Some(component) = some.get(place) {
                    number.store(*component, Ordering::Relaxed);
                }
            });
        }
        Ok(())
    }
}
