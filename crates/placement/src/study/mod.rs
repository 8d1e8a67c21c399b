//! Where a little fast storage pays: the best tables to place on it, the best block cache, or neither.
//!
//! `docs/place.md` has the procedure.

mod error;
mod figures;
mod knapsack;
mod migrate;
mod procedure;
mod result;
mod simulated;
mod storage;
mod words;

pub use error::StudyError;
pub use knapsack::best_sets;
pub use procedure::{StudyOptions, Watch, study};
pub use result::{Cached, Choice, Placed, QueryTimes, Scope, SizeStudy, Study};
pub use simulated::Simulated;
pub use storage::{FileSize, Migration, Query, Storage, Times};
pub use words::labels;
