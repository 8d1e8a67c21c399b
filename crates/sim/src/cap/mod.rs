//! The limits of a cloud volume: operations and bytes per second, with credit.

mod bucket;
mod limits;
mod spec;

pub(crate) use limits::Limits;
pub use spec::CapSpec;
