//! Sums of weights by label: what leads from a vertex, or from a community, to each label.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The fewest labels that a table has room for.
const LEAST_LABELS: usize = 16;

/// Sums by label. Labels stay in the order in which they came.
pub(super) trait Sums {
    /// Adds a weight to a label; one of 0 is as if it was not there.
    fn add(&mut self, label: u32, weight: f64);

    /// The sum of a label.
    fn of(&self, label: u32) -> f64;

    /// All labels with their sums.
    fn all(&self) -> impl Iterator<Item = (u32, f64)> + Clone;

    /// Forgets all.
    fn clear(&mut self);
}

/// For any number of labels: a place for each that there is.
pub(super) struct Near {
    /// By label, 0 where nothing was added.
    weight: Vec<f64>,
    labels: Vec<u32>,
}

impl Near {
    /// Bytes for each label.
    pub(super) const BYTES: u64 = 8 + 4;

    /// For labels below that.
    pub(super) fn new(labels: usize) -> Near {
        Near { weight: vec![0.0; labels], labels: Vec::with_capacity(labels) }
    }

    /// Orders the labels.
    pub(super) fn sort(&mut self) {
        self.labels.sort_unstable();
    }
}

impl Sums for Near {
    #[inline]
    fn add(&mut self, label: u32, weight: f64) {
        if weight > 0.0 {
            let place = &mut self.weight[label as usize];
            if *place == 0.0 {
                self.labels.push(label);
            }
            *place += weight;
        }
    }

    fn of(&self, label: u32) -> f64 {
        self.weight[label as usize]
    }

    fn all(&self) -> impl Iterator<Item = (u32, f64)> + Clone {
        self.labels.iter().map(|label| (*label, self.weight[*label as usize]))
    }

    fn clear(&mut self) {
        for label in self.labels.drain(..) {
            self.weight[label as usize] = 0.0;
        }
    }
}

/// For a few labels: a hash table that stays in the processor's cache.
#[derive(Default)]
pub(super) struct Table {
    /// One more than the place of a label in `found`; 0 where there is none.
    slots: Vec<u32>,
    /// Slots in use, less one: one less than a power of two.
    mask: usize,
    found: Vec<Found>,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    label: u32,
    slot: u32,
    sum: f64,
}

impl Table {
    /// Bytes for each label that there is room for.
    pub(super) const BYTES: u64 = size_of::<Found>() as u64 + 2 * 2 * 4;

    /// Makes room for that many labels; nothing may be in.
    fn make_room(&mut self, labels: usize) {
        let slots = (2 * labels.max(LEAST_LABELS)).next_power_of_two();
        self.mask = slots - 1;
        if self.slots.len() < slots {
            self.slots.resize(slots, 0);
        }
    }

    /// The slot of a label: where it is, or where it would be put.
    #[inline]
    fn slot(&self, label: u32) -> usize {
        let mut slot = (label.wrapping_mul(0x9E37_79B9) >> 7) as usize & self.mask;
        while let Some(place) = self.slots[slot].checked_sub(1)
            && self.found[place as usize].label != label
        {
            slot = (slot + 1) & self.mask;
        }
        slot
    }
}

impl Sums for Table {
    #[inline]
    fn add(&mut self, label: u32, weight: f64) {
        if weight > 0.0 {
            let slot = self.slot(label);
            match self.slots[slot] {
                0 => {
                    self.found.push(Found { label, slot: slot as u32, sum: weight });
                    self.slots[slot] = self.found.len() as u32;
                }
                place => self.found[place as usize - 1].sum += weight,
            }
        }
    }

    fn of(&self, label: u32) -> f64 {
        match self.slots[self.slot(label)] {
            0 => 0.0,
            place => self.found[place as usize - 1].sum,
        }
    }

    fn all(&self) -> impl Iterator<Item = (u32, f64)> + Clone {
        self.found.iter().map(|found| (found.label, found.sum))
    }

    fn clear(&mut self) {
        for found in self.found.drain(..) {
            self.slots[found.slot as usize] = 0;
        }
    }
}

/// What all threads sum with: a table each, and one place for each label for lists that are longer than
/// tables are. Which of them it is decides nothing.
pub(super) struct Summing {
    tables: Vec<Mutex<Table>>,
    dense: Mutex<Near>,
    /// The longest list that a table is for.
    longest: usize,
}

/// What is lent to sum the entries of a list with.
pub(super) enum Lent<'a> {
    Table(MutexGuard<'a, Table>),
    Dense(MutexGuard<'a, Near>),
}

impl Summing {
    /// For labels below that, on that many threads, with tables for lists of at most `longest` entries.
    pub(super) fn new(labels: usize, threads: usize, longest: usize) -> Summing {
        let tables = (0..threads.max(1)).map(|_| Mutex::default()).collect();
        Summing { tables, dense: Mutex::new(Near::new(labels)), longest }
    }

    /// For the calling thread, empty.
    #[inline]
    pub(super) fn lend(&self, entries: usize) -> Lent<'_> {
        if entries > self.longest {
            return Lent::Dense(self.dense.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let thread = rayon::current_thread_index().unwrap_or(0) % self.tables.len();
        let mut table = self.tables[thread].lock().unwrap_or_else(PoisonError::into_inner);
        table.make_room(entries);
        Lent::Table(table)
    }

    /// The place for each label.
    pub(super) fn into_near(self) -> Near {
        self.dense.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds and forgets three times, with labels that meet in slots.
    fn sums(sums: &mut impl Sums) -> Vec<Vec<(u32, f64)>> {
        let mut rng = fastrand::Rng::with_seed(1);
        let rounds = [5, 300, 40].map(|count| {
            for _ in 0..count {
                sums.add(rng.u32(..200) * 5, f64::from(rng.u32(..3)));
            }
            let all: Vec<(u32, f64)> = sums.all().collect();
            assert!(all.iter().all(|(label, sum)| sums.of(*label) == *sum && *sum > 0.0));
            assert_eq!(sums.of(7), 0.0);
            sums.clear();
            assert_eq!(sums.all().count(), 0);
            all
        });
        rounds.into()
    }

    #[test]
    fn a_table_sums_what_a_place_for_each_label_does() {
        let mut table = Table::default();
        table.make_room(300);
        assert_eq!(sums(&mut table), sums(&mut Near::new(1000)));
    }
}
