//! Free space: how much a scratch file may take.

use std::path::Path;

use super::{GuardError, io_error};

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;
/// Below this a scratch file says little of the device: it fits in caches.
const LEAST_DEFAULT: u64 = 64 * MIB;
const LEAST_LEFT: u64 = GIB;
/// A tenth of a large drive is more than anybody needs to be left with.
const MOST_LEFT: u64 = 8 * GIB;

/// Room on a file system, bytes.
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
    /// [`GuardError::Io`] with the system's reason.
    pub fn of(path: &Path) -> Result<Space, GuardError> {
        let stat =
            rustix::fs::statvfs(path).map_err(|errno| io_error("asking free space of", path, errno))?;
        Ok(Space {
            total_bytes: stat.f_blocks.saturating_mul(stat.f_frsize),
            available_bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
        })
    }

    /// What always stays free: 10 % of the file system, but at least 1 GiB and at most 8 GiB.
    pub fn reserve_bytes(self) -> u64 {
        self.total_bytes.div_ceil(10).clamp(LEAST_LEFT, MOST_LEFT)
    }

    /// The most that may be taken: what lies above [`Space::reserve_bytes`]. Whole MiB.
    pub fn fits_bytes(self) -> u64 {
        whole_mib(self.available_bytes.saturating_sub(self.reserve_bytes()))
    }

    /// Whether `bytes` may be taken: afterwards [`Space::reserve_bytes`] are still free.
    pub fn allows(self, bytes: u64) -> bool {
        self.available_bytes.checked_sub(bytes).is_some_and(|left| left >= self.reserve_bytes())
    }

    /// The scratch file's size unless the user gives one: the smaller of 8 GiB (`quick`: 1 GiB) and a tenth of the
    /// free space, and never more than [`Space::fits_bytes`]. Whole MiB; `None` where that is under 64 MiB.
    pub fn default_bytes(self, quick: bool) -> Option<u64> {
        let most = if quick { GIB } else { 8 * GIB };
        let bytes = most.min(whole_mib(self.available_bytes / 10)).min(self.fits_bytes());
        (bytes >= LEAST_DEFAULT).then_some(bytes)
    }
}

/// Refuses where, after `bytes` are taken, less than [`Space::reserve_bytes`] would be free.
///
/// # Errors
/// [`GuardError::Space`] says how much is free and how much would fit; [`GuardError::Io`] where that cannot be told.
pub fn check_space(dir: &Path, bytes: u64) -> Result<(), GuardError> {
    check_space_after(dir, bytes, 0)
}

/// As [`check_space`], where `freed` bytes are given back first (an older scratch file that is replaced).
pub(crate) fn check_space_after(dir: &Path, bytes: u64, freed: u64) -> Result<(), GuardError> {
    let mut space = Space::of(dir)?;
    space.available_bytes = space.available_bytes.saturating_add(freed).min(space.total_bytes);
    if space.allows(bytes) {
        return Ok(());
    }
    Err(GuardError::Space {
        dir: dir.into(),
        asked_bytes: bytes,
        available_bytes: space.available_bytes,
        reserve_bytes: space.reserve_bytes(),
        fits_bytes: space.fits_bytes(),
    })
}

/// The size of the scratch file in `dir` unless the user gives one: [`Space::default_bytes`].
///
/// # Errors
/// [`GuardError::Space`] where less than 64 MiB would remain for it; [`GuardError::Io`] where that cannot be told.
pub fn default_scratch_bytes(dir: &Path, quick: bool) -> Result<u64, GuardError> {
    let space = Space::of(dir)?;
    space.default_bytes(quick).ok_or_else(|| GuardError::Space {
        dir: dir.into(),
        asked_bytes: LEAST_DEFAULT,
        available_bytes: space.available_bytes,
        reserve_bytes: space.reserve_bytes(),
        fits_bytes: space.fits_bytes(),
    })
}

fn whole_mib(bytes: u64) -> u64 {
    bytes / MIB * MIB
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn the_default_is_a_tenth_of_what_is_free_up_to_a_bound() {
        assert_eq!(space(1000, 500 * GIB).default_bytes(false), Some(8 * GIB));
        assert_eq!(space(1000, 500 * GIB).default_bytes(true), Some(GIB));
        assert_eq!(space(100, 40 * GIB + 5).default_bytes(false), Some(4 * GIB));
        assert_eq!(space(100, 8 * GIB + 80 * MIB).default_bytes(true), Some(80 * MIB));
        assert_eq!(space(100, 8 * GIB + 63 * MIB).default_bytes(true), None);
        assert_eq!(space(2, 600 * MIB).default_bytes(true), None);
    }

    proptest! {
        #[test]
        fn what_fits_is_allowed_and_a_mib_more_is_not(total in 0_u64.., share in 0_f64..=1.0) {
            let space = Space { total_bytes: total, available_bytes: (total as f64 * share) as u64 };
            let fits = space.fits_bytes();
            prop_assert!(fits == 0 || space.allows(fits));
            prop_assert!(!space.allows(fits.saturating_add(MIB)));
            if let Some(bytes) = space.default_bytes(false) {
                prop_assert!(space.allows(bytes) && bytes % MIB == 0 && bytes >= LEAST_DEFAULT);
            }
        }
    }
}
