//! Standard input, output and error, which a caller may have closed.

use std::fs::OpenOptions;
use std::os::fd::{AsRawFd as _, IntoRawFd as _};

/// What follows the three in the table of open files.
const FIRST_OF_OURS: i32 = 3;

/// Opens what is closed of the three, as `/dev/null`: the first file that a command opens would otherwise
/// take its place, and what is printed would go into that file.
///
/// The program itself has that done for it; a program that calls the command line may not.
pub(crate) fn keep() {
    while let Ok(null) = OpenOptions::new().read(true).write(true).open("/dev/null") {
        if null.as_raw_fd() >= FIRST_OF_OURS {
            return;
        }
        // Stays open until the process ends.
        let _ = null.into_raw_fd();
    }
}
