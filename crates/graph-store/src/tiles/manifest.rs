//! Which files are a sharded store, and what they hold together.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use leadline_files::NewFolder;
use serde::{Deserialize, Serialize};

use crate::GraphError;
use crate::format::{Direction, Header, MAX_VERTICES, checksum};

/// Its name in the directory.
const NAME: &str = "shards";

/// The file of ids, unless each is its rank.
pub(crate) const IDS: &str = "ids";

/// Its first line begins with this.
const FIRST: &str = "leadline sharded graph 1 ";

/// A manifest names some files of some hundred bytes each.
const MOST_BYTES: u64 = 64 << 20;

/// Most shards: as many tiles as their square are open at once.
pub(crate) const MOST_SHARDS: u64 = 64;

/// A tile that has edges; others have no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileEntry {
    /// The shard whose vertices have lists in it.
    pub from: u32,
    /// The shard of their neighbours.
    pub to: u32,
    /// Entries of all its lists.
    pub entries: u64,
    /// Of its header, so that another in its place is found out.
    pub checksum: u64,
}

/// What a sharded store says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shards {
    /// Vertices of the graph.
    pub vertices: u64,
    /// Vertices of a shard; the last one may have fewer.
    pub shard_vertices: u64,
    /// Entries of all forward lists together: directed edges, or twice the undirected ones (self-loops once).
    pub entries: u64,
    /// Of these, how many lead to where they come from.
    pub self_loops: u64,
    /// The most neighbours of a vertex.
    pub max_degree: u64,
    /// Whether an edge leads one way only.
    pub directed: bool,
    /// Whether lists of incoming edges are kept: never of an undirected graph, whose lists are both.
    pub reverse: bool,
    /// How weights are kept: `none`, `f32` or `f64`.
    pub weights: String,
    /// Whether lists are written in the byte code.
    pub compressed: bool,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Whether parallel edges were merged.
    pub dedupe: bool,
    /// Whether self-loops were left out.
    pub drop_self_loops: bool,
    /// Pages of the file of ids; none where each id is its rank.
    pub id_pages: u64,
    /// Tiles of forward lists, in order.
    pub tiles: Vec<TileEntry>,
    /// Tiles of reverse lists, in order.
    pub reverse_tiles: Vec<TileEntry>,
}

impl Shards {
    /// Reads the manifest of a directory.
    ///
    /// # Errors
    /// [`GraphError::NoStore`] where there is none; [`GraphError::Damaged`], [`GraphError::Read`].
    pub fn read(folder: &Path) -> Result<Shards, GraphError> {
        let path = folder.join(NAME);
        let name = folder.display().to_string();
        let text = leadline_files::read_text(&path, MOST_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => GraphError::NoStore { name: name.clone() },
            io::ErrorKind::InvalidData => GraphError::damaged(&name, "its manifest is not text".into()),
            _ => GraphError::opening(&path, error),
        })?;
        let damaged = || GraphError::damaged(&name, "its manifest fails its checksum".into());
        let (first, rest) = text.split_once('\n').ok_or_else(damaged)?;
        if first.strip_prefix(FIRST).ok_or_else(damaged)? != seal(rest) {
            return Err(damaged());
        }
        let shards: Shards = leadline_files::from_json(rest)
            .map_err(|flaw| GraphError::damaged(&name, format!("its manifest: {flaw}")))?;
        match shards.is_sound() {
            true => Ok(shards),
            false => Err(GraphError::damaged(&name, "its manifest is not one that an import writes".into())),
        }
    }

    /// Writes it into a directory in the making, durably.
    pub(crate) fn write(&self, folder: &NewFolder) -> Result<(), GraphError> {
        let failed = |error| GraphError::write(folder.path(), error);
        let rest = serde_json::to_string_pretty(self).map_err(|error| failed(io::Error::other(error)))?;
        let text = format!("{FIRST}{}\n{rest}", seal(&rest));
        let mut file = folder.file(NAME)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
    }

    /// What a sound manifest cannot say, checksum or not.
    fn is_sound(&self) -> bool {
        let in_order = |tiles: &[TileEntry]| {
            let places = || tiles.iter().map(|tile| (tile.from, tile.to));
            places().is_sorted_by(|tile, next| tile < next)
                && places().all(|(from, to)| u64::from(from.max(to)) < self.count())
        };
        let entries = |tiles: &[TileEntry]| {
            tiles.iter().try_fold(0u64, |sum, tile| sum.checked_add(tile.entries)) == Some(self.entries)
        };
        (1..=MAX_VERTICES).contains(&self.shard_vertices)
            && (1..=MOST_SHARDS).contains(&self.count())
            && in_order(&self.tiles)
            && entries(&self.tiles)
            && if self.reverse { entries(&self.reverse_tiles) } else { self.reverse_tiles.is_empty() }
            && in_order(&self.reverse_tiles)
            && (self.directed || !self.reverse)
            && self.self_loops <= self.entries
            && self.entries.checked_add(self.self_loops).is_some()
    }

    /// Shards.
    pub fn count(&self) -> u64 {
        self.vertices.div_ceil(self.shard_vertices)
    }

    /// Vertices of a shard.
    pub fn vertices_of(&self, shard: u32) -> u64 {
        let first = u64::from(shard) * self.shard_vertices;
        self.vertices.saturating_sub(first).min(self.shard_vertices)
    }

    /// What tells it from other stores.
    pub fn identity(&self) -> u64 {
        let tiles = self.tiles.iter().flat_map(|tile| tile.checksum.to_le_bytes());
        checksum(&tiles.collect::<Vec<u8>>(), self.vertices)
    }

    /// Edges of the graph: undirected ones once.
    pub fn edges(&self) -> u64 {
        if self.directed { self.entries } else { (self.entries + self.self_loops) / 2 }
    }

    /// Whether lists of incoming edges can be read: always where the graph is undirected.
    pub fn has_reverse(&self) -> bool {
        self.reverse || !self.directed
    }

    /// The tiles of lists of a direction. An undirected graph has one set of lists for both.
    pub fn tiles(&self, direction: Direction) -> &[TileEntry] {
        match direction {
            Direction::Reverse if self.directed => &self.reverse_tiles,
            _ => &self.tiles,
        }
    }

    /// The path of a tile of lists of a direction.
    pub fn tile_path(&self, folder: &Path, direction: Direction, tile: &TileEntry) -> PathBuf {
        let is_reverse = self.directed && direction == Direction::Reverse;
        folder.join(tile_name(
            if is_reverse { Direction::Reverse } else { Direction::Forward },
            tile.from,
            tile.to,
        ))
    }

    /// An error unless a tile has the header that the manifest knows.
    pub(crate) fn check_tile(&self, header: &Header, tile: &TileEntry, name: &str) -> Result<(), GraphError> {
        let is_of_store = header_checksum(header) == tile.checksum
            && header.vertices == self.shard_vertices
            && header.weights.name() == self.weights
            && (header.compressed, header.block_bytes) == (self.compressed, self.block_bytes);
        if is_of_store {
            Ok(())
        } else {
            Err(GraphError::damaged(name, "it is a tile of another store".into()))
        }
    }

    /// Bytes of all files.
    ///
    /// # Errors
    /// [`GraphError::Read`].
    pub fn bytes(folder: &Path) -> Result<u64, GraphError> {
        let all =
            || -> io::Result<u64> { fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum() };
        all().map_err(|error| GraphError::read(&folder.display().to_string(), error))
    }
}

/// What the file of a tile is called.
pub(crate) fn tile_name(direction: Direction, from: u32, to: u32) -> String {
    let kind = match direction {
        Direction::Forward => "tile",
        Direction::Reverse => "reverse",
    };
    format!("{kind}-{from}-{to}")
}

/// What tells a tile from all others.
pub(crate) fn header_checksum(header: &Header) -> u64 {
    checksum(&header.to_bytes(), 2)
}

fn seal(text: &str) -> String {
    format!("{:016x}", checksum(text.as_bytes(), 0))
}

/// Whether a path is a sharded store.
pub fn is_sharded(path: &Path) -> bool {
    path.is_dir() && path.join(NAME).is_file()
}

/// For all that does not run on a sharded store.
///
/// # Errors
/// [`GraphError::Path`] where the path is one.
pub fn refuse_sharded(path: &Path) -> Result<(), GraphError> {
    if is_sharded(path) { Err(not_on_shards(path)) } else { Ok(()) }
}

/// What an import says that is to replace a sharded store.
pub fn not_replaced(path: &Path) -> GraphError {
    GraphError::path(
        path,
        "is a sharded graph store, which no import replaces; remove it, or name another path",
    )
}

/// What is said of a sharded store by all that does not run on it.
pub fn not_on_shards(path: &Path) -> GraphError {
    let what = format!(
        "is a sharded graph store; only graph info, verify, bfs and wcc run on it. For anything else import at most \
         {MAX_VERTICES} vertices"
    );
    GraphError::path(path, what)
}
