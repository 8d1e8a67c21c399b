//! The shape of an LSM tree under leveled compaction, file by file, as RocksDB's picker makes it.
//!
//! How many levels a query meets, how much of the key range each of them covers, and how many files of the
//! next level a compaction rewrites follow from which files are picked (the ones that overlap least), so
//! they are simulated and not taken from a formula. A file is a range of keys and a number of pairs, spread
//! evenly over it; keys are uniform in 0 to 1, and everything is counted in pairs.

mod files;
mod filled;
mod limits;
mod merge;
mod pick;

pub(crate) use files::{Run, Tree, file_pairs, memtable_pairs};
pub(crate) use pick::Compaction;
