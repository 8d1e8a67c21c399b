//! The same of a sharded store: each of its tiles, and that they belong together.

use std::path::Path;

use super::{VerifyReport, check_layout, check_lists};
use crate::format::Direction;
use crate::inspect::StoreFile;
use crate::tiles::{ShardedIds, Shards, TileEntry};
use crate::updates::snapshot::Snapshot;
use crate::{GraphError, Progress};

/// Checks all files.
pub(super) fn verify(folder: &Path, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport, GraphError> {
    let shards = Shards::read(folder)?;
    let mut report = VerifyReport {
        vertices: shards.vertices,
        entries: shards.entries,
        reverse: shards.reverse,
        bytes: Shards::bytes(folder)?,
        blocks: 0,
    };
    let mut self_loops = 0;
    let mut forward = Vec::new();
    for tile in shards.tiles(Direction::Forward) {
        let found = check(folder, &shards, Direction::Forward, tile, progress)?;
        if tile.from == tile.to {
            self_loops += found.self_loops;
        }
        report.blocks += found.blocks;
        forward.push((tile, found.sums));
    }
    if self_loops != shards.self_loops {
        let what = "its manifest does not count the self-loops that there are".into();
        return Err(GraphError::damaged(&folder.display().to_string(), what));
    }
    let mut turned = Vec::new();
    if shards.reverse {
        for tile in shards.tiles(Direction::Reverse) {
            let found = check(folder, &shards, Direction::Reverse, tile, progress)?;
            report.blocks += found.blocks;
            turned.push((tile, found.sums));
        }
    } else if !shards.directed {
        turned.clone_from(&forward);
    }
    // Each edge is in the lists of both its ends, or in those of one only where they are not kept.
    for (tile, [_, sum]) in &turned {
        let other = forward.iter().find(|(other, _)| (other.from, other.to) == (tile.to, tile.from));
        if other.is_none_or(|(_, [other, _])| other != sum) {
            let path = shards.tile_path(folder, Direction::Reverse, tile);
            let what = "it does not hold the edges of the tile that leads the other way".into();
            return Err(GraphError::damaged(&path.display().to_string(), what));
        }
    }
    ShardedIds::open(folder, &shards)?.check()?;
    Ok(report)
}

struct Checked {
    blocks: u64,
    self_loops: u64,
    sums: [u64; 2],
}

fn check(
    folder: &Path,
    shards: &Shards,
    direction: Direction,
    tile: &TileEntry,
    progress: &mut dyn FnMut(Progress),
) -> Result<Checked, GraphError> {
    let path = shards.tile_path(folder, direction, tile);
    let name = path.display().to_string();
    let store = StoreFile::of_snapshot(Snapshot::of_tile(&path, shards, tile)?, name);
    check_layout(&store)?;
    let [lists, _] = check_lists(&store, progress)?;
    if lists.edges != tile.entries {
        return Err(store.damaged("its manifest does not count the edges that there are".into()));
    }
    let most = [tile.from, tile.to].map(|shard| shards.vertices_of(shard));
    if lists.ends.iter().zip(most).any(|(end, most)| *end > most) {
        return Err(store.damaged("it has vertices that its shards do not have".into()));
    }
    Ok(Checked { blocks: lists.blocks, self_loops: lists.self_loops, sums: lists.sums })
}
