//! What answers a question: at a workload that was measured the measurement, between two measured
//! concurrencies the model moved through both, beyond the largest the model moved through that one, elsewhere
//! the model alone.

use crate::observation::NORMAL_95;
use crate::predict::WORTH_MORE;
use crate::{Assessment, Bottleneck, InFlight, ModelComparison, Predict, PredictError, Prediction, Workload};
use leadline_profile::OpKind;

/// Name of the answer where the workload itself was measured.
pub const MEASURED: &str = "measured";

/// Name of the answer between two measured concurrencies.
pub const INTERPOLATED: &str = "interpolated";

/// Name of the answer beyond the largest measured concurrency.
pub const EXTRAPOLATED: &str = "extrapolated";

/// Shares that differ by less than this are the same.
const SAME_SHARE: f64 = 1e-6;

/// Logarithm of the seconds per request that were measured at one concurrency.
#[derive(Debug, Clone, Copy)]
struct Measured {
    k: u32,
    log: f64,
    /// Standard error of the logarithm; 0 where it is not known.
    error: f64,
}

/// The nearest measured concurrency below a workload's, and the nearest above, if there is one, with how far
/// the workload is from the first to the second on the scale of ln k, 0 to 1.
struct Beside {
    low: Measured,
    high: Option<(Measured, f64)>,
}

impl Predict for ModelComparison {
    /// The chosen model's; each [`Prediction`] says what answered.
    fn name(&self) -> &'static str {
        self.best.unwrap_or("none")
    }

    fn seconds(&self, workload: &Workload) -> Option<f64> {
        if let Some(measured) = self.measured(workload) {
            return Some(workload.requests() * measured.log.exp());
        }
        let model = self.model_for(workload)?;
        match self.beside(workload) {
            Some(beside) => beside.seconds(model, workload),
            None => model.seconds(workload),
        }
    }

    fn predict(&self, workload: &Workload) -> Result<Prediction, PredictError> {
        workload.check()?;
        let model = self.model_for(workload).expect("asked only where a model was chosen");
        let predicted = model.predict(workload)?;
        // Where no error is known, the model's: its noise was estimated.
        let ends = |seconds: f64, error: f64| match error > 0.0 {
            true => [-error, error].map(|error| seconds * (NORMAL_95 * error).exp()),
            false => predicted.seconds_ci.map(|end| end / predicted.seconds * seconds),
        };
        if let Some(measured) = self.measured(workload) {
            let seconds = workload.requests() * measured.log.exp();
            let seconds_ci = ends(seconds, measured.error);
            let bottleneck = self.bottleneck(workload, seconds, predicted.bottleneck);
            return Ok(Prediction { model: MEASURED, seconds, seconds_ci, bottleneck, ..predicted });
        }
        let beside = self.beside(workload);
        let Some((beside, seconds)) = beside.and_then(|b| b.seconds(model, workload).map(|s| (b, s))) else {
            return Ok(predicted);
        };
        let ([least, most], error) = (beside.bounds(workload), beside.error());
        let [least, most] = [ends(least, error)[0], ends(most, error)[1]];
        let bottleneck = self.bottleneck(workload, seconds, predicted.bottleneck);
        if beside.high.is_some() {
            let seconds_ci = [least, most];
            return Ok(Prediction { model: INTERPOLATED, seconds, seconds_ci, bottleneck, ..predicted });
        }
        // Far beyond the last point the bounds are far apart, and the model's own interval is narrower.
        let [low, high] = predicted.seconds_ci.map(|end| end / predicted.seconds * seconds);
        let seconds_ci = [least.max(low).min(seconds), most.min(high).max(seconds)];
        let mut warnings = predicted.warnings;
        if warnings.is_empty() {
            let (k, last) = (workload.in_flight.of(OpKind::Read), beside.low.k);
            warnings.push(format!("k = {k} was not measured with such requests (k up to {last} was)"));
        }
        Ok(Prediction { model: EXTRAPOLATED, seconds, seconds_ci, bottleneck, warnings })
    }

    fn lack_of_fit(&self, workload: &Workload) -> f64 {
        self.model_for(workload).map_or(0.0, |model| model.lack_of_fit(workload))
    }
}

impl Beside {
    /// The model's seconds, moved by what it is off at the measured points, by how near each is.
    fn seconds(&self, model: &dyn Predict, w: &Workload) -> Option<f64> {
        let off = |at: &Measured| {
            let there = Workload { in_flight: InFlight::Together(at.k), ..*w };
            Some(at.log - (model.seconds(&there)? / w.requests()).ln())
        };
        let moved = match &self.high {
            Some((high, share)) => (1.0 - share) * off(&self.low)? + share * off(high)?,
            None => off(&self.low)?,
        };
        let [least, most] = self.bounds(w);
        Some((model.seconds(w)? * moved.exp()).clamp(least, most))
    }

    /// Least and most seconds, noise left out, of a device that neither does less nor answers sooner with
    /// more in flight: a request's share of the time falls with k, the time in flight rises. They are far
    /// apart only where a knee lies between, or nothing was measured above.
    fn bounds(&self, w: &Workload) -> [f64; 2] {
        let k = f64::from(w.in_flight.of(OpKind::Read)).ln();
        let in_flight = |at: &Measured| at.log + f64::from(at.k).ln() - k;
        let (mut least, mut most) = (in_flight(&self.low), self.low.log);
        if let Some((high, _)) = &self.high {
            (least, most) = (least.max(high.log), most.min(in_flight(high)));
        }
        [least.min(most), least.max(most)].map(|log| w.requests() * log.exp())
    }

    /// Standard error of the logarithm at the workload.
    fn error(&self) -> f64 {
        match &self.high {
            Some((high, share)) => ((1.0 - share) * self.low.error).hypot(share * high.error),
            None => self.low.error,
        }
    }
}

impl ModelComparison {
    /// What was measured of a workload like this one except for the concurrency, ascending in k.
    fn curve(&self, w: &Workload) -> Vec<Measured> {
        let same = |m: &Workload| {
            m.block_bytes == w.block_bytes
                && (m.random_fraction - w.random_fraction).abs() < SAME_SHARE
                && (m.read_share() - w.read_share()).abs() < SAME_SHARE
        };
        let mut by_k = std::collections::BTreeMap::<u32, (f64, f64, f64)>::new();
        for o in self.observations.all.iter().filter(|o| same(&o.workload)) {
            if let InFlight::Together(k) = o.workload.in_flight {
                let (logs, variances, count) = by_k.entry(k).or_default();
                *logs += o.cost().ln();
                *variances += o.relative_error.powi(2);
                *count += 1.0;
            }
        }
        let mean = |(k, (logs, variances, count)): (u32, (f64, f64, f64))| Measured {
            k,
            log: logs / count,
            error: variances.sqrt() / count,
        };
        by_k.into_iter().map(mean).collect()
    }

    fn measured(&self, w: &Workload) -> Option<Measured> {
        let k = one_concurrency(w)?;
        self.curve(w).into_iter().find(|at| at.k == k)
    }

    fn beside(&self, w: &Workload) -> Option<Beside> {
        let (k, curve) = (one_concurrency(w)?, self.curve(w));
        let after = curve.partition_point(|at| at.k < k);
        let low = *curve.get(after.checked_sub(1)?)?;
        let ln = |k: u32| f64::from(k).ln();
        let share = |high: &Measured| (ln(k) - ln(low.k)) / (ln(high.k) - ln(low.k));
        Some(Beside { low, high: curve.get(after).map(|high| (*high, share(high))) })
    }

    /// What limits a workload that takes this many seconds, where the model `said` something that other
    /// answers may not bear out.
    fn bottleneck(&self, w: &Workload, seconds: f64, said: Bottleneck) -> Bottleneck {
        let (Some(k), false) = (one_concurrency(w), said == Bottleneck::Cap) else { return said };
        let more = Workload { in_flight: InFlight::Together(k.saturating_mul(2)), ..*w };
        if self.seconds(&more).is_some_and(|faster| faster < WORTH_MORE * seconds) {
            return Bottleneck::Concurrency;
        }
        if said != Bottleneck::Concurrency {
            return said;
        }
        let alone = |reads, writes| self.seconds(&Workload { reads, writes, ..*w }).unwrap_or(0.0);
        match w.only() {
            Some(OpKind::Read) => Bottleneck::Reads,
            Some(OpKind::Write) => Bottleneck::Writes,
            None if alone(w.reads, 0.0) >= alone(0.0, w.writes) => Bottleneck::Reads,
            None => Bottleneck::Writes,
        }
    }

    /// The model that answers for a workload that was not measured: the chosen one, unless it is off by more
    /// than its own error around there and another is nearer.
    fn model_for(&self, w: &Workload) -> Option<&dyn Predict> {
        let best = self.get(self.best?)?;
        let chosen = best.fitted.as_deref()?;
        let own = (1.0 + best.error_percent().unwrap_or(0.0) / 100.0).ln();
        if chosen.lack_of_fit(w) <= own {
            return Some(chosen);
        }
        let able = |m: &&Assessment| !m.excluded;
        let fitted = self.models.iter().filter(able).filter_map(|m| m.fitted.as_deref());
        let knows = fitted.filter(|model| model.seconds(w).is_some());
        let nearest = knows.min_by(|a, b| a.lack_of_fit(w).total_cmp(&b.lack_of_fit(w)));
        Some(nearest.unwrap_or(chosen))
    }
}

/// How many are in flight all the time; `None` for batches, which wait for their slowest request.
fn one_concurrency(w: &Workload) -> Option<u32> {
    match w.in_flight {
        InFlight::Together(k) => Some(k),
        InFlight::Batches { .. } => None,
    }
}
