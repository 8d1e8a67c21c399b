//! Reads every byte of a store and says whether it is what an import writes.

mod of_tiles;

use std::cmp::Ordering;
use std::path::Path;

use serde::Serialize;

use super::store_file::StoreFile;
use crate::GraphError;
use crate::Progress;
use crate::format::PAYLOAD;
use crate::format::block_layout::{CONTINUED, Head, entries_start, entry_end};
use crate::format::code::{self, SLACK};
use crate::format::header::{HEADER_BYTES, IdKind};
use crate::format::paged::{Kind, PagedReader};
use crate::format::{ALIGNMENT, Block, Direction, Header, Scratch, Section, Vertex, checksum};
use crate::tiles;
use crate::updates::folder::{self, Found, Manifest};
use crate::updates::pieces::Pieces;
use crate::updates::snapshot::{Snapshot, base_of};

/// What was found sound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct VerifyReport {
    /// Of the file.
    pub bytes: u64,
    /// Of both directions.
    pub blocks: u64,
    /// Vertices.
    pub vertices: u64,
    /// Entries of all forward lists.
    pub entries: u64,
    /// Whether there are lists of incoming edges of their own, which lead where the forward ones come from.
    pub reverse: bool,
}

/// Checks a store: its header, each block's checksum and inner structure, that blocks and directory agree,
/// that both directions hold the same edges, that an undirected graph's edges lead both ways, and that ids
/// and order are what they should be. Memory: the directory, and a bit a vertex where vertices are
/// renumbered. `progress` has the phases `blocks`,
/// `reverse blocks` and `ids`.
///
/// # Errors
/// [`GraphError::Damaged`] names the first thing that is wrong and where; [`GraphError::NoStore`],
/// [`GraphError::Version`], [`GraphError::Read`].
pub fn verify(
    path: impl AsRef<Path>,
    progress: &mut dyn FnMut(Progress),
) -> Result<VerifyReport, GraphError> {
    let path = path.as_ref();
    if tiles::is_sharded(path) {
        return of_tiles::verify(path, progress);
    }
    if let Found::File(file) = folder::find(path)? {
        let name = path.display().to_string();
        let snapshot = Snapshot::of_file(file, &name);
        // Unless a writer has made a folder of it meanwhile.
        if snapshot.is_ok() || !path.is_dir() {
            return verify_file(&StoreFile::of_snapshot(snapshot?, name), progress);
        }
    }
    let manifest = Manifest::read(path)?;
    let base_path = folder::file(path, &manifest.base);
    let base = StoreFile::open_base(&base_path)?;
    base_of(&base.file, &base_path, &manifest)?;
    let report = verify_file(&base, progress)?;
    let pieces = folder::file(path, &manifest.pieces);
    if Pieces::read(&pieces, manifest.base_checksum)? != Pieces::of(&base)? {
        let what = "it does not have the first neighbours of its base's blocks".into();
        return Err(GraphError::damaged(&pieces.display().to_string(), what));
    }
    // With its changes: the log is read and checked for it.
    let store = StoreFile::open(path)?;
    let [forward, _] = check_lists(&store, progress)?;
    let bytes = folder::bytes(path).map_err(|error| GraphError::read(&store.name, error))?;
    check_ids(&store, progress)?;
    Ok(VerifyReport { bytes, vertices: store.header.vertices, entries: forward.edges, ..report })
}

/// A file, as an import or a compaction writes it.
fn verify_file(store: &StoreFile, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport, GraphError> {
    let header = store.header;
    let bytes = check_layout(store)?;
    let sides = check_lists(store, progress)?;
    let largest = sides[0].max_degree;
    if largest != header.max_degree {
        return Err(store.damaged("its header does not have the longest list".into()));
    }
    let blocks = sides.iter().map(|side| side.blocks).sum();
    check_id_table(store)?;
    check_ids(store, progress)?;
    check_order(store)?;
    let reverse = header.directed && header.has_reverse();
    Ok(VerifyReport { bytes, blocks, vertices: header.vertices, entries: header.edges, reverse })
}

/// Lists of both directions, and that they are the same edges.
fn check_lists(store: &StoreFile, progress: &mut dyn FnMut(Progress)) -> Result<[Side; 2], GraphError> {
    let header = store.header;
    let forward = check_side(store, Direction::Forward, progress)?;
    if forward.edges != header.edges || forward.self_loops != header.self_loops {
        return Err(store.damaged("its header does not count the edges that there are".into()));
    }
    let mut reverse = Side::default();
    if header.directed && header.has_reverse {
        reverse = check_side(store, Direction::Reverse, progress)?;
        if (reverse.edges, reverse.sums[1]) != (forward.edges, forward.sums[0]) {
            return Err(store.damaged("its reverse lists hold other edges than the forward ones".into()));
        }
    } else if !header.directed && forward.sums[0] != forward.sums[1] {
        return Err(store.damaged("it is undirected, but not every edge is in both its ends' lists".into()));
    }
    Ok([forward, reverse])
}

/// The header says nothing that an import would not write, and the sections lie one behind the other up to
/// the file's end.
fn check_layout(store: &StoreFile) -> Result<u64, GraphError> {
    use std::os::unix::fs::FileExt;
    let header = store.header;
    let failed = |error| GraphError::read(&store.name, error);
    let mut there = vec![0; HEADER_BYTES];
    store.file.read_exact_at(&mut there, 0).map_err(failed)?;
    if there[..8] == *Header::BASE {
        there[..8].copy_from_slice(&header.to_bytes()[..8]);
    }
    let length = store.file.metadata().map_err(failed)?.len();
    let paged = |bytes: u64| bytes.div_ceil(PAYLOAD as u64) * ALIGNMENT;
    let mut at = HEADER_BYTES as u64;
    let mut follows = |section: Section, bytes: u64| {
        let here = section.offset == at || section == Section::default();
        at += bytes;
        here
    };
    let sound = follows(header.forward, header.forward.bytes)
        && follows(header.forward_directory, paged(header.forward_directory.bytes))
        && follows(header.reverse, header.reverse.bytes)
        && follows(header.reverse_directory, paged(header.reverse_directory.bytes))
        && follows(header.ids, paged(header.ids.bytes))
        && follows(header.order, paged(header.order.bytes));
    if header.to_bytes() != there || !sound || at != length {
        return Err(store.damaged("its header is not one that an import writes".into()));
    }
    Ok(length)
}

/// What one side's lists come to.
#[derive(Debug, Default)]
struct Side {
    blocks: u64,
    edges: u64,
    self_loops: u64,
    max_degree: u64,
    /// Of the edges that are not self-loops: checksums that do not depend on their order. Of a directed side,
    /// of (vertex, neighbour) and of (neighbour, vertex); of an undirected one, of the edges listed by their
    /// lower end, and by their higher one.
    sums: [u64; 2],
    /// Behind the last vertex that has neighbours, and behind the last neighbour.
    ends: [u64; 2],
    /// The vertex whose list is next, or goes on.
    next: u64,
    /// The last list goes on, and so far had this neighbour last and that many.
    open: Option<(Vertex, u64)>,
}

fn check_side(
    store: &StoreFile,
    direction: Direction,
    progress: &mut dyn FnMut(Progress),
) -> Result<Side, GraphError> {
    let header = store.header;
    let phase = match direction {
        Direction::Forward => "blocks",
        Direction::Reverse => "reverse blocks",
    };
    let directory = store.directory(direction)?;
    let blocks = u64::from(directory.blocks());
    let mut side = Side::default();
    let mut scratch = Scratch::default();
    store.blocks(direction, |number, bytes, block| {
        let wrong = |what: &str| store.damaged(format!("{phase}: block {number} {what}"));
        if !store.is_changed() {
            check_bytes(bytes, store).map_err(wrong)?;
        }
        let continued = block.flags() & CONTINUED != 0;
        if directory.first_of(number) != block.first() || directory.is_continued(number) != continued {
            return Err(wrong("is not where the directory says"));
        }
        side.block(&block, continued, store, &mut scratch).map_err(wrong)?;
        if number % 1024 == 0 {
            progress(Progress { phase, done: u64::from(number), total: Some(blocks) });
        }
        Ok(())
    })?;
    if side.open.is_some() || side.next != header.vertices && !header.has_gaps {
        return Err(store.damaged(format!("{phase}: there are not as many lists as vertices")));
    }
    side.blocks = blocks;
    Ok(side)
}

/// The parts of a block lie where they should, and lists end where their entries do.
fn check_bytes(bytes: &[u8], store: &StoreFile) -> Result<(), &'static str> {
    let head = Head::read(bytes);
    let entries = usize::from(head.entries);
    let mut start = entries_start(entries);
    let weight = store.header.weights.bytes();
    for entry in 0..entries {
        let end = entry_end(bytes, entry);
        if end < start || end + SLACK > bytes.len() {
            return Err("has lists that do not follow one another");
        }
        let exact = if !store.header.compressed {
            (end - start).is_multiple_of(4 + weight)
        } else if start == end {
            true
        } else {
            let count = code::count(&bytes[start..]).filter(|(count, _)| (1..=bytes.len()).contains(count));
            count.is_some_and(|(count, head)| {
                let used = code::length(count, &bytes[start + head..]);
                used.is_some_and(|used| start + head + used + count * weight == end)
            })
        };
        if !exact {
            return Err("has a list that does not end where its entry does");
        }
        start = end;
    }
    if bytes[start..].iter().any(|byte| *byte != 0) {
        return Err("has bytes behind its last list");
    }
    Ok(())
}

impl Side {
    /// The vertices follow those of the block before; neighbours rise and exist.
    fn block(
        &mut self,
        block: &Block<'_>,
        continued: bool,
        store: &StoreFile,
        scratch: &mut Scratch,
    ) -> Result<(), &'static str> {
        let follows = match u64::from(block.first()).cmp(&self.next) {
            Ordering::Less => false,
            Ordering::Equal => continued == self.open.is_some(),
            Ordering::Greater => store.header.has_gaps && !continued && self.open.is_none(),
        };
        if !follows {
            return Err("does not follow the one before it");
        }
        let header = &store.header;
        for vertex in block.vertices() {
            let list = block.list(vertex, scratch);
            let (mut last, before) = self.open.take().unwrap_or((0, 0));
            for (i, &neighbour) in list.neighbours.iter().enumerate() {
                if neighbour < last || u64::from(neighbour) >= header.vertices {
                    return Err("has neighbours that do not rise or do not exist");
                }
                last = neighbour;
                let weight = list.weights.get(i).map_or(0, |weight| weight.to_bits());
                self.edge(vertex, neighbour, weight, header.directed);
            }
            if !list.neighbours.is_empty() {
                self.ends = [u64::from(vertex) + 1, self.ends[1].max(u64::from(last) + 1)];
            }
            let degree = before + list.neighbours.len() as u64;
            if block.continues(vertex) {
                self.open = Some((last, degree));
            } else {
                self.edges += degree;
                self.max_degree = self.max_degree.max(degree);
            }
        }
        self.next = u64::from(block.end()) - u64::from(self.open.is_some());
        Ok(())
    }

    fn edge(&mut self, vertex: Vertex, neighbour: Vertex, weight: u64, directed: bool) {
        if vertex == neighbour {
            self.self_loops += 1;
            if !directed {
                return;
            }
        }
        let hash = |from: Vertex, to: Vertex| {
            let pair = u64::from(from) << 32 | u64::from(to);
            checksum(&pair.to_le_bytes(), weight)
        };
        let mut add = |sum: usize, hash: u64| self.sums[sum] = self.sums[sum].wrapping_add(hash);
        if directed {
            add(0, hash(vertex, neighbour));
            add(1, hash(neighbour, vertex));
        } else {
            let higher = usize::from(vertex > neighbour);
            add(higher, hash(vertex.min(neighbour), vertex.max(neighbour)));
        }
    }
}

/// There is an id for each vertex.
fn check_id_table(store: &StoreFile) -> Result<(), GraphError> {
    let header = store.header;
    let pages = PagedReader::new(&store.file, &store.name, Kind::Ids, header.ids);
    let long_enough = match header.id_kind {
        IdKind::Dense => pages.len() == 0,
        IdKind::Numbers => pages.len() == 8 * header.vertices,
        IdKind::Strings => pages.len() >= 8 * (header.vertices + 1),
    };
    if !long_enough {
        return Err(store.damaged("it has not as many ids as vertices".into()));
    }
    if header.id_kind == IdKind::Strings {
        check_string_ends(store, pages)?;
    }
    Ok(())
}

/// Ids rise.
fn check_ids(store: &StoreFile, progress: &mut dyn FnMut(Progress)) -> Result<(), GraphError> {
    let header = store.header;
    let mut ids = store.ids();
    let mut report = |rank: u64| {
        if rank.is_multiple_of(1 << 20) {
            progress(Progress { phase: "ids", done: rank, total: Some(header.vertices) });
        }
    };
    let unordered = |rank: u64| store.damaged(format!("its id {rank} is not larger than the one before"));
    match header.id_kind {
        IdKind::Dense if ids.are_dense() => {}
        IdKind::Dense | IdKind::Numbers => {
            let mut before = None;
            for rank in 0..header.vertices {
                report(rank);
                let id = ids.number(rank)?;
                if before.replace(id).is_some_and(|before| before >= id) {
                    return Err(unordered(rank));
                }
            }
        }
        IdKind::Strings => {
            let mut before = None;
            for rank in 0..header.vertices {
                report(rank);
                let id = ids.text(rank)?;
                if before.as_ref().is_some_and(|before| *before >= id) {
                    return Err(unordered(rank));
                }
                before = Some(id);
            }
        }
    }
    Ok(())
}

/// The first string begins at 0, the last ends where the section does.
fn check_string_ends(store: &StoreFile, mut pages: PagedReader<'_>) -> Result<(), GraphError> {
    let vertices = store.header.vertices;
    let text = pages.len() - 8 * (vertices + 1);
    if pages.number(0)? != 0 || pages.number(vertices)? != text {
        return Err(store.damaged("its ids do not fill their section".into()));
    }
    Ok(())
}

/// Each vertex has one rank.
fn check_order(store: &StoreFile) -> Result<(), GraphError> {
    let header = store.header;
    let wanted = if header.renumbered { 4 * header.vertices } else { 0 };
    if header.order.bytes != wanted {
        return Err(store.damaged("its order has not as many entries as there are vertices".into()));
    }
    if !header.renumbered {
        return Ok(());
    }
    let mut seen = vec![0u64; header.vertices.div_ceil(64) as usize];
    let mut ids = store.ids();
    for rank in 0..header.vertices {
        let vertex = ids.vertex(rank)? as usize;
        let bit = 1 << (vertex % 64);
        if seen[vertex / 64] & bit != 0 {
            return Err(store.damaged(format!("its order gives vertex {vertex} two ids")));
        }
        seen[vertex / 64] |= bit;
    }
    Ok(())
}
