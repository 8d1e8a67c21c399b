//! Compaction: one base of the old one and all changes. Threads merge the lists of blocks, each in its turn,
//! and one thread packs them into new blocks. How far these are durable is noted now and then, so that a
//! compaction that was interrupted goes on from there. Where others read the device, it gives way to them.

pub(crate) mod begun;
mod coded;
mod threads;

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use self::begun::Notes;
use self::coded::{Coded, Seen};
use self::threads::{AtOnce, Making};
use super::rows::fits_in_four_bytes;
use crate::direct::Pace;
use crate::format::header::IdKind;
use crate::format::mark::Mark;
use crate::format::{Direction, Layout, StoreWriter, Weights};
use crate::inspect::StoreFile;
use crate::{GraphError, Options, Progress};

/// What a compaction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct CompactReport {
    /// Changes since the store was imported, all of which are in the new base.
    pub version: u64,
    /// Of the base and the changes before.
    pub bytes_before: u64,
    /// Of the base now.
    pub bytes_after: u64,
    /// Whether there was anything to do.
    pub compacted: bool,
    /// Bytes of lists that an earlier compaction had written before it was interrupted.
    pub resumed_bytes: u64,
    /// Whether what an earlier compaction had written was of no use: the store has changed since, or it was
    /// damaged.
    pub restarted: bool,
}

impl CompactReport {
    /// Of a store without changes.
    pub(super) fn of_nothing(version: u64, bytes: u64) -> CompactReport {
        CompactReport {
            version,
            bytes_before: bytes,
            bytes_after: bytes,
            compacted: false,
            resumed_bytes: 0,
            restarted: false,
        }
    }
}

/// What a compaction found of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resumed {
    Nothing,
    /// Blocks are not what they were when they were noted.
    Damaged,
    /// Bytes of lists that were there.
    After(u64),
}

/// How a file of lists is begun.
enum Begun {
    Empty,
    Damaged,
    After(Mark),
}

/// The base that a compaction makes.
#[derive(Debug)]
pub(super) struct NewBase<'a> {
    /// The store with its changes, and the file of its base.
    pub(super) store: &'a StoreFile,
    pub(super) base: &'a Path,
    /// The file to write.
    pub(super) path: &'a Path,
    /// Where it is noted how far it is; nowhere where the changes are not committed.
    pub(super) notes: Option<Notes<'a>>,
    pub(super) options: &'a Options,
    pub(super) stop: Option<&'a AtomicBool>,
}

impl NewBase<'_> {
    /// Writes all lists of the store, with its changes.
    pub(super) fn write(&self, progress: &mut dyn FnMut(Progress)) -> Result<Resumed, GraphError> {
        let NewBase { store, stop, .. } = *self;
        let header = &store.header;
        let layout = Layout {
            block_bytes: header.block_bytes,
            compressed: header.compressed,
            directed: header.directed,
            weights: weights(store)?,
            vertices: header.vertices,
        };
        let pace = Arc::new(Pace::of(&store.file));
        let (mut writer, begun) = self.begin(layout, &pace)?;
        let from = if let Begun::After(mark) = begun { Some(mark) } else { None };
        let at_once = AtOnce::under(self.options);
        let making = Making { store, base: self.base, layout, at_once, pace: &pace, stop };
        for direction in directions(store) {
            let within = from.filter(|mark| mark.side() == direction);
            match direction {
                // Whole already.
                Direction::Forward if from.is_some() && within.is_none() => continue,
                Direction::Reverse if within.is_none() => writer.start_reverse()?,
                _ => {}
            }
            let vertex = within.map_or(0, |mark| mark.vertex);
            self.side(&mut writer, making, direction, vertex, progress)?;
            if direction == Direction::Forward {
                writer.add_self_loops(header.self_loops);
            }
        }
        write_ids(store, &mut writer, stop)?;
        writer.set_rules(header.rules);
        let finished = writer.finish()?;
        if finished.header.edges != header.edges {
            let (found, said) = (finished.header.edges, header.edges);
            return Err(store.damaged(format!("its lists have {found} entries, and not {said}")));
        }
        Ok(match begun {
            Begun::Empty => Resumed::Nothing,
            Begun::Damaged => Resumed::Damaged,
            Begun::After(mark) => Resumed::After(mark.end(layout)),
        })
    }

    /// Begins the file, or goes on with what an earlier compaction left of it.
    fn begin(&self, layout: Layout, pace: &Arc<Pace>) -> Result<(StoreWriter, Begun), GraphError> {
        let NewBase { path, stop, .. } = *self;
        let open = |options: &mut OpenOptions| {
            options.read(true).write(true).open(path).map_err(|error| GraphError::write(path, error))
        };
        let noted = self.notes.as_ref().and_then(Notes::read);
        if let Some(mark) = noted
            && let Some(written) = begun::check(path, layout, mark, pace, stop)?
        {
            let file = open(&mut File::options())?;
            let writer = StoreWriter::resume(path, file, layout, pace, (mark, written))?;
            return Ok((writer, Begun::After(mark)));
        }
        begun::forget(leadline_files::folder_of(path))?;
        let file = open(File::options().create(true).truncate(true))?;
        let begun = if noted.is_some() { Begun::Damaged } else { Begun::Empty };
        Ok((StoreWriter::base(path, file, layout, pace)?, begun))
    }

    /// Writes the lists of a direction from a vertex on.
    fn side(
        &self,
        writer: &mut StoreWriter,
        making: Making<'_>,
        direction: Direction,
        from: u32,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), GraphError> {
        let header = &self.store.header;
        let sides = directions(self.store).count() as u64;
        let before = if direction == Direction::Reverse { header.edges } else { 0 };
        let done = before + writer.mark().map_or(0, |mark| mark.opening().totals.edges);
        let show = |done| Progress { phase: "compact", done, total: Some(sides * header.edges) };
        std::thread::scope(|scope| {
            let parts = making.begin(scope, direction, from)?;
            let (tell, told) = channel();
            let packer = Packing { base: self, layout: making.layout, writer, done, tell };
            let packing = scope.spawn(move || {
                parts.give_way();
                packer.pack(parts)
            });
            told.iter().for_each(|done| progress(show(done)));
            packing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// Packs lists into blocks, and notes how far it is.
struct Packing<'a> {
    base: &'a NewBase<'a>,
    layout: Layout,
    writer: &'a mut StoreWriter,
    done: u64,
    tell: Sender<u64>,
}

impl Packing<'_> {
    fn pack(mut self, parts: threads::InOrder) -> Result<(), GraphError> {
        let mut noted = self.end();
        let packed = parts.each(|coded| {
            self.put(coded)?;
            self.done += coded.entries;
            // Whoever is told waits for the end.
            let _ = self.tell.send(self.done);
            if let Some(notes) = &self.base.notes
                && self.end() >= noted + notes.every
            {
                self.note(notes)?;
                noted = self.end();
            }
            if is_set(self.base.stop) { Err(GraphError::Interrupted) } else { Ok(()) }
        });
        if let (Err(GraphError::Interrupted), Some(notes)) = (&packed, &self.base.notes) {
            self.note(notes)?;
        }
        packed
    }

    fn put(&mut self, coded: &Coded) -> Result<(), GraphError> {
        coded.each(|seen| match seen {
            Seen::Whole { vertex, degree, code } => self.writer.list(vertex, degree, code),
            Seen::Cut { vertex, neighbours, weights } => self.writer.neighbours(vertex, neighbours, weights),
        })
    }

    /// Up to where the file could be gone on with; 0 within a long list.
    fn end(&self) -> u64 {
        self.writer.mark().map_or(0, |mark| mark.end(self.layout))
    }

    fn note(&mut self, notes: &Notes<'_>) -> Result<(), GraphError> {
        let Some(mark) = self.writer.mark() else { return Ok(()) };
        // The note is true once the lists are durable.
        self.writer.sync()?;
        notes.write(mark)
    }
}

/// Directions of which a store has lists.
fn directions(store: &StoreFile) -> impl Iterator<Item = Direction> {
    let reverse = store.header.directed && store.header.has_reverse();
    [Direction::Forward].into_iter().chain(reverse.then_some(Direction::Reverse))
}

fn write_ids(
    store: &StoreFile,
    writer: &mut StoreWriter,
    stop: Option<&AtomicBool>,
) -> Result<(), GraphError> {
    let vertices = store.header.vertices;
    let ranks =
        || (0..vertices).map(|rank| if is_set(stop) { Err(GraphError::Interrupted) } else { Ok(rank) });
    let mut ids = store.ids();
    match store.base.id_kind {
        // Ids that go from 0 on without gaps need no table.
        IdKind::Dense if is_dense(store)? => {}
        IdKind::Dense | IdKind::Numbers => writer.number_ids(ranks().map(|rank| ids.number(rank?)))?,
        IdKind::Strings => writer.string_ids(|| {
            let mut ids = store.ids();
            ranks().map(move |rank| ids.text(rank?))
        })?,
    }
    let mut ids = store.ids();
    let (mut rank, mut is_sorted) = (0, true);
    ids.each_vertex(|vertex| {
        is_sorted &= vertex == rank;
        rank += 1;
    })?;
    if !is_sorted {
        writer.order(ranks().map(|rank| ids.vertex(rank?)))?;
    }
    Ok(())
}

fn is_set(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// Whether each id is its rank.
fn is_dense(store: &StoreFile) -> Result<bool, GraphError> {
    let mut ids = store.ids();
    match store.header.vertices {
        0 => Ok(true),
        // Ids ascend.
        count => Ok(ids.number(count - 1)? == count - 1),
    }
}

/// How weights have to be kept, those of changes among them.
fn weights(store: &StoreFile) -> Result<Weights, GraphError> {
    let mut weights = store.base.weights;
    if weights == Weights::F32 {
        store.each_row(|row| {
            if !fits_in_four_bytes(row) {
                weights = Weights::F64;
            }
        })?;
    }
    Ok(weights)
}
