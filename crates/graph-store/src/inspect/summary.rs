//! What a store says of itself, and how full its blocks are.

use std::os::unix::fs::FileExt;
use std::path::Path;

use super::store_file::StoreFile;
use crate::GraphError;
use crate::format::block_layout::{Head, entries_start, entry_end, is_sound};
use crate::format::header::IdKind;
use crate::format::{Direction, Header, block_seed};
use crate::updates::{Leftovers, Space};

/// Most blocks that are looked at to tell how full they are.
const SAMPLE: u64 = 4096;

/// A store in short.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Its header.
    pub header: Header,
    /// Changes since the store was imported.
    pub version: u64,
    /// Of the file, or of the files of a store that was changed.
    pub file_bytes: u64,
    /// What of it is lists, and what changes of them; nothing for a store that was never changed.
    pub space: Option<Space>,
    /// What an update or a compaction that did not end has left next to it.
    pub leftovers: Option<Leftovers>,
    /// What ids are: `dense` (0 to vertices - 1), `numbers` or `strings`.
    pub ids: &'static str,
    /// Blocks of forward lists, and of reverse ones where they have their own.
    pub blocks: u64,
    /// Share of the forward blocks' bytes that is used, 0 to 1; nothing where there are no blocks. Of more
    /// than 4096 blocks, that many at even distances are looked at.
    pub fill: Option<f64>,
    /// Edges; an undirected one counts once.
    pub edges: u64,
}

/// Summarises a store, in a second whatever its size.
///
/// # Errors
/// [`GraphError::NoStore`], [`GraphError::Version`], [`GraphError::Damaged`], [`GraphError::Read`].
pub fn summarise(path: impl AsRef<Path>) -> Result<Summary, GraphError> {
    let store = StoreFile::open(path.as_ref())?;
    let header = store.header;
    let space = Space::of_store(path.as_ref())?;
    let file_bytes = match space {
        Some(space) => space.total(),
        None => store.file.metadata().map_err(|error| GraphError::read(&store.name, error))?.len(),
    };
    let blocks = |direction| header.blocks(direction).bytes / u64::from(header.block_bytes);
    let own_reverse = if header.directed { blocks(Direction::Reverse) } else { 0 };
    Ok(Summary {
        header,
        version: store.version,
        file_bytes,
        space,
        leftovers: Leftovers::of_store(path.as_ref(), store.version)?,
        ids: match header.id_kind {
            IdKind::Dense => "dense",
            IdKind::Numbers => "numbers",
            IdKind::Strings => "strings",
        },
        blocks: blocks(Direction::Forward) + own_reverse,
        fill: fill(&store, blocks(Direction::Forward))?,
        edges: header.graph_edges(),
    })
}

fn fill(store: &StoreFile, blocks: u64) -> Result<Option<f64>, GraphError> {
    let looked_at = blocks.min(SAMPLE);
    if looked_at == 0 {
        return Ok(None);
    }
    let block_bytes = store.header.block_bytes as usize;
    let section = store.header.blocks(Direction::Forward);
    let mut bytes = vec![0; block_bytes];
    let mut used = 0;
    for i in 0..looked_at {
        // In wide numbers: blocks times blocks may not fit.
        let number = (u128::from(i) * u128::from(blocks) / u128::from(looked_at)) as u64;
        let place = section.offset + number * block_bytes as u64;
        store.file.read_exact_at(&mut bytes, place).map_err(|error| GraphError::read(&store.name, error))?;
        if !is_sound(&bytes, block_seed(Direction::Forward, number as u32)) {
            return Err(store.damaged(format!("block {number}, at byte {place}, fails its checksum")));
        }
        used += used_bytes(&bytes);
    }
    Ok(Some(used as f64 / (looked_at as f64 * block_bytes as f64)))
}

/// Up to the end of the last list.
fn used_bytes(block: &[u8]) -> u64 {
    match usize::from(Head::read(block).entries) {
        0 => 0,
        entries if entries_start(entries) > block.len() => 0,
        entries => entry_end(block, entries - 1).min(block.len()) as u64,
    }
}
