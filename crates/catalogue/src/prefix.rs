//! What stands before the name of a device that is not a real one.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// What a simulated device is named with.
pub const SIMULATED: &str = "sim:";

/// What a device of the catalogue is named with, for its published numbers.
pub const PUBLISHED: &str = "device:";

/// What follows a prefix of a name.
pub fn behind<'a>(name: &'a OsStr, prefix: &str) -> Option<&'a OsStr> {
    name.as_bytes().strip_prefix(prefix.as_bytes()).map(OsStr::from_bytes)
}
