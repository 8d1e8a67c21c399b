//! Leadline's buffer pool: each commit changes some pages and ends with a checkpoint.
//!
//! Some pages are changed in every commit, several times, so that consecutive batches of the double-write
//! area have the same pages. A pool does not have transactions, so pages of a commit that was under way may
//! be there. A page is a word, repeated: the number of the commit that changed it last, and the number of the
//! page.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Arc;

use leadline_device::{FileDevice, FileOptions, IoEngine, direct_alignment};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::{Pool, PoolConfig};

use crate::{Failure, Ledger};

const PAGE_BYTES: u32 = 4096;
const PAGES: u64 = 256;
/// Fewer than a commit changes: some pages are written before its checkpoint.
const FRAMES: u32 = 16;
/// Pages that every commit changes, in turn with others.
const HOT: u64 = 8;
/// Changes of other pages, and of hot ones.
const CHANGES: u64 = 24;
/// Pages written at once.
const BATCH: u32 = 8;
/// What the double-write area takes: two halves, each with a list and a batch.
const AREA_PAGES: u64 = 2 * (BATCH as u64 + 1);

pub(crate) struct PoolLedger {
    pool: Pool,
}

/// The pages that a commit changes, some of them more than once. Between two changes of a hot page there are
/// as many of others as there are frames, so that it is often written in between.
fn changed(number: u64) -> impl Iterator<Item = u64> {
    let mut random = fastrand::Rng::with_seed(number);
    (0..CHANGES).flat_map(move |i| [random.u64(HOT..PAGES), i % HOT])
}

fn word(number: u64, page: u64) -> [u8; 8] {
    (number << 16 | page).to_le_bytes()
}

/// The commit that a page shows; 0 if it was never changed.
fn shown(bytes: &[u8], page: u64) -> Result<u64, Failure> {
    let mut words = bytes.chunks_exact(8);
    let first = words.next().unwrap_or_default();
    if words.any(|word| word != first) {
        return Err(format!("page {page} is a mixture").into());
    }
    let value = u64::from_le_bytes(first.try_into()?);
    let number = value >> 16;
    if value != 0 && (value & 0xFFFF != page || !changed(number).any(|other| other == page)) {
        return Err(format!("page {page} shows a change that was made to another page").into());
    }
    Ok(number)
}

impl Ledger for PoolLedger {
    fn open(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join("pages");
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let bytes = (PAGES + AREA_PAGES) * u64::from(PAGE_BYTES);
        file.set_len(bytes)?;
        let mut options = FileOptions::new(IoEngine::best().0, PAGE_BYTES);
        options.direct = direct_alignment(&file).is_ok_and(|alignment| alignment <= PAGE_BYTES);
        let config = PoolConfig::new(PAGE_BYTES, FRAMES).ace(Ace::CowX).n(BATCH);
        let config = config.cleaner(Cleaner::Auto).double_write(true);
        Ok(PoolLedger { pool: Pool::open(Arc::new(FileDevice::new(file, bytes, options)?), config)? })
    }

    fn commit(&mut self, number: u64) -> Result<(), Failure> {
        for page in changed(number) {
            let mut guard = self.pool.write(page)?;
            for chunk in guard.chunks_exact_mut(8) {
                chunk.copy_from_slice(&word(number, page));
            }
        }
        Ok(self.pool.checkpoint()?)
    }

    fn check(self) -> Result<u64, Failure> {
        let pages = (0..PAGES).map(|page| shown(&self.pool.read(page)?, page));
        let pages = pages.collect::<Result<Vec<u64>, Failure>>()?;
        let newest = pages.iter().copied().max().unwrap_or(0);
        // A commit is there if no page that it changed is older.
        let is_there = |number: &u64| changed(*number).all(|page| pages[page as usize] >= *number);
        Ok((1..=newest).take_while(is_there).last().unwrap_or(0))
    }
}
