//! Reads a store from its first block to its last, without an engine: what checks and copies it needs.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::GraphError;
use crate::format::paged::{Kind, PagedReader};
use crate::format::{Block, Direction, Directory, Header, Ids, Vertex, block_layout, block_seed};
use crate::updates::changes::{Changes, Merging, SideChanges};
use crate::updates::rows::Row;
use crate::updates::snapshot::Snapshot;

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 20;

/// An open store, with its changes.
#[derive(Debug)]
pub(crate) struct StoreFile {
    pub(crate) file: File,
    pub(crate) name: String,
    /// After changes.
    pub(crate) header: Header,
    /// Of the file.
    pub(crate) base: Header,
    /// Changes since it was imported.
    pub(crate) version: u64,
    changed: Option<Changed>,
}

/// What changes make of lists.
#[derive(Debug)]
struct Changed {
    forward: Directory,
    reverse: Option<Directory>,
    changes: Changes,
}

/// The lists of a direction after changes, block by block, on any thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'s> {
    store: &'s StoreFile,
    direction: Direction,
    directory: &'s Directory,
    changes: &'s SideChanges,
}

impl Side<'_> {
    /// Blocks that are in the file.
    pub(crate) fn stored_blocks(&self) -> u32 {
        (0..self.directory.blocks())
            .rev()
            .find(|block| self.directory.is_stored(*block))
            .map_or(0, |last| last + 1)
    }

    /// All blocks, those among them that only changes have.
    pub(crate) fn blocks(&self) -> u32 {
        self.directory.blocks()
    }

    /// The first with a piece of a vertex's list.
    pub(crate) fn first_block_of(&self, vertex: Vertex) -> u32 {
        self.directory.block_of(vertex)
    }

    /// Where the blocks begin in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.store.base.blocks(self.direction).offset
    }

    /// How many runs have changes.
    pub(crate) fn runs(&self) -> u64 {
        self.changes.runs()
    }

    /// A block with its changes: its bytes are those of the file, if it is in there. None where it has no
    /// lists. The checksum is looked at.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], and of reading a run.
    pub(crate) fn block<'b>(
        &self,
        number: u32,
        bytes: Option<&'b [u8]>,
        merging: &'b mut Merging,
    ) -> Result<Option<Block<'b>>, GraphError> {
        let Side { store, direction, directory, changes } = *self;
        let base = &store.base;
        let stored = bytes.map(|bytes| {
            let place = self.offset() + u64::from(number) * u64::from(base.block_bytes);
            store.check(direction, number, place, bytes)?;
            Ok::<_, GraphError>(Block::new(bytes, number, base.decoder(), base.weights))
        });
        let stored = stored.transpose()?;
        if !changes.touches(number) {
            return Ok(stored);
        }
        changes.merge(merging, directory, number, stored.as_ref()).map(Some)
    }
}

impl StoreFile {
    /// Opens it and checks its header.
    pub(crate) fn open(path: &Path) -> Result<StoreFile, GraphError> {
        Ok(StoreFile::of_snapshot(Snapshot::open(path)?, path.display().to_string()))
    }

    pub(crate) fn of_snapshot(snapshot: Snapshot, name: String) -> StoreFile {
        let Snapshot { file, base, header, forward, reverse, changes, version, .. } = snapshot;
        let changed = changes.map(|changes| Changed { forward, reverse, changes });
        StoreFile { file, name, header, base, version, changed }
    }

    /// The base of a store that was changed, without its changes.
    pub(crate) fn open_base(path: &Path) -> Result<StoreFile, GraphError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
        let header = Header::read_base(&file, &name)?;
        Ok(StoreFile { file, name, header, base: header, version: 0, changed: None })
    }

    pub(crate) fn ids(&self) -> Ids<'_> {
        let changes = self.changed.as_ref().and_then(|changed| changed.changes.ids());
        Ids::new(&self.file, &self.name, &self.base, changes, self.header.vertices)
    }

    /// Which block holds which vertices.
    ///
    /// # Errors
    /// Of reading it from the file, where there are no changes.
    pub(crate) fn directory(&self, direction: Direction) -> Result<Directory, GraphError> {
        if let Some(Changed { forward, reverse, .. }) = &self.changed {
            let is_reverse = direction == Direction::Reverse;
            return Ok(reverse.as_ref().filter(|_| is_reverse).unwrap_or(forward).clone());
        }
        let (kind, section) = match direction {
            Direction::Forward => (Kind::ForwardDirectory, self.base.forward_directory),
            Direction::Reverse => (Kind::ReverseDirectory, self.base.reverse_directory),
        };
        let blocks = self.base.blocks(direction).bytes / u64::from(self.base.block_bytes);
        let pages = PagedReader::new(&self.file, &self.name, kind, section);
        let read = Directory::read(pages, &self.name, blocks, self.base.vertices)?;
        Ok(read.with_gaps(self.base.has_gaps))
    }

    /// What is left of a cap on memory, which changes take a part of.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where they take all of it.
    pub(crate) fn left_of(&self, memory: u64) -> Result<u64, GraphError> {
        let taken = self.changed.as_ref().map_or(0, |changed| changed.changes.bytes(1));
        memory.checked_sub(taken).ok_or_else(|| {
            let what = "the changes of the graph, until they are compacted,".into();
            GraphError::Memory { what, given: memory, needed: taken }
        })
    }

    /// Whether it differs from the file.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed.is_some()
    }

    /// All changes of forward lists, layer by layer.
    ///
    /// # Errors
    /// Of reading a run.
    pub(crate) fn each_row(&self, each: impl FnMut(Row)) -> Result<(), GraphError> {
        match &self.changed {
            Some(changed) => changed.changes.side(Direction::Forward).each_row(each),
            None => Ok(()),
        }
    }

    pub(crate) fn damaged(&self, what: String) -> GraphError {
        GraphError::damaged(&self.name, what)
    }

    /// The lists of a direction; none where nothing has changed.
    pub(crate) fn changed_side(&self, direction: Direction) -> Option<Side<'_>> {
        let Changed { forward, reverse, changes } = self.changed.as_ref()?;
        let directory = match (direction, reverse) {
            (Direction::Reverse, Some(reverse)) => reverse,
            _ => forward,
        };
        Some(Side { store: self, direction, directory, changes: changes.side(direction) })
    }

    /// One block as the file has it, in `bytes`.
    ///
    /// # Errors
    /// [`GraphError::Read`], [`GraphError::Damaged`].
    pub(crate) fn block<'b>(
        &self,
        direction: Direction,
        number: u32,
        bytes: &'b mut Vec<u8>,
    ) -> Result<Block<'b>, GraphError> {
        let block_bytes = u64::from(self.base.block_bytes);
        bytes.resize(block_bytes as usize, 0);
        let place = self.base.blocks(direction).offset + u64::from(number) * block_bytes;
        self.file.read_exact_at(bytes, place).map_err(|error| GraphError::read(&self.name, error))?;
        self.check(direction, number, place, bytes)?;
        Ok(Block::new(bytes, number, self.base.decoder(), self.base.weights))
    }

    /// Checks a block of the file.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn check_block(
        &self,
        direction: Direction,
        number: u32,
        bytes: &[u8],
    ) -> Result<(), GraphError> {
        let section = self.base.blocks(direction);
        self.check(direction, number, section.offset + u64::from(number) * bytes.len() as u64, bytes)
    }

    fn check(&self, direction: Direction, number: u32, place: u64, bytes: &[u8]) -> Result<(), GraphError> {
        let direction = if self.base.directed { direction } else { Direction::Forward };
        let checked = block_layout::check(bytes, block_seed(direction, number), self.base.vertices);
        checked.map_err(|wrong| self.damaged(format!("block {number}, at byte {place}, {wrong}")))?;
        Ok(())
    }

    /// Calls `each` with all blocks of a direction, in order: the number, the bytes in the file (none where
    /// only changes have these vertices), and the block with its changes. Checksums and heads were right.
    pub(crate) fn blocks(
        &self,
        direction: Direction,
        mut each: impl FnMut(u32, &[u8], Block<'_>) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let changed = self.changed_side(direction);
        let section = self.base.blocks(direction);
        let block_bytes = self.base.block_bytes as usize;
        let (decoder, weights) = (self.base.decoder(), self.base.weights);
        let mut merging = Merging::default();
        let mut buffer = vec![0; READ_BYTES];
        let (mut done, mut number) = (0, 0);
        while done < section.bytes {
            let now = (section.bytes - done).min(READ_BYTES as u64) as usize;
            let place = section.offset + done;
            let read = self.file.read_exact_at(&mut buffer[..now], place);
            read.map_err(|error| GraphError::read(&self.name, error))?;
            for (i, bytes) in buffer[..now].chunks_exact(block_bytes).enumerate() {
                match &changed {
                    Some(side) if !side.directory.is_stored(number) => {
                        self.check(direction, number, place + (i * block_bytes) as u64, bytes)?;
                    }
                    Some(side) => {
                        let block = side.block(number, Some(bytes), &mut merging)?;
                        block.map_or(Ok(()), |block| each(number, bytes, block))?;
                    }
                    None => {
                        self.check(direction, number, place + (i * block_bytes) as u64, bytes)?;
                        each(number, bytes, Block::new(bytes, number, decoder, weights))?;
                    }
                }
                number += 1;
            }
            done += now as u64;
        }
        let Some(side) = changed else { return Ok(()) };
        for number in side.stored_blocks()..side.blocks() {
            if let Some(block) = side.block(number, None, &mut merging)? {
                each(number, &[], block)?;
            }
        }
        Ok(())
    }
}
