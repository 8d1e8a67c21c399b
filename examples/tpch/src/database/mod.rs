//! A folder with TPC-H's tables, loaded once and used by many runs.

mod folder;
mod load;

pub(crate) use folder::{DATA, TEMPORARY};
pub use folder::{Folder, TableFile};
pub use load::load;
