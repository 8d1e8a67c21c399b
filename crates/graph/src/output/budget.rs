//! Memory that a result may take.

use crate::{Graph, GraphError};

/// What is left of the cap.
pub(crate) struct Budget {
    given: u64,
    taken: u64,
}

impl Budget {
    pub(crate) fn new(graph: &Graph) -> Budget {
        Budget { given: graph.options().memory, taken: 0 }
    }

    /// Bytes that are taken.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> u64 {
        self.given.saturating_sub(self.taken)
    }

    /// # Errors
    /// [`GraphError::Memory`] where that many bytes are not left.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), GraphError> {
        self.taken = self.taken.saturating_add(bytes);
        self.check(0)
    }

    /// Whether that many bytes more are left.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where they are not.
    pub(crate) fn check(&self, bytes: u64) -> Result<(), GraphError> {
        let taken = self.taken.saturating_add(bytes);
        if taken <= self.given {
            return Ok(());
        }
        let needed = taken.checked_next_multiple_of(1 << 10).unwrap_or(u64::MAX);
        Err(GraphError::Memory { what: "the result in memory".into(), given: self.given, needed })
    }
}
