//! Everything that may refuse a write.
//!
//! A write may destroy somebody's data, so Leadline writes to three things only: a block device that nothing
//! else uses ([`open_block_for_writing`]), a file that Leadline made and marked ([`open_file_for_writing`]),
//! and a scratch file of its own ([`crate::scratch::Scratch`]) where the file system has room for it
//! ([`check_space`]). Where it cannot be told whether a device is used, the answer is no.

mod block;
mod error;
mod file;
pub(crate) mod header;
mod mounts;
mod partition_table;
mod space;
mod system;

use std::path::Path;

pub use block::open_block_for_writing;
pub use error::GuardError;
pub use file::{check_directory, open_file_for_writing, open_for_reading, unwritten_bytes};
pub use mounts::{Mount, mount_of, parse_mounts};
pub use space::{check_space, default_scratch_bytes};

pub(crate) use error::io_error;
pub(crate) use file::{lock, set_direct, verify};
pub(crate) use space::check_space_after;

/// A path for a message of one line: control characters escaped.
pub(crate) fn shown(path: &Path) -> String {
    let mut line = String::new();
    for c in path.to_string_lossy().chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}
