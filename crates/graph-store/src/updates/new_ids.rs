//! Ids that the base does not have, ascending, in few bytes each: a writer and its readers share them.

use super::id::{Id, IdRef};
use crate::format::Vertex;

/// Bits of an entry that hold the length of a text, which is at most 2^20.
const LENGTH_BITS: u32 = 21;

/// An id that the base does not have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewId<'a> {
    /// Ids of the base that are smaller.
    pub(crate) before: u64,
    pub(crate) id: IdRef<'a>,
    pub(crate) vertex: Vertex,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The number; of a text where it begins, and its length.
    id: u64,
    /// Of the base's ids, of which there are fewer than 2^32.
    before: u32,
    vertex: Vertex,
}

/// The ids, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewIds {
    entries: Vec<Entry>,
    /// The texts in the order in which they came, those that are gone among them.
    texts: Option<String>,
}

impl NewIds {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&self.entries[..]) + self.texts.as_ref().map_or(0, String::len)) as u64
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> NewId<'_> {
        let Entry { id, before, vertex } = self.entries[at];
        let id = match &self.texts {
            None => IdRef::Number(id),
            Some(texts) => {
                let start = (id >> LENGTH_BITS) as usize;
                IdRef::Text(&texts[start..start + (id & ((1 << LENGTH_BITS) - 1)) as usize])
            }
        };
        NewId { before: u64::from(before), id, vertex }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = NewId<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Ids of the base that are smaller than the id at a place.
    #[inline]
    pub(crate) fn before(&self, at: usize) -> u64 {
        u64::from(self.entries[at].before)
    }

    /// The place of an id, or where it would be.
    pub(crate) fn find(&self, id: IdRef<'_>) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle).id.cmp(&id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// Adds ids, gives others their vertices, and removes those that have none; `changes` ascend.
    pub(crate) fn change(&mut self, changes: impl Iterator<Item = (u64, Id, Option<Vertex>)>) {
        let (mut added, mut gone) = (Vec::new(), Vec::new());
        for (before, id, vertex) in changes {
            match (self.find(id.borrowed()), vertex) {
                (Ok(at), Some(vertex)) => self.entries[at].vertex = vertex,
                (Ok(at), None) => gone.push(at),
                (Err(at), Some(vertex)) => {
                    let entry = Entry { id: self.put(id), before: before as u32, vertex };
                    added.push((at, entry));
                }
                (Err(_), None) => {}
            }
        }
        self.insert(&added);
        // A place moves by the additions before it.
        let mut gone = gone.into_iter().map(|at| at + added.partition_point(|(place, _)| *place <= at));
        if let Some(first) = gone.next() {
            let mut next = Some(first);
            let mut at = 0;
            self.entries.retain(|_| {
                let is_gone = next == Some(at);
                if is_gone {
                    next = gone.next();
                }
                at += 1;
                !is_gone
            });
        }
    }

    /// The bits by which an entry says its id.
    fn put(&mut self, id: Id) -> u64 {
        match id {
            Id::Number(number) => number,
            Id::Text(text) => {
                let texts = self.texts.get_or_insert_default();
                let start = texts.len() as u64;
                texts.push_str(&text);
                start << LENGTH_BITS | text.len() as u64
            }
        }
    }

    /// Puts entries in front of those that were at their places, without a second copy of all.
    fn insert(&mut self, added: &[(usize, Entry)]) {
        let Some((_, some)) = added.first() else { return };
        let mut end = self.entries.len();
        self.entries.reserve_exact(added.len());
        self.entries.resize(end + added.len(), *some);
        for (left, (at, entry)) in added.iter().enumerate().rev() {
            self.entries.copy_within(*at..end, at + left + 1);
            self.entries[at + left] = *entry;
            end = *at;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn changes_leave_what_they_leave_of_a_map(
            batches in prop::collection::vec(prop::collection::btree_map(0u64..40, prop::option::of(0u32..9), 0..12), 0..6),
            strings: bool,
        ) {
            let id = |number: u64| match strings {
                true => Id::Text(format!("ö{number:02}").into()),
                false => Id::Number(number),
            };
            let (mut ids, mut expected) = (NewIds::default(), BTreeMap::new());
            for batch in batches {
                ids.change(batch.iter().map(|(number, vertex)| (number / 7, id(*number), *vertex)));
                for (number, vertex) in batch {
                    match vertex {
                        Some(vertex) => expected.insert(number, vertex),
                        None => expected.remove(&number),
                    };
                }
                let found: Vec<_> = ids.iter().map(|new| (new.before, new.id.to_owned(), new.vertex)).collect();
                let all: Vec<_> = expected.iter().map(|(number, vertex)| (number / 7, id(*number), *vertex)).collect();
                prop_assert_eq!(found, all);
                for number in 0..40 {
                    let place = expected.range(..number).count();
                    let wanted = if expected.contains_key(&number) { Ok(place) } else { Err(place) };
                    prop_assert_eq!(ids.find(id(number).borrowed()), wanted);
                }
            }
        }
    }
}
