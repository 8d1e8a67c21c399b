//! The clock: each date is later than all before, crashes included.
//!
//! Dates are reserved a block at a time, so that a commit need not record how far they went; after a crash
//! the next block begins.

use std::sync::{Mutex, PoisonError};

use leadline_index::Batch;

use super::SortedMap;
use crate::StoreError;

const KEY: [u8; 2] = [0, 1];
/// Dates reserved at once.
const BLOCK: u64 = 1 << 16;

#[derive(Debug)]
pub(super) struct Dates(Mutex<State>);

#[derive(Debug)]
struct State {
    next: u64,
    /// Dates from this one on are not reserved.
    end: u64,
}

impl Dates {
    pub(super) fn of(map: &dyn SortedMap) -> Result<Dates, StoreError> {
        let end = match map.get(&KEY)? {
            // What is loaded has the date 1.
            None => 2,
            Some(bytes) => match bytes.try_into() {
                Ok(bytes) => u64::from_le_bytes(bytes),
                Err(_) => return Err(StoreError::NoDatabase),
            },
        };
        Ok(Dates(Mutex::new(State { next: end, end })))
    }

    pub(super) fn next(&self, map: &dyn SortedMap) -> Result<u64, StoreError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.next == state.end {
            let end = state.end + BLOCK;
            map.commit(&Batch::from_iter([(KEY, end.to_le_bytes())]))?;
            state.end = end;
        }
        state.next += 1;
        Ok(state.next - 1)
    }
}
