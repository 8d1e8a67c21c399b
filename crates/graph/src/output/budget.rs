//! Memory that a result may take.

use crate::{Graph, GraphError};

/// What is left of the cap.
pub(super) struct Budget {
    given: u64,
    taken: u64,
}

impl Budget {
    pub(super) fn new(graph: &Graph) -> Budget {
        Budget { given: graph.options().memory, taken: 0 }
    }

    /// # Errors
    /// [`GraphError::Memory`] where so many bytes are not left.
    pub(super) fn take(&mut self, bytes: u64) -> Result<(), GraphError> {
        self.taken = self.taken.saturating_add(bytes);
        if self.taken <= self.given {
            return Ok(());
        }
        let needed = self.taken.checked_next_multiple_of(1 << 10).unwrap_or(u64::MAX);
        Err(GraphError::Memory { what: "the result in memory".into(), given: self.given, needed })
    }
}
