//! The first files of a directory: the files of a base without changes.

use std::path::Path;

use super::folder::{self, Manifest};
use super::log::Log;
use super::pieces::Pieces;
use crate::GraphError;
use crate::format::{Direction, Scratch, Vertex};
use crate::inspect::StoreFile;

/// Writes the files of a base that has no changes: its pieces and an empty log, which is returned.
pub(crate) fn begin(place: &Path, base: &StoreFile, manifest: &Manifest) -> Result<Log, GraphError> {
    assert!(manifest.runs.is_empty() && manifest.owners.is_none(), "a base has no changes");
    Pieces::of(base)?.write(&folder::file(place, &manifest.pieces), manifest.base_checksum)?;
    Log::create(&folder::file(place, &manifest.log), folder::seed(manifest, &manifest.log))
}

impl Pieces {
    /// Looks them up in a base, of whose blocks only these are read.
    pub(crate) fn of(base: &StoreFile) -> Result<Pieces, GraphError> {
        let side = |direction| -> Result<Vec<Vertex>, GraphError> {
            let directory = base.directory(direction)?;
            let (mut scratch, mut bytes) = (Scratch::default(), Vec::new());
            let first = |number: u32| {
                if !directory.is_continued(number) {
                    return Ok(0);
                }
                let block = base.block(direction, number, &mut bytes)?;
                let neighbours = block.list(block.first(), &mut scratch).neighbours;
                Ok(neighbours.first().copied().unwrap_or(0))
            };
            (0..directory.blocks()).map(first).collect()
        };
        let header = &base.header;
        let has_two = header.directed && header.has_reverse();
        Ok(Pieces {
            forward: side(Direction::Forward)?,
            reverse: if has_two { side(Direction::Reverse)? } else { Vec::new() },
        })
    }
}
