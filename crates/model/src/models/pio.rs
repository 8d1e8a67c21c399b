//! PIO (Papon and Athanassoulis, DaMoN 2021, section 3): reads and writes each have their cost and their
//! concurrency.

use super::pages::{page_cost, pages};
use super::plateau::{Curve, Plateau, plateau};
use crate::{FitError, Model, Observations, Parameter, PioNumbers};
use leadline_profile::{OpKind, PAGE_BYTES, Pattern};

/// PIO(M, k_r, k_w, alpha); M, the memory, belongs to the application, not to the device.
///
/// With k in flight a page read costs page_read / min(k, k_r) and a page write alpha_1 page_read / min(k,
/// k_w).
///
/// **Two asymmetries.** The paper's section 2 defines alpha as the ratio of the saturated bandwidths; its
/// section 3 uses the cost of one write in reads. These are different numbers:
///
/// - [`Pio::alpha_1`] is what a single unbatched write costs, in unbatched reads. It belongs wherever
///   requests are done one at a time, and such a run is the base of every speedup ([`crate::speedup`]).
/// - [`Pio::alpha`] is the asymmetry at saturation, with k_r reads or k_w writes in flight: alpha = alpha_1
///   k_r / k_w.
#[derive(Debug, Clone, PartialEq)]
pub struct Pio {
    read: Option<Side>,
    write: Option<Side>,
}

/// What is known of reads, or of writes.
#[derive(Debug, Clone, PartialEq)]
struct Side {
    /// One page, one at a time, seconds.
    page: f64,
    at_once: AtOnce,
}

/// k_r or k_w.
#[derive(Debug, Clone, PartialEq)]
enum AtOnce {
    Fitted(Plateau),
    /// From the profile's parameters.
    Published {
        k: u32,
        entry: String,
    },
}

impl Pio {
    /// Page reads that the device serves at once; `None` without reads.
    pub fn k_r(&self) -> Option<u32> {
        self.read.as_ref().map(Side::k)
    }

    /// Page writes that the device serves at once; `None` without writes.
    pub fn k_w(&self) -> Option<u32> {
        self.write.as_ref().map(Side::k)
    }

    /// One unbatched write in unbatched reads; `None` unless there are both.
    pub fn alpha_1(&self) -> Option<f64> {
        Some(self.write.as_ref()?.page / self.read.as_ref()?.page)
    }

    /// Asymmetry at saturation, alpha_1 k_r / k_w: highest read throughput / highest write throughput;
    /// `None` unless there are both.
    pub fn alpha(&self) -> Option<f64> {
        Some(self.alpha_1()? * f64::from(self.k_r()?) / f64::from(self.k_w()?))
    }

    /// The numbers that the speedups of the application classes are calculated from; `None` unless there are
    /// both reads and writes.
    pub fn numbers(&self) -> Option<PioNumbers> {
        Some(PioNumbers { alpha: self.alpha_1()?, k_r: self.k_r()?.into(), k_w: self.k_w()?.into() })
    }
}

impl Model for Pio {
    const NAME: &'static str = "pio";

    /// k_r and k_w each as PDAM's P, from its own kind of requests alone; the page costs then make the
    /// logarithmic errors smallest. A kind that was measured at one concurrency only has its k from the
    /// profile's parameters.
    fn fit(observations: &Observations) -> Result<Self, FitError> {
        let (read, write) = (Side::fit(observations, OpKind::Read)?, Side::fit(observations, OpKind::Write)?);
        if read.is_none() && write.is_none() {
            return Err(FitError::new(Self::NAME, "at least one point of reads or of writes; there is none"));
        }
        Ok(Pio { read, write })
    }

    fn cost(&self, op: OpKind, block_bytes: u32, _: f64, k: u32) -> Option<f64> {
        let side = if op == OpKind::Read { &self.read } else { &self.write }.as_ref()?;
        Some(side.page * pages(block_bytes) / f64::from(k.clamp(1, side.k())))
    }

    fn numbers(&self, op: Option<OpKind>) -> f64 {
        let side = match op {
            Some(OpKind::Read) => &self.read,
            Some(OpKind::Write) => &self.write,
            None => return 0.0,
        };
        match side.as_ref().map(|side| &side.at_once) {
            Some(AtOnce::Fitted(_)) => 2.0,
            _ => 1.0,
        }
    }

    /// `page_read`, `k_r`, `alpha_1`, `k_w`, and `alpha`, which follows from the others. Without reads,
    /// `page_write` takes the place of `page_read`.
    fn parameters(&self) -> Vec<Parameter> {
        let requests = |name, k: Option<u32>| k.map(|k| Parameter::new(name, k.into(), "requests"));
        let ratio = |name, value: Option<f64>| value.map(|value| Parameter::new(name, value, ""));
        let page = |name, side: &Option<Side>| {
            side.as_ref().map(|side| Parameter::new(name, side.page * 1e6, "us/page"))
        };
        let first = page("page_read", &self.read).or_else(|| page("page_write", &self.write));
        let rest = [
            ratio("alpha_1", self.alpha_1()),
            requests("k_r", self.k_r()),
            requests("k_w", self.k_w()),
            ratio("alpha", self.alpha()),
        ];
        first.into_iter().chain(rest.into_iter().flatten()).collect()
    }

    fn remarks(&self) -> Vec<String> {
        let note = |name: &str, side: &Option<Side>| match &side.as_ref()?.at_once {
            AtOnce::Fitted(plateau) => plateau.remark(name),
            AtOnce::Published { k, entry } => Some(format!(
                "{name} = {k} comes from the profile's parameters ({entry}), not from a fit: only one concurrency was \
                 measured"
            )),
        };
        [note("k_r", &self.read), note("k_w", &self.write)].into_iter().flatten().collect()
    }
}

impl Side {
    fn k(&self) -> u32 {
        match self.at_once {
            AtOnce::Fitted(plateau) => plateau.p,
            AtOnce::Published { k, .. } => k,
        }
    }

    /// `Ok(None)` where nothing of the kind was measured.
    fn fit(observations: &Observations, op: OpKind) -> Result<Option<Side>, FitError> {
        let Some(curve) = Curve::of(observations, op) else { return Ok(None) };
        let found = plateau(std::iter::once(&curve)).map(AtOnce::Fitted);
        let Some(at_once) = found.or_else(|| AtOnce::published(observations, op)) else {
            let (name, k) = if op == OpKind::Read { ("reads", "k_r") } else { ("writes", "k_w") };
            let needs = format!("2 different concurrencies of {name}, or {k} in the profile; there is 1");
            return Err(FitError::new(Pio::NAME, needs));
        };
        let mut side = Side { page: 0.0, at_once };
        let cost = page_cost(observations, op, |k| f64::from(k.min(side.k())));
        Ok(cost.map(|(cost, _)| {
            side.page = cost;
            side
        }))
    }
}

impl AtOnce {
    /// Of random requests of a page, else of the first entry that has it.
    fn published(observations: &Observations, op: OpKind) -> Option<AtOnce> {
        let k_of =
            |entry: &leadline_profile::Parameters| if op == OpKind::Read { entry.k_r } else { entry.k_w };
        let mut known = observations.parameters.iter().filter_map(|entry| Some((entry, k_of(entry)?)));
        let usual = |entry: &leadline_profile::Parameters| {
            entry.pattern == Pattern::Random && entry.block_bytes == PAGE_BYTES
        };
        let (entry, k) = known.clone().find(|(entry, _)| usual(entry)).or_else(|| known.next())?;
        let pattern = if entry.pattern == Pattern::Random { "random" } else { "sequential" };
        let entry = format!("{pattern} requests of {} bytes", entry.block_bytes);
        Some(AtOnce::Published { k: k.max(1), entry })
    }
}
