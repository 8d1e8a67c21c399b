//! Every power cut that is possible, for cases small enough to try them all.

use std::collections::{BTreeMap, HashSet};

use super::MemoryDevice;
use super::crash::{Survival, Tearing, UnsyncedWrite};
use super::image::Image;

/// The device after every power cut that is possible, each once: an iterator over devices.
///
/// A part is what a power cut leaves whole or loses: a write, or what of it is in one sector of the device.
/// Parts of several writes in the same place are versions of each other, and one of them is left, or none.
/// The iterator counts through these choices as through the digits of a number, and skips choices that
/// another one equals because later writes hide an earlier one.
///
/// [`Iterator::size_hint`] bounds their number: with [`Tearing::Sector512`] it is exact until iteration
/// starts.
#[derive(Debug, Clone)]
pub struct Crashes {
    device: MemoryDevice,
    /// Oldest first.
    writes: Vec<Parts>,
    /// Versions of each place, the one without any of the writes included.
    bases: Vec<usize>,
    /// The next choice, a version for each place; none after the last one.
    next: Option<Vec<usize>>,
}

/// A write in its parts.
#[derive(Debug, Clone)]
struct Parts {
    /// For each part its place and which version of it this is, from 1.
    parts: Vec<(usize, usize)>,
    /// For each sector of the write: its number on the device, and the part that it belongs to.
    sectors: Vec<(u64, Option<usize>)>,
}

impl Crashes {
    /// Of a device that nobody else has, with these unsynced writes over that durable image.
    pub(super) fn new(
        device: MemoryDevice,
        writes: &[UnsyncedWrite],
        durable: &Image,
        tearing: Tearing,
    ) -> Crashes {
        let mut places: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let mut bases = Vec::new();
        let mut in_parts = |write: &UnsyncedWrite| {
            let all = write.first_sector()..write.first_sector() + write.sectors() as u64;
            let live: Vec<u64> =
                all.clone().filter(|sector| durable.version(*sector) < write.sequence).collect();
            let (mut parts, mut part_of) = (Vec::new(), BTreeMap::new());
            for part in live.chunk_by(|a, b| tearing.together(*a, *b)) {
                let place = *places.entry(part.to_vec()).or_insert_with(|| {
                    bases.push(1);
                    bases.len() - 1
                });
                part_of.extend(part.iter().map(|sector| (*sector, parts.len())));
                parts.push((place, bases[place]));
                bases[place] += 1;
            }
            Parts { parts, sectors: all.map(|sector| (sector, part_of.get(&sector).copied())).collect() }
        };
        let writes = writes.iter().map(&mut in_parts).collect();
        let next = Some(vec![0; bases.len()]);
        Crashes { device, writes, bases, next }
    }

    /// Whether every part that is kept shows somewhere. Where it does not, the choice without it is the same.
    fn is_told_apart(&self, choice: &[usize]) -> bool {
        let mut hidden = HashSet::new();
        self.writes.iter().rev().all(|write| {
            let mut shows = vec![false; write.parts.len()];
            for (sector, part) in &write.sectors {
                if let Some(part) = part.filter(|part| write.keeps(*part, choice)) {
                    shows[part] |= hidden.insert(*sector);
                }
            }
            (0..shows.len()).all(|part| shows[part] || !write.keeps(part, choice))
        })
    }

    /// The choice after this one; none after the last.
    fn after(&self, mut choice: Vec<usize>) -> Option<Vec<usize>> {
        for (digit, base) in choice.iter_mut().zip(&self.bases) {
            *digit += 1;
            if *digit < *base {
                return Some(choice);
            }
            *digit = 0;
        }
        None
    }
}

impl Parts {
    fn keeps(&self, part: usize, choice: &[usize]) -> bool {
        let (place, version) = self.parts[part];
        choice[place] == version
    }

    fn survival(&self, choice: &[usize]) -> Survival {
        let kept = |(_, part): &(u64, Option<usize>)| part.is_some_and(|part| self.keeps(part, choice));
        Survival::Sectors(self.sectors.iter().map(kept).collect())
    }
}

impl Iterator for Crashes {
    type Item = MemoryDevice;

    fn next(&mut self) -> Option<MemoryDevice> {
        loop {
            let choice = self.next.take()?;
            self.next = self.after(choice.clone());
            if self.is_told_apart(&choice) {
                let mut writes = self.writes.iter();
                // The device is a snapshot of our own: it has exactly these writes, in this order.
                return Some(
                    self.device
                        .crash(|_| writes.next().map_or(Survival::Absent, |write| write.survival(&choice))),
                );
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.next.is_none() {
            return (0, Some(0));
        }
        let most = self.bases.iter().try_fold(1usize, |most, base| most.checked_mul(*base));
        (0, most)
    }
}
