//! Leadline's index: each commit is a batch of entries that come, change and go, with checkpoints between
//! them.

use std::collections::BTreeMap;
use std::path::Path;

use leadline_index::{Batch, Index, Options};

use crate::{Failure, Ledger};

/// Keys that commits change.
const KEYS: u32 = 3000;
/// Changes of a commit.
const CHANGES: u32 = 30;
/// The key under which the number of the last commit is.
const LAST: &[u8] = b"last commit";

pub(crate) struct IndexLedger {
    index: Index,
}

/// What a commit changes: a key's new value; none: it goes.
fn changes(number: u64) -> impl Iterator<Item = (Vec<u8>, Option<Vec<u8>>)> {
    let mut random = fastrand::Rng::with_seed(number);
    (0..CHANGES).map(move |change| {
        let key = format!("key {:06}", random.u32(..KEYS)).into_bytes();
        // Some values have pages of their own.
        let bytes = if change == 0 && number.is_multiple_of(8) { 20_000 } else { random.usize(..300) };
        let value = [number.to_le_bytes().as_slice(), &vec![change as u8; bytes]].concat();
        (key, (change % 4 != 3).then_some(value))
    })
}

/// All entries after a commit.
fn model(number: u64) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut all = BTreeMap::new();
    for (key, value) in (1..=number).flat_map(changes) {
        match value {
            Some(value) => all.insert(key, value),
            None => all.remove(&key),
        };
    }
    if number > 0 {
        all.insert(LAST.to_vec(), number.to_le_bytes().to_vec());
    }
    all
}

impl Ledger for IndexLedger {
    fn open(folder: &Path) -> Result<Self, Failure> {
        // Fewer nodes in memory than there are, and a checkpoint every few commits.
        let options =
            Options::default().cache_bytes(256 << 10).checkpoint_bytes(32 << 10).most_bytes(1 << 30);
        Ok(IndexLedger { index: Index::open_with(folder.join("index"), &options)? })
    }

    fn commit(&mut self, number: u64) -> Result<(), Failure> {
        let mut batch = Batch::new();
        for (key, value) in changes(number) {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            };
        }
        batch.insert(LAST, number.to_le_bytes());
        Ok(self.index.commit(&batch)?)
    }

    fn check(self) -> Result<u64, Failure> {
        let verified = self.index.verify(|_, _| {});
        if let Some(problem) = verified.problems.first() {
            return Err(format!("page {}: {}", problem.page, problem.what).into());
        }
        let number = match self.index.get(LAST)? {
            Some(number) => {
                u64::from_le_bytes(number.try_into().map_err(|_| "the last commit is no number")?)
            }
            None => 0,
        };
        let found: BTreeMap<_, _> = self.index.iter().collect::<Result<_, _>>()?;
        if found != model(number) {
            return Err(format!("the index has other entries than commit {number}").into());
        }
        Ok(number)
    }
}
