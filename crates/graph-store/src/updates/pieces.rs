//! Where the blocks of a base begin within the list of a hub.

use std::fs;
use std::path::Path;

use crate::GraphError;
use crate::format::{Vertex, checksum};

/// By block, its first neighbour where it begins within a hub's list, else 0; of both directions.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Pieces {
    pub(crate) forward: Vec<Vertex>,
    pub(crate) reverse: Vec<Vertex>,
}

impl Pieces {
    pub(super) fn write(&self, path: &Path, seed: u64) -> Result<(), GraphError> {
        let mut bytes = Vec::with_capacity(16 + 4 * (self.forward.len() + self.reverse.len()));
        bytes.extend((self.forward.len() as u64).to_le_bytes());
        bytes.extend(self.forward.iter().chain(&self.reverse).flat_map(|piece| piece.to_le_bytes()));
        bytes.extend(checksum(&bytes, seed).to_le_bytes());
        Ok(leadline_files::replace(path, bytes)?)
    }

    /// As [`Pieces::write`] wrote them.
    pub(crate) fn read(path: &Path, seed: u64) -> Result<Pieces, GraphError> {
        let bytes = fs::read(path).map_err(|error| GraphError::opening(path, error))?;
        let damaged = || GraphError::damaged(&path.display().to_string(), "it fails its checksum".into());
        let (sealed, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        if u64::from_le_bytes(*sum) != checksum(sealed, seed) {
            return Err(damaged());
        }
        let (forward, rest) = sealed.split_first_chunk::<8>().ok_or_else(damaged)?;
        let mut pieces: Vec<Vertex> =
            rest.as_chunks().0.iter().map(|raw| Vertex::from_le_bytes(*raw)).collect();
        let forward = u64::from_le_bytes(*forward) as usize;
        if forward > pieces.len() {
            return Err(damaged());
        }
        let reverse = pieces.split_off(forward);
        Ok(Pieces { forward: pieces, reverse })
    }
}
