//! The numbers that follow from a description's geometry.

use super::memory;
use super::spec::FlashSpec;
use crate::error::Flaw;

/// Units, programs, blocks, lanes and dies. A *unit* is what has an entry in the mapping; a *program* writes
/// one page on each plane of a die; a *block* is what is erased at a time: one block on each plane of a die,
/// or with superblocks on each plane of every die. A *lane* is the dies that a block is on; it allocates
/// and collects on its own.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) unit_bytes: u32,
    /// Units of a program.
    pub(super) program_units: u32,
    /// Units of a block.
    pub(super) block_units: u32,
    pub(super) lanes: u32,
    /// Dies of a lane.
    pub(super) lane_dies: u32,
    pub(super) channels: u32,
    /// Logical units of a lane, those of the mapping included.
    pub(super) lane_logical: u32,
    /// Blocks of a lane that hold data when it is full: logical units and over-provisioning.
    pub(super) lane_closed: u32,
    /// All blocks of a lane but those of the SLC cache.
    pub(super) lane_main: u32,
    /// Blocks of the SLC cache, after the others.
    pub(super) lane_slc: u32,
    /// First logical unit of the mapping's own.
    pub(super) first_map_unit: u32,
    /// Entries of the mapping in one unit.
    pub(super) map_entries: u32,
    /// Units that the host can address.
    pub(super) host_units: u64,
    /// Units of which a part may be mapped apart, after all others.
    pub(super) parts: u32,
}

/// The most that `over_provisioning` may be.
pub(super) const MOST_OVER_PROVISIONING: f64 = 10.0;

/// Bytes of an entry of the mapping.
const ENTRY_BYTES: u64 = 4;

/// Blocks of a lane beyond those that hold data. The two that are being written, one with what the host
/// writes and one with what is moved, are half full on average; a full drive is nearly always collecting,
/// with about `soft - 2` free blocks. So `over_provisioning` is net of them, to a fraction of a block.
fn reserve_blocks(soft: u32) -> u64 {
    u64::from(soft) - 1
}

impl Layout {
    /// Of a description whose single values are in range.
    pub(super) fn new(spec: &FlashSpec) -> Result<Layout, Flaw> {
        let g = &spec.geometry;
        let dies = u64::from(g.channels) * u64::from(g.dies_per_channel);
        let lane_dies = if g.superblock { dies } else { 1 };
        let lanes = dies / lane_dies;
        let page_units = g.page_bytes / spec.mapping.unit;
        let program_units = page_units * u64::from(g.planes);
        let block_units = program_units * u64::from(g.pages_per_block) * lane_dies;
        if block_units == program_units && program_units > 1 {
            let reason =
                "must be at least 2 where a page of all planes has more than one mapping.unit".to_owned();
            return Err(("geometry.pages_per_block", reason));
        }
        memory::check_blocks(spec, block_units, lanes)?;
        let host_units = spec.capacity.div_ceil(spec.mapping.unit);
        let map_entries = spec.mapping.unit / ENTRY_BYTES;
        let map_units = if spec.mapping.cache.is_some() { host_units.div_ceil(map_entries) } else { 0 };
        // Whole programs on every lane, so that lanes are alike.
        let logical = (host_units + map_units).next_multiple_of(program_units * lanes);
        let lane_logical = logical / lanes;
        let reserve = reserve_blocks(spec.gc.soft);
        // The parts take their share of the space, though there are none at the start.
        let lane_parts = u64::from(spec.mapping.fine_entries).next_multiple_of(program_units * lanes) / lanes;
        let closed =
            Self::closed_blocks(spec, lane_logical + lane_parts, block_units, program_units, reserve)?;
        let slc_bytes = spec.slc.as_ref().map_or(0, |slc| slc.bytes);
        let lane_slc = slc_bytes.div_ceil(block_units * spec.mapping.unit * lanes);
        memory::check_count(spec, closed + reserve + lane_slc, lanes)?;
        let physical = (closed + reserve + lane_slc) * block_units * lanes;
        if physical > u64::from(u32::MAX - 2) {
            let most = u64::from(u32::MAX - 2) * spec.mapping.unit;
            let most = leadline_device::format_size(most >> 30 << 30);
            let reason = format!(
                "must be below {most}, over-provisioning included, for mapping.unit = {}",
                spec.mapping.unit
            );
            return Err(("capacity", reason));
        }
        Ok(Layout {
            unit_bytes: spec.mapping.unit as u32,
            program_units: program_units as u32,
            block_units: block_units as u32,
            lanes: lanes as u32,
            lane_dies: lane_dies as u32,
            channels: g.channels,
            lane_logical: lane_logical as u32,
            lane_closed: closed as u32,
            lane_main: (closed + reserve) as u32,
            lane_slc: lane_slc as u32,
            first_map_unit: host_units as u32,
            map_entries: map_entries as u32,
            host_units,
            parts: spec.mapping.fine_entries,
        })
    }

    /// Blocks of a lane that hold data, by `over_provisioning` or by `blocks_per_plane`.
    fn closed_blocks(
        spec: &FlashSpec,
        logical: u64,
        block: u64,
        program: u64,
        reserve: u64,
    ) -> Result<u64, Flaw> {
        let given = u64::from(spec.geometry.blocks_per_plane);
        // What is moved out of a block is written as whole programs. Were more valid than all but one of them
        // hold in every block, collection would gain nothing, and the host would wait for ever.
        let least = logical.div_ceil(block).max(logical / (block - program + 1)) + 2;
        match (spec.over_provisioning, given) {
            (Some(share), 0) => {
                let closed = (logical as f64 * (1.0 + share) / block as f64).round() as u64;
                if closed < least {
                    let needed = (least * block) as f64 / logical as f64 - 1.0;
                    if needed > MOST_OVER_PROVISIONING {
                        return Err(("capacity", Self::too_small(spec, block)));
                    }
                    let reason = format!(
                        "must be at least {:.4} for this capacity: two blocks of {} bytes on each die, and a \
                         page of every block; or make capacity larger or blocks smaller",
                        (needed * 1e4).ceil() / 1e4,
                        block * spec.mapping.unit
                    );
                    return Err(("over_provisioning", reason));
                }
                Ok(closed)
            }
            (None, given) if given >= least + reserve => Ok(given - reserve),
            (None, 0) => Err(("over_provisioning", "must be given, or geometry.blocks_per_plane".to_owned())),
            (None, _) => {
                let reason = format!("must be at least {} for this capacity and gc.soft", least + reserve);
                Err(("geometry.blocks_per_plane", reason))
            }
            (Some(_), _) => {
                let reason = "must be left out where over_provisioning is given: one follows from the other";
                Err(("geometry.blocks_per_plane", reason.to_owned()))
            }
        }
    }

    fn too_small(spec: &FlashSpec, block: u64) -> String {
        let g = &spec.geometry;
        let lanes = if g.superblock { 1 } else { u64::from(g.channels) * u64::from(g.dies_per_channel) };
        let bytes = block * spec.mapping.unit;
        // A third of a block of each lane, with the most over-provisioning there may be, makes three.
        format!(
            "must be at least {} for blocks of {bytes} bytes, of which each die needs three; or make blocks \
             smaller",
            (bytes / 3 * lanes + 1).next_multiple_of(1 << 20)
        )
    }

    /// Blocks of a lane.
    pub(super) fn lane_blocks(&self) -> u32 {
        self.lane_main + self.lane_slc
    }

    pub(super) fn blocks(&self) -> u32 {
        self.lane_blocks() * self.lanes
    }

    pub(super) fn dies(&self) -> u32 {
        self.lanes * self.lane_dies
    }

    /// Physical over logical units, open blocks and reserve left out.
    pub(super) fn spare_factor(&self) -> f64 {
        f64::from(self.lane_closed) * f64::from(self.block_units) / f64::from(self.lane_logical)
    }

    /// The lane that a logical unit is on where allocation is static, and at the start.
    #[inline]
    pub(super) fn lane_of_unit(&self, unit: u32) -> u32 {
        (unit / self.program_units) % self.lanes
    }

    /// The die of a program in a block: `program` counts from the block's first.
    #[inline]
    pub(super) fn die_of(&self, block: u32, program: u32) -> u32 {
        block / self.lane_blocks() * self.lane_dies + program % self.lane_dies
    }

    /// The channel of a die: neighbours are on different ones.
    #[inline]
    pub(super) fn channel_of(&self, die: u32) -> u32 {
        die % self.channels
    }

    /// Whether a block is one of the SLC cache.
    #[inline]
    pub(super) fn is_slc(&self, block: u32) -> bool {
        self.lane_slc > 0 && block % self.lane_blocks() >= self.lane_main
    }
}
