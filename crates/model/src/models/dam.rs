//! DAM, the external memory model (Aggarwal and Vitter, CACM 1988): every block costs the same, one at a
//! time.

use super::pages::{Side, page_cost};
use crate::{FitError, Model, Observations, Parameter};
use leadline_profile::OpKind;

/// One cost per page, whatever the concurrency and the order; reads and writes each have their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Dam {
    read: Side,
    write: Side,
}

impl Model for Dam {
    const NAME: &'static str = "dam";

    /// The geometric mean of the measured costs, which makes the logarithmic errors smallest.
    fn fit(observations: &Observations) -> Result<Self, FitError> {
        let side = |op| page_cost(observations, op, |_| 1.0).map(|(cost, _)| cost);
        let (read, write) = (side(OpKind::Read), side(OpKind::Write));
        if read.is_none() && write.is_none() {
            return Err(FitError::new(Self::NAME, "at least one point; there is none"));
        }
        Ok(Dam { read, write })
    }

    fn cost(&self, op: OpKind, block_bytes: u32, _: f64, _: u32) -> Option<f64> {
        let side = if op == OpKind::Read { self.read } else { self.write };
        Some(side? * super::pages::pages(block_bytes))
    }

    fn numbers(&self, op: Option<OpKind>) -> f64 {
        if op.is_some() { 1.0 } else { 0.0 }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let one = |name, side: Side| side.map(|seconds| Parameter::new(name, seconds * 1e6, "us/page"));
        [one("page_read", self.read), one("page_write", self.write)].into_iter().flatten().collect()
    }
}
