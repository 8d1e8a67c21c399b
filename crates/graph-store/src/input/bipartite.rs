//! Edges between two sets of vertices that are both numbered from 1: vertices of the second set are numbered
//! after the vertices of the first.

use super::summary::InputSummary;
use super::{Batch, Declared, EdgeReader, Sample};
use crate::GraphError;
use crate::format::MAX_VERTICES;

/// The number of vertices of each set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sets {
    pub(super) sources: u64,
    pub(super) targets: u64,
}

impl Sets {
    /// Of both.
    pub(super) fn vertices(self) -> u64 {
        self.sources.saturating_add(self.targets)
    }

    /// What to say of the numbers.
    pub(super) fn note(self) -> String {
        let Sets { sources, targets } = self;
        format!(
            "sources are the vertices 1 to {sources}; targets, 1 to {targets} in the file, are those from {} \
             to {}",
            sources.saturating_add(1),
            self.vertices()
        )
    }
}

/// The edges of another reader, with targets so renumbered.
struct Bipartite {
    name: String,
    edges: Box<dyn EdgeReader>,
    sets: Sets,
}

/// Renumbers the targets of a file called `name`.
pub(super) fn between(
    edges: Box<dyn EdgeReader>,
    name: String,
    sets: Sets,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let found = sets.vertices();
    if found > MAX_VERTICES {
        let what = "a store holds".to_owned();
        return Err(GraphError::TooManyVertices { found, what, most: MAX_VERTICES });
    }
    Ok(Box::new(Bipartite { name, edges, sets }))
}

impl EdgeReader for Bipartite {
    fn declared(&self) -> Declared {
        Declared { vertices: Some(self.sets.vertices()), first: 1, ..self.edges.declared() }
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        let more = self.edges.next_batch(batch)?;
        let Sets { sources, targets } = self.sets;
        for (source, target) in &mut batch.pairs {
            if *source > sources || *target > targets {
                let what = format!(
                    "expected sources from 1 to {sources} and targets from 1 to {targets}, found {source} \
                     and {target}"
                );
                batch.clear();
                return Err(GraphError::malformed(&self.name, what));
            }
            *target += sources;
        }
        Ok(more)
    }

    fn sample(&mut self, most: usize) -> Result<Option<Sample>, GraphError> {
        let mut sample = self.edges.sample(most)?;
        for (_, target) in sample.iter_mut().flat_map(|sample| &mut sample.pairs) {
            *target = target.saturating_add(self.sets.sources);
        }
        Ok(sample)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.edges.progress()
    }

    fn summary(&self) -> InputSummary {
        let mut summary = self.edges.summary();
        summary.notes.push(self.sets.note());
        summary
    }

    fn memory_bytes(&self) -> u64 {
        self.edges.memory_bytes()
    }
}
