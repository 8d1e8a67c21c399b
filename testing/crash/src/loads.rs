//! Leadline's index at its first entries: each commit fills an index of its own, in turn from entries in
//! order and in any order, the latter through temporary files. An index is empty or has all of them.

use std::path::{Path, PathBuf};

use leadline_index::{Index, Options};

use crate::{Failure, Ledger};

/// Entries of an index: more than fit in memory.
const ENTRIES: u32 = 12_000;

pub(crate) struct LoadLedger {
    folder: PathBuf,
}

/// The entries of a commit, in the order of their keys.
fn entries(number: u64) -> impl Iterator<Item = ([u8; 4], Vec<u8>)> {
    (0..ENTRIES).map(move |key| (key.to_be_bytes(), vec![number as u8; 20 + key as usize % 200]))
}

impl LoadLedger {
    fn index(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.index"))
    }

    fn open(&self, number: u64) -> Result<Index, Failure> {
        let options = Options::default().cache_bytes(512 << 10).most_bytes(1 << 30);
        Ok(Index::open_with(self.index(number), &options)?)
    }

    /// Whether an index has its entries; none where there is no index.
    fn is_filled(&self, number: u64) -> Result<Option<bool>, Failure> {
        if !self.index(number).exists() {
            return Ok(None);
        }
        let index = self.open(number)?;
        if let Some(problem) = index.verify(|_, _| {}).problems.first() {
            return Err(format!("{number}.index, page {}: {}", problem.page, problem.what).into());
        }
        let found: Vec<_> = index.iter().collect::<Result<_, _>>()?;
        let is_complete = || {
            found
                .iter()
                .map(|(key, value)| (&key[..], value))
                .eq(entries(number).collect::<Vec<_>>().iter().map(|(key, value)| (&key[..], value)))
        };
        match found.len() {
            0 => Ok(Some(false)),
            _ if is_complete() => Ok(Some(true)),
            part => Err(format!("{number}.index has {part} entries: neither none nor its own").into()),
        }
    }
}

impl Ledger for LoadLedger {
    fn open(folder: &Path) -> Result<Self, Failure> {
        Ok(LoadLedger { folder: folder.to_owned() })
    }

    fn commit(&mut self, number: u64) -> Result<(), Failure> {
        let index = self.open(number)?;
        if index.is_empty() {
            match number.is_multiple_of(2) {
                true => index.bulk_load(entries(number))?,
                false => {
                    let mut unsorted: Vec<_> = entries(number).collect();
                    fastrand::Rng::with_seed(number).shuffle(&mut unsorted);
                    index.load(unsorted)?;
                }
            }
        }
        Ok(())
    }

    fn check(self) -> Result<u64, Failure> {
        let mut number = 0;
        while self.is_filled(number + 1)? == Some(true) {
            number += 1;
        }
        let what = match self.is_filled(number + 1)? {
            Some(_) => "has no entries",
            None => "is gone",
        };
        match self.is_filled(number + 2)? {
            None => Ok(number),
            Some(_) => Err(format!("{}.index {what}, and there is a later one", number + 1).into()),
        }
    }
}
