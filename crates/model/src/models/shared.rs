//! Leadline's own model: MQSSD with a budget that reads and writes share, a cost of sequential requests, and
//! a cap.
//!
//! MQSSD says what reads cost and what writes cost with k in flight. It leaves three things open:
//!
//! - **Both at once.** If both draw on one budget, their times a = reads * cost_r(k) and b = writes *
//!   cost_w(k) add up; if each has its own servers, the longer one counts. In between, and beyond (they
//!   interfere with each other), the time is (a^q + b^q)^(1/q). Requests that wait for their own latency take
//!   turns whatever the device does, so that q = 1 + (p - 1) u, where u (0 to 1) says how near the device is
//!   to saturation; p = 1 is a shared budget, a large p means separate servers, and p < 1 means interference.
//! - **Small sequential requests.** A request that follows another has no setup cost, but it has a round
//!   trip: a cost of its own, by k.
//! - **A cap.** A limit set in software holds requests (or bytes) back whatever the device could do; what was
//!   measured at the cap says nothing of the device, and is left out of the fit.

use super::mqssd::Mqssd;
use crate::cost::{CostFunction, CostPoint, FEWEST};
use crate::{FitError, InFlight, Model, Observation, Observations, Parameter, Workload};
use leadline_profile::{Capped, OpKind};

/// The concurrency whose cost counts as that of a saturated device.
const MANY: u32 = 1 << 20;

/// Values of p that are tried: 1/2 to 16.
const EXPONENTS: [f64; 2] = [0.5, 16.0];

/// An observation this near to the cap is held back by it.
const AT_CAP: f64 = 0.95;

/// Two limits within this factor are the same.
const SAME_WALL: f64 = 1.05;

/// The fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedBudget {
    base: Mqssd,
    /// Seconds of a sequential request beyond its transfer, by k; of reads and of writes.
    follow: [Option<CostFunction>; 2],
    /// Where reads and writes together were measured.
    exponent: Option<f64>,
    cap: Option<Cap>,
}

/// A limit set in software.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cap {
    /// Most requests per second, of reads and of writes.
    iops: [Option<f64>; 2],
    /// Most bytes per second.
    bytes: [Option<f64>; 2],
}

impl Model for SharedBudget {
    const NAME: &'static str = "shared";

    fn fit(observations: &Observations) -> Result<Self, FitError> {
        build(observations, Mqssd::fit, |_, points| CostFunction::choose(points))
    }

    fn refit(&self, observations: &Observations) -> Result<Self, FitError> {
        // Starts from its own functions: choosing their shapes anew takes a thousand times as long.
        let follow = |op, points: &[CostPoint]| {
            let before = self.follow[side(op)].as_ref()?;
            if points.len() < FEWEST { None } else { before.refit(points) }
        };
        build(observations, |free| self.base.refit(free), follow)
    }

    fn cost(&self, op: OpKind, block_bytes: u32, random_fraction: f64, k: u32) -> Option<f64> {
        let free = self.uncapped(op, block_bytes, random_fraction, k)?;
        let held = self.cap.and_then(|cap| cap.seconds(op, block_bytes)).unwrap_or(0.0);
        Some(free.max(held))
    }

    fn seconds(&self, w: &Workload) -> Option<f64> {
        Some(self.demand(w)?.seconds(self.exponent.unwrap_or(1.0)))
    }

    fn at_cap(&self, w: &Workload) -> bool {
        self.demand(w).is_some_and(|demand| demand.at_cap(self.exponent.unwrap_or(1.0)))
    }

    fn numbers(&self, op: Option<OpKind>) -> f64 {
        let Some(op) = op else { return if self.exponent.is_some() { 1.0 } else { 0.0 } };
        let follow = self.follow[side(op)].as_ref().map_or(0, CostFunction::numbers);
        self.base.numbers(Some(op)) + follow as f64
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = self.base.parameters();
        for (name, follow) in ["follow_read", "follow_write"].into_iter().zip(&self.follow) {
            if let Some(follow) = follow {
                parameters.push(Parameter::new(format!("{name}(1)"), follow.at(1.0) * 1e6, "us"));
                let asymptote = Parameter::new(format!("{name}(inf)"), follow.asymptote() * 1e6, "us");
                parameters.push(asymptote.about());
            }
        }
        parameters.extend(self.exponent.map(|p| Parameter::new("p", p, "")));
        if let Some(cap) = self.cap {
            let names = [("cap_read", OpKind::Read), ("cap_write", OpKind::Write)];
            for (name, op) in names {
                let i = side(op);
                parameters.extend(cap.iops[i].map(|v| Parameter::new(name, v, "requests/s").about()));
                parameters.extend(cap.bytes[i].map(|v| Parameter::new(name, v, "bytes/s").about()));
            }
        }
        parameters
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.base.remarks();
        remarks.push(match self.exponent {
            None => "no mixed points: reads and writes are assumed to share one budget (p = 1)".to_owned(),
            Some(p) if p < 0.9 => format!("p = {p:.2}: reads and writes interfere with each other"),
            Some(p) if p < 1.5 => format!("p = {p:.2}: reads and writes share one budget"),
            Some(p) => format!("p = {p:.2}: reads and writes have servers of their own, at least in part"),
        });
        if self.cap.is_some() {
            remarks.push("cap: points at the software's limit are left out of the costs".to_owned());
        }
        remarks
    }
}

impl SharedBudget {
    fn demand(&self, w: &Workload) -> Option<Demand> {
        let time = |op, k| {
            let n = w.requests_of(op);
            let cost = || self.uncapped(op, w.block_bytes, w.random_fraction, k);
            if n > 0.0 { Some(n * cost()?) } else { Some(0.0) }
        };
        let both = [OpKind::Read, OpKind::Write];
        let [Some(reads), Some(writes)] = both.map(|op| time(op, w.in_flight.of(op))) else { return None };
        let saturation = match w.in_flight {
            InFlight::Together(_) => {
                (time(OpKind::Read, MANY)? + time(OpKind::Write, MANY)?) / (reads + writes)
            }
            InFlight::Batches { .. } => 0.0,
        };
        let held = |op| self.cap.and_then(|cap| cap.seconds(op, w.block_bytes)).unwrap_or(0.0);
        Some(Demand {
            alone: [reads, writes],
            held: both.map(|op| w.requests_of(op) * held(op)),
            saturation: saturation.clamp(0.0, 1.0),
        })
    }

    fn uncapped(&self, op: OpKind, block_bytes: u32, random_fraction: f64, k: u32) -> Option<f64> {
        let base = self.base.cost(op, block_bytes, random_fraction, k)?;
        let follow = self.follow[side(op)].as_ref().map_or(0.0, |f| f.at(f64::from(k)));
        Some(base + (1.0 - random_fraction) * follow)
    }
}

/// What reads and writes take alone, before they are joined.
struct Demand {
    /// Seconds of the reads and of the writes.
    alone: [f64; 2],
    /// The same at the cap; zeros without one.
    held: [f64; 2],
    /// How near they are to saturation, 0 to 1; 0 where they wait for each other.
    saturation: f64,
}

impl Demand {
    fn seconds(&self, p: f64) -> f64 {
        self.free(p).max(join(self.held, p))
    }

    fn at_cap(&self, p: f64) -> bool {
        join(self.held, p) > self.free(p)
    }

    /// Without the cap.
    fn free(&self, p: f64) -> f64 {
        join(self.alone, 1.0 + (p - 1.0) * self.saturation)
    }
}

/// (a^q + b^q)^(1/q).
fn join([a, b]: [f64; 2], q: f64) -> f64 {
    // By the larger one: its powers neither overflow nor vanish.
    let (large, small) = (a.max(b), a.min(b));
    if small <= 0.0 {
        return large;
    }
    large * (1.0 + (small / large).powf(q)).powf(1.0 / q)
}

fn side(op: OpKind) -> usize {
    usize::from(op == OpKind::Write)
}

fn build(
    observations: &Observations,
    fit_base: impl Fn(&Observations) -> Result<Mqssd, FitError>,
    fit_follow: impl Fn(OpKind, &[CostPoint]) -> Option<CostFunction>,
) -> Result<SharedBudget, FitError> {
    let ours = |error: FitError| FitError::new(SharedBudget::NAME, error.needs);
    let cap = Cap::of(observations);
    let jumps = |o: &Observation| o.workload.random_fraction >= 1.0 && o.workload.only().is_some();
    let free = |o: &Observation| !cap.is_some_and(|cap| cap.holds_back(o));
    // Sequential requests have a cost of their own here; they shape the others only where nothing else tells.
    let (base, cap) = match fit_base(&observations.filtered(|o| jumps(o) && free(o))) {
        Ok(base) => (base, cap),
        Err(_) => (fit_base(observations).map_err(ours)?, None),
    };
    let mut model = SharedBudget { base, follow: [None, None], exponent: None, cap };
    for op in [OpKind::Read, OpKind::Write] {
        model.follow[side(op)] =
            follow(&model.base, observations, op, free).and_then(|points| fit_follow(op, &points));
    }
    model.exponent = exponent(&model, observations);
    Ok(model)
}

/// What sequential requests cost beyond their transfer, at each k.
fn follow(
    base: &Mqssd,
    observations: &Observations,
    op: OpKind,
    free: impl Fn(&Observation) -> bool,
) -> Option<Vec<CostPoint>> {
    // Per k: sums of weight, and of weight * relative rest, each relative to what was measured.
    let mut by_k = std::collections::BTreeMap::<u32, (f64, f64, f64)>::new();
    for o in observations.pure(op).filter(|o| o.workload.random_fraction < 1.0 && free(o)) {
        let w = &o.workload;
        let rest = o.cost() - base.cost(op, w.block_bytes, w.random_fraction, o.concurrency())?;
        let follows = 1.0 - w.random_fraction;
        let weight = o.weight / (o.cost() * o.cost());
        let sums = by_k.entry(o.concurrency()).or_default();
        *sums = (sums.0 + weight * follows * rest, sums.1 + weight * follows * follows, sums.2 + o.cost());
    }
    let points = by_k.into_iter().map(|(k, (product, square, cost))| {
        // A request that costs less than its transfer alone still has a positive cost, of no weight.
        let seconds = product / square;
        let floor = 1e-4 * cost;
        let weight = if seconds > floor { 1.0 } else { 1e-3 };
        CostPoint { k: f64::from(k), seconds: seconds.max(floor), weight }
    });
    Some(points.collect())
}

/// The p that makes the logarithmic errors of the mixed observations smallest; `None` without any.
fn exponent(model: &SharedBudget, observations: &Observations) -> Option<f64> {
    let mixed: Vec<(Demand, &Observation)> = observations
        .all
        .iter()
        .filter(|o| o.workload.only().is_none() && o.workload.requests() > 0.0)
        .filter_map(|o| Some((model.demand(&o.workload)?, o)))
        .collect();
    if mixed.is_empty() {
        return None;
    }
    let loss = |log_p: f64| {
        let p = log_p.exp();
        mixed.iter().map(|(demand, o)| o.weight * (demand.seconds(p) / o.seconds).ln().powi(2)).sum::<f64>()
    };
    Some(minimum(EXPONENTS.map(f64::ln), loss).exp())
}

/// Where a function with one valley is smallest, by golden section.
fn minimum([mut low, mut high]: [f64; 2], f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..30 {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = f(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = f(b);
        }
    }
    (low + high) / 2.0
}

impl Cap {
    /// From the parameters that the measurement found capped: the same requests per second, or the same
    /// bytes, at each of two block sizes or more.
    fn of(observations: &Observations) -> Option<Cap> {
        let capped = || observations.parameters.iter().filter(|p| p.capped == Capped::Yes);
        let wall = |iops: fn(&leadline_profile::Parameters) -> Option<f64>, scale: fn(u32) -> f64| {
            let walls: Vec<f64> = capped().filter_map(|p| Some(iops(p)? * scale(p.block_bytes))).collect();
            let (low, high) = walls.iter().fold((f64::MAX, 0f64), |(l, h), &w| (l.min(w), h.max(w)));
            (walls.len() >= 2 && high <= low * SAME_WALL).then_some(high)
        };
        let both =
            |scale: fn(u32) -> f64| [wall(|p| p.max_read_iops, scale), wall(|p| p.max_write_iops, scale)];
        let cap = Cap { iops: both(|_| 1.0), bytes: both(f64::from) };
        let any = cap.iops.iter().chain(&cap.bytes).any(Option::is_some);
        any.then_some(cap)
    }

    /// Seconds per request at the limit; `None` where this kind has none.
    fn seconds(&self, op: OpKind, block_bytes: u32) -> Option<f64> {
        let i = side(op);
        let by_requests = self.iops[i].map(|iops| 1.0 / iops);
        let by_bytes = self.bytes[i].map(|bytes| f64::from(block_bytes) / bytes);
        [by_requests, by_bytes].into_iter().flatten().reduce(f64::max)
    }

    fn holds_back(&self, o: &Observation) -> bool {
        let w = &o.workload;
        let op = if w.reads > 0.0 { OpKind::Read } else { OpKind::Write };
        self.seconds(op, w.block_bytes).is_some_and(|at_cap| at_cap > AT_CAP * o.cost())
    }
}
