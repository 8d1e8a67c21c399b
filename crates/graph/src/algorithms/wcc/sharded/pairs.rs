//! Pairs of vertices that hang together, left to the part of the higher one: in memory, and in a temporary
//! file where they are many.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::GraphError;

/// Bytes of a vertex in the file.
const VERTEX: usize = 5;

/// The higher vertex, and the lower.
type Pair = (u64, u64);

/// Pairs by part.
#[derive(Debug)]
pub(super) struct Pairs {
    folder: PathBuf,
    file: File,
    /// The first vertex of each part.
    starts: Vec<u64>,
    /// Pairs of each part that are kept in memory.
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    parts: Vec<OfPart>,
    written: u64,
    moved: u64,
}

#[derive(Debug, Default)]
struct OfPart {
    pairs: Vec<Pair>,
    /// Where in the file there are more, and how many.
    spilled: Vec<(u64, usize)>,
}

impl Pairs {
    /// Bytes of a pair in the file.
    pub(super) const BYTES: usize = 2 * VERTEX;

    /// For parts that ascend, in about that many bytes of memory.
    pub(super) fn create(folder: &Path, parts: &[Range<u64>], bytes: u64) -> Result<Pairs, GraphError> {
        let file = tempfile::tempfile_in(folder).map_err(|error| GraphError::write(folder, error))?;
        let of_parts = parts.iter().map(|_| OfPart::default()).collect();
        // Half of it, since they are turned into bytes, and taken out again.
        let most = (bytes as usize / 2 / size_of::<Pair>() / parts.len()).max(64);
        Ok(Pairs {
            folder: folder.to_owned(),
            file,
            starts: parts.iter().map(|part| part.start).collect(),
            most,
            state: Mutex::new(State { parts: of_parts, written: 0, moved: 0 }),
        })
    }

    /// Bytes written to the file and read from it.
    pub(super) fn moved(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).moved
    }

    /// Takes pairs; `some` is empty then.
    pub(super) fn put(&self, some: &mut Vec<Pair>) -> Result<(), GraphError> {
        if some.is_empty() {
            return Ok(());
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for pair in some.drain(..) {
            let part = self.starts.partition_point(|start| *start <= pair.0) - 1;
            let pairs = &mut state.parts[part].pairs;
            pairs.push(pair);
            if pairs.len() >= self.most {
                self.spill(&mut state, part)?;
            }
        }
        Ok(())
    }

    fn spill(&self, state: &mut State, part: usize) -> Result<(), GraphError> {
        let OfPart { pairs, spilled } = &mut state.parts[part];
        // The same pair is found again and again.
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.len() < self.most / 2 {
            return Ok(());
        }
        let raw = |vertex: u64| vertex.to_le_bytes().into_iter().take(VERTEX);
        let bytes: Vec<u8> = pairs.iter().flat_map(|(high, low)| raw(*high).chain(raw(*low))).collect();
        let written = self.file.write_all_at(&bytes, state.written);
        written.map_err(|error| GraphError::write(&self.folder, error))?;
        spilled.push((state.written, pairs.len()));
        pairs.clear();
        state.written += bytes.len() as u64;
        state.moved += bytes.len() as u64;
        Ok(())
    }

    /// Some of the pairs of a part; false if there are no more.
    pub(super) fn take(&self, part: usize, out: &mut Vec<Pair>) -> Result<bool, GraphError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        out.clear();
        out.append(&mut state.parts[part].pairs);
        if !out.is_empty() {
            return Ok(true);
        }
        let Some((at, count)) = state.parts[part].spilled.pop() else { return Ok(false) };
        let mut bytes = vec![0; count * 2 * VERTEX];
        let read = self.file.read_exact_at(&mut bytes, at);
        read.map_err(|error| GraphError::read(&self.folder.display().to_string(), error))?;
        state.moved += bytes.len() as u64;
        let vertex = |raw: &[u8]| raw.iter().rev().fold(0, |vertex, byte| vertex << 8 | u64::from(*byte));
        let pair = |raw: &[u8]| (vertex(&raw[..VERTEX]), vertex(&raw[VERTEX..]));
        out.extend(bytes.chunks_exact(2 * VERTEX).map(pair));
        Ok(true)
    }
}
