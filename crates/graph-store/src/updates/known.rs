//! The ids that a batch names, looked up in the base and in its changes.

use super::id::{Id, Owner};
use super::id_index::IdIndex;
use super::pending::IdList;
use super::rows;
use super::snapshot::Changed;
use crate::GraphError;
use crate::format::Vertex;
use crate::inspect::StoreFile;

/// The ids that changes name.
#[derive(Debug)]
pub(super) struct Known {
    /// Each once, ascending.
    pub(super) ids: Vec<KnownId>,
    /// By source and target of each change, which of the ids it is.
    pub(super) uses: Vec<u32>,
}

#[derive(Debug)]
pub(super) struct KnownId {
    /// Of an id of the base its rank there, else how many ids of the base are smaller: fewer than 2^32.
    rank: u32,
    is_new: bool,
    /// Among the ids of the changes, one of its places.
    place: u32,
    /// As it is after the changes looked at so far.
    pub(super) vertex: Option<Vertex>,
    pub(super) is_changed: bool,
}

impl KnownId {
    /// Whose it is; of the ids in which it was found.
    pub(super) fn owner(&self, ids: &IdList) -> Owner {
        match self.is_new {
            true => Owner::New(self.rank.into(), ids.get(self.place as usize)),
            false => Owner::Base(self.rank.into()),
        }
    }

    /// Its vertex; the next number where it has none.
    pub(super) fn or_new(&mut self, next: &mut u64) -> Vertex {
        *self.vertex.get_or_insert_with(|| {
            self.is_changed = true;
            *next += 1;
            (*next - 1) as Vertex
        })
    }

    /// The vertex that it had.
    pub(super) fn remove(&mut self) -> Option<Vertex> {
        self.is_changed |= self.vertex.is_some();
        self.vertex.take()
    }
}

impl Known {
    pub(super) fn look_up(
        base: &StoreFile,
        index: &IdIndex,
        changed: &Changed,
        ids: &IdList,
    ) -> Result<Known, GraphError> {
        match ids {
            IdList::Numbers(ids) => Known::of(base, index, changed, ids.iter().copied(), Id::Number),
            IdList::Texts(ids) => {
                Known::of(base, index, changed, ids.iter().map(|text| &**text), |text| Id::Text(text.into()))
            }
        }
    }

    /// Looks ids up in ascending order, so that those next to each other are found in one page.
    fn of<K: Ord + Copy + Send>(
        base: &StoreFile,
        index: &IdIndex,
        changed: &Changed,
        keys: impl ExactSizeIterator<Item = K>,
        id: impl Fn(K) -> Id,
    ) -> Result<Known, GraphError> {
        let mut uses = vec![0; keys.len()];
        let mut sorted: Vec<(K, u32)> = keys.zip(0..).collect();
        rows::sort_by(&mut sorted, |a, b| a.0.cmp(&b.0));
        let mut ids = Vec::with_capacity(sorted.chunk_by(|a, b| a.0 == b.0).count());
        let (mut of_base, mut rank) = (base.ids(), 0);
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            same.iter().for_each(|(_, place)| uses[*place as usize] = ids.len() as u32);
            let id = id(same[0].0);
            let found = index.search(&mut of_base, rank, &id)?;
            rank = found.unwrap_or_else(|before| before);
            let vertex = match found {
                Err(before) => changed.vertices.of_new(before, &id),
                Ok(rank) => match changed.vertices.of_base(rank) {
                    Some(vertex) => vertex,
                    None => Some(of_base.base_vertex(rank)?),
                },
            };
            let (is_new, place) = (found.is_err(), same[0].1);
            ids.push(KnownId { rank: rank as u32, is_new, place, vertex, is_changed: false });
        }
        Ok(Known { ids, uses })
    }
}
