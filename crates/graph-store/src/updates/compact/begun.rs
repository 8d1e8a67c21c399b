//! What an interrupted compaction leaves: its new lists as far as they are durable, and a note next to them
//! that says how far that is, and of which version of the store.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::GraphError;
use crate::direct::{DirectFile, Pace, ReadQueue};
use crate::format::block_layout::{self, CONTINUED, Head};
use crate::format::mark::Mark;
use crate::format::packer::Firsts;
use crate::format::paged::{Kind, PagedReader};
use crate::format::{Directory, Layout, block_seed};
use crate::updates::folder::{self, Manifest};

/// The note. Programs that know nothing of it remove it with all files of such names that are not theirs.
const NOTE: &str = "base-begun";

/// What its first line begins with.
const FIRST: &str = "leadline compaction 1 ";

/// A note has some hundred bytes.
const MOST_BYTES: u64 = 64 << 10;

/// Bytes of a read.
const READ: usize = 128 << 10;

/// Reads in flight.
const DEPTH: usize = 8;

/// How far a compaction came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// The manifest's seal, and changes that the lists are to have: of no other version are they.
    manifest: String,
    version: u64,
    /// The file of lists.
    lists: String,
    mark: Mark,
}

/// What is found of a compaction that did not end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Left {
    Nothing,
    /// It can be gone on with.
    Begun(Begun),
    /// The store has changed since, or what is there is damaged.
    Stale,
}

impl Left {
    /// What there is for a version of a store.
    pub(crate) fn find(place: &Path, manifest: &Manifest, version: u64) -> Left {
        let path = folder::file(place, NOTE);
        match leadline_files::read_text(&path, MOST_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Left::Nothing,
            Err(_) => Left::Stale,
            Ok(text) => match folder::unsealed::<Begun>(FIRST, &text) {
                Some(Ok(begun)) if begun.is_of(place, manifest, version) => Left::Begun(begun),
                _ => Left::Stale,
            },
        }
    }

    /// Files that are to be kept for it.
    pub(crate) fn files(&self) -> Vec<&str> {
        match self {
            Left::Begun(begun) => vec![NOTE, &begun.lists],
            Left::Nothing | Left::Stale => Vec::new(),
        }
    }
}

impl Begun {
    fn is_of(&self, place: &Path, manifest: &Manifest, version: u64) -> bool {
        let is_same = (&self.manifest, self.version) == (&manifest.sealed_as(), version);
        is_same && self.lists == manifest.clone().name("base") && folder::file(place, &self.lists).is_file()
    }
}

/// Keeps the note of a compaction.
#[derive(Debug)]
pub(crate) struct Notes<'a> {
    pub(crate) place: &'a Path,
    pub(crate) manifest: &'a Manifest,
    pub(crate) version: u64,
    /// Bytes that are written from one note to the next.
    pub(crate) every: u64,
}

impl Notes<'_> {
    /// Notes how far the lists are durable.
    pub(crate) fn write(&self, mark: Mark) -> Result<(), GraphError> {
        let lists = self.manifest.clone().name("base");
        let begun = Begun { manifest: self.manifest.sealed_as(), version: self.version, lists, mark };
        let path = folder::file(self.place, NOTE);
        let text = folder::sealed(FIRST, &begun).map_err(|error| GraphError::write(&path, error))?;
        Ok(leadline_files::replace(path, text)?)
    }

    /// How far an earlier compaction of this version came, if it left anything.
    pub(crate) fn read(&self) -> Option<Mark> {
        match Left::find(self.place, self.manifest, self.version) {
            Left::Begun(begun) => Some(begun.mark),
            Left::Nothing | Left::Stale => None,
        }
    }
}

/// Removes the note: what it says is not so any more.
pub(crate) fn forget(place: &Path) -> Result<(), GraphError> {
    folder::remove(&folder::file(place, NOTE))
}

/// Reads all that is written up to a mark; what is known of the blocks of the mark's direction. None where a
/// block is not what it was when it was noted.
///
/// # Errors
/// [`GraphError::Interrupted`], [`GraphError::Device`].
pub(crate) fn check(
    path: &Path,
    layout: Layout,
    mark: Mark,
    pace: &Pace,
    stop: Option<&AtomicBool>,
) -> Result<Option<Firsts>, GraphError> {
    let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
    let length = file.metadata().map_err(|error| GraphError::write(path, error))?.len();
    if length < mark.end(layout) {
        return Ok(None);
    }
    if mark.reverse.is_some() {
        let name = path.display().to_string();
        let pages = PagedReader::new(&file, &name, Kind::ForwardDirectory, mark.forward_directory(layout));
        let blocks = mark.forward_blocks().bytes / u64::from(layout.block_bytes);
        if Directory::read(pages, &name, blocks, layout.vertices).is_err() {
            return Ok(None);
        }
        let forward = Mark { reverse: None, ..mark };
        if checked_blocks(path, &file, layout, forward, pace, stop)?.is_none() {
            return Ok(None);
        }
    }
    checked_blocks(path, &file, layout, mark, pace, stop)
}

/// The same of the blocks of the mark's direction.
fn checked_blocks(
    path: &Path,
    file: &File,
    layout: Layout,
    mark: Mark,
    pace: &Pace,
    stop: Option<&AtomicBool>,
) -> Result<Option<Firsts>, GraphError> {
    let (begin, end) = (mark.begin(layout), mark.end(layout));
    let mut queue = ReadQueue::new(&DirectFile::to_read(file, path)?, DEPTH, READ)?;
    let size = layout.block_bytes as usize;
    let (mut firsts, mut number) = (Firsts::default(), 0u32);
    let (mut asked, mut at) = (begin, begin);
    while at < end {
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(GraphError::Interrupted);
        }
        pace.look();
        let ahead = (if pace.is_gentle() { 1 } else { DEPTH as u64 }) * READ as u64;
        while asked < end && asked < at + ahead {
            queue.want(asked, READ.min((end - asked) as usize))?;
            pace.begin(1);
            asked += READ as u64;
        }
        if pace.is_gentle() {
            pace.alone(|| queue.wait())?
        } else {
            queue.wait()?
        }
        pace.end(1);
        let now = READ.min((end - at) as usize);
        let is_sound = queue.next(|bytes| {
            bytes[..now].chunks_exact(size).all(|block| {
                let seed = block_seed(mark.side(), number);
                let is_sound = block_layout::check(block, seed, layout.vertices).is_ok();
                let head = Head::read(block);
                firsts.push(head.first, head.flags & CONTINUED != 0);
                number += 1;
                is_sound
            })
        })?;
        if !is_sound {
            return Ok(None);
        }
        at += now as u64;
    }
    Ok(Some(firsts))
}
