//! What a power cut leaves of the writes that no flush covered.

use std::sync::Arc;

use super::image::{Image, SECTOR_BYTES};

/// A write that completed and that no completed flush covers: a power cut may lose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsyncedWrite {
    /// Its place among all writes of the device, in the order in which the device did them; from 1.
    pub sequence: u64,
    /// First byte on the device.
    pub offset: u64,
    /// What was written.
    pub data: Arc<[u8]>,
}

/// What a power cut leaves of one unsynced write. Sectors are the write's own, from 0, of 512 bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Survival {
    /// All of it.
    Whole,
    /// Nothing.
    Absent,
    /// The sectors marked true. Those beyond the list's end are lost.
    Sectors(Vec<bool>),
}

/// Into which parts a power cut tears a write. Each part is on the medium whole or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tearing {
    /// A write is never torn, however long it is: no real device promises that.
    Never,
    /// At multiples of 512 bytes, the sector of most devices.
    Sector512,
    /// At multiples of 4096 bytes, as drives with 4 KiB sectors promise it.
    Sector4096,
}

impl UnsyncedWrite {
    /// Sectors of 512 bytes in it.
    pub fn sectors(&self) -> usize {
        self.data.len() / SECTOR_BYTES
    }

    /// Number of its first sector on the device.
    pub(super) fn first_sector(&self) -> u64 {
        self.offset / SECTOR_BYTES as u64
    }

    /// Each of its sectors: number on the device, and bytes.
    fn parts(&self) -> impl Iterator<Item = (u64, &[u8])> {
        (self.first_sector()..).zip(self.data.chunks_exact(SECTOR_BYTES))
    }

    /// Whether a power cut could still leave some of it: false once later durable writes cover it all.
    pub(super) fn matters(&self, durable: &Image) -> bool {
        self.parts().any(|(sector, _)| durable.version(sector) < self.sequence)
    }

    /// Puts what survives onto the medium; a sector with later contents keeps them.
    pub(super) fn survive(&self, survival: &Survival, image: &mut Image) {
        for (index, (sector, bytes)) in self.parts().enumerate() {
            if survival.keeps(index) {
                image.write_sector(sector, self.sequence, bytes);
            }
        }
    }
}

impl Survival {
    fn keeps(&self, sector: usize) -> bool {
        match self {
            Survival::Whole => true,
            Survival::Absent => false,
            Survival::Sectors(kept) => kept.get(sector).copied().unwrap_or(false),
        }
    }

    /// One of all the ways in which a power cut may treat this write, each part kept or lost by the toss of a
    /// coin; one time in two the write is not torn at all.
    pub fn random(write: &UnsyncedWrite, tearing: Tearing, random: &mut fastrand::Rng) -> Survival {
        let untorn = if random.bool() { Survival::Whole } else { Survival::Absent };
        if tearing == Tearing::Never || random.bool() {
            return untorn;
        }
        // Parts begin at the device's multiples of their size, not at the write's.
        let first = write.first_sector();
        let mut kept: Vec<bool> = Vec::with_capacity(write.sectors());
        for sector in first..first + write.sectors() as u64 {
            let same_part = kept.last().copied().filter(|_| tearing.together(sector - 1, sector));
            kept.push(same_part.unwrap_or_else(|| random.bool()));
        }
        Survival::Sectors(kept)
    }
}

impl Tearing {
    /// Whether two sectors of a write, by their numbers on the device, are lost or kept together.
    pub(super) fn together(self, a: u64, b: u64) -> bool {
        match self {
            Tearing::Never => true,
            Tearing::Sector512 => a == b,
            Tearing::Sector4096 => a / 8 == b / 8,
        }
    }
}
