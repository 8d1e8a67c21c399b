//! Writes a sharded store from edges in order.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use leadline_files::NewFolder;

use super::IdWriter;
use super::manifest::{IDS, MOST_SHARDS, Shards, TileEntry, header_checksum, tile_name};
use crate::GraphError;
use crate::format::{ALIGNMENT, ChangeRules, Direction, Layout, MAX_VERTICES, StoreWriter, Vertex};

/// Writes of a tile in flight.
const WRITES: usize = 4;

/// Least and most bytes of each.
const WRITE_BYTES: (usize, usize) = (16 << 10, 256 << 10);

/// What was written.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) shards: Shards,
    /// Bytes of all files.
    pub(crate) bytes: u64,
}

/// A sharded store in the making: all forward lists, then the reverse ones if any, then ids, then
/// [`TilesWriter::finish`].
#[derive(Debug)]
pub(crate) struct TilesWriter {
    folder: NewFolder,
    /// As the user knows the store.
    path: PathBuf,
    layout: Layout,
    shards: Shards,
    direction: Direction,
    write_bytes: usize,
    /// The shard whose lists are written, and the first vertex behind it.
    row: u32,
    row_end: u64,
    /// By shard of the neighbours: where lists of the row go, once it has some.
    tiles: Vec<Option<StoreWriter>>,
    /// The shard of the last neighbour, and its vertices.
    column: usize,
    column_start: u64,
    /// Of the last vertex.
    vertex: u64,
    degree: u64,
    /// Of the row: entries by tile.
    entries: Vec<u64>,
    bytes: u64,
}

impl TilesWriter {
    /// Begins a store of more vertices than `most`. `layout` has all of them, `memory` are the bytes that it
    /// should take.
    pub(crate) fn create(
        folder: NewFolder,
        path: &Path,
        layout: Layout,
        most: u64,
        rules: ChangeRules,
        memory: u64,
    ) -> Result<TilesWriter, GraphError> {
        let most = most.clamp(1, MAX_VERTICES);
        let count = layout.vertices.div_ceil(most).max(1);
        if count > MOST_SHARDS {
            let (found, what) = (layout.vertices, "a sharded store holds".to_owned());
            return Err(GraphError::TooManyVertices { found, what, most: MOST_SHARDS * most });
        }
        let shard_vertices = layout.vertices.div_ceil(count).max(1);
        let each = (memory / count) as usize / WRITES / ALIGNMENT as usize * ALIGNMENT as usize;
        let shards = Shards {
            vertices: layout.vertices,
            shard_vertices,
            entries: 0,
            self_loops: 0,
            max_degree: 0,
            directed: layout.directed,
            reverse: false,
            weights: layout.weights.name().to_owned(),
            compressed: layout.compressed,
            block_bytes: layout.block_bytes,
            dedupe: rules.dedupe(),
            drop_self_loops: rules.drop_self_loops(),
            id_pages: 0,
            tiles: Vec::new(),
            reverse_tiles: Vec::new(),
        };
        Ok(TilesWriter {
            folder,
            path: path.to_owned(),
            // A tile leads from one shard to another, whatever the graph.
            layout: Layout { vertices: shard_vertices, directed: true, ..layout },
            shards,
            direction: Direction::Forward,
            write_bytes: each.clamp(WRITE_BYTES.0, WRITE_BYTES.1),
            row: 0,
            row_end: shard_vertices,
            tiles: (0..count).map(|_| None).collect(),
            column: 0,
            column_start: 0,
            vertex: 0,
            degree: 0,
            entries: vec![0; count as usize],
            bytes: 0,
        })
    }

    /// Bytes in memory.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.tiles.iter().flatten().map(StoreWriter::memory_bytes).sum()
    }

    /// The next edge of the lists now being written, as in [`StoreWriter::edge`].
    #[inline]
    pub(crate) fn edge(&mut self, vertex: u64, neighbour: u64, weight: f64) -> Result<(), GraphError> {
        if vertex != self.vertex {
            self.end_list();
            self.vertex = vertex;
            if vertex >= self.row_end {
                self.next_row(vertex)?;
            }
        }
        if neighbour.wrapping_sub(self.column_start) >= self.shards.shard_vertices {
            self.column = (neighbour / self.shards.shard_vertices) as usize;
            self.column_start = self.column as u64 * self.shards.shard_vertices;
        }
        self.degree += 1;
        self.entries[self.column] += 1;
        if self.direction == Direction::Forward {
            self.shards.self_loops += u64::from(vertex == neighbour);
        }
        if self.tiles[self.column].is_none() {
            self.begin_tile()?;
        }
        let from = vertex - (self.row_end - self.shards.shard_vertices);
        match &mut self.tiles[self.column] {
            Some(tile) => tile
                .edge(from as Vertex, (neighbour - self.column_start) as Vertex, weight)
                .map_err(|error| of_store(&self.path, error)),
            None => unreachable!("it was just begun"),
        }
    }

    /// Ends the forward lists; the reverse ones follow, of a directed graph only.
    pub(crate) fn start_reverse(&mut self) -> Result<(), GraphError> {
        self.end_row()?;
        self.direction = Direction::Reverse;
        self.shards.reverse = true;
        (self.row, self.row_end, self.vertex) = (0, self.shards.shard_vertices, 0);
        Ok(())
    }

    /// Ends the lists and gives each rank its id; ascending. Without a call ids are 0 to vertices - 1.
    pub(crate) fn ids(
        &mut self,
        ids: impl Iterator<Item = Result<u64, GraphError>>,
    ) -> Result<(), GraphError> {
        self.end_row()?;
        let failed = |error| GraphError::write(&self.path, error);
        let mut writer = IdWriter::new(BufWriter::with_capacity(self.write_bytes, self.folder.file(IDS)?));
        for id in ids {
            writer.push(id?).map_err(failed)?;
        }
        let (pages, mut out) = writer.finish().map_err(failed)?;
        out.flush().and_then(|()| out.get_ref().sync_all()).map_err(failed)?;
        self.shards.id_pages = pages;
        self.bytes += pages * ALIGNMENT;
        Ok(())
    }

    /// Writes the manifest, makes all durable, and gives the directory its name.
    pub(crate) fn finish(mut self) -> Result<Finished, GraphError> {
        self.end_row()?;
        let TilesWriter { folder, shards, bytes, .. } = self;
        shards.write(&folder)?;
        folder.finish()?;
        Ok(Finished { shards, bytes })
    }

    fn end_list(&mut self) {
        if self.direction == Direction::Forward {
            self.shards.max_degree = self.shards.max_degree.max(self.degree);
        }
        self.degree = 0;
    }

    #[cold]
    fn next_row(&mut self, vertex: u64) -> Result<(), GraphError> {
        self.end_row()?;
        self.row = (vertex / self.shards.shard_vertices) as u32;
        self.row_end = (u64::from(self.row) + 1) * self.shards.shard_vertices;
        Ok(())
    }

    #[cold]
    fn begin_tile(&mut self) -> Result<(), GraphError> {
        let name = tile_name(self.direction, self.row, self.column as u32);
        let path = self.folder.place().join(name);
        let mut tile = StoreWriter::with_writes(&path, self.layout, (WRITES, self.write_bytes))
            .map_err(|error| of_store(&self.path, error))?;
        tile.leave_gaps();
        self.tiles[self.column] = Some(tile);
        Ok(())
    }

    /// Ends all tiles of the row.
    fn end_row(&mut self) -> Result<(), GraphError> {
        self.end_list();
        for to in 0..self.tiles.len() {
            let Some(tile) = self.tiles[to].take() else { continue };
            let written = tile.finish().map_err(|error| of_store(&self.path, error))?;
            let entries = std::mem::take(&mut self.entries[to]);
            assert_eq!(entries, written.header.edges, "a tile has what was put into it");
            self.bytes += written.file_bytes;
            let entry = TileEntry {
                from: self.row,
                to: to as u32,
                entries,
                checksum: header_checksum(&written.header),
            };
            match self.direction {
                Direction::Forward => {
                    self.shards.entries += entries;
                    self.shards.tiles.push(entry);
                }
                Direction::Reverse => self.shards.reverse_tiles.push(entry),
            }
        }
        Ok(())
    }
}

/// An error of a tile in the making, whose temporary path means nothing to the user.
fn of_store(path: &Path, error: GraphError) -> GraphError {
    match error {
        GraphError::Write { source, .. } => GraphError::write(path, source),
        error => error,
    }
}
