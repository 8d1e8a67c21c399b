//! Ids that were added and removed since the base was written, and which vertex each has.
//!
//! Vertices stay numbered from 0 without gaps, whatever goes: where one is removed, the last takes its
//! number. So algorithms need not know of changes.

use std::collections::BTreeMap;

use crate::format::Vertex;

/// A user's id of a vertex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// Of a store whose ids are numbers.
    Number(u64),
    /// Of a store whose ids are strings.
    Text(Box<str>),
}

impl From<u64> for Id {
    fn from(number: u64) -> Id {
        Id::Number(number)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Id {
        Id::Text(text.into())
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Id::Number(number) => number.fmt(f),
            Id::Text(text) => text.fmt(f),
        }
    }
}

/// Which id a vertex belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Owner {
    /// An id of the base, by its rank there.
    Base(u64),
    /// Another, and how many ids of the base are smaller.
    New(u64, Id),
}

/// What changes made of the vertices of the base.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct VertexState {
    pub(crate) vertices: u64,
    /// By rank of the base: the vertex that it has now, none if it is gone.
    base: BTreeMap<u64, Option<Vertex>>,
    /// Ids that the base does not have.
    new: BTreeMap<(u64, Id), Vertex>,
}

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
            Owner::New(before, id) => match vertex {
                Some(vertex) => {
                    self.new.insert((before, id), vertex);
                }
                None => {
                    self.new.remove(&(before, id));
                }
            },
        }
    }

    /// What was said of an id of the base, if anything was.
    pub(crate) fn of_base(&self, rank: u64) -> Option<Option<Vertex>> {
        self.base.get(&rank).copied()
    }

    /// The vertex of an id that the base does not have.
    pub(crate) fn of_new(&self, before: u64, id: &Id) -> Option<Vertex> {
        self.new.get(&(before, id.clone())).copied()
    }

    /// All that is not as the base has it.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Owner, Option<Vertex>)> + '_ {
        let base = self.base.iter().map(|(rank, vertex)| (Owner::Base(*rank), *vertex));
        let new =
            self.new.iter().map(|((before, id), vertex)| (Owner::New(*before, id.clone()), Some(*vertex)));
        base.chain(new)
    }

    /// What readers need; nothing where all is as the base has it.
    pub(crate) fn ids(&self) -> Option<IdChanges> {
        if self.base.is_empty() && self.new.is_empty() {
            return None;
        }
        let base: Vec<(u64, Option<Vertex>)> =
            self.base.iter().map(|(rank, vertex)| (*rank, *vertex)).collect();
        let gone: Vec<u64> =
            base.iter().filter(|(_, vertex)| vertex.is_none()).map(|(rank, _)| *rank).collect();
        let new: Vec<NewId> = (self.new.iter())
            .enumerate()
            .map(|(at, ((before, id), vertex))| {
                let gone_before = gone.partition_point(|rank| rank < before) as u64;
                NewId {
                    rank: before - gone_before + at as u64,
                    before: *before,
                    id: id.clone(),
                    vertex: *vertex,
                }
            })
            .collect();
        Some(IdChanges { base, gone, new })
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
    /// Ascending.
    new: Vec<NewId>,
}

#[derive(Debug)]
struct NewId {
    rank: u64,
    /// Ids of the base that are smaller.
    before: u64,
    id: Id,
    vertex: Vertex,
}

impl IdChanges {
    /// Bytes in memory.
    pub fn bytes(&self) -> u64 {
        let texts = self.new.iter().map(|new| match &new.id {
            Id::Number(_) => 0,
            Id::Text(text) => text.len() as u64,
        });
        (size_of_val(&self.base[..]) + size_of_val(&self.gone[..]) + size_of_val(&self.new[..])) as u64
            + texts.sum::<u64>()
    }

    /// Where the id of a rank comes from.
    pub(crate) fn source(&self, rank: u64) -> Source {
        let before = self.new.partition_point(|new| new.rank < rank);
        if self.new.get(before).is_some_and(|new| new.rank == rank) {
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

    /// The rank of an id of the base; none where it is gone.
    pub(crate) fn rank_of_base(&self, rank: u64) -> Option<u64> {
        let gone = self.gone.partition_point(|gone| *gone < rank);
        let new = self.new.partition_point(|new| new.before <= rank);
        (self.gone.get(gone) != Some(&rank)).then_some(rank - gone as u64 + new as u64)
    }

    /// The rank of an id that the base does not have.
    pub(crate) fn rank_of_new(&self, id: &Id) -> Option<u64> {
        self.new.binary_search_by(|new| new.id.cmp(id)).ok().map(|at| self.new[at].rank)
    }

    /// The vertex of an id of the base, where it is another now.
    pub(crate) fn vertex_of_base(&self, rank: u64) -> Option<Vertex> {
        self.base.binary_search_by_key(&rank, |(rank, _)| *rank).ok().and_then(|at| self.base[at].1)
    }

    /// Vertices whose ids are others than the base has for them, and the ranks of these.
    pub(crate) fn moved(&self) -> impl Iterator<Item = (Vertex, u64)> + '_ {
        let base =
            self.base.iter().filter_map(|(rank, vertex)| Some(((*vertex)?, self.rank_of_base(*rank)?)));
        base.chain(self.new.iter().map(|new| (new.vertex, new.rank)))
    }

    pub(crate) fn new_id(&self, at: usize) -> (&Id, Vertex) {
        (&self.new[at].id, self.new[at].vertex)
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
                        prop_assert_eq!(found, &Id::Number(*id));
                        prop_assert_eq!(vertex as usize - 12, new.iter().position(|new| new == id).unwrap());
                        prop_assert_eq!(ids.rank_of_new(found), Some(rank));
                    }
                }
            }
            prop_assert!(gone.iter().all(|rank| ids.rank_of_base(*rank).is_none()));
        }
    }
}
