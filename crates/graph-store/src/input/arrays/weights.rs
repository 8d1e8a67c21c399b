//! Weights in arrays.

use std::sync::Arc;

use super::Array;

/// Weights in memory, one for each edge.
#[derive(Clone)]
#[non_exhaustive]
pub enum ArrayWeights {
    /// Of 32 bits.
    F32(Array<f32>),
    /// Of 64 bits.
    F64(Array<f64>),
}

impl From<Vec<f32>> for ArrayWeights {
    fn from(weights: Vec<f32>) -> ArrayWeights {
        ArrayWeights::F32(Arc::new(weights))
    }
}

impl From<Vec<f64>> for ArrayWeights {
    fn from(weights: Vec<f64>) -> ArrayWeights {
        ArrayWeights::F64(Arc::new(weights))
    }
}

impl ArrayWeights {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        match self {
            ArrayWeights::F32(weights) => (**weights).as_ref().len(),
            ArrayWeights::F64(weights) => (**weights).as_ref().len(),
        }
    }

    /// Bytes of a weight.
    pub(super) fn width(&self) -> usize {
        match self {
            ArrayWeights::F32(_) => 4,
            ArrayWeights::F64(_) => 8,
        }
    }

    /// Puts `count` weights from the place `first` on into `out`, in place of what is there.
    ///
    /// # Errors
    /// The place of the first that is infinite or no number, and the weight.
    pub(crate) fn copy(&self, first: usize, count: usize, out: &mut Vec<f64>) -> Result<(), (usize, f64)> {
        out.clear();
        match self {
            ArrayWeights::F32(weights) => {
                let weights = &(**weights).as_ref()[first..first + count];
                out.extend(weights.iter().map(|weight| f64::from(*weight)));
            }
            ArrayWeights::F64(weights) => {
                out.extend_from_slice(&(**weights).as_ref()[first..first + count]);
            }
        }
        match out.iter().position(|weight| !weight.is_finite()) {
            Some(at) => Err((first + at, out[at])),
            None => Ok(()),
        }
    }
}
