//! Looks up single edges: each in the one block of the base that may have it, and in the rows of what changed
//! since. A sweep over the blocks takes milliseconds before it reads the first, each time.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::filter::Filter;
use super::kept_blocks::KeptBlocks;
use super::key_map::KeyMap;
use super::pieces::Pieces;
use super::rows::{self, Change, Row};
use super::run::Window;
use super::snapshot::Changed;
use crate::GraphError;
use crate::direct::{DirectFile, ReadQueue};
use crate::format::{Block, Direction, Directory, Scratch, Vertex, Weights};
use crate::inspect::StoreFile;

/// Reads in flight, at least and at most; a quarter of the memory may go to them.
const DEPTH: (u64, u64) = (4, 64);

/// A filter of a base's edges takes a pass over all; it is made once one edge in this number was looked up.
const WORTH: u64 = 256;

/// Finds edges of a base and of the changes since. What it keeps is of this base.
#[derive(Debug)]
pub(super) struct Finder {
    directory: Directory,
    queue: ReadQueue,
    kept: KeptBlocks,
    /// Of the edges of the base, by [`Row::key`].
    filter: Option<Filter>,
    /// Of the rows that are in no run.
    recent: Option<Filter>,
    looked_up: u64,
    /// Bytes for all that is kept.
    memory: u64,
    /// Rows that are in no run, at most.
    most_recent: u64,
}

/// Edges that are there: by [`Row::key`] the weights of their copies.
type Copies = KeyMap<u64, Vec<f64>>;

impl Finder {
    /// Of the base in a file, whose blocks begin where `pieces` say; keeps at most `memory` bytes. There are
    /// mostly no more than `most_recent` rows in no run.
    pub(super) fn new(
        base: &StoreFile,
        path: &Path,
        pieces: Pieces,
        memory: u64,
        most_recent: u64,
    ) -> Result<Finder, GraphError> {
        let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
        let bytes = base.base.block_bytes as usize;
        let depth = (memory / 4 / bytes as u64).clamp(DEPTH.0, DEPTH.1) as usize;
        Ok(Finder {
            directory: base.directory(Direction::Forward)?.changed(pieces.forward, base.base.vertices),
            queue: ReadQueue::new(&DirectFile::to_read(&file, path)?, depth, bytes)?,
            kept: KeptBlocks::new(bytes),
            filter: None,
            recent: None,
            looked_up: 0,
            memory,
            most_recent,
        })
    }

    /// The copies of some edges; `keys` ascend, and each is there once.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Read`], [`GraphError::Interrupted`]; it is of no use any more.
    pub(super) fn find(
        &mut self,
        base: &StoreFile,
        changed: &Changed,
        keys: &[u64],
        stop: Option<&AtomicBool>,
    ) -> Result<Copies, GraphError> {
        let of_runs: u64 = changed.runs.iter().map(|run| run.forward.filter_bytes()).sum();
        let room = self.memory.saturating_sub(of_runs + Filter::bytes_for(self.most_recent));
        self.looked_up += keys.len() as u64;
        self.make_filter(base, room, stop)?;
        let of_filter = self.filter.as_ref().map_or(0, |_| Filter::bytes_for(edges(base)));
        self.kept.limit(room.saturating_sub(of_filter));
        let mut copies = Copies::default();
        self.in_base(base, keys, &mut copies, stop)?;
        let mut window = Window::default();
        for run in &changed.runs {
            run.forward.each_of(keys, &mut window, |row| apply(&mut copies, row))?;
        }
        let recent = self.recent.get_or_insert_with(|| {
            let mut filter = Filter::new(self.most_recent);
            changed.layers.iter().flat_map(|layer| &layer[..]).for_each(|row| filter.insert(row.key));
            filter
        });
        let keys: Vec<u64> = keys.iter().copied().filter(|key| recent.may_have(*key)).collect();
        for layer in &changed.layers {
            let mut near = 0;
            for key in &keys {
                let rows = rows::within_near(layer, *key..key + 1, &mut near);
                rows.iter().for_each(|row| apply(&mut copies, *row));
            }
        }
        copies.retain(|_, weights| !weights.is_empty());
        Ok(copies)
    }

    /// Rows of a commit, which are in no run.
    pub(super) fn add(&mut self, rows: &[Row]) {
        if let Some(filter) = &mut self.recent {
            rows.iter().for_each(|row| filter.insert(row.key));
        }
    }

    /// All rows are in runs.
    pub(super) fn forget_rows(&mut self) {
        self.recent = None;
    }

    /// Makes the filter of a base, if enough was looked up and half of `room` is enough for it.
    fn make_filter(
        &mut self,
        base: &StoreFile,
        room: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<(), GraphError> {
        let edges = edges(base);
        if self.filter.is_some() || self.looked_up < edges / WORTH || Filter::bytes_for(edges) > room / 2 {
            return Ok(());
        }
        let mut filter = Filter::new(edges);
        let directed = base.base.directed;
        base.blocks(Direction::Forward, |_, _, block| {
            for vertex in block.vertices() {
                block.scan(vertex, |neighbour| {
                    if directed || vertex <= neighbour {
                        filter.insert(Row::key(vertex, neighbour));
                    }
                    true
                });
            }
            check(stop)
        })?;
        self.filter = Some(filter);
        Ok(())
    }

    /// The copies that the base has.
    fn in_base(
        &mut self,
        base: &StoreFile,
        keys: &[u64],
        copies: &mut Copies,
        stop: Option<&AtomicBool>,
    ) -> Result<(), GraphError> {
        let vertices = base.base.vertices;
        let is_there = |key: u64| key >> 32 < vertices && u64::from(key as Vertex) < vertices;
        let mut wanted: Vec<(u32, u64)> = Vec::new();
        for key in keys.iter().filter(|key| is_there(**key)) {
            if self.filter.as_ref().is_none_or(|filter| filter.may_have(*key)) {
                wanted.extend(self.directory.blocks_of_key(*key).map(|block| (block, *key)));
            }
        }
        wanted.sort_unstable();
        let mut look = Look { base, scratch: Scratch::default(), copies };
        let section = base.base.blocks(Direction::Forward);
        let bytes = base.base.block_bytes as usize;
        let mut missing = Vec::new();
        for of_block in wanted.chunk_by(|a, b| a.0 == b.0) {
            let number = of_block[0].0;
            match self.kept.get(number) {
                Some(bytes) => look.block(number, bytes, of_block),
                None => {
                    self.queue.want(section.offset + u64::from(number) * bytes as u64, bytes)?;
                    missing.push(of_block);
                }
            }
        }
        for of_block in missing {
            check(stop)?;
            let number = of_block[0].0;
            let Finder { queue, kept, .. } = self;
            queue.next(|read| {
                let read = &read[..bytes];
                base.check_block(Direction::Forward, number, read)?;
                look.block(number, read, of_block);
                kept.put(number, read);
                Ok::<(), GraphError>(())
            })??;
        }
        Ok(())
    }
}

/// Edges of a base: entries of all forward lists, of an undirected graph of the lower ends.
fn edges(base: &StoreFile) -> u64 {
    let header = &base.base;
    if header.directed { header.edges } else { (header.edges + header.self_loops) / 2 }
}

/// What a row makes of the copies of its edge.
fn apply(copies: &mut Copies, row: Row) {
    match row.change() {
        Change::Remove => drop(copies.remove(&row.key)),
        Change::Add(weight) => copies.entry(row.key).or_default().push(weight),
    }
}

fn check(stop: Option<&AtomicBool>) -> Result<(), GraphError> {
    if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) { Err(GraphError::Interrupted) } else { Ok(()) }
}

/// Looks for edges in blocks.
struct Look<'a> {
    base: &'a StoreFile,
    scratch: Scratch,
    copies: &'a mut Copies,
}

impl Look<'_> {
    /// Notes the copies that a block has of some edges.
    fn block(&mut self, number: u32, bytes: &[u8], wanted: &[(u32, u64)]) {
        let header = &self.base.base;
        let block = Block::new(bytes, number, header.decoder(), header.weights);
        for (_, key) in wanted {
            let (vertex, neighbour) = ((*key >> 32) as Vertex, *key as Vertex);
            if !block.vertices().contains(&vertex) {
                continue;
            }
            if header.weights == Weights::None {
                let mut count = 0;
                block.scan(vertex, |other| {
                    count += usize::from(other == neighbour);
                    other <= neighbour
                });
                if count > 0 {
                    self.copies.entry(*key).or_default().extend(std::iter::repeat_n(0.0, count));
                }
                continue;
            }
            let list = block.list(vertex, &mut self.scratch);
            let from = list.neighbours.partition_point(|other| *other < neighbour);
            let count = list.neighbours[from..].iter().take_while(|other| **other == neighbour).count();
            if count > 0 {
                self.copies.entry(*key).or_default().extend(&list.weights[from..from + count]);
            }
        }
    }
}
