//! What `tpch` does, one file each.

pub(crate) mod compare;
pub(crate) mod explain;
pub(crate) mod failure;
pub(crate) mod load;
pub(crate) mod place;
pub(crate) mod predict;
pub(crate) mod rows;
pub(crate) mod run;
mod shared;
