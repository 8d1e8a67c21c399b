//! The ids that a batch names, looked up in the base and in its changes.

use super::id_index::IdIndex;
use super::pending::IdList;
use super::rows;
use super::snapshot::Changed;
use super::vertices::{Id, Owner};
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
    pub(super) owner: Owner,
    /// As it is after the changes looked at so far.
    pub(super) vertex: Option<Vertex>,
    pub(super) is_changed: bool,
}

impl KnownId {
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
        rows::sort_by(&mut sorted, Ord::cmp);
        let mut ids = Vec::new();
        let (mut of_base, mut rank) = (base.ids(), 0);
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            same.iter().for_each(|(_, place)| uses[*place as usize] = ids.len() as u32);
            let id = id(same[0].0);
            let found = index.search(&mut of_base, rank, &id)?;
            rank = found.unwrap_or_else(|before| before);
            let (owner, vertex) = match found {
                Err(before) => {
                    let vertex = changed.vertices.of_new(before, &id);
                    (Owner::New(before, id), vertex)
                }
                Ok(rank) => {
                    let vertex = match changed.vertices.of_base(rank) {
                        Some(vertex) => vertex,
                        None => Some(of_base.base_vertex(rank)?),
                    };
                    (Owner::Base(rank), vertex)
                }
            };
            ids.push(KnownId { owner, vertex, is_changed: false });
        }
        Ok(Known { ids, uses })
    }
}
