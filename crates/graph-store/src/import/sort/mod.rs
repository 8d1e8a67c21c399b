//! Sorts any number of records in a fixed amount of memory.

mod bucket;
mod memory;
mod merge;
mod numbers;
mod radix;
mod record;
mod sample;
mod slots;
mod sorted;
mod sorter;
mod spill;
mod split;
mod turn;

pub use merge::Merge;
pub(super) use numbers::{Numbers, NumbersIter};
pub use record::{Key, Record, Stamped, Weight};
pub(super) use sample::Forecast;
pub use sorted::SortedRecords;
pub use sorter::{LaneWriter, Sorter};
pub(super) use spill::Spill;
