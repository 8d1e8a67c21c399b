//! Sorted runs made one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::block::head_of;
use super::run::{Run, RunReader};
use crate::error::IndexError;

/// A run in the heap of runs; the greatest is the one that comes next.
struct Next {
    head: u64,
    /// Newer runs have greater numbers.
    number: usize,
    reader: Box<RunReader>,
}

impl Ord for Next {
    fn cmp(&self, other: &Next) -> Ordering {
        let by_key = other.head.cmp(&self.head).then_with(|| other.reader.key().cmp(self.reader.key()));
        // Of equal keys the newest comes first.
        by_key.then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Next) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Next) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next {}

/// Calls `visit` with the entries of runs, given from the oldest to the newest, in the order of their keys;
/// of several with the same key with the newest.
pub(super) fn merge(
    runs: Vec<Run>,
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let mut heap = BinaryHeap::with_capacity(runs.len());
    for (number, run) in runs.into_iter().enumerate() {
        if let Some(reader) = run.read()? {
            heap.push(Next { head: head_of(reader.key()), number, reader: Box::new(reader) });
        }
    }
    let mut last: Option<Vec<u8>> = None;
    while let Some(mut next) = heap.peek_mut() {
        let key = next.reader.key();
        if last.as_deref() != Some(key) {
            visit(key, next.reader.value())?;
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(key);
        }
        if next.reader.advance()? {
            next.head = head_of(next.reader.key());
        } else {
            PeekMut::pop(next);
        }
    }
    Ok(())
}
