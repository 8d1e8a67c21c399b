//! MQSSD (Ransom, Lim and Mitzenmacher): setup and transfer costs that fall with the concurrency.

mod table;

use std::collections::BTreeMap;

use super::setup_transfer::{Row, SetupTransfer, rows, solve, told_apart};
use crate::cost::FEWEST;
use crate::{CostFunction, CostPoint, CostShape, FitError, Model, Observations, Parameter};
use leadline_profile::OpKind;

pub use table::{CostFit, FunctionFit};

/// Noise of the measured times that is assumed where the points of a concurrency are too few to show any.
const NOISE: f64 = 0.03;

/// Least noise: no costs are taken for more exact than this.
const LEAST_NOISE: f64 = 0.003;

/// A cost whose relative error is below this has its full weight: closer than that, no smooth function will
/// pass anyway.
const CLOSE_ENOUGH: f64 = 0.03;

/// Smallest cost in a fit, as a share of what all requests at its concurrency cost: zero has no logarithm.
const NEGLIGIBLE: f64 = 1e-6;

/// Setup and transfer costs of reads and of writes as functions of the concurrency.
#[derive(Debug, Clone, PartialEq)]
pub struct Mqssd {
    read: Option<MqssdCosts>,
    write: Option<MqssdCosts>,
}

/// The costs of one kind of request.
#[derive(Debug, Clone, PartialEq)]
pub struct MqssdCosts {
    /// What was found at each concurrency alone, ascending in k.
    pub per_k: Vec<CostsAtK>,
    /// Seconds per random access: s(k) of the paper for writes, t(k) for reads.
    pub setup: CostFunction,
    /// Seconds per page.
    pub transfer: CostFunction,
}

/// Costs at one concurrency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostsAtK {
    /// Concurrency.
    pub k: u32,
    /// Seconds per random access; 0 or more.
    pub setup: f64,
    /// Seconds per page; 0 or more.
    pub transfer: f64,
    /// Share of the variance of the times that they explain; `None` for a cost table.
    pub r2: Option<f64>,
    /// Condition number of the design matrix, columns scaled; `None` for a cost table.
    pub condition: Option<f64>,
    /// Observations; 0 for a cost table.
    pub points: usize,
}

impl Mqssd {
    /// The costs of one kind of request; `None` where they were not measured.
    pub fn costs(&self, op: OpKind) -> Option<&MqssdCosts> {
        if op == OpKind::Read { self.read.as_ref() } else { self.write.as_ref() }
    }

    /// Fits both kinds, each cost with what `function` makes of its points.
    fn with(
        observations: &Observations,
        function: impl Fn(OpKind, fn(&MqssdCosts) -> &CostFunction, &[CostPoint]) -> Option<CostFunction>,
    ) -> Result<Self, FitError> {
        let (reads, writes) = (cells(observations, OpKind::Read), cells(observations, OpKind::Write));
        let side = |op, cells: &[(u32, SetupTransfer)]| {
            let [setup, transfer] = cost_points(cells);
            Some(MqssdCosts {
                setup: function(op, |c| &c.setup, &setup)?,
                transfer: function(op, |c| &c.transfer, &transfer)?,
                per_k: cells.iter().map(CostsAtK::of).collect(),
            })
        };
        let model = Mqssd { read: side(OpKind::Read, &reads), write: side(OpKind::Write, &writes) };
        if model.read.is_none() && model.write.is_none() {
            return Err(too_few(reads.len(), writes.len()));
        }
        Ok(model)
    }
}

impl CostsAtK {
    fn of((k, costs): &(u32, SetupTransfer)) -> Self {
        CostsAtK {
            k: *k,
            setup: costs.setup,
            transfer: costs.transfer,
            r2: Some(costs.r2),
            condition: Some(costs.condition),
            points: costs.points,
        }
    }
}

fn too_few(reads: usize, writes: usize) -> FitError {
    let needs = format!(
        "{FEWEST} different concurrencies, each with two request sizes or random fractions; reads have {reads}, \
         writes {writes}"
    );
    FitError::new(Mqssd::NAME, needs)
}

/// Setup and transfer at each concurrency whose observations tell them apart.
fn cells(observations: &Observations, op: OpKind) -> Vec<(u32, SetupTransfer)> {
    let mut by_k: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for (k, row) in rows(observations, op) {
        by_k.entry(k).or_default().push(row);
    }
    by_k.into_iter().filter_map(|(k, rows)| Some((k, solve(&rows)?))).collect()
}

/// The points of both cost functions. A cost is weighted by how well it is known: between one that is exact
/// and one that could as well be zero lie three orders of magnitude. The latter is taken for one standard
/// error, give or take a factor of e.
fn cost_points(cells: &[(u32, SetupTransfer)]) -> [Vec<CostPoint>; 2] {
    let spare: f64 = cells.iter().map(|(_, c)| c.points.saturating_sub(2) as f64).sum();
    let squares: f64 = cells.iter().map(|(_, c)| c.squares).sum();
    let noise = if spare > 0.0 { (squares / spare).sqrt().max(LEAST_NOISE) } else { NOISE };
    let point = |k: u32, cost: f64, error: f64, whole: f64| {
        let seconds = cost.max(error).max(NEGLIGIBLE * whole);
        let relative_error = (error / seconds).clamp(CLOSE_ENOUGH, 1.0);
        CostPoint { k: f64::from(k), seconds, weight: (CLOSE_ENOUGH / relative_error).powi(2) }
    };
    let of = |which: usize| {
        let points = cells.iter().map(|(k, c)| {
            let cost = [c.setup, c.transfer][which];
            point(*k, cost, noise * c.errors[which], c.setup + c.transfer)
        });
        points.collect()
    };
    [of(0), of(1)]
}

impl Model for Mqssd {
    const NAME: &'static str = "mqssd";

    /// Least squares at each concurrency as for Affine, then a smooth function through each cost.
    fn fit(observations: &Observations) -> Result<Self, FitError> {
        Self::with(observations, |_, _, points| CostFunction::choose(points))
    }

    /// Keeps the shapes of the functions and starts from their parameters.
    fn refit(&self, observations: &Observations) -> Result<Self, FitError> {
        Self::with(observations, |op, which, points| {
            let before = self.costs(op).map(which)?;
            if points.len() < FEWEST { None } else { before.refit(points) }
        })
    }

    /// Equations 7 and 8 of the paper, corrected: the time of a request is the sum of its setup and its
    /// transfer, where the paper adds throughputs and is infinite for r = 0.
    fn cost(&self, op: OpKind, block_bytes: u32, random_fraction: f64, k: u32) -> Option<f64> {
        let (costs, k) = (self.costs(op)?, f64::from(k));
        Some(random_fraction * costs.setup.at(k) + super::pages::pages(block_bytes) * costs.transfer.at(k))
    }

    fn numbers(&self, op: Option<OpKind>) -> f64 {
        let costs = op.and_then(|op| self.costs(op));
        costs.map_or(0.0, |costs| (costs.setup.numbers() + costs.transfer.numbers()) as f64)
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for (op, kind) in [(OpKind::Read, "read"), (OpKind::Write, "write")] {
            let Some(costs) = self.costs(op) else { continue };
            for (name, function, unit) in
                [("setup", &costs.setup, "us"), ("transfer", &costs.transfer, "us/page")]
            {
                let at = |cell: &CostsAtK| {
                    let value = function.at(f64::from(cell.k)) * 1e6;
                    Parameter::new(format!("{name}_{kind}({})", cell.k), value, unit)
                };
                parameters.extend(costs.per_k.iter().map(at));
                let asymptote = function.asymptote() * 1e6;
                parameters.push(Parameter::new(format!("{name}_{kind}(inf)"), asymptote, unit).about());
            }
        }
        parameters
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for (op, kind) in [(OpKind::Read, "read"), (OpKind::Write, "write")] {
            let Some(costs) = self.costs(op) else { continue };
            let conditions = costs.per_k.iter().filter_map(|cell| Some((cell.condition?, cell.k)));
            if let Some((condition, k)) = conditions.max_by(|a, b| a.0.total_cmp(&b.0)) {
                remarks.push(told_apart(kind, condition, Some(k)));
            }
            let [setup, transfer] = [&costs.setup, &costs.transfer].map(in_words);
            remarks.push(format!("{kind}s: setup {setup}, transfer {transfer}"));
        }
        remarks
    }
}

fn in_words(function: &CostFunction) -> String {
    match function.shape() {
        _ if function.is_constant() => "does not fall with k".into(),
        CostShape::Sigmoid => "is a sigmoid of k".into(),
        CostShape::Rational(degree) => format!("is a rational function of k (degree {degree})"),
    }
}
