//! How much of the free space a scratch file may take.

use std::path::Path;

use leadline_files::Space;

use super::{GuardError, io_error};

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;
/// Below this a scratch file says little of the device: it fits in caches.
const LEAST_DEFAULT: u64 = 64 * MIB;

/// Refuses where, after `bytes` are taken, less than [`Space::reserve_bytes`] would be free.
///
/// # Errors
/// [`GuardError::Space`] says how much is free and how much would fit; [`GuardError::Io`] where that cannot
/// be told.
pub fn check_space(dir: impl AsRef<Path>, bytes: u64) -> Result<(), GuardError> {
    check_space_after(dir.as_ref(), bytes, 0)
}

/// As [`check_space`], where `freed` bytes are given back first (an older scratch file that is replaced).
pub(crate) fn check_space_after(dir: &Path, bytes: u64, freed: u64) -> Result<(), GuardError> {
    let mut space = space_of(dir)?;
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

/// The size of the scratch file in `dir` unless the user gives one: the smaller of 8 GiB (`quick`: 1 GiB) and
/// a tenth of the free space, and never more than [`Space::fits_bytes`]. Whole MiB.
///
/// # Errors
/// [`GuardError::Space`] where less than 64 MiB would remain for it; [`GuardError::Io`] where that cannot be
/// told.
pub fn default_scratch_bytes(dir: impl AsRef<Path>, quick: bool) -> Result<u64, GuardError> {
    let dir = dir.as_ref();
    let space = space_of(dir)?;
    default_bytes(space, quick).ok_or_else(|| GuardError::Space {
        dir: dir.into(),
        asked_bytes: LEAST_DEFAULT,
        available_bytes: space.available_bytes,
        reserve_bytes: space.reserve_bytes(),
        fits_bytes: space.fits_bytes(),
    })
}

/// `None` where it would be under 64 MiB.
fn default_bytes(space: Space, quick: bool) -> Option<u64> {
    let most = if quick { GIB } else { 8 * GIB };
    let bytes = most.min(space.available_bytes / 10 / MIB * MIB).min(space.fits_bytes());
    (bytes >= LEAST_DEFAULT).then_some(bytes)
}

fn space_of(dir: &Path) -> Result<Space, GuardError> {
    Space::of(dir).map_err(|error| io_error("asking free space of", dir, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn space(total_gib: u64, available_bytes: u64) -> Space {
        Space { total_bytes: total_gib * GIB, available_bytes }
    }

    #[test]
    fn the_default_is_a_tenth_of_what_is_free_up_to_a_bound() {
        assert_eq!(default_bytes(space(1000, 500 * GIB), false), Some(8 * GIB));
        assert_eq!(default_bytes(space(1000, 500 * GIB), true), Some(GIB));
        assert_eq!(default_bytes(space(100, 40 * GIB + 5), false), Some(4 * GIB));
        assert_eq!(default_bytes(space(100, 8 * GIB + 80 * MIB), true), Some(80 * MIB));
        assert_eq!(default_bytes(space(100, 8 * GIB + 63 * MIB), true), None);
        assert_eq!(default_bytes(space(2, 600 * MIB), true), None);
    }

    proptest! {
        #[test]
        fn what_fits_is_allowed_and_a_mib_more_is_not(total in 0_u64.., share in 0_f64..=1.0) {
            let space = Space { total_bytes: total, available_bytes: (total as f64 * share) as u64 };
            let fits = space.fits_bytes();
            prop_assert!(fits == 0 || space.allows(fits));
            prop_assert!(!space.allows(fits.saturating_add(MIB)));
            if let Some(bytes) = default_bytes(space, false) {
                prop_assert!(space.allows(bytes) && bytes % MIB == 0 && bytes >= LEAST_DEFAULT);
            }
        }
    }
}
