//! Ids of the base, some of them in memory, so that a commit does not read them all again.

use std::cmp::Ordering;

use crate::GraphError;
use crate::format::Ids;

use super::id::Id;

/// Every that many searches per id an index would have paid for the pass over all ids that makes it.
const WORTH: u64 = 64;

/// Ids that are read at a time.
const READ: u64 = 4096;

/// Every `step`th of the ids of a base; nothing until enough were searched for.
#[derive(Debug, Default)]
pub(crate) struct IdIndex {
    kept: Kept,
    step: u64,
    searched: u64,
}

/// Ids in memory, ascending.
#[derive(Debug, Default)]
enum Kept {
    #[default]
    None,
    Numbers(Numbers),
    Texts(Texts),
}

impl Kept {
    fn len(&self) -> usize {
        match self {
            Kept::None => 0,
            Kept::Numbers(numbers) => numbers.kept.len(),
            Kept::Texts(texts) => texts.ends.len(),
        }
    }
}

/// Ascending numbers.
#[derive(Debug, Default)]
struct Numbers {
    kept: Vec<u64>,
    /// By the high bits of how much larger a number is than the first, where those begin that have these.
    begins: Vec<u32>,
    shift: u32,
}

/// Numbers for each entry of [`Numbers::begins`], if they lie equally far apart.
const OF_BEGIN: usize = 4;

/// Strings, one after the other.
#[derive(Debug, Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl IdIndex {
    /// To be called before `count` searches; makes the index of at most `memory` bytes if there are enough.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn prepare(&mut self, ids: &mut Ids<'_>, count: u64, memory: u64) -> Result<(), GraphError> {
        self.searched += count;
        let vertices = ids.base_vertices();
        let is_worth_it = matches!(self.kept, Kept::None) && self.searched > vertices / WORTH;
        if !is_worth_it || ids.are_dense() {
            return Ok(());
        }
        let bytes = 9 * vertices + if ids.are_strings() { ids.base_text_bytes()? } else { 0 };
        self.step = bytes.div_ceil(memory.max(1)).max(1);
        self.kept = match ids.are_strings() {
            true => Kept::Texts(Texts::read(ids, self.step, memory)?),
            false => Kept::Numbers(Numbers::read(ids, self.step)?),
        };
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
        if self.kept.len() == 0 {
            return ids.search_from(from, id);
        }
        let near = (from / self.step) as usize;
        let found = match (&self.kept, id) {
            (Kept::Numbers(numbers), Id::Number(id)) => numbers.search(near, *id),
            (Kept::Texts(kept), Id::Text(id)) => {
                search_near(near, self.kept.len(), |at| kept.get(at).cmp(id.as_bytes()))
            }
            _ => return ids.search_from(from, id),
        };
        match found {
            Ok(at) => Ok(Ok(at as u64 * self.step)),
            Err(0) => Ok(Err(0)),
            Err(smaller) => {
                let start = (smaller as u64 - 1) * self.step + 1;
                // Behind the last that is kept may be more than a step.
                let end =
                    if smaller == self.kept.len() { ids.base_vertices() } else { smaller as u64 * self.step };
                ids.search_within(start.max(from)..end, id)
            }
        }
    }
}

/// The place of what is looked for among the first `count`, or how many are smaller. All before `near` are:
/// ids are looked for in ascending order, and what lies far away is not in the processor's cache.
fn search_near(near: usize, count: usize, compare: impl Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut end, mut step) = (near.min(count), count, 1);
    while low + step <= count {
        if !compare(low + step - 1).is_lt() {
            end = low + step - 1;
            break;
        }
        (low, step) = (low + step, 2 * step);
    }
    // What lies before `low` is smaller, and what lies at `end` is not.
    while low < end {
        let middle = low + (end - low) / 2;
        if compare(middle).is_lt() { low = middle + 1 } else { end = middle }
    }
    if low < count && compare(low).is_eq() { Ok(low) } else { Err(low) }
}

impl Numbers {
    /// Every `step`th number.
    fn read(ids: &mut Ids<'_>, step: u64) -> Result<Numbers, GraphError> {
        let vertices = ids.base_vertices();
        let mut kept = Vec::with_capacity(vertices.div_ceil(step) as usize);
        let (mut read, mut rank) = (Vec::new(), 0);
        while rank < vertices {
            let end = (rank + step.next_multiple_of(READ)).min(vertices);
            read.clear();
            ids.numbers(rank..end, &mut read)?;
            let skipped = rank.next_multiple_of(step) - rank;
            kept.extend(read.iter().skip(skipped as usize).step_by(step as usize));
            rank = end;
        }
        Ok(Numbers::new(kept))
    }

    fn new(kept: Vec<u64>) -> Numbers {
        let (Some(first), Some(last)) = (kept.first(), kept.last()) else { return Numbers::default() };
        let mut shift = 0;
        while (last - first) >> shift > (kept.len() / OF_BEGIN) as u64 {
            shift += 1;
        }
        let mut begins = Vec::with_capacity(((last - first) >> shift) as usize + 2);
        for (at, number) in (0..).zip(&kept) {
            let high = ((number - first) >> shift) as usize;
            begins.resize(begins.len().max(high + 1), at);
        }
        begins.push(kept.len() as u32);
        Numbers { kept, begins, shift }
    }

    /// As [`search_near`].
    fn search(&self, near: usize, number: u64) -> Result<usize, usize> {
        let Some(over) = self.kept.first().and_then(|first| number.checked_sub(*first)) else {
            return Err(0);
        };
        let high = (over >> self.shift) as usize;
        match self.begins.get(high..).and_then(|from| from.first_chunk()) {
            Some([begin, end]) => {
                search_near(near.max(*begin as usize), *end as usize, |at| self.kept[at].cmp(&number))
            }
            None => Err(self.kept.len()),
        }
    }
}

impl Texts {
    /// Every `step`th string, as long as there is memory for it.
    fn read(ids: &mut Ids<'_>, step: u64, memory: u64) -> Result<Texts, GraphError> {
        let (vertices, mut rank) = (ids.base_vertices(), 0);
        // At once, since what grows is in memory twice while it moves.
        let count = vertices.div_ceil(step).min(memory / 8);
        let bytes = (memory - 8 * count).min(ids.base_text_bytes()?) as usize;
        let ends = count as usize;
        let mut kept = Texts { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(ends) };
        while rank < vertices {
            let text = ids.base_text(rank)?;
            // Those that are kept may be longer than most.
            if kept.bytes.len() + text.len() > bytes || kept.ends.len() == ends {
                break;
            }
            kept.bytes.extend_from_slice(text.as_bytes());
            kept.ends.push(kept.bytes.len() as u64);
            rank += step;
        }
        Ok(kept)
    }

    fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[at] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Layout, StoreWriter, Weights};
    use crate::inspect::StoreFile;

    /// A store without edges, with these ids.
    fn store(ids: impl FnOnce(&mut StoreWriter), vertices: u64) -> StoreFile {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let layout =
            Layout { block_bytes: 4096, compressed: true, directed: true, weights: Weights::None, vertices };
        let mut writer = StoreWriter::create(&path, layout).unwrap();
        ids(&mut writer);
        writer.finish().unwrap();
        StoreFile::open(&path).unwrap()
    }

    /// Looks for ids, in ascending order, in an index of that many bytes; also from the place of the last.
    fn look_for(store: &StoreFile, memory: u64, wanted: impl Iterator<Item = (Id, Result<u64, u64>)>) {
        let mut index = IdIndex::default();
        index.prepare(&mut store.ids(), store.header.vertices, memory).unwrap();
        // Eight bytes hold a number, and no string.
        assert!(memory == 8 || index.kept.len() > 0);
        let mut last = 0;
        for (id, expected) in wanted {
            for from in [0, last] {
                let found = index.search(&mut store.ids(), from, &id).unwrap();
                assert_eq!(found, expected, "{id} with {memory} bytes");
            }
            last = expected.unwrap_or_else(|before| before);
        }
    }

    #[test]
    fn a_number_is_found_whatever_part_of_them_is_in_memory() {
        let vertices = 10_007;
        let store =
            store(|writer| writer.number_ids((0..vertices).map(|rank| Ok(3 * rank + 5))).unwrap(), vertices);
        for memory in [8, 80, 8_000, 40_000, 80_000, 1 << 20] {
            let step = if memory < 8_000 { 97 } else { 1 };
            let wanted = (0..3 * vertices + 10).step_by(step).chain([u64::MAX]).map(|number| {
                let expected = match number.checked_sub(5) {
                    None => Err(0),
                    Some(over) if over % 3 == 0 && over / 3 < vertices => Ok(over / 3),
                    Some(over) => Err((over / 3 + 1).min(vertices)),
                };
                (Id::Number(number), expected)
            });
            look_for(&store, memory, wanted);
        }
    }

    #[test]
    fn a_string_is_found_whatever_part_of_them_is_in_memory() {
        // Short ones first and long ones last, so that what is kept of them ends early.
        let mut texts: Vec<String> = (0..3000).map(|number| format!("a{number}")).collect();
        texts.extend((0..1000).map(|number| format!("b{}{number}", "x".repeat(number % 50))));
        texts.sort_unstable();
        let store = store(|writer| writer.string_ids(|| texts.iter().map(Ok)).unwrap(), 4000);
        for memory in [8, 80, 8_000, 40_000, 1 << 20] {
            let step = if memory < 8_000 { 97 } else { 1 };
            let there = (0..).zip(&texts).map(|(rank, text)| (Id::from(&**text), Ok(rank)));
            let next = (0..).zip(&texts).map(|(rank, text)| (Id::from(&*format!("{text}!")), Err(rank + 1)));
            look_for(&store, memory, there.zip(next).flat_map(|(a, b)| [a, b]).step_by(step));
            let ends = [("", Err(0)), ("a", Err(0)), ("aa", Err(3000)), ("c", Err(4000))];
            look_for(&store, memory, ends.map(|(text, expected)| (Id::from(text), expected)).into_iter());
        }
    }
}
