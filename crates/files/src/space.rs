//! The free space of a file system, and how much of it is left alone.

use std::io;
use std::path::Path;

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;
const LEAST_LEFT: u64 = GIB;
/// A tenth of a large drive is more than anybody needs to be left with.
const MOST_LEFT: u64 = 8 * GIB;

/// The space of a file system, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// The whole file system.
    pub total_bytes: u64,
    /// What an ordinary user may still take.
    pub available_bytes: u64,
}

impl Space {
    /// Asks the file system that holds `path`.
    ///
    /// # Errors
    /// The system's reason.
    pub fn of(path: impl AsRef<Path>) -> io::Result<Space> {
        let stat = rustix::fs::statvfs(path.as_ref())?;
        Ok(Space {
            total_bytes: stat.f_blocks.saturating_mul(stat.f_frsize),
            available_bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
        })
    }

    /// What Leadline always leaves free: 10 % of the file system, but at least 1 GiB and at most 8 GiB.
    pub fn reserve_bytes(self) -> u64 {
        self.total_bytes.div_ceil(10).clamp(LEAST_LEFT, MOST_LEFT)
    }

    /// The most that may be taken: what is above [`Space::reserve_bytes`]. Whole MiB.
    pub fn fits_bytes(self) -> u64 {
        self.available_bytes.saturating_sub(self.reserve_bytes()) / MIB * MIB
    }

    /// Whether `bytes` may be taken: afterwards [`Space::reserve_bytes`] are still free.
    pub fn allows(self, bytes: u64) -> bool {
        self.available_bytes.checked_sub(bytes).is_some_and(|left| left >= self.reserve_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(total_gib: u64, available_bytes: u64) -> Space {
        Space { total_bytes: total_gib * GIB, available_bytes }
    }

    #[test]
    fn a_tenth_of_the_file_system_stays_free_to_the_byte() {
        let space = space(40, 30 * GIB);
        assert!(space.allows(26 * GIB));
        assert!(!space.allows(26 * GIB + 1));
        assert_eq!(space.fits_bytes(), 26 * GIB);
    }

    #[test]
    fn no_more_than_8_gib_stay_free_on_a_large_file_system() {
        let space = space(8000, 30 * GIB);
        assert!(space.allows(22 * GIB));
        assert!(!space.allows(22 * GIB + 1));
        assert_eq!(space.fits_bytes(), 22 * GIB);
    }

    #[test]
    fn one_gib_stays_free_on_a_small_file_system() {
        let space = space(4, 3 * GIB);
        assert!(space.allows(2 * GIB));
        assert!(!space.allows(2 * GIB + 1));
        assert!(!Space { total_bytes: GIB, available_bytes: GIB }.allows(1));
    }

    #[test]
    fn a_file_system_is_at_least_as_large_as_what_is_free_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let space = Space::of(folder.path()).unwrap();
        assert!(space.total_bytes > 0 && space.available_bytes <= space.total_bytes);
        assert!(Space::of(folder.path().join("none")).is_err());
    }
}
