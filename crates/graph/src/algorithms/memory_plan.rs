//! How vertex state fits under a cap: the state of all vertices at once, or of parts of them.

use crate::engine::EnginePlan;
use crate::{Graph, GraphError};

/// Parts of the vertices, of which a few are in memory at a time.
pub(crate) trait Partition: Sized {
    /// What decides how many bytes of memory they take.
    type Bytes: Copy;

    /// The best that a cap of `memory` has room for; none where there would be too many parts.
    fn choose(graph: &Graph, memory: u64, bytes: Self::Bytes) -> Option<Self>;

    /// The least cap, in whole KiB, that has room for the smallest.
    fn least_memory(graph: &Graph, bytes: Self::Bytes) -> u64;

    /// Bytes in memory.
    fn bytes(&self) -> u64;
}

/// What the vertex state of an algorithm takes, either way.
pub(crate) struct StateBytes<P: Partition> {
    /// What the algorithm is called.
    pub(crate) what: &'static str,
    /// All of it in memory.
    pub(crate) in_memory: u64,
    /// In parts.
    pub(crate) in_parts: P::Bytes,
}

/// What is in memory at a time.
pub(crate) struct MemoryPlan<P> {
    /// Bytes of it.
    pub(crate) bytes: u64,
    /// The parts of the vertices, where the state of all does not fit.
    pub(crate) parts: Option<P>,
}

impl<P: Partition> StateBytes<P> {
    /// # Errors
    /// [`GraphError::Memory`].
    pub(crate) fn plan(&self, graph: &Graph, memory: u64) -> Result<MemoryPlan<P>, GraphError> {
        if self.least_in_memory(graph) <= memory {
            return Ok(MemoryPlan { bytes: self.in_memory, parts: None });
        }
        let parts = P::choose(graph, memory, self.in_parts).ok_or_else(|| {
            let needed = self.least_memory(graph);
            GraphError::Memory { what: self.what.into(), given: memory, needed }
        })?;
        Ok(MemoryPlan { bytes: parts.bytes(), parts: Some(parts) })
    }

    /// Bytes in memory under a cap; under one that is too small, those of all state.
    pub(crate) fn resident_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        self.plan(graph, memory).map_or(self.in_memory, |plan| plan.bytes)
    }

    /// The least cap that has room for it, in whole KiB: with all state in memory, or in the smallest parts.
    pub(crate) fn least_memory(&self, graph: &Graph) -> u64 {
        self.least_in_memory(graph).next_multiple_of(1 << 10).min(P::least_memory(graph, self.in_parts))
    }

    fn least_in_memory(&self, graph: &Graph) -> u64 {
        EnginePlan::least_memory(graph.header(), graph.options(), graph.all_blocks(), self.in_memory)
    }
}
