//! Recording what reaches the mount, while somebody wants it.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use leadline_device::Nanos;
use leadline_trace::TraceError;
use leadline_trace::capture::{CaptureSummary, Event, Operation, Recorder, Ticket};

use crate::node::Ino;

/// The capture that is being made, if one is. Times are the pacer's.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    current: RwLock<Option<Arc<Capture>>>,
}

#[derive(Debug)]
struct Capture {
    recorder: Recorder,
    began: Nanos,
}

/// A request as it arrives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) at: Nanos,
    pub(crate) thread: u32,
    pub(crate) ino: Ino,
    pub(crate) operation: Operation,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// A request that is recorded and not answered yet.
#[derive(Debug)]
pub(crate) struct Recorded {
    capture: Arc<Capture>,
    ticket: Ticket,
    /// Bytes that it moves.
    pub(crate) moves: u64,
}

impl Recorded {
    /// It was answered at `at`.
    pub(crate) fn answered(self, at: Nanos, failed: bool) {
        let moved = if failed { 0 } else { self.moves };
        self.capture.recorder.completed(self.ticket, at.saturating_sub(self.capture.began), moved);
    }
}

impl Captures {
    /// Begins to record into the file `path`. False where a capture is being made already.
    pub(crate) fn start(&self, path: &Path, now: Nanos) -> Result<bool, TraceError> {
        // Made before the lock, which every request takes; one that is not needed leaves nothing.
        let recorder = Recorder::create(path)?;
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.is_some() {
            return Ok(false);
        }
        *current = Some(Arc::new(Capture { recorder, began: now }));
        Ok(true)
    }

    /// Ends the capture; `None` where none is being made.
    pub(crate) fn stop(&self, now: Nanos) -> Option<Result<CaptureSummary, TraceError>> {
        let capture = self.current.write().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(capture.recorder.finish(now.saturating_sub(capture.began)))
    }

    /// Whether a capture is being made.
    pub(crate) fn are_made(&self) -> bool {
        self.current.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Whether the capture that is being made cannot be written any further.
    pub(crate) fn have_failed(&self) -> bool {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().is_some_and(|capture| capture.recorder.has_failed())
    }

    /// Records a request. `name` is asked for the file's name, and for the new one of a rename; no lock that
    /// it needs may be held.
    pub(crate) fn record(
        &self,
        arrival: Arrival,
        name: impl FnOnce() -> String,
        new_name: Option<String>,
    ) -> Option<Recorded> {
        let capture = self.current.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        let Arrival { at, thread, ino, operation, offset, length } = arrival;
        let issued_ns = at.saturating_sub(capture.began);
        let event = Event { issued_ns, completed_ns: issued_ns, thread, file: 0, operation, offset, length };
        let ticket = match new_name {
            Some(new_name) => capture.recorder.renamed(event, ino, name, new_name),
            None => capture.recorder.issued(event, ino, name),
        };
        Some(Recorded { capture, ticket, moves: 0 })
    }
}
