//! How many requests to keep in flight, and what to say where the measurement leaves that open.

use leadline_profile::{DeviceProfile, OpKind, Parameters, Point};

use crate::format::{self, percent, whole_range};

/// An interval whose ends are further apart than this factor is not a number to advise.
const WIDEST: u32 = 2;

/// Advice for one operation of one pattern and block size.
pub(crate) struct Advice<'a> {
    /// The concurrency: k_90, or k where only that is known.
    pub(crate) k: u32,
    /// Its 95 % interval.
    pub(crate) ci: Option<[u32; 2]>,
    /// Throughput still grew at the highest concurrency tried: k is a lower bound.
    pub(crate) lower_bound: bool,
    curve: Vec<&'a Point>,
    plateau: Option<f64>,
    /// Concurrency that reaches 95 % of the plateau.
    k_95: Option<u32>,
}

impl<'a> Advice<'a> {
    /// `None` where no concurrency is known.
    pub(crate) fn new(profile: &'a DeviceProfile, entry: &Parameters, op: OpKind) -> Option<Self> {
        let (k, k_90, ci, ci_90, plateau, lower_bound, name) = match op {
            OpKind::Read => {
                let (k, plateau) = (entry.k_r, entry.max_read_iops);
                (k, entry.k_r_90, entry.k_r_ci, entry.k_r_90_ci, plateau, entry.censored.read, "read")
            }
            OpKind::Write => {
                let (k, plateau) = (entry.k_w, entry.max_write_iops);
                (k, entry.k_w_90, entry.k_w_ci, entry.k_w_90_ci, plateau, entry.censored.write, "write")
            }
        };
        Some(Advice {
            k: k_90.or(k)?,
            ci: if k_90.is_some() { ci_90 } else { ci },
            lower_bound,
            curve: format::curve_points(profile, entry, name),
            plateau: plateau.filter(|most| *most > 0.0),
            k_95: k,
        })
    }

    /// The ends of an interval too wide to advise a number from it.
    pub(crate) fn open_range(&self) -> Option<[u32; 2]> {
        self.ci
            .filter(|[low, high]| !self.lower_bound && u64::from(*high) > u64::from(WIDEST) * u64::from(*low))
    }

    /// ` (28–40)`; nothing where there is no interval or it is k alone.
    pub(crate) fn interval(&self) -> String {
        match self.ci {
            Some(ends) if ends != [self.k, self.k] => format!(" ({})", whole_range(ends)),
            _ => String::new(),
        }
    }

    /// `17 in flight give 76 % of the best, 64 give 92 % at a quarter of the latency of 252`, from the
    /// measured points at or next to the ends of an open range.
    pub(crate) fn what_the_ends_give(&self) -> Option<String> {
        let [low, high] = self.open_range()?;
        let below = self.curve.iter().rev().find(|p| p.concurrency <= low).or(self.curve.first())?;
        let above = self.curve.iter().find(|p| p.concurrency >= high).or(self.curve.last())?;
        let few = format!("{} in flight give {} of the best", below.concurrency, self.share(below)?);
        if above.concurrency <= below.concurrency {
            return Some(few);
        }
        let many = format!("{} give {}", above.concurrency, self.share(above)?);
        let far = self.curve.iter().rev().find(|p| self.k_95.is_some_and(|k| p.concurrency <= k));
        let far = far.filter(|p| p.concurrency > above.concurrency).or(self.curve.last())?;
        let ratio = above.latency_us.mean / far.latency_us.mean;
        let cheaper = far.concurrency > above.concurrency && ratio.is_finite() && ratio < 1.0;
        let latency = if cheaper {
            format!(" at {} of the latency of {}", fraction(ratio), far.concurrency)
        } else {
            String::new()
        };
        Some(format!("{few}, {many}{latency}"))
    }

    /// `17 give 76 %`: what the lower end of an open range already gives.
    pub(crate) fn what_the_lower_end_gives(&self) -> Option<String> {
        let [low, _] = self.open_range()?;
        let below = self.curve.iter().rev().find(|p| p.concurrency <= low).or(self.curve.first())?;
        Some(format!("{} give {}", below.concurrency, self.share(below)?))
    }

    fn share(&self, point: &Point) -> Option<String> {
        Some(percent((point.iops / self.plateau?).min(1.0)))
    }
}

/// `a quarter`, `half`, or `31 %`.
fn fraction(ratio: f64) -> String {
    let named = [(0.25, "a quarter"), (1.0 / 3.0, "a third"), (0.5, "half"), (2.0 / 3.0, "two thirds")];
    let near = named.iter().find(|(value, _)| (ratio - value).abs() < 0.02);
    near.map_or_else(|| percent(ratio), |(_, words)| (*words).to_owned())
}
