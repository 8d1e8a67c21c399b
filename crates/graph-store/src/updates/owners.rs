//! The file that says whose vertices are not the base's (docs/graph-format.md), written and read some
//! at a time.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;

use leadline_files::NewFile;
use xxhash_rust::xxh3::Xxh3;

use super::log::{Bytes, read_owner, write_owner};
use super::vertices::VertexState;
use crate::GraphError;
use crate::format::Vertex;

/// Bytes that are read and written at a time.
const PIECE: usize = 256 << 10;

/// Bytes of the largest owner and its vertex: those of a text of 1 MiB.
const MOST_OWNER: usize = (1 << 20) + 32;

/// Bytes of the checksum at the end.
const SUM: usize = 8;

/// Writes them.
pub(crate) fn write_owners(path: &Path, seed: u64, vertices: &VertexState) -> Result<(), GraphError> {
    let mut file = NewFile::with_capacity(PIECE, path)?;
    let failed = |error| GraphError::write(path, error);
    let (mut bytes, mut sum) = (Vec::new(), Xxh3::with_seed(seed));
    for (owner, vertex) in vertices.each() {
        bytes.clear();
        write_owner(&owner, &mut bytes);
        // No vertex has the last number.
        bytes.extend(vertex.unwrap_or(Vertex::MAX).to_le_bytes());
        sum.update(&bytes);
        file.write_all(&bytes).map_err(failed)?;
    }
    file.write_all(&sum.digest().to_le_bytes()).map_err(failed)?;
    file.finish()?;
    Ok(())
}

/// Reads what [`write_owners`] wrote.
pub(crate) fn read_owners(path: &Path, seed: u64, vertices: &mut VertexState) -> Result<(), GraphError> {
    let name = path.display().to_string();
    let mut file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
    let failed = |error| GraphError::read(&name, error);
    let damaged = || GraphError::damaged(&name, "it fails its checksum".into());
    let mut left = file.metadata().map_err(failed)?.len().checked_sub(SUM as u64).ok_or_else(damaged)?;
    let (mut bytes, mut sum) = (Vec::new(), Xxh3::with_seed(seed));
    while left > 0 || !bytes.is_empty() {
        let before = bytes.len();
        let now = left.min(PIECE as u64);
        io::Read::by_ref(&mut file).take(now).read_to_end(&mut bytes).map_err(failed)?;
        if (bytes.len() - before) as u64 != now {
            return Err(damaged());
        }
        left -= now;
        sum.update(&bytes[before..]);
        let mut rest = Bytes(&bytes);
        while rest.0.len() >= MOST_OWNER || left == 0 && !rest.0.is_empty() {
            let owner = read_owner(&mut rest).ok_or_else(damaged)?;
            let vertex = rest.short().ok_or_else(damaged)?;
            vertices.set(owner, (vertex != Vertex::MAX).then_some(vertex));
        }
        let done = bytes.len() - rest.0.len();
        bytes.drain(..done);
    }
    let mut end = [0; SUM];
    file.read_exact(&mut end).map_err(failed)?;
    if u64::from_le_bytes(end) != sum.digest() {
        return Err(damaged());
    }
    Ok(())
}
