//! PDAM, the parallel external memory model (Aggarwal and Vitter, CACM 1988; for SSDs Bender et al., SPAA
//! 2019): P requests at once cost no more than one.

use super::pages::{Side, page_cost, pages};
use super::plateau::{Curve, Plateau, plateau};
use crate::{FitError, Model, Observations, Parameter};
use leadline_profile::OpKind;

/// A cost per page, divided by min(k, P) (Ransom, Lim and Mitzenmacher, MQSSD, equation 2). Reads and writes
/// each have their own cost; P is the device's.
#[derive(Debug, Clone, PartialEq)]
pub struct Pdam {
    read: Side,
    write: Side,
    p: Parallelism,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Parallelism {
    Fitted(Plateau),
    Given(u32),
}

impl Pdam {
    /// Fits the page costs alone, P being known, such as a drive's number of channels.
    ///
    /// # Errors
    /// [`FitError`]: no reads and no writes, or a P of 0.
    pub fn with_p(observations: &Observations, p: u32) -> Result<Self, FitError> {
        if p == 0 {
            return Err(FitError::new(Self::NAME, "a P of at least 1; 0 was given"));
        }
        Self::with(observations, Parallelism::Given(p))
    }

    /// Requests that the device serves at once; at least 1.
    pub fn p(&self) -> u32 {
        match self.p {
            Parallelism::Fitted(plateau) => plateau.p,
            Parallelism::Given(p) => p,
        }
    }

    fn with(observations: &Observations, p: Parallelism) -> Result<Self, FitError> {
        let mut pdam = Pdam { read: None, write: None, p };
        let side = |op| page_cost(observations, op, |k| pdam.at_once(k)).map(|(cost, _)| cost);
        let (read, write) = (side(OpKind::Read), side(OpKind::Write));
        if read.is_none() && write.is_none() {
            return Err(FitError::new(Self::NAME, "at least one point of reads or of writes; there is none"));
        }
        (pdam.read, pdam.write) = (read, write);
        Ok(pdam)
    }

    fn at_once(&self, k: u32) -> f64 {
        f64::from(k.min(self.p()))
    }
}

impl Model for Pdam {
    const NAME: &'static str = "pdam";

    /// The whole P from 1 to the largest measured concurrency, and the page costs, that make the logarithmic
    /// errors smallest; of equally good P the smallest.
    fn fit(observations: &Observations) -> Result<Self, FitError> {
        let curves = [OpKind::Read, OpKind::Write].map(|op| Curve::of(observations, op));
        let Some(plateau) = plateau(curves.iter().flatten()) else {
            let most = curves.iter().flatten().map(Curve::concurrencies).max().unwrap_or(0);
            let there = if most == 0 { "is none" } else { "is 1" };
            return Err(FitError::new(
                Self::NAME,
                format!("2 different concurrencies of reads or of writes; there {there}"),
            ));
        };
        Self::with(observations, Parallelism::Fitted(plateau))
    }

    /// A P that was given is kept.
    fn refit(&self, observations: &Observations) -> Result<Self, FitError> {
        match self.p {
            Parallelism::Fitted(_) => Self::fit(observations),
            given => Self::with(observations, given),
        }
    }

    fn cost(&self, op: OpKind, block_bytes: u32, _: f64, k: u32) -> Option<f64> {
        let side = if op == OpKind::Read { self.read } else { self.write };
        Some(side? * pages(block_bytes) / self.at_once(k.max(1)))
    }

    fn numbers(&self, op: Option<OpKind>) -> f64 {
        let shared = if self.read.is_some() && self.write.is_some() { 0.5 } else { 1.0 };
        match self.p {
            _ if op.is_none() => 0.0,
            Parallelism::Fitted(_) => 1.0 + shared,
            Parallelism::Given(_) => 1.0,
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let one = |name, side: Side| side.map(|seconds| Parameter::new(name, seconds * 1e6, "us/page"));
        let p = Parameter::new("p", f64::from(self.p()), "requests");
        [one("page_read", self.read), one("page_write", self.write), Some(p)].into_iter().flatten().collect()
    }

    fn remarks(&self) -> Vec<String> {
        match self.p {
            Parallelism::Fitted(plateau) => plateau.remark("P").into_iter().collect(),
            Parallelism::Given(p) => vec![format!("P = {p} was given, not fitted")],
        }
    }
}
