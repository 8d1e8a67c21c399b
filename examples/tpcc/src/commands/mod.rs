//! What `tpcc` does, one file each.

pub(crate) mod check;
pub(crate) mod failure;
pub(crate) mod load;
pub(crate) mod run;
mod shared;
