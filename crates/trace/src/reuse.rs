//! Reuse distances: how many other pages were touched since a page was touched last.
//!
//! The *stack distance* of an access is the page's place in an LRU stack: the number of distinct pages
//! touched since its last access, itself included (Mattson et al., IBM Systems Journal 1970). An LRU cache of
//! C pages hits exactly the accesses whose distance is at most C, so one pass gives the miss ratio of every
//! cache size.
//!
//! [`StackDistances`] is exact. [`Reuse`] is exact while the pages are few, and beyond that follows a sample
//! of them chosen by a hash of the page: SHARDS with a fixed number of samples (Waldspurger et al., FAST
//! 2015, section 3.2), so that memory does not grow with the trace.

mod hash;
mod order;
mod shards;

pub(crate) use hash::{PageMap, place};
pub use order::StackDistances;
pub use shards::{Reuse, SampledPage};
