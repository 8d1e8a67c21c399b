//! Sorts any number of records in a fixed amount of memory.

mod bucket;
mod radix;
mod record;
mod slots;
mod sorted;
mod sorter;
mod spill;
mod split;
mod turn;

pub(super) use record::{Key, Record, Weight};
pub(super) use sorted::SortedRecords;
pub(super) use sorter::{LaneWriter, Sorter};
pub(super) use spill::{Numbers, NumbersIter, Spill};
