//! Numbers that are ids of the base, some of them in memory, so that a commit does not read them all again.

use crate::GraphError;
use crate::format::Ids;

use super::id::Id;

/// Every that many searches per id an index would have paid for the pass over all ids that makes it.
const WORTH: u64 = 64;

/// Every `step`th number of the ids of a base; nothing until enough were searched for.
#[derive(Debug, Default)]
pub(crate) struct IdIndex {
    numbers: Vec<u64>,
    step: u64,
    searched: u64,
}

impl IdIndex {
    /// To be called before `count` searches; makes the index of at most `memory` bytes if there are enough.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn prepare(&mut self, ids: &mut Ids<'_>, count: u64, memory: u64) -> Result<(), GraphError> {
        self.searched += count;
        let vertices = ids.base_vertices();
        let is_worth_it = self.numbers.is_empty() && self.searched > vertices / WORTH;
        if !is_worth_it || ids.are_strings() || ids.are_dense() {
            return Ok(());
        }
        let most = (memory / 8).max(1);
        let step = vertices.div_ceil(most).max(1);
        let (mut some, mut rank) = (Vec::new(), 0);
        let mut numbers = Vec::with_capacity(vertices.div_ceil(step) as usize);
        while rank < vertices {
            let end = (rank + step.next_multiple_of(4096)).min(vertices);
            some.clear();
            ids.numbers(rank..end, &mut some)?;
            let skipped = rank.next_multiple_of(step) - rank;
            numbers.extend(some.iter().skip(skipped as usize).step_by(step as usize));
            rank = end;
        }
        (self.numbers, self.step) = (numbers, step);
        Ok(())
    }

    /// The rank of an id, or how many are smaller; it is none of the first `from`.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn search(
        &self,
        ids: &mut Ids<'_>,
        from: u64,
        id: &Id,
    ) -> Result<Result<u64, u64>, GraphError> {
        let Id::Number(number) = id else { return ids.search_from(from, id) };
        if self.numbers.is_empty() {
            return ids.search_from(from, id);
        }
        // Ids ascend, so the next is not far: numbers far away are not in the processor's cache.
        let mut low = ((from / self.step) as usize).saturating_sub(1);
        let (mut high, mut step) = (low, 1);
        while self.numbers.get(high).is_some_and(|other| other <= number) {
            (low, high, step) = (high, high + step, step * 2);
        }
        let end = high.min(self.numbers.len());
        let not_larger = (low + self.numbers[low..end].partition_point(|other| other <= number)) as u64;
        let Some(at) = not_larger.checked_sub(1) else { return Ok(Err(0)) };
        if self.numbers[at as usize] == *number {
            return Ok(Ok(at * self.step));
        }
        let end = (not_larger * self.step).min(ids.base_vertices());
        ids.search_within(at * self.step + 1..end, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Layout, StoreWriter, Weights};
    use crate::inspect::StoreFile;

    #[test]
    fn an_id_is_found_whatever_part_of_them_is_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let vertices = 10_007;
        let layout =
            Layout { block_bytes: 4096, compressed: true, directed: true, weights: Weights::None, vertices };
        let mut writer = StoreWriter::create(&path, layout).unwrap();
        writer.number_ids((0..vertices).map(|rank| Ok(3 * rank + 5))).unwrap();
        writer.finish().unwrap();
        let store = StoreFile::open(&path).unwrap();
        for memory in [8, 80, 8_000, 40_000, 80_000, 1 << 20] {
            let mut index = IdIndex::default();
            index.prepare(&mut store.ids(), vertices, memory).unwrap();
            assert!(!index.numbers.is_empty() && index.numbers.len() * 8 <= memory as usize);
            let step = if memory < 8_000 { 97 } else { 1 };
            let mut from = 0;
            for number in (0..3 * vertices + 10).step_by(step).chain([u64::MAX]) {
                let expected = match number.checked_sub(5) {
                    None => Err(0),
                    Some(over) if over % 3 == 0 && over / 3 < vertices => Ok(over / 3),
                    Some(over) => Err((over / 3 + 1).min(vertices)),
                };
                for from in [0, from] {
                    let found = index.search(&mut store.ids(), from, &Id::Number(number)).unwrap();
                    assert_eq!(found, expected, "{number} with {memory} bytes");
                }
                from = expected.unwrap_or_else(|before| before);
            }
        }
    }
}
