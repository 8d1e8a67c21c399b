//! Units of which a part is mapped apart from the rest, so that a write of that part needs no read of the
//! rest.

use crate::flash::lru::Lru;

/// Some of a unit's sectors of 512 bytes, a bit each: a unit has at most 64 of them.
pub(in crate::flash) type Sectors = u64;

/// The parts that are mapped apart. Each has a logical unit of its own, after those of the drive, so that the
/// flash holds it like any other.
#[derive(Debug, Clone)]
pub(in crate::flash) struct Fine {
    /// Units with a part, in the order in which those were split off.
    units: Lru,
    /// By place in that set.
    sectors: Vec<Sectors>,
    /// Logical unit of the first place.
    first: u32,
    capacity: u32,
}

impl Fine {
    pub(super) fn new(capacity: u32, first: u32) -> Self {
        Fine { units: Lru::new(capacity as usize), sectors: Vec::new(), first, capacity }
    }

    /// Whether there can be any.
    #[inline]
    pub(in crate::flash) fn is_used(&self) -> bool {
        self.capacity > 0
    }

    /// The logical unit of a unit's part, and what is in it.
    #[inline]
    pub(in crate::flash) fn part(&self, unit: u32) -> Option<(u32, Sectors)> {
        if self.capacity == 0 {
            return None;
        }
        let place = self.units.place(unit)?;
        Some((self.first + place, self.sectors[place as usize]))
    }

    /// The unit that must be made whole before another can have a part.
    pub(in crate::flash) fn oldest(&self) -> Option<u32> {
        self.units.next_forgotten()
    }

    /// Splits off a part of a unit that has none, or makes the part of one that has different; gives the
    /// part's logical unit. There must be room: see [`Fine::oldest`].
    pub(in crate::flash) fn set(&mut self, unit: u32, sectors: Sectors) -> u32 {
        if !self.units.holds(unit) {
            let forgotten = self.units.add(unit);
            debug_assert_eq!(forgotten, None, "a part would be lost");
        }
        let place = self.units.place(unit).expect("it was added");
        if self.sectors.len() <= place as usize {
            self.sectors.resize(place as usize + 1, 0);
        }
        self.sectors[place as usize] = sectors;
        self.first + place
    }

    /// A unit is whole again; gives the logical unit that its part had.
    pub(in crate::flash) fn remove(&mut self, unit: u32) -> Option<u32> {
        if self.capacity == 0 {
            return None;
        }
        self.units.remove(unit).map(|place| self.first + place)
    }
}

#[cfg(test)]
mod tests {
    use super::Fine;

    #[test]
    fn parts_have_units_of_their_own_and_the_oldest_is_known() {
        let mut fine = Fine::new(2, 1000);
        assert!(fine.is_used() && !Fine::new(0, 1000).is_used());
        assert_eq!((fine.part(5), fine.oldest()), (None, None));
        let parts = [fine.set(5, 0b1), fine.set(6, 0b10)];
        assert_eq!(parts, [1000, 1001]);
        assert_eq!((fine.part(5), fine.oldest()), (Some((1000, 0b1)), Some(5)));
        assert_eq!((fine.set(5, 0b11), fine.part(5)), (1000, Some((1000, 0b11))));
        assert_eq!(fine.oldest(), Some(5), "by when it was split off");
        assert_eq!((fine.remove(6), fine.remove(6), fine.oldest()), (Some(1001), None, None));
        assert_eq!((fine.set(7, 0b1), fine.part(6)), (1001, None));
    }
}
