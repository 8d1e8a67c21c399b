//! Matrices of which only one triangle is listed.

use crate::GraphError;
use crate::input::{Batch, Declared, EdgeReader, InputSummary, Sample};

/// The edges of a reader, whose entries must be on one side of the diagonal.
pub(super) struct Triangle {
    name: String,
    entries: Box<dyn EdgeReader>,
    /// Skew-symmetric: nothing is on the diagonal.
    skew: bool,
    /// Entry (j, i), with the other sign, is an edge of its own.
    mirrored: bool,
    /// The first entry below the diagonal, and the first above it.
    below: Option<(u64, u64)>,
    above: Option<(u64, u64)>,
}

impl Triangle {
    pub(super) fn of(entries: Box<dyn EdgeReader>, name: String, skew: bool, mirrored: bool) -> Triangle {
        Triangle { name, entries, skew, mirrored, below: None, above: None }
    }

    fn check(&mut self, pairs: &[(u64, u64)]) -> Result<(), String> {
        for &(row, column) in pairs {
            match row.cmp(&column) {
                std::cmp::Ordering::Greater if self.below.is_none() => self.below = Some((row, column)),
                std::cmp::Ordering::Less if self.above.is_none() => self.above = Some((row, column)),
                std::cmp::Ordering::Equal if self.skew => {
                    return Err(format!(
                        "expected nothing on the diagonal of a skew-symmetric matrix, found entry ({row}, \
                         {column})"
                    ));
                }
                _ => {}
            }
        }
        match (self.below, self.above) {
            (Some(below), Some(above)) => Err(format!(
                "expected entries on one side of the diagonal, as its first line says that the other side is \
                 alike, found {below:?} and {above:?}; where all are listed, the matrix is general"
            )),
            _ => Ok(()),
        }
    }
}

impl EdgeReader for Triangle {
    fn declared(&self) -> Declared {
        let declared = self.entries.declared();
        Declared { directed: declared.directed || self.mirrored, ..declared }
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        let more = self.entries.next_batch(batch)?;
        let checked = self.check(&batch.pairs);
        if let Err(what) = checked {
            batch.clear();
            return Err(GraphError::malformed(&self.name, what));
        }
        if self.mirrored {
            let listed = batch.pairs.len();
            batch.pairs.extend_from_within(..);
            batch.pairs[listed..].iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
            batch.weights.extend_from_within(..);
            batch.weights[listed..].iter_mut().for_each(|weight| *weight = -*weight);
        }
        Ok(more)
    }

    fn sample(&mut self, most: usize) -> Result<Option<Sample>, GraphError> {
        if self.mirrored { Ok(None) } else { self.entries.sample(most) }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.entries.progress()
    }

    fn summary(&self) -> InputSummary {
        self.entries.summary()
    }

    fn memory_bytes(&self) -> u64 {
        self.entries.memory_bytes()
    }
}
