//! The first edges of an input, without an import.

use serde::Serialize;

use super::{Batch, EdgeReader, FirstEdge, InputSummary};
use crate::GraphError;

/// How an input would be read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preview {
    /// Its first edges.
    pub edges: Vec<FirstEdge>,
    /// How it was understood; lines skipped are counted in the part that was read.
    pub input: InputSummary,
}

impl Preview {
    /// Reads as far as it takes to have `most` edges.
    ///
    /// # Errors
    /// What is wrong with the input up to there.
    pub fn of(mut reader: Box<dyn EdgeReader>, most: usize) -> Result<Preview, GraphError> {
        let mut edges = Vec::new();
        let mut batch = Batch::default();
        while edges.len() < most && reader.next_batch(&mut batch)? {
            let wanted = most - edges.len();
            edges.extend((0..wanted).map_while(|at| FirstEdge::of(&*reader, &batch, at)));
        }
        let input = InputSummary { first_edge: edges.first().cloned(), ..reader.summary() };
        Ok(Preview { edges, input })
    }
}
