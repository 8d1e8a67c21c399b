//! Reads a store from its first block to its last, without an engine: what checks and copies it needs.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::GraphError;
use crate::format::{Block, Direction, Header, Ids, block_layout, block_seed};

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 20;

/// An open store.
#[derive(Debug)]
pub(crate) struct StoreFile {
    pub(crate) file: File,
    pub(crate) name: String,
    pub(crate) header: Header,
}

impl StoreFile {
    /// Opens it and checks its header.
    pub(crate) fn open(path: &Path) -> Result<StoreFile, GraphError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
        let header = Header::read(&file, &name)?;
        Ok(StoreFile { file, name, header })
    }

    pub(crate) fn ids(&self) -> Ids<'_> {
        Ids::new(&self.file, &self.name, &self.header)
    }

    pub(crate) fn damaged(&self, what: String) -> GraphError {
        GraphError::damaged(&self.name, what)
    }

    /// Calls `each` with all blocks of a direction, in order: the number, the bytes, and the block, whose
    /// checksum and head were right.
    pub(crate) fn blocks(
        &self,
        direction: Direction,
        mut each: impl FnMut(u32, &[u8], Block<'_>) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let section = self.header.blocks(direction);
        let direction = if self.header.directed { direction } else { Direction::Forward };
        let block_bytes = self.header.block_bytes as usize;
        let decoder = self.header.decoder();
        let mut buffer = vec![0; READ_BYTES];
        let (mut done, mut number) = (0, 0);
        while done < section.bytes {
            let now = (section.bytes - done).min(READ_BYTES as u64) as usize;
            let place = section.offset + done;
            let read = self.file.read_exact_at(&mut buffer[..now], place);
            read.map_err(|error| GraphError::read(&self.name, error))?;
            for (i, bytes) in buffer[..now].chunks_exact(block_bytes).enumerate() {
                let seed = block_seed(direction, number);
                block_layout::check(bytes, seed, self.header.vertices).map_err(|wrong| {
                    let place = place + (i * block_bytes) as u64;
                    self.damaged(format!("block {number}, at byte {place}, {wrong}"))
                })?;
                each(number, bytes, Block::new(bytes, number, decoder, self.header.weights))?;
                number += 1;
            }
            done += now as u64;
        }
        Ok(())
    }
}
