//! Ranges of the numbers in a description.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::error::Flaw;

/// Requests are aligned to this, as on a drive with sectors of 512 bytes.
pub(crate) const SECTOR_BYTES: u32 = 512;

/// Refuses a number out of its range; one that is not a number is out of every range.
pub(crate) fn number<T: PartialOrd + Display>(
    field: &'static str,
    value: T,
    range: RangeInclusive<T>,
    unit: &str,
) -> Result<(), Flaw> {
    if range.contains(&value) {
        return Ok(());
    }
    Err((field, format!("must be from {} to {} {unit}", range.start(), range.end())))
}

/// Refuses a capacity out of range or of broken sectors.
pub(crate) fn capacity(bytes: u64) -> Result<(), Flaw> {
    if !(1 << 20..=1 << 60).contains(&bytes) {
        return Err(("capacity", "must be from 1M to 1048576T".to_owned()));
    }
    if !bytes.is_multiple_of(u64::from(SECTOR_BYTES)) {
        return Err(("capacity", "must be a multiple of 512 bytes".to_owned()));
    }
    Ok(())
}
