//! Affine (Ruemmler and Wilkes, An introduction to disk drive modeling, 1994): a setup cost for each
//! random access, and a transfer cost per page.

use super::setup_transfer::{Row, SetupTransfer, mixtures, rows, solve, told_apart};
use crate::{FitError, Model, Observations, Parameter};
use leadline_profile::OpKind;

/// Smallest transfer cost as a share of the setup cost: where all sizes cost the same, sequential requests
/// would be free.
const LEAST_TRANSFER: f64 = 1e-6;

/// Setup and transfer costs of reads and of writes, whatever the concurrency: equation 3 of the MQSSD paper,
/// corrected, so that their times add up, not their throughputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Affine {
    read: Option<SetupTransfer>,
    write: Option<SetupTransfer>,
}

impl Affine {
    fn side(&self, op: OpKind) -> Option<&SetupTransfer> {
        if op == OpKind::Read { self.read.as_ref() } else { self.write.as_ref() }
    }
}

impl Model for Affine {
    const NAME: &'static str = "affine";

    /// Least squares of the relative errors.
    fn fit(observations: &Observations) -> Result<Self, FitError> {
        let rows = |op| rows(observations, op).map(|(_, row)| row).collect::<Vec<Row>>();
        let (reads, writes) = (rows(OpKind::Read), rows(OpKind::Write));
        let side = |rows: &[Row]| {
            solve(rows).map(|c| SetupTransfer { transfer: c.transfer.max(LEAST_TRANSFER * c.setup), ..c })
        };
        let affine = Affine { read: side(&reads), write: side(&writes) };
        if affine.read.is_none() && affine.write.is_none() {
            let needs = format!(
                "reads or writes of two request sizes, or random and sequential ones; different random accesses \
                 per page: reads have {}, writes {}",
                mixtures(&reads),
                mixtures(&writes)
            );
            return Err(FitError::new(Self::NAME, needs));
        }
        Ok(affine)
    }

    fn cost(&self, op: OpKind, block_bytes: u32, random_fraction: f64, _: u32) -> Option<f64> {
        let costs = self.side(op)?;
        Some(random_fraction * costs.setup + super::pages::pages(block_bytes) * costs.transfer)
    }

    fn numbers(&self, op: Option<OpKind>) -> f64 {
        if op.is_some() { 2.0 } else { 0.0 }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for (op, name) in [(OpKind::Read, "read"), (OpKind::Write, "write")] {
            if let Some(costs) = self.side(op) {
                parameters.push(Parameter::new(format!("setup_{name}"), costs.setup * 1e6, "us"));
                parameters.push(Parameter::new(format!("transfer_{name}"), costs.transfer * 1e6, "us/page"));
            }
        }
        parameters
    }

    fn remarks(&self) -> Vec<String> {
        let note = |op, name| self.side(op).map(|costs| told_apart(name, costs.condition, None));
        [note(OpKind::Read, "read"), note(OpKind::Write, "write")].into_iter().flatten().collect()
    }
}
