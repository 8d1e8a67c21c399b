//! Hard disks: one head, which seeks, waits for the platter to turn, and reads what passes.

mod arm;
mod drive;
mod layout;
mod queue;
mod read_ahead;
mod seek;
mod spec;

pub(crate) use drive::Mechanics;
pub use spec::{DiskBuffer, DiskPlatter, DiskQueue, DiskSeek, DiskSpec, DiskTiming};
