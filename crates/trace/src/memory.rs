//! A trace of pages that is in memory already.

use std::sync::Arc;

use crate::{Request, Trace, TraceError, Unit};

/// Accesses to single pages, one after the other. Clones share them, and each begins at the first.
#[derive(Debug, Clone)]
pub struct MemoryTrace {
    pages: Arc<[u64]>,
    /// One per page; empty where all are reads.
    writes: Arc<[bool]>,
    next: usize,
}

impl MemoryTrace {
    /// Accesses to `pages`; an access with true `writes` changes the page. No `writes` at all: only reads.
    ///
    /// # Errors
    /// [`TraceError::Name`] where there are more or fewer `writes` than pages.
    pub fn new(pages: Arc<[u64]>, writes: Arc<[bool]>) -> Result<MemoryTrace, TraceError> {
        if !writes.is_empty() && writes.len() != pages.len() {
            let reason = format!("has {} pages and {} writes; give as many", pages.len(), writes.len());
            return Err(TraceError::Name { name: "trace".to_owned(), reason });
        }
        Ok(MemoryTrace { pages, writes, next: 0 })
    }
}

impl Trace for MemoryTrace {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        let Some(&address) = self.pages.get(self.next) else { return Ok(None) };
        let write = self.writes.get(self.next).copied().unwrap_or(false);
        self.next += 1;
        Ok(Some(Request { at_ns: 0, volume: 0, write, address, length: 1 }))
    }

    fn remaining(&self) -> Option<u64> {
        Some((self.pages.len() - self.next) as u64)
    }

    fn progress(&self) -> Option<f64> {
        Some(self.next as f64 / self.pages.len().max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_come_in_order_and_every_clone_begins_at_the_first() {
        let trace = MemoryTrace::new([7, u64::MAX, 7].into(), [false, true, false].into()).unwrap();
        for mut trace in [trace.clone(), trace] {
            let mut seen = Vec::new();
            while let Some(request) = trace.next().unwrap() {
                seen.push((request.address, request.write, request.length));
            }
            assert_eq!(seen, [(7, false, 1), (u64::MAX, true, 1), (7, false, 1)]);
            assert_eq!(trace.remaining(), Some(0));
        }
    }

    #[test]
    fn without_writes_all_are_reads_and_another_number_of_them_is_refused() {
        let mut reads = MemoryTrace::new([1].into(), [].into()).unwrap();
        assert!(!reads.next().unwrap().unwrap().write);
        let error = MemoryTrace::new([1, 2].into(), [true].into()).unwrap_err();
        assert_eq!(error.to_string(), "trace: has 2 pages and 1 writes; give as many");
        assert!(MemoryTrace::new([].into(), [].into()).unwrap().next().unwrap().is_none());
    }
}
