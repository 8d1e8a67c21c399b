//! The users' ids at the ends of edges, as many in memory as it has room for.

use crate::GraphError;
use crate::format::header::IdKind;
use crate::format::{Ids, Vertex};
use crate::inspect::StoreFile;

/// A user's id.
#[derive(Debug, Clone, Copy)]
pub(super) enum Id<'a> {
    Number(u64),
    Text(&'a str),
}

/// An id that was read.
#[derive(Debug, Clone)]
pub(super) enum OwnId {
    Number(u64),
    Text(String),
}

impl OwnId {
    pub(super) fn borrow(&self) -> Id<'_> {
        match self {
            OwnId::Number(number) => Id::Number(*number),
            OwnId::Text(text) => Id::Text(text),
        }
    }
}

/// The ids of vertices: pages of the section, as many as memory takes, each in the place that its number
/// gives it.
pub(super) struct IdCache<'a> {
    store: &'a StoreFile,
    places: Vec<Option<Ids<'a>>>,
    /// By vertex: the rank, where they differ.
    ranks: Vec<u32>,
    are_dense: bool,
}

/// Ranks whose ids share a page.
const RANKS: u64 = 511;

impl<'a> IdCache<'a> {
    /// Half of the memory is for pages of ids; ranks take what they take, but no more than all of it.
    ///
    /// # Errors
    /// [`GraphError::Memory`], [`GraphError::Damaged`] (the ids).
    pub(super) fn new(store: &'a StoreFile, memory: u64) -> Result<IdCache<'a>, GraphError> {
        let header = &store.header;
        let pages = header.vertices.div_ceil(RANKS).max(1);
        let fit = (memory / 2).max(1 << 20) / (Ids::BYTES + size_of::<Option<Ids<'_>>>() as u64);
        let places = std::iter::repeat_with(|| None).take(pages.min(fit) as usize).collect();
        let mut ranks = Vec::new();
        if header.renumbered {
            if 4 * header.vertices > memory {
                let what = "the export of a renumbered store".into();
                return Err(GraphError::Memory { what, given: memory, needed: 4 * header.vertices });
            }
            ranks.resize(header.vertices as usize, 0);
            let mut ids = store.ids();
            for rank in 0..header.vertices {
                ranks[ids.vertex(rank)? as usize] = rank as u32;
            }
        }
        Ok(IdCache { store, places, ranks, are_dense: store.ids().are_dense() })
    }

    pub(super) fn get(&mut self, vertex: Vertex) -> Result<OwnId, GraphError> {
        let header = &self.store.header;
        if u64::from(vertex) >= header.vertices {
            return Err(self.store.damaged(format!("a list leads to vertex {vertex}, which does not exist")));
        }
        let rank = u64::from(self.ranks.get(vertex as usize).copied().unwrap_or(vertex));
        if self.are_dense {
            return Ok(OwnId::Number(rank));
        }
        let place = (rank / RANKS % self.places.len() as u64) as usize;
        let ids = self.places[place].get_or_insert_with(|| self.store.ids());
        match header.id_kind {
            IdKind::Strings => ids.text(rank).map(OwnId::Text),
            _ => ids.number(rank).map(OwnId::Number),
        }
    }
}
