//! The users' ids of a sharded store, in pages that can be read without the rest: runs of consecutive
//! numbers, each by its distance from the one before.
//!
//! | bytes of a page | contents |
//! | --- | --- |
//! | 0..8 | checksum of all bytes after it |
//! | 8..16 | rank of its first id |
//! | 16..24 | its first id |
//! | 24..32 | how many ids it has |
//! | 32.. | its runs: twice the ids that are missing in front of it, plus 1 if it has two ids or more; then for such a one, how many more than two. In LEB128 |
//! | then | zeros |

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::Shards;
use super::manifest::IDS;
use crate::GraphError;
use crate::format::{ALIGNMENT, checksum};
use crate::leb128;

const PAGE: usize = ALIGNMENT as usize;

/// Bytes in front of the runs.
const HEAD: usize = 32;

/// A run takes at most two numbers of 10 bytes.
const MOST_OF_A_RUN: usize = 20;

/// What tells pages of ids from all other checked bytes.
const SEED: u64 = 7 << 56;

/// Consecutive ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdRun {
    /// Rank of the first.
    pub rank: u64,
    /// The first.
    pub id: u64,
    /// How many there are.
    pub count: u64,
}

/// Writes ids, which ascend.
#[derive(Debug)]
pub(crate) struct IdWriter<W> {
    out: W,
    page: Vec<u8>,
    pages: u64,
    /// In the page.
    first: IdRun,
    /// The id behind the last run of the page.
    behind: u64,
    /// Not yet in the page.
    run: IdRun,
}

impl<W: Write> IdWriter<W> {
    pub(crate) fn new(out: W) -> IdWriter<W> {
        let none = IdRun { rank: 0, id: 0, count: 0 };
        IdWriter { out, page: Vec::with_capacity(PAGE), pages: 0, first: none, behind: 0, run: none }
    }

    #[inline]
    pub(crate) fn push(&mut self, id: u64) -> io::Result<()> {
        if self.run.count > 0 && id == self.run.id + self.run.count {
            self.run.count += 1;
            return Ok(());
        }
        self.end_run()?;
        self.run = IdRun { rank: self.run.rank + self.run.count, id, count: 1 };
        Ok(())
    }

    /// Returns how many pages there are, and what they were written to.
    pub(crate) fn finish(mut self) -> io::Result<(u64, W)> {
        self.end_run()?;
        self.end_page()?;
        Ok((self.pages, self.out))
    }

    fn end_run(&mut self) -> io::Result<()> {
        let IdRun { rank, id, count } = self.run;
        if count == 0 {
            return Ok(());
        }
        if self.page.len() + MOST_OF_A_RUN > PAGE - HEAD {
            self.end_page()?;
        }
        if self.page.is_empty() {
            (self.first, self.behind) = (IdRun { rank, id, count: 0 }, id);
        }
        put_head(id - self.behind, count > 1, &mut self.page);
        if count > 1 {
            leb128::put(count - 2, &mut self.page);
        }
        self.first.count += count;
        // Behind the largest id there is none, and nothing is written.
        self.behind = id.wrapping_add(count);
        Ok(())
    }

    fn end_page(&mut self) -> io::Result<()> {
        if self.page.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(PAGE);
        bytes.resize(8, 0);
        for number in [self.first.rank, self.first.id, self.first.count] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.append(&mut self.page);
        bytes.resize(PAGE, 0);
        let sum = checksum(&bytes[8..], SEED | self.pages);
        bytes[..8].copy_from_slice(&sum.to_le_bytes());
        self.pages += 1;
        self.out.write_all(&bytes)
    }
}

/// How many ids are missing before a run, doubled, and whether it has two ids or more: 65 bits at most, of
/// which the lowest 7 are the first byte.
fn put_head(missing: u64, is_long: bool, out: &mut Vec<u8>) {
    let low = (missing << 1) as u8 & 0x7f | u8::from(is_long);
    match missing >> 6 {
        0 => out.push(low),
        rest => {
            out.push(low | 0x80);
            leb128::put(rest, out);
        }
    }
}

fn take_head(bytes: &mut &[u8]) -> Option<(u64, bool)> {
    let (&low, rest) = bytes.split_first()?;
    *bytes = rest;
    let high = if low & 0x80 == 0 { 0 } else { leb128::take(bytes)? };
    let missing = high.checked_mul(1 << 6)? | u64::from(low & 0x7f) >> 1;
    Some((missing, low & 1 == 1))
}

/// Reads ids.
#[derive(Debug)]
pub struct ShardedIds {
    name: String,
    vertices: u64,
    /// None where each id is its rank.
    pages: Option<(File, u64)>,
    /// The runs of the page that was read last, and its number.
    held: Vec<IdRun>,
    number: u64,
}

impl ShardedIds {
    /// Of a sharded store.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Read`].
    pub fn open(folder: &Path, shards: &Shards) -> Result<ShardedIds, GraphError> {
        let (path, vertices) = (folder.join(IDS), shards.vertices);
        let name = path.display().to_string();
        let mut pages = None;
        if shards.id_pages > 0 {
            let file = File::open(&path).map_err(|error| GraphError::opening(&path, error))?;
            let bytes = file.metadata().map_err(|error| GraphError::read(&name, error))?.len();
            if Some(bytes) != shards.id_pages.checked_mul(ALIGNMENT) {
                return Err(GraphError::damaged(&name, "it is not as long as its manifest says".into()));
            }
            pages = Some((file, shards.id_pages));
        }
        Ok(ShardedIds { name, vertices, pages, held: Vec::new(), number: u64::MAX })
    }

    /// Whether each id is its rank.
    pub fn are_dense(&self) -> bool {
        self.pages.is_none()
    }

    /// The rank of an id, or nothing where the graph has no such vertex.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Read`].
    pub fn rank(&mut self, id: u64) -> Result<Option<u64>, GraphError> {
        let Some(pages) = self.count() else { return Ok(Some(id).filter(|id| *id < self.vertices)) };
        self.find(pages, |run| run.id <= id)?;
        let at = self.held.partition_point(|run| run.id <= id);
        let run = at.checked_sub(1).map(|at| self.held[at]);
        Ok(run.filter(|run| id - run.id < run.count).map(|run| run.rank + (id - run.id)))
    }

    /// The runs of ids from a rank on, as far as one page has them: at least one id, of a rank there is.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Read`].
    pub fn runs_from(&mut self, rank: u64) -> Result<&[IdRun], GraphError> {
        let Some(pages) = self.count() else {
            self.held = vec![IdRun { rank, id: rank, count: self.vertices - rank }];
            return Ok(&self.held);
        };
        let is_held = |run: Option<&IdRun>, last: Option<&IdRun>| {
            run.is_some_and(|run| run.rank <= rank) && last.is_some_and(|last| rank < last.rank + last.count)
        };
        if !is_held(self.held.first(), self.held.last()) {
            // The next page, mostly.
            let next = self.number.wrapping_add(1);
            if next < pages {
                self.hold(next)?;
            }
            if !is_held(self.held.first(), self.held.last()) {
                self.find(pages, |run| run.rank <= rank)?;
            }
        }
        let at = self.held.partition_point(|run| run.rank <= rank).saturating_sub(1);
        let IdRun { rank: first, id, count } = self.held[at];
        match rank.checked_sub(first).filter(|before| *before < count) {
            Some(before) => {
                self.held.drain(..at);
                self.held[0] = IdRun { rank, id: id + before, count: count - before };
                Ok(&self.held)
            }
            None => Err(GraphError::damaged(&self.name, format!("rank {rank} has no id"))),
        }
    }

    /// The id of a rank.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Read`].
    pub fn id(&mut self, rank: u64) -> Result<u64, GraphError> {
        Ok(self.runs_from(rank)?[0].id)
    }

    /// Reads all ids, and says what is wrong with them.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Read`].
    pub(crate) fn check(&mut self) -> Result<(), GraphError> {
        let (mut rank, mut above) = (0, None);
        for number in 0..self.count().unwrap_or(0) {
            self.hold(number)?;
            for run in &self.held {
                let rises = above.is_none_or(|above| run.id > above);
                if run.rank != rank || !rises {
                    let what = format!("the ids of its page {number} do not follow those before");
                    return Err(GraphError::damaged(&self.name, what));
                }
                rank += run.count;
                above = Some(run.id + (run.count - 1));
            }
        }
        if self.pages.is_some() && rank != self.vertices {
            return Err(GraphError::damaged(&self.name, "it has not as many ids as vertices".into()));
        }
        Ok(())
    }

    fn count(&self) -> Option<u64> {
        self.pages.as_ref().map(|(_, pages)| *pages)
    }

    /// Holds the last page whose first run is at or before what is wanted; the first where none is.
    fn find(&mut self, pages: u64, is_before: impl Fn(&IdRun) -> bool) -> Result<(), GraphError> {
        let (mut low, mut high) = (0, pages);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            self.hold(middle)?;
            if self.held.first().is_some_and(&is_before) {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.hold(low)
    }

    fn hold(&mut self, number: u64) -> Result<(), GraphError> {
        let Some((file, _)) = &self.pages else { return Ok(()) };
        self.number = u64::MAX;
        let mut bytes = [0; PAGE];
        let place = number * ALIGNMENT;
        file.read_exact_at(&mut bytes, place).map_err(|error| GraphError::read(&self.name, error))?;
        let field = |at: usize| {
            let mut raw = [0; 8];
            raw.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(raw)
        };
        let sound = field(0) == checksum(&bytes[8..], SEED | number);
        if !sound || !decode(&mut self.held, [field(8), field(16), field(24)], &bytes[HEAD..]) {
            let what = format!("page {number}, at byte {place}, fails its checksum");
            return Err(GraphError::damaged(&self.name, what));
        }
        self.number = number;
        Ok(())
    }
}

/// The runs of a page; false where there are not that many ids.
fn decode(runs: &mut Vec<IdRun>, [rank, first, count]: [u64; 3], mut bytes: &[u8]) -> bool {
    runs.clear();
    let (mut done, mut behind) = (0, Some(first));
    while done < count {
        let Some((missing, is_long)) = take_head(&mut bytes) else { return false };
        let more =
            if is_long { leb128::take(&mut bytes).and_then(|more| more.checked_add(2)) } else { Some(1) };
        let id = behind.and_then(|behind| behind.checked_add(missing));
        let of_run = more.filter(|of_run| *of_run <= count - done);
        let (Some(id), Some(of_run)) = (id, of_run) else { return false };
        // The last id is at most the largest number.
        if id.checked_add(of_run - 1).is_none() || rank.checked_add(done + of_run).is_none() {
            return false;
        }
        runs.push(IdRun { rank: rank + done, id, count: of_run });
        behind = id.checked_add(of_run);
        done += of_run;
    }
    !runs.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn ids_are_found_by_rank_and_ranks_by_id(
            steps in prop::collection::vec(prop_oneof![
                Just((1u64, 1u64)), (1u64..200, 1u64..5), (1u64..1 << 40, 1u64..3), (1u64..300, 1u64..9000)
            ], 1..2500),
            last in any::<bool>(),
        ) {
            let mut ids = Vec::new();
            let mut at = 0u64;
            for (missing, run) in steps {
                at += missing;
                ids.extend(at..at + run);
                at += run;
            }
            if last {
                ids.push(u64::MAX);
            }
            let mut writer = IdWriter::new(Vec::new());
            ids.iter().try_for_each(|id| writer.push(*id)).unwrap();
            let (pages, bytes) = writer.finish().unwrap();
            let file = tempfile::tempfile().unwrap();
            file.write_all_at(&bytes, 0).unwrap();
            let (name, vertices, held) = ("ids".to_owned(), ids.len() as u64, Vec::new());
            let mut read = ShardedIds { name, vertices, pages: Some((file, pages)), held, number: u64::MAX };
            read.check().unwrap();
            for rank in [0, ids.len() / 3, ids.len() / 2, ids.len() - 1] {
                prop_assert_eq!(read.id(rank as u64).unwrap(), ids[rank]);
                prop_assert_eq!(read.rank(ids[rank]).unwrap(), Some(rank as u64));
                let missing = ids[rank].wrapping_add(1);
                prop_assert_eq!(read.rank(missing).unwrap(), ids.binary_search(&missing).ok().map(|at| at as u64));
            }
            let (mut all, mut rank) = (Vec::new(), 0);
            while rank < vertices {
                let runs = read.runs_from(rank).unwrap().to_vec();
                runs.iter().for_each(|run| all.extend((0..run.count).map(|i| run.id + i)));
                rank = all.len() as u64;
            }
            prop_assert_eq!(all, ids);
        }
    }
}
