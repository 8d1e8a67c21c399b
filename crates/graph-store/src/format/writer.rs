//! Writes a store from edges in order.
//!
//! The file has no name until it is whole: a process that is killed leaves nothing behind.

use std::io::Write as _;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use leadline_files::NewFile;

use super::header::{HEADER_BYTES, IdKind};
use super::packer::Packer;
use super::paged::{Kind, PagedWriter};
use super::{ALIGNMENT, ChangeRules, Direction, Header, Layout, MAX_VERTICES, Section, Vertex};
use crate::GraphError;
use crate::direct::{DirectFile, SequentialWriter};

/// Writes in flight, and the bytes of each.
const WRITES: (usize, usize) = (4, 256 << 10);

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FinishedStore {
    /// The store's header.
    pub header: Header,
    /// Bytes of the file.
    pub file_bytes: u64,
}

/// A store in the making: all forward lists, then the reverse ones if any, then ids and order, then
/// [`StoreWriter::finish`].
#[derive(Debug)]
pub struct StoreWriter {
    path: PathBuf,
    file: NewFile,
    buffer_bytes: u64,
    out: SequentialWriter,
    /// Where the next section begins.
    at: u64,
    layout: Layout,
    header: Header,
    packer: Packer,
    side: Direction,
}

impl StoreWriter {
    /// Begins a store that will be at `path`, in whose directory its bytes are written from now on.
    ///
    /// # Errors
    /// [`GraphError::BlockSize`], [`GraphError::TooManyVertices`], [`GraphError::Write`] where the directory
    /// takes no file.
    pub fn create(path: &Path, layout: Layout) -> Result<StoreWriter, GraphError> {
        StoreWriter::with_writes(path, layout, WRITES)
    }

    /// The same, with that many writes in flight, and the bytes of each.
    pub(crate) fn with_writes(
        path: &Path,
        layout: Layout,
        (depth, bytes): (usize, usize),
    ) -> Result<StoreWriter, GraphError> {
        let size = layout.block_bytes;
        if !size.is_power_of_two() || !(super::MIN_BLOCK_BYTES..=super::MAX_BLOCK_BYTES).contains(&size) {
            return Err(GraphError::BlockSize { given: size });
        }
        if layout.vertices > MAX_VERTICES {
            let what = "a store holds".to_owned();
            return Err(GraphError::TooManyVertices { found: layout.vertices, what, most: MAX_VERTICES });
        }
        // It has no buffer of its own: all but the header passes the page cache by.
        let file = NewFile::with_capacity(0, path)?;
        let mut out = SequentialWriter::new(&DirectFile::new(file.file(), path)?, depth, bytes)?;
        out.write_all(&[0; HEADER_BYTES]).map_err(|error| GraphError::write(path, error))?;
        let none = Section::default();
        let header = Header {
            block_bytes: layout.block_bytes,
            directed: layout.directed,
            compressed: layout.compressed,
            weights: layout.weights,
            renumbered: false,
            id_kind: IdKind::Dense,
            vertices: layout.vertices,
            edges: 0,
            self_loops: 0,
            max_degree: 0,
            import_nanos: 0,
            forward: none,
            forward_directory: none,
            reverse: none,
            reverse_directory: none,
            has_reverse: false,
            ids: none,
            order: none,
            has_gaps: false,
            rules: ChangeRules::default(),
        };
        Ok(StoreWriter {
            path: path.to_owned(),
            file,
            buffer_bytes: (depth * bytes) as u64,
            out,
            at: HEADER_BYTES as u64,
            layout,
            header,
            packer: Packer::new(layout, Direction::Forward),
            side: Direction::Forward,
        })
    }

    /// Says which edges an update of the store leaves out; none without a call.
    pub fn set_rules(&mut self, rules: ChangeRules) {
        self.header.rules = rules;
    }

    /// Has the blocks leave out long runs of vertices without lists; before the first edge.
    pub(crate) fn leave_gaps(&mut self) {
        self.header.has_gaps = true;
        self.packer.leave_gaps();
    }

    /// Bytes in memory, whatever the graph: its largest parts are the file's buffers and the directory (4
    /// bytes per block).
    pub fn memory_bytes(&self) -> u64 {
        self.buffer_bytes + self.packer.memory_bytes()
    }

    /// The next edge of the lists now being written; `vertex`, then `neighbour`, never fall. In forward lists
    /// `vertex` is the source, in reverse ones the target. `weight` is dropped where the layout has none.
    ///
    /// # Errors
    /// [`GraphError::Write`], a full disk above all.
    ///
    /// # Panics
    /// In debug builds, where edges come out of order or lead outside the graph.
    #[inline]
    pub fn edge(&mut self, vertex: Vertex, neighbour: Vertex, weight: f64) -> Result<(), GraphError> {
        self.packer
            .edge(vertex, neighbour, weight, &mut self.out)
            .map_err(|error| GraphError::write(&self.path, error))
    }

    /// The whole list of the next vertex, in code; all its edges and no more than fit in a quarter of a block.
    #[inline]
    pub(crate) fn list(&mut self, vertex: Vertex, degree: u64, code: &[u8]) -> Result<(), GraphError> {
        self.packer
            .list(vertex, degree, code, &mut self.out)
            .map_err(|error| GraphError::write(&self.path, error))
    }

    /// Counts edges of lists in code that lead to where they come from.
    pub(crate) fn add_self_loops(&mut self, self_loops: u64) {
        self.packer.add_self_loops(self_loops);
    }

    /// How its lists are written.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Ends the forward lists; the reverse ones follow, of a directed graph only.
    ///
    /// # Errors
    /// As [`StoreWriter::edge`].
    ///
    /// # Panics
    /// Where the graph is undirected, or the reverse lists were begun already.
    pub fn start_reverse(&mut self) -> Result<(), GraphError> {
        assert!(self.layout.directed && self.side == Direction::Forward, "reverse lists come once, second");
        self.end_lists()?;
        self.side = Direction::Reverse;
        self.header.has_reverse = true;
        self.packer = Packer::new(self.layout, Direction::Reverse);
        Ok(())
    }

    /// Ends the lists and gives each rank its id, a number; ascending. Without a call ids are 0 to vertices -
    /// 1.
    ///
    /// # Errors
    /// As [`StoreWriter::edge`], and whatever `ids` fails with.
    pub fn number_ids(
        &mut self,
        ids: impl Iterator<Item = Result<u64, GraphError>>,
    ) -> Result<(), GraphError> {
        self.end_lists()?;
        self.header.id_kind = IdKind::Numbers;
        let mut pages = PagedWriter::new(Kind::Ids);
        for id in ids {
            self.put(&mut pages, &id?.to_le_bytes())?;
        }
        self.header.ids = self.end_section(pages)?;
        Ok(())
    }

    /// Ends the lists and gives each rank its id, a string; ascending by bytes, at most 1 MiB each. `ids` is
    /// called twice: first for where each ends, which is in front of all of them.
    ///
    /// # Errors
    /// As [`StoreWriter::edge`], and whatever an id fails with.
    pub fn string_ids<I, S>(&mut self, ids: impl Fn() -> I) -> Result<(), GraphError>
    where
        I: Iterator<Item = Result<S, GraphError>>,
        S: AsRef<str>,
    {
        self.end_lists()?;
        self.header.id_kind = IdKind::Strings;
        let mut pages = PagedWriter::new(Kind::Ids);
        let mut end = 0u64;
        self.put(&mut pages, &end.to_le_bytes())?;
        for id in ids() {
            end += id?.as_ref().len() as u64;
            self.put(&mut pages, &end.to_le_bytes())?;
        }
        for id in ids() {
            self.put(&mut pages, id?.as_ref().as_bytes())?;
        }
        self.header.ids = self.end_section(pages)?;
        Ok(())
    }

    /// Ends the lists and says, by rank of the id, which vertex it is; for stores whose vertices are in
    /// another order.
    ///
    /// # Errors
    /// As [`StoreWriter::edge`], and whatever `vertices` fails with.
    pub fn order(
        &mut self,
        vertices: impl Iterator<Item = Result<Vertex, GraphError>>,
    ) -> Result<(), GraphError> {
        self.end_lists()?;
        self.header.renumbered = true;
        let mut pages = PagedWriter::new(Kind::Order);
        for vertex in vertices {
            self.put(&mut pages, &vertex?.to_le_bytes())?;
        }
        self.header.order = self.end_section(pages)?;
        Ok(())
    }

    /// Writes the header, makes all durable, and gives the file its name, in place of one that has it.
    ///
    /// # Errors
    /// [`GraphError::Write`]; there is no file of that name, or still the old one, then.
    pub fn finish(mut self) -> Result<FinishedStore, GraphError> {
        self.end_lists()?;
        let StoreWriter { mut file, out, at, header, .. } = self;
        out.finish()?;
        // Durable before the header says that there is something, so that no crash leaves a store of other
        // bytes.
        file.sync()?;
        let written = file.file().write_all_at(&header.to_bytes(), 0);
        written.map_err(|error| file.write_error(error))?;
        let file_bytes = file.finish()?;
        assert_eq!(file_bytes, at, "the header says where everything is");
        Ok(FinishedStore { header, file_bytes })
    }

    /// Once for each side: the last block, then the directory.
    fn end_lists(&mut self) -> Result<(), GraphError> {
        if self.packer.ended() {
            return Ok(());
        }
        let failed = |error| GraphError::write(&self.path, error);
        let totals = self.packer.end(&mut self.out).map_err(failed)?;
        let blocks = Section { offset: self.at, bytes: totals.block_bytes };
        self.at += totals.block_bytes;
        let kind = match self.side {
            Direction::Forward => Kind::ForwardDirectory,
            Direction::Reverse => Kind::ReverseDirectory,
        };
        let mut pages = PagedWriter::new(kind);
        let packer = std::mem::take(&mut self.packer.directory);
        for first in &packer.first {
            self.put(&mut pages, &first.to_le_bytes())?;
        }
        for bits in &packer.continued {
            self.put(&mut pages, &bits.to_le_bytes())?;
        }
        let directory = self.end_section(pages)?;
        match self.side {
            Direction::Forward => {
                (self.header.forward, self.header.forward_directory) = (blocks, directory);
                self.header.edges = totals.edges;
                self.header.self_loops = totals.self_loops;
                self.header.max_degree = totals.max_degree;
            }
            Direction::Reverse => {
                assert_eq!(self.header.edges, totals.edges, "both sides hold the same edges");
                (self.header.reverse, self.header.reverse_directory) = (blocks, directory);
            }
        }
        Ok(())
    }

    fn put(&mut self, pages: &mut PagedWriter, bytes: &[u8]) -> Result<(), GraphError> {
        pages.put(bytes, &mut self.out).map_err(|error| GraphError::write(&self.path, error))
    }

    fn end_section(&mut self, pages: PagedWriter) -> Result<Section, GraphError> {
        let (payload, bytes) =
            pages.finish(&mut self.out).map_err(|error| GraphError::write(&self.path, error))?;
        assert_eq!(bytes % ALIGNMENT, 0, "sections begin aligned");
        let section = Section { offset: self.at, bytes: payload };
        self.at += bytes;
        Ok(section)
    }
}
