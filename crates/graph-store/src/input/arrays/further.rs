//! Arrays that come in batches: the next are asked for when those before them were read.

use super::{ArrayEdges, ArrayIds};
use crate::GraphError;

/// Gives the next batch; nothing when there are no more.
pub(super) type Further = Box<dyn FnMut() -> Result<Option<ArrayEdges>, GraphError> + Send>;

impl ArrayEdges {
    /// With further edges, in batches: `next` is called when all before were read, and one batch at a time is
    /// in memory. Where it fails, so does the import, with the same error.
    ///
    /// All batches have ids of one kind and weights, or none has; what they say of vertices is not read.
    pub fn followed_by(
        mut self,
        next: impl FnMut() -> Result<Option<ArrayEdges>, GraphError> + Send + 'static,
    ) -> ArrayEdges {
        self.further = Some(Box::new(next));
        self
    }

    /// Takes the next batch that has edges in place of what was read; false when there are no more.
    pub(super) fn take_further(&mut self) -> Result<bool, GraphError> {
        let Some(next) = &mut self.further else { return Ok(false) };
        // Let go of before the next are made.
        (self.sources, self.targets) = (none(), none());
        (self.vertices, self.weights) = (none(), None);
        (self.edges_given, self.vertices_given) = (0, 0);
        loop {
            let Some(batch) = next()? else {
                self.further = None;
                return Ok(false);
            };
            if batch.sources.count() > 0 {
                self.take_over(batch)?;
                return Ok(true);
            }
        }
    }

    fn take_over(&mut self, batch: ArrayEdges) -> Result<(), GraphError> {
        let wrong = |what: String| Err(GraphError::malformed(format!("{}edges", batch.place), what));
        if batch.weights.is_some() != self.declared.weighted {
            let found = match self.declared.weighted {
                true => "found no weights, but the edges before have some",
                false => "found weights, but the edges before have none",
            };
            return wrong(format!("{found}; give all of them weights, or none"));
        }
        match (self.kind, batch.kind) {
            (Some(kind), Some(found)) if kind != found => {
                return wrong(format!("expected {kind} as ids, as before, found {found}"));
            }
            (None, Some(kind)) => self.are(kind),
            _ => {}
        }
        let ArrayEdges { sources, targets, weights, place, first, .. } = batch;
        (self.sources, self.targets, self.weights) = (sources, targets, weights);
        (self.place, self.first) = (place, first);
        Ok(())
    }
}

/// No ids, of either kind.
fn none() -> ArrayIds {
    Vec::<u64>::new().into()
}
