//! What a drive may take in memory when it is opened: a description that would take much more than 256 MiB is
//! refused. What is touched later takes more, up to 16 bytes per page.

use super::spec::FlashSpec;
use crate::error::Flaw;

/// Most blocks of a drive: each takes 56 bytes.
const MOST_BLOCKS: u64 = 1 << 22;

/// Most mapping units of a block, and of one block of every die: each takes 8 bytes.
const MOST_UNITS: u64 = 1 << 24;

/// Most bytes that are read ahead of all sequences together.
pub(super) const MOST_READ_AHEAD: u64 = 256 << 20;

/// Whether blocks have too many units, one block of each of `lanes`.
pub(super) fn check_blocks(spec: &FlashSpec, block_units: u64, lanes: u64) -> Result<(), Flaw> {
    let most = MOST_UNITS / lanes;
    if block_units <= most {
        return Ok(());
    }
    let each = (block_units / u64::from(spec.geometry.pages_per_block)).max(1);
    let reason = if most >= each {
        format!(
            "must be at most {} with this number of dies, planes and mapping units in a page, {MOST_UNITS} units in one \
             block of each die",
            most / each
        )
    } else {
        format!("must be less: a page of all dies and planes has more than {MOST_UNITS} mapping units")
    };
    let field = if most >= each { "geometry.pages_per_block" } else { "geometry.dies_per_channel" };
    Err((field, reason))
}

/// Whether there are too many blocks, with that many in each of `lanes`.
pub(super) fn check_count(spec: &FlashSpec, lane_blocks: u64, lanes: u64) -> Result<(), Flaw> {
    if lane_blocks <= MOST_BLOCKS / lanes {
        return Ok(());
    }
    if spec.gc.soft > 100 && u64::from(spec.gc.soft) > lane_blocks / 2 {
        let reason =
            format!("must be at most {} for this number of dies", (MOST_BLOCKS / lanes / 2).max(100));
        return Err(("gc.soft", reason));
    }
    let times = (lane_blocks * lanes).div_ceil(MOST_BLOCKS);
    let least = u64::from(spec.geometry.pages_per_block) * times;
    let reason = format!("must be at least {least}, for the drive to have at most {MOST_BLOCKS} blocks");
    Err(("geometry.pages_per_block", reason))
}
