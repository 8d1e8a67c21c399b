//! Levels of a search, in a temporary file while they are found: for each level, and each chunk of vertices
//! with some on it, the distances between these. A chunk of many levels is rewritten as numbers.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use leadline_graph_store::format::Vertex;
use leadline_graph_store::leb128;

use super::ShardedGraph;
use crate::{Frontier, GraphError};

/// Vertices of a chunk.
pub(crate) const CHUNK: u64 = 1 << 18;

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 20;

/// The level of a vertex that no source leads to.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Of a chunk, not on one level but by vertex.
const ALL: u32 = u32::MAX;

/// Vertices of a chunk that are on a level.
#[derive(Debug, Clone, Copy)]
struct Segment {
    /// Counted over all shards.
    chunk: u32,
    level: u32,
    at: u64,
    bytes: u32,
}

/// Levels by vertex.
#[derive(Debug)]
pub(crate) struct LevelFile {
    folder: PathBuf,
    shard_vertices: u64,
    file: File,
    written: u64,
    moved: u64,
    buffer: Vec<u8>,
    segments: Vec<Segment>,
    /// More are put together.
    most: usize,
}

impl LevelFile {
    /// Bytes in memory for a graph, those to read levels with included.
    pub(crate) fn bytes(graph: &ShardedGraph) -> u64 {
        let each = graph.shards().shard_vertices.min(CHUNK);
        2 * BUFFER as u64 + 8 * each + LevelFile::most(graph) as u64 * size_of::<Segment>() as u64
    }

    fn most(graph: &ShardedGraph) -> usize {
        let chunks = graph.shards().shard_vertices.div_ceil(CHUNK) as usize * graph.count();
        32 * chunks + (1 << 14)
    }

    pub(crate) fn create(graph: &ShardedGraph) -> Result<LevelFile, GraphError> {
        let folder = graph.temp_folder().to_owned();
        let most = LevelFile::most(graph);
        Ok(LevelFile {
            file: temporary(&folder)?,
            folder,
            shard_vertices: graph.shards().shard_vertices,
            written: 0,
            moved: 0,
            buffer: Vec::with_capacity(BUFFER + BUFFER / 8),
            segments: Vec::with_capacity(most),
            most,
        })
    }

    /// Bytes written and read so far.
    pub(crate) fn moved(&self) -> u64 {
        self.moved
    }

    /// Chunks of a shard.
    fn chunks(&self) -> u64 {
        self.shard_vertices.div_ceil(CHUNK)
    }

    /// Takes down the vertices of a shard that are on a level.
    pub(crate) fn add(&mut self, level: u32, shard: usize, found: &Frontier) -> Result<(), GraphError> {
        let mut next = found.next(0);
        while let Some(first) = next {
            let chunk = u64::from(first) / CHUNK;
            let end = ((chunk + 1) * CHUNK).min(self.shard_vertices);
            if self.segments.len() == self.most {
                self.put_together()?;
            }
            let (at, before) = (self.written + self.buffer.len() as u64, self.buffer.len());
            let mut last = chunk * CHUNK;
            for vertex in found.iter(first..end as Vertex) {
                leb128::put(u64::from(vertex) - last, &mut self.buffer);
                last = u64::from(vertex) + 1;
            }
            let bytes = (self.buffer.len() - before) as u32;
            let chunk = (shard as u64 * self.chunks() + chunk) as u32;
            self.segments.push(Segment { chunk, level, at, bytes });
            if self.buffer.len() >= BUFFER {
                self.flush()?;
            }
            next = u32::try_from(end).ok().and_then(|end| found.next(end));
        }
        Ok(())
    }

    /// After the last level.
    pub(crate) fn finish(&mut self) -> Result<(), GraphError> {
        self.flush()?;
        self.segments.sort_unstable_by_key(|segment| (segment.chunk, segment.at));
        Ok(())
    }

    /// The levels of a chunk of a shard, [`UNREACHED`] for others; after [`LevelFile::finish`].
    pub(crate) fn read(&mut self, shard: usize, chunk: u64, out: &mut Vec<u32>) -> Result<(), GraphError> {
        let chunk = (shard as u64 * self.chunks() + chunk) as u32;
        let start = self.segments.partition_point(|segment| segment.chunk < chunk);
        out.clear();
        out.resize(CHUNK as usize, UNREACHED);
        let mut bytes = Vec::new();
        for segment in self.segments[start..].iter().take_while(|segment| segment.chunk == chunk) {
            bytes.resize(segment.bytes as usize, 0);
            self.file
                .read_exact_at(&mut bytes, segment.at)
                .map_err(|error| GraphError::read(&self.folder.display().to_string(), error))?;
            self.moved += u64::from(segment.bytes);
            if segment.level == ALL {
                for (level, raw) in out.iter_mut().zip(bytes.as_chunks().0) {
                    *level = u32::from_le_bytes(*raw);
                }
                continue;
            }
            let (mut place, mut rest) = (0, bytes.as_slice());
            while let Some(distance) = leb128::take(&mut rest) {
                place += distance as usize;
                if let Some(level) = out.get_mut(place) {
                    *level = segment.level;
                }
                place += 1;
            }
        }
        Ok(())
    }

    /// Writes all chunks anew, each as one segment.
    fn put_together(&mut self) -> Result<(), GraphError> {
        self.finish()?;
        let file = temporary(&self.folder)?;
        let mut segments: Vec<Segment> = Vec::with_capacity(self.most);
        let (mut written, mut levels) = (0, Vec::new());
        let mut chunks: Vec<u32> = self.segments.iter().map(|segment| segment.chunk).collect();
        chunks.dedup();
        for chunk in chunks {
            let (shard, within) = (u64::from(chunk) / self.chunks(), u64::from(chunk) % self.chunks());
            self.read(shard as usize, within, &mut levels)?;
            let bytes: Vec<u8> = levels.iter().flat_map(|level| level.to_le_bytes()).collect();
            file.write_all_at(&bytes, written).map_err(|error| GraphError::write(&self.folder, error))?;
            segments.push(Segment { chunk, level: ALL, at: written, bytes: bytes.len() as u32 });
            written += bytes.len() as u64;
        }
        self.moved += written;
        (self.file, self.segments, self.written) = (file, segments, written);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), GraphError> {
        let written = self.file.write_all_at(&self.buffer, self.written);
        written.map_err(|error| GraphError::write(&self.folder, error))?;
        self.written += self.buffer.len() as u64;
        self.moved += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

fn temporary(folder: &Path) -> Result<File, GraphError> {
    tempfile::tempfile_in(folder).map_err(|error| GraphError::write(folder, error))
}
