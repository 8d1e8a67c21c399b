//! Graph stores: made of arrays, opened, and asked.

mod arrays;
mod import;
mod rows;
mod store;

pub(crate) use import::import_arrays;
pub(crate) use store::Store;
