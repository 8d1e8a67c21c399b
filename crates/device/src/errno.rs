//! What an error number of a request means on a block device.

use std::io;

/// The system's words and, where Linux's block layer gives the number a meaning of its own, that meaning: a
/// read of a bad sector is "No data available" in the system's words.
///
/// Linux, `block/blk-core.c`, `blk_errors`.
///
/// ```
/// let said = leadline_device::errno_in_words(61);
/// assert!(said.starts_with("No data available (os error 61)") && said.contains("medium"));
/// ```
pub fn errno_in_words(errno: i32) -> String {
    let system = io::Error::from_raw_os_error(errno);
    match meaning(errno) {
        Some(meaning) => format!("{system}: {meaning}"),
        None => system.to_string(),
    }
}

/// An error of the system, with what [`errno_in_words`] has to say about it.
pub fn error_in_words(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), errno_in_words)
}

fn meaning(errno: i32) -> Option<&'static str> {
    Some(match errno {
        libc::EIO => "the drive, or the way to it, failed; the kernel's log (dmesg) says which",
        libc::ENODATA => "a medium error: the drive cannot read, or write, this place",
        libc::EILSEQ => {
            "a protection error: the data's checksum did not match on its way to or from the drive"
        }
        libc::ETIMEDOUT | libc::ETIME => "the drive did not answer in time, and the kernel gave up",
        libc::ENOLINK => "a transport error: the way to the drive failed",
        libc::EREMOTEIO => "a target error: the drive does not carry out this request",
        libc::EBADE => "a reservation conflict: another host has reserved the drive",
        libc::EOVERFLOW | libc::ETOOMANYREFS => {
            "too many open or active zones: a zoned device takes writes in sequence, to few zones at once"
        }
        libc::EUCLEAN => "the file system found itself damaged; check it (fsck)",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_block_layer_say_what_they_mean_there() {
        for (errno, word) in [
            (libc::EIO, "dmesg"),
            (libc::ENODATA, "medium error"),
            (libc::EILSEQ, "protection error"),
            (libc::ETIMEDOUT, "did not answer in time"),
        ] {
            let said = errno_in_words(errno);
            let system = io::Error::from_raw_os_error(errno).to_string();
            assert!(said.starts_with(&system) && said.contains(word) && !said.contains('\n'), "{said}");
        }
        let unknown = io::Error::from_raw_os_error(libc::EINVAL).to_string();
        assert_eq!(errno_in_words(libc::EINVAL), unknown);
    }
}
