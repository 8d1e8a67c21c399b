//! Ids that were added and removed since the base was written, and which vertex each has.
//!
//! Vertices stay numbered from 0 without gaps, whatever goes: where one is removed, the last takes its
//! number. So algorithms need not know of changes.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::id::{Id, IdRef, Owner};
use super::new_ids::{NewId, NewIds};
use crate::format::Vertex;

/// What changes made of the vertices of the base.
#[derive(Debug, Clone, Default)]
pub(crate) struct VertexState {
    pub(crate) vertices: u64,
    /// By rank of the base: the vertex that it has now, none if it is gone.
    base: BTreeMap<u64, Option<Vertex>>,
    /// Ids that the base does not have.
    new: Arc<NewIds>,
    /// What was said since; none: the id is gone.
    recent: BTreeMap<(u64, Id), Option<Vertex>>,
    /// Bytes of the texts of these.
    recent_texts: usize,
}

/// Bytes in memory of an entry of the maps, about.
const OF_BASE: usize = 32;
const OF_RECENT: usize = 72;

/// What was said of new ids is put to the others once there is that much of it, or a sixteenth of these.
const MOST_RECENT: usize = 4096;

impl VertexState {
    /// As the base has it.
    pub(crate) fn new(vertices: u64) -> VertexState {
        VertexState { vertices, ..VertexState::default() }
    }

    pub(crate) fn set(&mut self, owner: Owner, vertex: Option<Vertex>) {
        match owner {
            Owner::Base(rank) => {
                self.base.insert(rank, vertex);
            }
            Owner::New(before, id) => {
                if let Id::Text(text) = &id {
                    self.recent_texts += text.len().next_multiple_of(16) + 16;
                }
                self.recent.insert((before, id), vertex);
                if self.recent.len() > MOST_RECENT.max(self.new.len() / 16) {
                    self.settle();
                }
            }
        }
    }

    /// Puts what was said lately to the rest.
    fn settle(&mut self) {
        let recent = std::mem::take(&mut self.recent).into_iter();
        self.recent_texts = 0;
        Arc::make_mut(&mut self.new).change(recent.map(|((before, id), vertex)| (before, id, vertex)));
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        let maps = self.base.len() * OF_BASE + self.recent.len() * OF_RECENT + self.recent_texts;
        maps as u64 + self.new.bytes()
    }

    /// Bytes that one more takes at most.
    pub(crate) fn most_bytes(owner: &Owner) -> u64 {
        match owner {
            Owner::Base(_) => OF_BASE as u64,
            Owner::New(_, Id::Number(_)) => OF_RECENT as u64,
            Owner::New(_, Id::Text(text)) => (OF_RECENT + text.len().next_multiple_of(16) + 16) as u64,
        }
    }

    /// What was said of an id of the base, if anything was.
    pub(crate) fn of_base(&self, rank: u64) -> Option<Option<Vertex>> {
        self.base.get(&rank).copied()
    }

    /// The vertex of an id that the base does not have.
    pub(crate) fn of_new(&self, before: u64, id: &Id) -> Option<Vertex> {
        if !self.recent.is_empty()
            && let Some(vertex) = self.recent.get(&(before, id.clone()))
        {
            return *vertex;
        }
        self.new.find(id.borrowed()).ok().map(|at| self.new.get(at).vertex)
    }

    /// All that is not as the base has it.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Owner, Option<Vertex>)> + '_ {
        let base = self.base.iter().map(|(rank, vertex)| (Owner::Base(*rank), *vertex));
        let mut recent = self.recent.iter().peekable();
        let mut older = self.new.iter().peekable();
        let new = std::iter::from_fn(move || {
            while let Some(((before, id), vertex)) = recent.peek().copied() {
                let order = older.peek().map(|older| older.id.cmp(&id.borrowed()));
                if order.is_some_and(Ordering::is_lt) {
                    break;
                }
                recent.next();
                older.next_if(|_| order == Some(Ordering::Equal));
                if vertex.is_some() {
                    return Some((Owner::New(*before, id.clone()), *vertex));
                }
            }
            older.next().map(|NewId { before, id, vertex }| (Owner::New(before, id.to_owned()), Some(vertex)))
        });
        base.chain(new)
    }

    /// What readers need; nothing where all is as the base has it. Ids that were added are not copied.
    pub(crate) fn ids(&mut self) -> Option<IdChanges> {
        self.settle();
        if self.base.is_empty() && self.new.len() == 0 {
            return None;
        }
        let base: Vec<(u64, Option<Vertex>)> =
            self.base.iter().map(|(rank, vertex)| (*rank, *vertex)).collect();
        let gone: Vec<u64> =
            base.iter().filter(|(_, vertex)| vertex.is_none()).map(|(rank, _)| *rank).collect();
        Some(IdChanges { base, gone, new: Arc::clone(&self.new) })
    }
}

/// Where a rank among all ids that there are comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A rank of the base.
    Base(u64),
    /// A place among the new ids.
    New(usize),
}

/// Ids after changes, as readers look them up by rank. Ranks count the ids that there are, ascending.
#[derive(Debug)]
pub struct IdChanges {
    /// Ranks of the base whose vertices are others now, ascending.
    base: Vec<(u64, Option<Vertex>)>,
    /// Ranks of the base that are gone, ascending.
    gone: Vec<u64>,
    new: Arc<NewIds>,
}

impl IdChanges {
    /// Bytes in memory.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&self.base[..]) + size_of_val(&self.gone[..])) as u64 + self.new.bytes()
    }

    /// The rank of a new id.
    #[inline]
    fn rank_of(&self, at: usize) -> u64 {
        let before = self.new.before(at);
        before - self.gone_before(before) + at as u64
    }

    /// Ids of the base that are gone, of the first `rank`.
    #[inline]
    fn gone_before(&self, rank: u64) -> u64 {
        if self.gone.is_empty() { 0 } else { self.gone.partition_point(|gone| *gone < rank) as u64 }
    }

    /// Where the id of a rank comes from.
    pub(crate) fn source(&self, rank: u64) -> Source {
        let before = self.new_before(|at| self.rank_of(at) < rank);
        if before < self.new.len() && self.rank_of(before) == rank {
            return Source::New(before);
        }
        let of_base = rank - before as u64;
        // The gone ones before it: each had as many before itself that were not gone.
        let (mut low, mut high) = (0, self.gone.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.gone[middle] - middle as u64 <= of_base { low = middle + 1 } else { high = middle }
        }
        Source::Base(of_base + low as u64)
    }

    /// How many of the new ids are before the first for which something does not hold.
    fn new_before(&self, holds: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.new.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The rank of an id of the base; none where it is gone.
    pub(crate) fn rank_of_base(&self, rank: u64) -> Option<u64> {
        let gone = self.gone_before(rank) as usize;
        let new = self.new_before(|at| self.new.before(at) <= rank);
        (self.gone.get(gone) != Some(&rank)).then_some(rank - gone as u64 + new as u64)
    }

    /// The rank of an id that the base does not have.
    pub(crate) fn rank_of_new(&self, id: &Id) -> Option<u64> {
        self.new.find(id.borrowed()).ok().map(|at| self.rank_of(at))
    }

    /// The vertex of an id of the base, where it is another now.
    pub(crate) fn vertex_of_base(&self, rank: u64) -> Option<Vertex> {
        self.base.binary_search_by_key(&rank, |(rank, _)| *rank).ok().and_then(|at| self.base[at].1)
    }

    /// Vertices whose ids are others than the base has for them, and the ranks of these.
    pub(crate) fn moved(&self) -> impl Iterator<Item = (Vertex, u64)> + '_ {
        let base =
            self.base.iter().filter_map(|(rank, vertex)| Some(((*vertex)?, self.rank_of_base(*rank)?)));
        base.chain((0..self.new.len()).map(|at| (self.new.get(at).vertex, self.rank_of(at))))
    }

    pub(crate) fn new_id(&self, at: usize) -> (IdRef<'_>, Vertex) {
        let NewId { id, vertex, .. } = self.new.get(at);
        (id, vertex)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_count_the_ids_that_there_are(
            gone in prop::collection::btree_set(0u64..12, 0..8),
            new in prop::collection::btree_set(0u64..40, 0..10),
        ) {
            // Ids of the base: 0, 3, 6 and so on, up to 33.
            let mut state = VertexState::new(12);
            for rank in &gone {
                state.set(Owner::Base(*rank), None);
            }
            let new: Vec<u64> = new.into_iter().filter(|id| id % 3 != 0).collect();
            for (at, id) in new.iter().enumerate() {
                let before = id.div_ceil(3).min(12);
                state.set(Owner::New(before, Id::Number(*id)), Some(12 + at as Vertex));
            }
            let mut expected: Vec<u64> = (0..12).filter(|rank| !gone.contains(rank)).map(|rank| 3 * rank).collect();
            expected.extend(&new);
            expected.sort_unstable();
            let Some(ids) = state.ids() else {
                prop_assert!(gone.is_empty() && new.is_empty());
                return Ok(());
            };
            for (rank, id) in expected.iter().enumerate() {
                let rank = rank as u64;
                match ids.source(rank) {
                    Source::Base(of_base) => {
                        prop_assert_eq!(of_base * 3, *id);
                        prop_assert_eq!(ids.rank_of_base(of_base), Some(rank));
                    }
                    Source::New(at) => {
                        let (found, vertex) = ids.new_id(at);
                        let found = found.to_owned();
                        prop_assert_eq!(&found, &Id::Number(*id));
                        prop_assert_eq!(vertex as usize - 12, new.iter().position(|new| new == id).unwrap());
                        prop_assert_eq!(ids.rank_of_new(&found), Some(rank));
                    }
                }
            }
            prop_assert!(gone.iter().all(|rank| ids.rank_of_base(*rank).is_none()));
        }
    }
}
