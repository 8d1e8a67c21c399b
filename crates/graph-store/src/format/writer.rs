//! Writes a store from edges in order.
//!
//! The file has no name until it is whole: a process that is killed leaves nothing behind. The base of a
//! store that was changed may be written to a file that has its name already, to go on with it after an
//! interruption.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use leadline_files::NewFile;

use super::header::{HEADER_BYTES, IdKind};
use super::mark::Mark;
use super::packer::{Firsts, Packer, Totals};
use super::paged::{Kind, PagedWriter};
use super::{ALIGNMENT, ChangeRules, Direction, Header, Layout, MAX_VERTICES, Section, Vertex};
use crate::GraphError;
use crate::direct::{DirectFile, Pace, SequentialWriter};

/// Writes in flight, and the bytes of each.
const WRITES: (usize, usize) = (4, 256 << 10);

/// The same where others may be given way to, who wait for no more than one of them.
const PACED_WRITES: (usize, usize) = (8, 128 << 10);

/// The file that a store is written to.
#[derive(Debug)]
enum Target {
    /// It gets its name when it is whole.
    New(NewFile),
    /// The base of a store that was changed: who else knows its name knows that it is not whole.
    Base(File),
}

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
    file: Target,
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
        StoreWriter::check(layout)?;
        // It has no buffer of its own: all but the header passes the page cache by.
        let file = NewFile::with_capacity(0, path)?;
        let out = SequentialWriter::new(&DirectFile::new(file.file(), path)?, depth, bytes)?;
        StoreWriter::begin(path, Target::New(file), out, layout)
    }

    /// Begins a base of a store that was changed, which is not whole before [`StoreWriter::finish`], in an
    /// empty file.
    ///
    /// # Errors
    /// As [`StoreWriter::create`].
    pub(crate) fn base(
        path: &Path,
        file: File,
        layout: Layout,
        pace: &Arc<Pace>,
    ) -> Result<StoreWriter, GraphError> {
        StoreWriter::check(layout)?;
        let out = StoreWriter::paced(path, &file, pace)?;
        StoreWriter::begin(path, Target::Base(file), out, layout)
    }

    /// Goes on with a base that was written up to a mark; `written` is known of the blocks of the mark's
    /// direction.
    ///
    /// # Errors
    /// As [`StoreWriter::create`].
    pub(crate) fn resume(
        path: &Path,
        file: File,
        layout: Layout,
        pace: &Arc<Pace>,
        (mark, written): (Mark, Firsts),
    ) -> Result<StoreWriter, GraphError> {
        let out = StoreWriter::paced(path, &file, pace)?.behind(mark.end(layout));
        let mut header = StoreWriter::header(layout);
        if mark.reverse.is_some() {
            (header.forward, header.forward_directory) =
                (mark.forward_blocks(), mark.forward_directory(layout));
            let Totals { edges, self_loops, max_degree, .. } = mark.forward;
            (header.edges, header.self_loops, header.max_degree) = (edges, self_loops, max_degree);
            header.has_reverse = true;
        }
        Ok(StoreWriter {
            path: path.to_owned(),
            file: Target::Base(file),
            out,
            at: mark.begin(layout),
            layout,
            header,
            packer: Packer::behind(layout, mark.side(), written, mark.opening()),
            side: mark.side(),
        })
    }

    fn paced(path: &Path, file: &File, pace: &Arc<Pace>) -> Result<SequentialWriter, GraphError> {
        let (depth, bytes) = PACED_WRITES;
        Ok(SequentialWriter::new(&DirectFile::new(file, path)?, depth, bytes)?.paced(Arc::clone(pace)))
    }

    fn check(layout: Layout) -> Result<(), GraphError> {
        let size = layout.block_bytes;
        if !size.is_power_of_two() || !(super::MIN_BLOCK_BYTES..=super::MAX_BLOCK_BYTES).contains(&size) {
            return Err(GraphError::BlockSize { given: size });
        }
        if layout.vertices > MAX_VERTICES {
            let what = "a store holds".to_owned();
            return Err(GraphError::TooManyVertices { found: layout.vertices, what, most: MAX_VERTICES });
        }
        Ok(())
    }

    /// Of a store without lists.
    fn header(layout: Layout) -> Header {
        let none = Section::default();
        Header {
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
        }
    }

    fn begin(
        path: &Path,
        file: Target,
        mut out: SequentialWriter,
        layout: Layout,
    ) -> Result<StoreWriter, GraphError> {
        out.write_all(&[0; HEADER_BYTES]).map_err(|error| GraphError::write(path, error))?;
        Ok(StoreWriter {
            path: path.to_owned(),
            file,
            out,
            at: HEADER_BYTES as u64,
            layout,
            header: StoreWriter::header(layout),
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
        self.out.buffer_bytes() + self.packer.memory_bytes()
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

    /// The whole list of a vertex in the code of a block, of at most a quarter of one, and how many
    /// neighbours it has; of these, the loops are not counted.
    ///
    /// # Errors
    /// As [`StoreWriter::edge`].
    #[inline]
    pub(crate) fn list(&mut self, vertex: Vertex, degree: u64, code: &[u8]) -> Result<(), GraphError> {
        let put = self.packer.list(vertex, degree, code, &mut self.out);
        put.map_err(|error| GraphError::write(&self.path, error))
    }

    /// More neighbours of a vertex, as [`StoreWriter::edge`] takes one; loops among them are not counted.
    ///
    /// # Errors
    /// As [`StoreWriter::edge`].
    pub(crate) fn neighbours(
        &mut self,
        vertex: Vertex,
        list: &[Vertex],
        weights: &[f64],
    ) -> Result<(), GraphError> {
        let put = self.packer.neighbours(vertex, list, weights, &mut self.out);
        put.map_err(|error| GraphError::write(&self.path, error))
    }

    /// Counts edges that lead to where they come from, and were not counted with their lists.
    pub(crate) fn add_self_loops(&mut self, self_loops: u64) {
        self.packer.add_self_loops(self_loops);
    }

    /// How its lists are written.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// How far the lists are written; none within a long one, and once they have ended.
    pub(crate) fn mark(&self) -> Option<Mark> {
        let opening = self.packer.opening()?;
        let Header { forward, edges, self_loops, max_degree, .. } = self.header;
        let whole = Totals { block_bytes: forward.bytes, edges, self_loops, max_degree };
        let (forward, reverse) = match self.side {
            Direction::Forward => (opening.totals, None),
            Direction::Reverse => (whole, Some(opening.totals)),
        };
        Some(Mark { forward, reverse, vertex: opening.first })
    }

    /// Makes durable what is written, up to the last mark at least.
    ///
    /// # Errors
    /// As [`StoreWriter::edge`].
    pub(crate) fn sync(&mut self) -> Result<(), GraphError> {
        self.out.sync()
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
        let StoreWriter { path, file, out, at, header, .. } = self;
        out.finish()?;
        let mut bytes = header.to_bytes();
        // Durable before the header says that there is something, so that no crash leaves a store of other
        // bytes.
        let file_bytes = match file {
            Target::New(mut file) => {
                file.sync()?;
                let written = file.file().write_all_at(&bytes, 0);
                written.map_err(|error| file.write_error(error))?;
                file.finish()?
            }
            Target::Base(file) => {
                bytes[..Header::BASE.len()].copy_from_slice(Header::BASE);
                let written = file.sync_data().and_then(|()| file.write_all_at(&bytes, 0));
                let synced = written.and_then(|()| file.sync_all()).and_then(|()| file.metadata());
                synced.map_err(|error| GraphError::write(&path, error))?.len()
            }
        };
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
