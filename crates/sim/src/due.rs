//! Requests in flight in the order in which they complete, where that is known as they arrive.

use leadline_device::{Completion, Nanos};

/// Completions by time; those of one time in the order of arrival.
///
/// A binary heap whose first place stays empty after a completion left it: a load that keeps a number of
/// requests in flight answers each completion with the next request, which then sinks from there, and the
/// heap is gone through once for both.
#[derive(Debug, Default)]
pub(crate) struct Due {
    heap: Vec<Entry>,
    /// Whether the first place is empty.
    is_hollow: bool,
    arrived: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    done: Nanos,
    sequence: u64,
    slot: u32,
    moved: u32,
}

impl Entry {
    /// Whether it completes before another. One comparison of wide integers, and not two with a branch
    /// between them that nobody could predict.
    #[inline]
    fn is_before(&self, other: &Entry) -> bool {
        let order = |entry: &Entry| u128::from(entry.done) << 64 | u128::from(entry.sequence);
        order(self) < order(other)
    }
}

impl Due {
    /// A request has arrived that will be done at `done`.
    #[inline]
    pub(crate) fn push(&mut self, done: Nanos, slot: u32, moved: u32) {
        let entry = Entry { done, sequence: self.arrived, slot, moved };
        self.arrived += 1;
        if self.is_hollow {
            self.is_hollow = false;
            self.sink(entry);
            return;
        }
        let mut place = self.heap.len();
        self.heap.push(entry);
        while place > 0 {
            let parent = (place - 1) / 2;
            if !entry.is_before(&self.heap[parent]) {
                break;
            }
            self.heap[place] = self.heap[parent];
            place = parent;
        }
        self.heap[place] = entry;
    }

    /// When the next one is done.
    #[inline]
    pub(crate) fn next(&self) -> Option<Nanos> {
        if !self.is_hollow {
            return self.heap.first().map(|first| first.done);
        }
        let below = self.heap.get(1..).unwrap_or_default();
        below.iter().take(2).map(|entry| entry.done).min()
    }

    /// Takes out the next one.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Completion> {
        self.fill();
        let Entry { done, slot, moved, .. } = *self.heap.first()?;
        self.is_hollow = true;
        Some(Completion { slot, result: moved as i32, at: done })
    }

    /// Requests in flight.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.heap.len() - usize::from(self.is_hollow)
    }

    /// Fills the first place if it is empty and there is anything.
    #[inline]
    fn fill(&mut self) {
        if !self.is_hollow {
            return;
        }
        self.is_hollow = false;
        let last = self.heap.pop().expect("the empty place is one of the heap's");
        if !self.heap.is_empty() {
            self.sink(last);
        }
    }

    /// Puts an entry into the first place, which is empty, and what comes before it above it.
    #[inline]
    fn sink(&mut self, entry: Entry) {
        let heap = &mut self.heap[..];
        let (mut place, mut child) = (0, 1);
        while child + 1 < heap.len() {
            child += usize::from(heap[child + 1].is_before(&heap[child]));
            if entry.is_before(&heap[child]) {
                break;
            }
            heap[place] = heap[child];
            (place, child) = (child, 2 * child + 1);
        }
        if child + 1 == heap.len() && heap[child].is_before(&entry) {
            heap[place] = heap[child];
            place = child;
        }
        heap[place] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a list that is sorted again and again.
    #[test]
    fn completions_come_by_time_and_then_in_the_order_of_arrival() {
        let mut random = fastrand::Rng::with_seed(3);
        for most in [1, 2, 3, 4, 7, 40] {
            let (mut due, mut list, mut now) = (Due::default(), Vec::<(Nanos, u32)>::new(), 0);
            for slot in 0..4000 {
                // Few times, so that many are equal; not before what has completed.
                let done = now + random.u64(..5);
                due.push(done, slot, 2 * slot);
                list.push((done, slot));
                while list.len() >= most || random.u8(..3) == 0 && !list.is_empty() {
                    list.sort_unstable();
                    assert_eq!((due.next(), due.len()), (Some(list[0].0), list.len()));
                    let (at, slot) = list.remove(0);
                    assert_eq!(due.pop(), Some(Completion { slot, result: 2 * slot as i32, at }));
                    now = at;
                }
                assert_eq!(due.next(), list.iter().map(|(done, _)| *done).min());
                assert_eq!(due.len(), list.len());
            }
            while due.pop().is_some() {}
            assert_eq!((due.next(), due.len(), due.pop()), (None, 0, None));
        }
    }
}
