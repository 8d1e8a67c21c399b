//! Hard disks: one head, which seeks, waits for the platter to turn, and reads what passes.

mod arm;
mod device;
mod drive;
mod layout;
mod queue;
mod read_ahead;
mod seek;
mod spec;

pub use device::Disk;
pub use spec::{DiskBuffer, DiskPlatter, DiskQueue, DiskSeek, DiskSpec, DiskTiming};
