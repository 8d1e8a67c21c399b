//! The write buffer: units that the host wrote and that are not programmed yet.

use super::media::{NONE, Table};

/// A unit in the buffer.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Logical unit; `NONE` where it was trimmed.
    unit: u32,
    /// The next in the queue, in the program, or among the free ones.
    next: u32,
    /// The request that waits until it is programmed; `NONE` for none.
    waiter: u32,
    /// Order of arrival.
    sequence: u64,
    /// Whether it has left its queue.
    programming: bool,
}

/// The units: a place for each, and queues of those that wait to be programmed, in the order in which they
/// came. Where they are written to is up to the lanes, so there is one queue, or with static allocation one
/// for each lane.
#[derive(Debug, Clone)]
pub(super) struct WriteBuffer {
    /// As many as were in it at the same time so far.
    entries: Vec<Entry>,
    /// The first of the entries that are free.
    free: u32,
    /// Units for which there is room.
    free_count: u32,
    capacity: u32,
    /// The newest entry of each unit in the buffer.
    places: Table,
    queues: Vec<Queue>,
    sequence: u64,
}

#[derive(Debug, Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
    len: u32,
    /// Of which trimmed.
    trimmed: u32,
}

/// What became of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admitted {
    /// It is in the buffer.
    Added,
    /// It took the place of an older version that was still waiting.
    Merged,
    /// There is no room.
    Full,
}

impl WriteBuffer {
    pub(super) fn new(capacity: u32, queues: u32) -> Self {
        WriteBuffer {
            entries: Vec::new(),
            free: NONE,
            free_count: capacity,
            capacity,
            places: Table::new(capacity.min(1 << 10) as usize),
            queues: vec![Queue { first: NONE, last: NONE, len: 0, trimmed: 0 }; queues as usize],
            sequence: 0,
        }
    }

    /// Whether it holds a unit.
    #[inline]
    pub(super) fn holds(&self, unit: u32) -> bool {
        self.places.get(unit).is_some()
    }

    /// Units in a queue that are to be programmed.
    #[inline]
    pub(super) fn waiting(&self, queue: u32) -> u32 {
        let queue = &self.queues[queue as usize];
        queue.len - queue.trimmed
    }

    /// Whether anything waits in a queue, if only to be forgotten.
    #[inline]
    pub(super) fn has_waiting(&self, queue: u32) -> bool {
        self.queues[queue as usize].len > 0
    }

    /// Units in it, being programmed or not.
    pub(super) fn used(&self) -> u32 {
        self.capacity - self.free_count
    }

    pub(super) fn is_full(&self) -> bool {
        self.free_count == 0
    }

    /// What the next unit to arrive will have.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Takes in a unit. One that a request waits for gets a place of its own.
    #[inline]
    pub(super) fn admit(&mut self, unit: u32, queue: u32, waiter: u32) -> Admitted {
        let held = self.places.get(unit);
        if let Some(place) = held.filter(|_| waiter == NONE) {
            // A version that is being programmed is still here, but has left the queue.
            if !self.entries[place as usize].programming {
                return Admitted::Merged;
            }
        }
        if self.free_count == 0 {
            return Admitted::Full;
        }
        let entry = Entry { unit, next: NONE, waiter, sequence: self.sequence, programming: false };
        let place = self.place(entry);
        self.sequence += 1;
        self.places.insert(unit, place);
        let queue = &mut self.queues[queue as usize];
        match queue.last {
            NONE => queue.first = place,
            last => self.entries[last as usize].next = place,
        }
        (queue.last, queue.len) = (place, queue.len + 1);
        Admitted::Added
    }

    /// Puts an entry where there is room.
    fn place(&mut self, entry: Entry) -> u32 {
        debug_assert!(self.free_count > 0 && self.entries.len() as u32 <= self.capacity);
        self.free_count -= 1;
        match self.free {
            NONE => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
            free => {
                self.free = std::mem::replace(&mut self.entries[free as usize], entry).next;
                free
            }
        }
    }

    /// Takes the oldest units of a queue for a program, at most `most`, and puts them into `units`; gives the
    /// first entry of their chain. Those that were trimmed are in the chain alone.
    pub(super) fn take(&mut self, queue: u32, most: u32, units: &mut Vec<u32>) -> u32 {
        units.clear();
        let (mut first, mut last) = (NONE, NONE);
        while (units.len() as u32) < most {
            let at = self.queues[queue as usize].first;
            if at == NONE {
                break;
            }
            let entry = self.entries[at as usize];
            let queue = &mut self.queues[queue as usize];
            (queue.first, queue.len) = (entry.next, queue.len - 1);
            if entry.next == NONE {
                queue.last = NONE;
            }
            self.entries[at as usize] = Entry { next: NONE, programming: true, ..entry };
            match entry.unit {
                NONE => queue.trimmed -= 1,
                unit => units.push(unit),
            }
            match last {
                NONE => first = at,
                last => self.entries[last as usize].next = at,
            }
            last = at;
        }
        debug_assert!({
            let Queue { first, last, len, trimmed } = self.queues[queue as usize];
            (first == NONE) == (len == 0) && (last == NONE) == (len == 0) && trimmed <= len
        });
        first
    }

    /// A program of the chain from `first` is done: `freed` gets each entry's waiter and sequence.
    pub(super) fn programmed(&mut self, first: u32, mut freed: impl FnMut(u32, u64)) {
        let mut at = first;
        while at != NONE {
            let Entry { next, unit, waiter, sequence, .. } = self.entries[at as usize];
            if unit != NONE && self.places.get(unit) == Some(at) {
                self.places.remove(unit);
            }
            self.release(at);
            freed(waiter, sequence);
            at = next;
        }
    }

    fn release(&mut self, at: u32) {
        debug_assert!(self.free_count < self.capacity && self.entries[at as usize].programming);
        self.entries[at as usize].next = self.free;
        self.free = at;
        self.free_count += 1;
    }

    /// A unit, of a queue, holds nothing any more: it need not be programmed.
    pub(super) fn trim(&mut self, unit: u32, queue: u32) {
        if let Some(place) = self.places.remove(unit) {
            let entry = &mut self.entries[place as usize];
            // What a request waits for is programmed all the same.
            if !entry.programming && entry.waiter == NONE {
                entry.unit = NONE;
                self.queues[queue as usize].trimmed += 1;
            }
        }
    }
}
