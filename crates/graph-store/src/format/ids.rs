//! The users' own ids: from an id to a vertex and back, read from the store a page at a time.
//!
//! Ranks are the ids' places in ascending order. A vertex is its id's rank unless the store was renumbered.

mod many;

use std::cmp::Ordering;
use std::fs::File;
use std::ops::Range;

use super::paged::{Kind, PagedReader};
use super::{Header, Vertex, header::IdKind};
use crate::GraphError;
use crate::updates::id::{Id, IdRef};
use crate::updates::vertices::{IdChanges, Source};

/// The ids of an open store.
#[derive(Debug)]
pub struct Ids<'a> {
    kind: IdKind,
    /// Of the base.
    base_vertices: u64,
    /// All that there are.
    vertices: u64,
    name: &'a str,
    ids: PagedReader<'a>,
    /// A second reader, so that a string's place and its bytes do not drive each other's page out.
    strings: PagedReader<'a>,
    order: Option<PagedReader<'a>>,
    changes: Option<&'a IdChanges>,
}

impl<'a> Ids<'a> {
    /// Bytes in memory.
    pub const BYTES: u64 = 3 * 4096;

    /// Of a store; `header` is its base's, `changes` what was added and removed since.
    pub fn new(
        file: &'a File,
        name: &'a str,
        header: &Header,
        changes: Option<&'a IdChanges>,
        vertices: u64,
    ) -> Ids<'a> {
        let order = header.renumbered.then(|| PagedReader::new(file, name, Kind::Order, header.order));
        Ids {
            kind: header.id_kind,
            base_vertices: header.vertices,
            vertices,
            name,
            ids: PagedReader::new(file, name, Kind::Ids, header.ids),
            strings: PagedReader::new(file, name, Kind::Ids, header.ids),
            order,
            changes,
        }
    }

    /// Whether ids are strings; they are numbers else.
    #[inline]
    pub fn are_strings(&self) -> bool {
        self.kind == IdKind::Strings
    }

    /// Ids of the base.
    pub(crate) fn base_vertices(&self) -> u64 {
        self.base_vertices
    }

    /// Whether each id is its rank: 0 to vertices - 1.
    pub fn are_dense(&self) -> bool {
        self.kind == IdKind::Dense && self.changes.is_none()
    }

    /// Whether ids were added or removed since the base was written.
    pub fn are_changed(&self) -> bool {
        self.changes.is_some()
    }

    /// Where the id of a rank comes from.
    #[inline]
    fn source(&self, rank: u64) -> Source {
        self.changes.map_or(Source::Base(rank), |changes| changes.source(rank))
    }

    /// An id that the base does not have, and its vertex.
    fn new_id(&self, at: usize) -> (IdRef<'a>, Vertex) {
        match self.changes {
            Some(changes) => changes.new_id(at),
            None => unreachable!("without changes all ids are of the base"),
        }
    }

    /// The number that is the id of a rank.
    ///
    /// # Errors
    /// [`GraphError::Damaged`]. Meaningless for strings.
    #[inline]
    pub fn number(&mut self, rank: u64) -> Result<u64, GraphError> {
        match self.source(rank) {
            Source::Base(rank) => self.base_number(rank),
            Source::New(at) => match self.new_id(at).0 {
                IdRef::Number(number) => Ok(number),
                IdRef::Text(_) => Ok(rank),
            },
        }
    }

    fn base_number(&mut self, rank: u64) -> Result<u64, GraphError> {
        match self.kind {
            IdKind::Dense => Ok(rank),
            _ => self.ids.number(rank),
        }
    }

    /// The id of a rank, as text.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub fn text(&mut self, rank: u64) -> Result<String, GraphError> {
        match self.source(rank) {
            Source::Base(rank) => self.base_text(rank),
            Source::New(at) => Ok(match self.new_id(at).0 {
                IdRef::Number(number) => number.to_string(),
                IdRef::Text(text) => text.to_owned(),
            }),
        }
    }

    /// Bytes of all strings of the base.
    ///
    /// # Errors
    /// [`GraphError::Damaged`]. Meaningless for numbers.
    pub(crate) fn base_text_bytes(&mut self) -> Result<u64, GraphError> {
        self.ids.number(self.base_vertices)
    }

    /// The id of a rank of the base, as text.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn base_text(&mut self, rank: u64) -> Result<String, GraphError> {
        if self.kind != IdKind::Strings {
            return Ok(self.base_number(rank)?.to_string());
        }
        let (start, end) = (self.ids.number(rank)?, self.ids.number(rank + 1)?);
        let bytes = end.checked_sub(start).filter(|bytes| *bytes <= 1 << 20);
        let Some(bytes) = bytes else {
            return Err(GraphError::damaged(self.name, format!("its id {rank} has no sound length")));
        };
        let mut text = vec![0; bytes as usize];
        self.text_bytes(start, &mut text)?;
        String::from_utf8(text)
            .map_err(|_| GraphError::damaged(self.name, format!("its id {rank} is no UTF-8 text")))
    }

    /// The vertex of an id's rank.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    #[inline]
    pub fn vertex(&mut self, rank: u64) -> Result<Vertex, GraphError> {
        let vertex = match self.source(rank) {
            Source::Base(of_base) => match self.changes.and_then(|changes| changes.vertex_of_base(of_base)) {
                Some(vertex) => vertex,
                None => self.base_vertex(of_base)?,
            },
            Source::New(at) => self.new_id(at).1,
        };
        check(vertex, rank, self.vertices, self.name)
    }

    /// The vertex that an id has in the base, by its rank there.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn base_vertex(&mut self, rank: u64) -> Result<Vertex, GraphError> {
        match &mut self.order {
            Some(order) => check(order.short(rank)?, rank, self.base_vertices, self.name),
            None => Ok(rank as Vertex),
        }
    }

    /// Calls `each` with the vertex of every rank, ascending.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub fn each_vertex(&mut self, mut each: impl FnMut(Vertex)) -> Result<(), GraphError> {
        if self.changes.is_some() {
            for rank in 0..self.vertices {
                each(self.vertex(rank)?);
            }
            return Ok(());
        }
        let Some(order) = &mut self.order else {
            (0..self.vertices as Vertex).for_each(each);
            return Ok(());
        };
        let mut rank = 0;
        while rank < self.vertices {
            let page = order.of_a_page(rank, self.vertices)?;
            for raw in page {
                each(check(u32::from_le_bytes(*raw), rank, self.vertices, self.name)?);
                rank += 1;
            }
        }
        Ok(())
    }

    /// Appends the numbers that are the ids of some ranks. Of strings, of which none were added or removed:
    /// where each begins, and where the last ends, as the number of one rank more.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub fn numbers(&mut self, ranks: Range<u64>, out: &mut Vec<u64>) -> Result<(), GraphError> {
        if self.are_dense() {
            out.extend(ranks);
            return Ok(());
        }
        if self.changes.is_some() {
            for rank in ranks {
                out.push(self.number(rank)?);
            }
            return Ok(());
        }
        let mut rank = ranks.start;
        while rank < ranks.end {
            let page = self.ids.of_a_page(rank, ranks.end)?;
            out.extend(page.iter().map(|raw| u64::from_le_bytes(*raw)));
            rank += page.len() as u64;
        }
        Ok(())
    }

    /// Fills `out` with the bytes of strings, from the place `start` on.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub fn text_bytes(&mut self, start: u64, out: &mut [u8]) -> Result<(), GraphError> {
        self.strings.read(((self.base_vertices + 1) * 8).saturating_add(start), out)
    }

    /// Whether vertices are in another order than their ids.
    pub fn renumbered(&self) -> bool {
        self.order.is_some() || self.changes.is_some()
    }

    /// The rank of an id, or nothing where the graph has no such vertex.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub fn rank(&mut self, id: &str) -> Result<Option<u64>, GraphError> {
        let Some(id) = self.parse(id) else { return Ok(None) };
        let found = self.search(&id)?;
        Ok(self.rank_of_found(&id, found))
    }

    /// The rank of an id by what a search found of it in the base.
    fn rank_of_found(&self, id: &Id, found: Result<u64, u64>) -> Option<u64> {
        match (self.changes, found) {
            (None, found) => found.ok(),
            (Some(changes), Ok(rank)) => changes.rank_of_base(rank),
            (Some(changes), Err(_)) => changes.rank_of_new(id),
        }
    }

    /// An id of this graph's kind, if the text is one.
    pub(crate) fn parse(&self, text: &str) -> Option<Id> {
        match self.kind {
            IdKind::Strings => Some(Id::Text(text.into())),
            _ => text.parse().ok().map(Id::Number),
        }
    }

    /// The rank of an id in the base, or how many ids there are smaller.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn search(&mut self, id: &Id) -> Result<Result<u64, u64>, GraphError> {
        if let (IdKind::Dense, Id::Number(number)) = (self.kind, id) {
            let before = (*number).min(self.base_vertices);
            return Ok(if *number < self.base_vertices { Ok(before) } else { Err(before) });
        }
        self.search_within(0..self.base_vertices, id)
    }

    /// The same of an id that is none of the first `from`: near there, few pages are read.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn search_from(&mut self, from: u64, id: &Id) -> Result<Result<u64, u64>, GraphError> {
        if self.kind == IdKind::Dense {
            return self.search(id);
        }
        let (mut low, mut high, mut step) = (from, from, 1);
        while high < self.base_vertices && self.compare(high, id)?.is_lt() {
            (low, high, step) = (high + 1, high.saturating_add(step), step * 2);
        }
        self.search_within(low..self.base_vertices.min(high.saturating_add(1)), id)
    }

    /// The same of an id that is none of those before the ranks, and none of those behind them.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn search_within(
        &mut self,
        ranks: Range<u64>,
        id: &Id,
    ) -> Result<Result<u64, u64>, GraphError> {
        let Range { start: mut low, end: mut high } = ranks;
        while low < high {
            let middle = low + (high - low) / 2;
            match self.compare(middle, id)? {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(Ok(middle)),
            }
        }
        Ok(Err(low))
    }

    /// How the id of a rank of the base compares to another.
    fn compare(&mut self, rank: u64, id: &Id) -> Result<Ordering, GraphError> {
        Ok(match id {
            Id::Number(number) => self.ids.number(rank)?.cmp(number),
            Id::Text(text) => self.base_text(rank)?.as_str().cmp(text),
        })
    }
}

/// A rank's vertex, if it is one.
#[inline]
fn check(vertex: Vertex, rank: u64, vertices: u64, name: &str) -> Result<Vertex, GraphError> {
    if u64::from(vertex) < vertices {
        return Ok(vertex);
    }
    Err(GraphError::damaged(name, format!("rank {rank} has no vertex")))
}
