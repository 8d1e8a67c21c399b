//! Packs sorted edges into blocks.
//!
//! A list that takes at most a quarter of a block never straddles two: it goes whole into the open block, or
//! opens the next. A longer one is a hub's: it fills the open block and as many more as it takes, a piece in
//! each.

use std::io::{self, Write};

use super::block_layout::{self, CONTINUED, CONTINUES, Head};
use super::list_code;
use super::{Direction, Layout, MOST_BLOCKS, NO_VERTEX, Vertex, Weights, block_seed};

/// A hub's piece is not begun in less room than this.
const LEAST_ROOM: usize = 64;

/// First vertices and continuations of the blocks written.
#[derive(Debug, Default)]
pub(crate) struct Firsts {
    pub(crate) first: Vec<Vertex>,
    pub(crate) continued: Vec<u64>,
}

impl Firsts {
    /// One more block.
    pub(crate) fn push(&mut self, first: Vertex, continued: bool) {
        let block = self.first.len();
        self.first.push(first);
        if block.is_multiple_of(64) {
            self.continued.push(0);
        }
        if continued && let Some(bits) = self.continued.last_mut() {
            *bits |= 1 << (block % 64);
        }
    }
}

/// What all lists of a side come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Totals {
    pub(crate) block_bytes: u64,
    pub(crate) edges: u64,
    pub(crate) self_loops: u64,
    pub(crate) max_degree: u64,
}

/// Where a block begins with a whole list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening {
    /// Whose list that is.
    pub(crate) first: Vertex,
    /// Of all lists before it.
    pub(crate) totals: Totals,
}

/// The block that is being filled, and the list that is being collected.
#[derive(Debug)]
pub(crate) struct Packer {
    layout: Layout,
    direction: Direction,
    pub(crate) directory: Firsts,
    totals: Totals,
    ended: bool,
    /// Whether long runs of vertices without lists are left out.
    has_gaps: bool,
    /// Before the first list of the open block, unless that list began in the block before.
    at_opening: Totals,
    // The open block.
    first: Vertex,
    continued: bool,
    ends: Vec<u16>,
    data: Vec<u8>,
    image: Vec<u8>,
    // The open list.
    owner: Vertex,
    list: Vec<Vertex>,
    weights: Vec<f64>,
    degree: u64,
    code: Vec<u8>,
}

impl Packer {
    pub(crate) fn new(layout: Layout, direction: Direction) -> Packer {
        Packer {
            layout,
            direction,
            directory: Firsts::default(),
            totals: Totals::default(),
            ended: false,
            has_gaps: false,
            at_opening: Totals::default(),
            first: 0,
            continued: false,
            ends: Vec::new(),
            data: Vec::new(),
            image: Vec::new(),
            owner: NO_VERTEX,
            list: Vec::new(),
            weights: Vec::new(),
            degree: 0,
            code: Vec::new(),
        }
    }

    pub(crate) fn leave_gaps(&mut self) {
        self.has_gaps = true;
    }

    /// Goes on behind blocks that are written.
    pub(crate) fn behind(layout: Layout, direction: Direction, written: Firsts, opening: Opening) -> Packer {
        let Opening { first, totals } = opening;
        assert_eq!(totals.block_bytes, written.first.len() as u64 * u64::from(layout.block_bytes));
        Packer { directory: written, totals, at_opening: totals, first, ..Packer::new(layout, direction) }
    }

    /// Where the open block begins; none where that is within a list.
    pub(crate) fn opening(&self) -> Option<Opening> {
        (!self.ended && !self.continued).then_some(Opening { first: self.first, totals: self.at_opening })
    }

    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        // Lists are cut at a block's bytes in values; data, image and code are about a block each.
        self.directory.first.capacity() as u64 * 5 + u64::from(self.layout.block_bytes) * 24
    }

    #[inline]
    pub(crate) fn edge(
        &mut self,
        vertex: Vertex,
        neighbour: Vertex,
        weight: f64,
        out: &mut impl Write,
    ) -> io::Result<()> {
        debug_assert!(!self.ended, "the lists have ended");
        debug_assert!(u64::from(vertex.max(neighbour)) < self.layout.vertices);
        if vertex != self.owner {
            self.end_list(out)?;
            debug_assert!(self.owner == NO_VERTEX || self.owner < vertex, "lists in order");
            self.owner = vertex;
        }
        debug_assert!(self.list.last().is_none_or(|last| *last <= neighbour), "neighbours in order");
        self.list.push(neighbour);
        if self.layout.weights != Weights::None {
            self.weights.push(weight);
        }
        self.degree += 1;
        self.totals.self_loops += u64::from(vertex == neighbour);
        // As many values take more than a quarter of a block in any code: what is collected may go.
        if self.list.len() >= self.layout.block_bytes as usize {
            self.put_pieces(false, out)?;
        }
        Ok(())
    }

    /// The whole list of a vertex behind all that have one so far, in the code of a block; it takes at most a
    /// quarter of one.
    pub(crate) fn list(
        &mut self,
        vertex: Vertex,
        degree: u64,
        code: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        debug_assert!(!self.ended, "the lists have ended");
        debug_assert!(u64::from(vertex) < self.layout.vertices);
        self.end_list(out)?;
        self.owner = NO_VERTEX;
        assert!(self.next() <= u64::from(vertex), "lists in order");
        assert!(code.len() <= list_code::most_bytes(&self.layout), "{} bytes of a list", code.len());
        self.put_isolated(u64::from(vertex), out)?;
        if code.len() > self.room() {
            self.close(false, out)?;
        }
        self.data.extend_from_slice(code);
        self.ends.push(self.data.len() as u16);
        self.totals.edges += degree;
        self.totals.max_degree = self.totals.max_degree.max(degree);
        Ok(())
    }

    /// Counts edges of lists that came in code and lead to where they come from.
    pub(crate) fn add_self_loops(&mut self, self_loops: u64) {
        self.totals.self_loops += self_loops;
    }

    /// More neighbours of a vertex, as [`Packer::edge`] takes one; loops among them are not counted.
    pub(crate) fn neighbours(
        &mut self,
        vertex: Vertex,
        mut list: &[Vertex],
        mut weights: &[f64],
        out: &mut impl Write,
    ) -> io::Result<()> {
        if vertex != self.owner {
            self.end_list(out)?;
            self.owner = vertex;
        }
        let most = self.layout.block_bytes as usize;
        while !list.is_empty() {
            let now = list.len().min(most - self.list.len());
            self.list.extend_from_slice(&list[..now]);
            list = &list[now..];
            if self.layout.weights != Weights::None {
                self.weights.extend_from_slice(&weights[..now]);
                weights = &weights[now..];
            }
            self.degree += now as u64;
            if self.list.len() >= most {
                self.put_pieces(false, out)?;
            }
        }
        Ok(())
    }

    /// The last block. Vertices without edges at the end have their entries too.
    pub(crate) fn end(&mut self, out: &mut impl Write) -> io::Result<Totals> {
        self.end_list(out)?;
        self.put_isolated(self.layout.vertices, out)?;
        if !self.ends.is_empty() {
            self.close(false, out)?;
        }
        self.ended = true;
        // What the header will say is what was written: every vertex has its entry, every block its place.
        let all = self.next() == self.layout.vertices;
        assert!(all || self.has_gaps, "each vertex has an entry");
        let blocks = self.directory.first.len();
        assert_eq!(self.totals.block_bytes, blocks as u64 * u64::from(self.layout.block_bytes));
        assert_eq!(self.directory.continued.len(), blocks.div_ceil(64), "a bit for each block");
        Ok(self.totals)
    }

    fn end_list(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.owner == NO_VERTEX {
            return Ok(());
        }
        let whole = self.degree == self.list.len() as u64;
        if whole {
            self.encode(self.list.len());
            if self.code.len() <= list_code::most_bytes(&self.layout) {
                self.put_isolated(u64::from(self.owner), out)?;
                if self.code.len() > self.room() {
                    self.close(false, out)?;
                }
                self.put_code();
            } else {
                self.put_pieces(true, out)?;
            }
        } else {
            self.put_pieces(true, out)?;
        }
        // Only now: where a block was opened for the list, its edges are not before that block.
        self.totals.edges += self.degree;
        self.totals.max_degree = self.totals.max_degree.max(self.degree);
        self.list.clear();
        self.weights.clear();
        self.degree = 0;
        Ok(())
    }

    /// The vertex whose entry the open block would take next.
    fn next(&self) -> u64 {
        u64::from(self.first) + self.ends.len() as u64
    }

    /// Bytes that one more entry may take.
    fn room(&self) -> usize {
        block_layout::room(self.layout.block_bytes as usize, self.ends.len(), self.data.len())
    }

    /// Empty entries up to a vertex that has a list, or to the end. Where gaps may be, there are none if they
    /// would not fit in the open block; the first block begins with the first vertex all the same.
    fn put_isolated(&mut self, until: u64, out: &mut impl Write) -> io::Result<()> {
        let size = self.layout.block_bytes as usize;
        let run = until.saturating_sub(self.next());
        if self.has_gaps && run > (block_layout::room(size, self.ends.len(), self.data.len()) / 2) as u64 {
            if self.directory.first.is_empty() && self.ends.is_empty() {
                self.ends.push(0);
            }
            if !self.ends.is_empty() {
                self.close(false, out)?;
            }
            if until < self.layout.vertices {
                self.first = until as Vertex;
            }
            return Ok(());
        }
        while self.next() < until {
            if self.room() == 0 || self.ends.len() == usize::from(u16::MAX) {
                self.close(false, out)?;
            }
            self.ends.push(self.data.len() as u16);
        }
        Ok(())
    }

    /// The first `count` values of the list, and their weights, as they will are in a block.
    fn encode(&mut self, count: usize) {
        self.code.clear();
        let values = self.list[..count].iter().copied();
        let weights = self.weights[..count.min(self.weights.len())].iter().copied();
        list_code::encode(&self.layout, self.owner, values, weights, &mut self.code);
    }

    fn put_code(&mut self) {
        self.data.extend_from_slice(&self.code);
        self.ends.push(self.data.len() as u16);
    }

    /// What is collected of a hub's list, in pieces that fill their blocks. Unless these are the `last` of
    /// the list, values that would leave room behind them are kept for the next time.
    fn put_pieces(&mut self, last: bool, out: &mut impl Write) -> io::Result<()> {
        self.put_isolated(u64::from(self.owner), out)?;
        while !self.list.is_empty() {
            // The open block holds a piece of this very list, and is full: the next value would be in it.
            let begun = self.next() > u64::from(self.owner);
            if begun {
                self.close(true, out)?;
            } else if self.room() < LEAST_ROOM {
                self.close(false, out)?;
            }
            let count = self.piece(self.room());
            if count == self.list.len() && !last {
                break;
            }
            self.encode(count);
            debug_assert!(self.code.len() <= self.room());
            self.put_code();
            self.list.drain(..count);
            if !self.weights.is_empty() {
                self.weights.drain(..count);
            }
        }
        Ok(())
    }

    /// How many of the collected values fit in that many bytes.
    fn piece(&self, room: usize) -> usize {
        let weight = self.layout.weights.bytes();
        if !self.layout.compressed {
            return (room / (4 + weight)).min(self.list.len());
        }
        // The count in front takes at most 3 bytes of blocks this small, the first value at most 4.
        let mut bytes = 3 + 4 + 1 + weight;
        let mut count = 1;
        for pair in self.list.windows(2) {
            let difference = pair[1] - pair[0];
            bytes +=
                (4 - difference.leading_zeros() as usize / 8).max(1) + weight + usize::from(count % 4 == 0);
            if bytes > room {
                break;
            }
            count += 1;
        }
        count
    }

    /// Writes the open block and opens the next.
    fn close(&mut self, continues: bool, out: &mut impl Write) -> io::Result<()> {
        let block = self.directory.first.len() as u32;
        if u64::from(block) == MOST_BLOCKS {
            let what = format!("a store holds at most {MOST_BLOCKS} blocks; choose larger ones");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
        assert!(!self.ends.is_empty(), "block {block} would hold nothing");
        assert!(
            self.directory
                .first
                .last()
                .is_none_or(|before| *before + u32::from(!self.continued) <= self.first),
            "block {block} begins with vertex {} behind {:?}",
            self.first,
            self.directory.first.last()
        );
        debug_assert!(
            self.ends.is_sorted() && self.ends.last().map(|end| usize::from(*end)) == Some(self.data.len())
        );
        let size = self.layout.block_bytes as usize;
        let flags = if self.continued { CONTINUED } else { 0 } | if continues { CONTINUES } else { 0 };
        let head = Head { first: self.first, entries: self.ends.len() as u16, flags, reserved: 0 };
        let image = &mut self.image;
        let seed = block_seed(self.direction, block);
        block_layout::write(image, size, seed, head, &self.ends, &self.data);
        out.write_all(image)?;
        self.totals.block_bytes += size as u64;
        self.directory.push(self.first, self.continued);
        self.first = if continues { self.owner } else { self.next() as Vertex };
        self.continued = continues;
        self.ends.clear();
        self.data.clear();
        self.at_opening = self.totals;
        Ok(())
    }
}
