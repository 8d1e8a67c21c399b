//! The users' own ids: from an id to a vertex and back, read from the store a page at a time.
//!
//! Ranks are the ids' places in ascending order. A vertex is its id's rank unless the store was renumbered.

use std::fs::File;
use std::ops::Range;

use super::paged::{Kind, PagedReader};
use super::{Header, Vertex, header::IdKind};
use crate::GraphError;

/// The ids of an open store.
#[derive(Debug)]
pub struct Ids<'a> {
    kind: IdKind,
    vertices: u64,
    name: &'a str,
    ids: PagedReader<'a>,
    /// A second reader, so that a string's place and its bytes do not drive each other's page out.
    strings: PagedReader<'a>,
    order: Option<PagedReader<'a>>,
}

impl<'a> Ids<'a> {
    /// Bytes in memory.
    pub(crate) const BYTES: u64 = 3 * 4096;

    pub(crate) fn new(file: &'a File, name: &'a str, header: &Header) -> Ids<'a> {
        let order = header.renumbered.then(|| PagedReader::new(file, name, Kind::Order, header.order));
        Ids {
            kind: header.id_kind,
            vertices: header.vertices,
            name,
            ids: PagedReader::new(file, name, Kind::Ids, header.ids),
            strings: PagedReader::new(file, name, Kind::Ids, header.ids),
            order,
        }
    }

    /// Whether ids are strings; they are numbers else.
    pub fn are_strings(&self) -> bool {
        self.kind == IdKind::Strings
    }

    /// Whether each id is its rank: 0 to vertices - 1.
    pub(crate) fn are_dense(&self) -> bool {
        self.kind == IdKind::Dense
    }

    /// The number that is the id of a rank.
    ///
    /// # Errors
    /// [`GraphError::Damaged`]. Meaningless for strings.
    pub fn number(&mut self, rank: u64) -> Result<u64, GraphError> {
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
        if self.kind != IdKind::Strings {
            return Ok(self.number(rank)?.to_string());
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
    pub fn vertex(&mut self, rank: u64) -> Result<Vertex, GraphError> {
        match &mut self.order {
            Some(order) => check(order.short(rank)?, rank, self.vertices, self.name),
            None => Ok(rank as Vertex),
        }
    }

    /// Calls `each` with the vertex of every rank, ascending.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn each_vertex(&mut self, mut each: impl FnMut(Vertex)) -> Result<(), GraphError> {
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

    /// Appends the numbers that are the ids of some ranks. Of strings: where each begins, and where the last
    /// ends, as the number of one rank more.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn numbers(&mut self, ranks: Range<u64>, out: &mut Vec<u64>) -> Result<(), GraphError> {
        if self.kind == IdKind::Dense {
            out.extend(ranks);
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
    pub(crate) fn text_bytes(&mut self, start: u64, out: &mut [u8]) -> Result<(), GraphError> {
        self.strings.read(((self.vertices + 1) * 8).saturating_add(start), out)
    }

    /// Whether vertices are in another order than their ids.
    pub fn renumbered(&self) -> bool {
        self.order.is_some()
    }

    /// The rank of an id, or nothing where the graph has no such vertex.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub fn rank(&mut self, id: &str) -> Result<Option<u64>, GraphError> {
        if self.kind == IdKind::Strings {
            return self.search(|ids, rank| Ok(ids.text(rank)?.as_str().cmp(id)));
        }
        let Ok(wanted) = id.parse::<u64>() else { return Ok(None) };
        if self.kind == IdKind::Dense {
            return Ok((wanted < self.vertices).then_some(wanted));
        }
        self.search(|ids, rank| Ok(ids.number(rank)?.cmp(&wanted)))
    }

    fn search(
        &mut self,
        mut compare: impl FnMut(&mut Self, u64) -> Result<std::cmp::Ordering, GraphError>,
    ) -> Result<Option<u64>, GraphError> {
        let (mut low, mut high) = (0, self.vertices);
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(self, middle)? {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
            }
        }
        Ok(None)
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
