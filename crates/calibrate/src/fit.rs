//! The procedure: shapes and starts, the search, what the profile shows, and defaults for what it does not.

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_measure::Progress;
use leadline_profile::{OpKind, Pattern};

use crate::description::Shape;
use crate::measured::{CurveKind, Measured};
use crate::misfit::{IMPOSSIBLE, Misfit};
use crate::parameter::{Parameter, Values};
use crate::search::{Found, Search};
use crate::spread::{Spread, spread};
use crate::{CalibrateError, start};

/// Starts that are searched from, the nearest of all.
const STARTS: usize = 5;

/// Drives that go on from the rough search to the fine one.
const KEPT: usize = 2;

/// Steps of the rough search.
const ROUGH: [f64; 2] = [2.0, 1.4];

/// Steps of the fine one.
const FINE: [f64; 4] = [1.4, 1.15, 1.06, 1.02];

/// Steps with which the others are fitted again, where one has been given its default.
const AGAIN: [f64; 2] = [1.1, 1.03];

/// Sweeps with each step at most.
const SWEEPS: usize = 5;

/// A better drive than the best, met while looking for the spread, is searched from again, so often at most.
const MOST_RETRIES: usize = 2;

/// Bytes that a drive may read ahead.
const READ_AHEAD: [u32; 5] = [0, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// The 95 % point of chi-square with one degree of freedom: a drive that is worse by no more fits about as
/// well.
const CHI2_95: f64 = 3.84;

/// Fits a drive to a measured device.
pub(crate) struct Fit<'a, 'p> {
    measured: &'a Measured,
    misfit: &'a Misfit<'a>,
    cancel: &'a AtomicBool,
    progress: &'p mut dyn FnMut(Progress),
}

impl<'a, 'p> Fit<'a, 'p> {
    pub(crate) fn new(
        misfit: &'a Misfit<'a>,
        cancel: &'a AtomicBool,
        progress: &'p mut dyn FnMut(Progress),
    ) -> Self {
        Fit { measured: misfit.measured, misfit, cancel, progress }
    }

    /// Curves that hold for `keep`.
    fn curves(&self, keep: impl Fn(&CurveKind) -> bool) -> Vec<usize> {
        (0..self.measured.curves.len()).filter(|&at| keep(&self.measured.curves[at].kind)).collect()
    }

    /// Those that the parameters are fitted to: random requests, none of them durable.
    pub(crate) fn main(&self) -> Vec<usize> {
        self.curves(|kind| kind.pattern == Pattern::Random && !kind.durable)
    }

    fn tell(&mut self, phase: &'static str, done: f64, detail: String) -> Result<(), CalibrateError> {
        (self.progress)(Progress { phase, done, detail });
        if self.cancel.load(Ordering::Relaxed) { Err(CalibrateError::Interrupted) } else { Ok(()) }
    }

    fn search<'s>(&self, shape: Shape, curves: &'s [usize], held: &'s [Parameter]) -> Search<'s>
    where
        'a: 's,
    {
        Search { misfit: self.misfit, shape, curves, held, cancel: self.cancel }
    }

    /// Shapes that writes may have.
    fn shapes(&self) -> Vec<Shape> {
        let shape = Shape {
            buffered: true,
            steady: self.measured.steady,
            read_ahead: 0,
            protected: true,
            capped: self.measured.cap_iops.is_some(),
        };
        let unbuffered = Shape { buffered: false, ..shape };
        if self.measured.has_writes() { vec![shape, unbuffered] } else { vec![shape] }
    }

    /// The best drive of all shapes and starts, and others of its shape, the nearest first.
    pub(crate) fn best(&mut self) -> Result<(Shape, Vec<Found>), CalibrateError> {
        let curves = self.main();
        let mut all = Vec::new();
        for shape in self.shapes() {
            let search = self.search(shape, &curves, &[]);
            all.extend(start::starts(self.measured).into_iter().map(|values| (shape, search.at(values))));
        }
        nearest_first(&mut all);
        if all.first().is_none_or(|(_, found)| found.misfit >= IMPOSSIBLE) {
            return Err(self.no_drive(all.first()));
        }
        all.truncate(STARTS);
        let steps = (STARTS + 2 * KEPT + 2) as f64;
        for (done, (shape, found)) in all.iter_mut().enumerate() {
            self.tell("fit", done as f64 / steps, format!("start {} of {STARTS}", done + 1))?;
            *found = self.search(*shape, &curves, &[]).descend(*found, &ROUGH, SWEEPS, 0.0);
        }
        nearest_first(&mut all);
        all.truncate(KEPT);
        for (done, (shape, found)) in all.iter_mut().enumerate() {
            self.tell("fit", (STARTS + 2 * done) as f64 / steps, "smaller steps".to_owned())?;
            *found = self.search(*shape, &curves, &[]).descend(*found, &FINE, SWEEPS, 0.0);
        }
        nearest_first(&mut all);
        let (shape, best) = all[0];
        let mut found: Vec<Found> =
            all.into_iter().filter(|(other, _)| *other == shape).map(|(_, found)| found).collect();
        if let Some(other) = self.other_limit(&best.values) {
            self.tell("fit", (steps - 2.0) / steps, "the link or copies".to_owned())?;
            let search = self.search(shape, &curves, &[]);
            found.push(search.descend(search.at(other), &FINE, SWEEPS, 0.0));
            found.sort_by(|a, b| a.misfit.total_cmp(&b.misfit));
        }
        self.tell("fit", 1.0, String::new())?;
        Ok((shape, found))
    }

    /// The link and copying in the host can both be what limits bandwidth, and no small step leads from one
    /// to the other: the drive whose bandwidth the other one limits. `None` where neither does.
    fn other_limit(&self, values: &Values) -> Option<Values> {
        let most = 1.5 * self.measured.bandwidth(|_| true) / 1e6;
        let [no_copy, _] = Parameter::Copy.range();
        let [_, no_link] = Parameter::Link.range();
        // One microsecond a KiB is 1024 MB/s.
        let (link, copy) = (values.get(Parameter::Link), 1024.0 / values.get(Parameter::Copy));
        match copy <= link {
            true if copy < most => Some(values.with(Parameter::Copy, no_copy).with(Parameter::Link, copy)),
            false if link < most => {
                Some(values.with(Parameter::Copy, 1024.0 / link).with(Parameter::Link, no_link))
            }
            _ => None,
        }
    }

    fn no_drive(&self, tried: Option<&(Shape, Found)>) -> CalibrateError {
        let error = tried.and_then(|(shape, found)| self.misfit.simulate(*shape, &found.values, 0).err());
        error.unwrap_or(CalibrateError::NoDrive { reason: "none of those tried can be simulated".to_owned() })
    }

    /// What a misfit may be for a drive to fit about as well as one with `best`: in units of the
    /// measurement's own error, or of how far the best drive is off, where that is more.
    fn limit(&self, best: f64) -> f64 {
        let points = |at: &usize| self.measured.curves[*at].targets.iter().map(|t| t.weight).sum::<f64>();
        let observations: f64 = self.main().iter().map(points).sum();
        best + CHI2_95 * (best / observations).max(1.0)
    }

    /// How far each parameter may be from its best value. A better drive that is met on the way takes the
    /// place of `found`; `others` are drives that were found elsewhere.
    pub(crate) fn spreads(
        &mut self,
        shape: Shape,
        found: &mut Found,
        others: &[Found],
    ) -> Result<Vec<(Parameter, Spread)>, CalibrateError> {
        let curves = self.main();
        let search = self.search(shape, &curves, &[]);
        let parameters: Vec<Parameter> =
            Parameter::ALL.into_iter().filter(|parameter| shape.has(*parameter)).collect();
        let mut retries = 0;
        loop {
            let limit = self.limit(found.misfit);
            let mut best = *found;
            let mut spreads = Vec::new();
            for (done, &parameter) in parameters.iter().enumerate() {
                self.tell("spread", done as f64 / parameters.len() as f64, parameter.name().to_owned())?;
                let mut spread = spread(&search, &mut best, parameter, limit);
                let near = others.iter().filter(|other| other.misfit <= limit);
                near.for_each(|other| spread.widen(other.values.get(parameter)));
                spreads.push((parameter, spread));
            }
            let better = found.misfit - best.misfit > 0.02 * found.misfit.max(1.0);
            if !better || retries == MOST_RETRIES {
                self.tell("spread", 1.0, String::new())?;
                return Ok(spreads);
            }
            *found = search.descend(best, &FINE[1..], SWEEPS, 0.0);
            retries += 1;
        }
    }

    /// Gives parameters that the profile does not show their defaults, as far as these are among the values
    /// that fit about as well, and fits the others again. The drive, and the parameters with defaults.
    pub(crate) fn settle(
        &mut self,
        shape: Shape,
        found: Found,
        spreads: &[(Parameter, Spread)],
    ) -> Result<(Values, Vec<Parameter>), CalibrateError> {
        let curves = self.main();
        let limit = self.limit(found.misfit);
        let (mut best, mut held) = (found, Vec::new());
        for (done, (parameter, spread)) in spreads.iter().enumerate() {
            self.tell("defaults", done as f64 / spreads.len() as f64, parameter.name().to_owned())?;
            let default = start::default(self.measured, &best.values, *parameter).value;
            if spread.is_identified() || !spread.holds(default) {
                continue;
            }
            let with: Vec<Parameter> = held.iter().copied().chain([*parameter]).collect();
            let search = self.search(shape, &curves, &with);
            let tried = search.at(best.values.with(*parameter, default));
            let tried = search.descend(tried, &AGAIN, SWEEPS, 0.0);
            if tried.misfit <= limit {
                (best, held) = (tried, with);
            }
        }
        Ok((best.values, held))
    }

    /// What the other curves show: whether sequential reads are read ahead, and whether the buffer is safe.
    pub(crate) fn choose_rest(&mut self, shape: &mut Shape, values: &Values) -> Result<(), CalibrateError> {
        let sequential = self.curves(|kind| kind.pattern == Pattern::Sequential && kind.op == OpKind::Read);
        let misfit = |shape: Shape, curves: &[usize]| self.misfit.of(shape, values, curves);
        if !sequential.is_empty() {
            let mut least = f64::INFINITY;
            for read_ahead in READ_AHEAD {
                let found = misfit(Shape { read_ahead, ..*shape }, &sequential);
                if found < least - CHI2_95 {
                    (least, shape.read_ahead) = (found, read_ahead);
                }
            }
        }
        let durable = self.curves(|kind| kind.durable);
        if !durable.is_empty() && shape.buffered {
            let of = |protected| misfit(Shape { protected, ..*shape }, &durable);
            shape.protected = of(true) <= of(false);
        }
        self.tell("defaults", 1.0, String::new())
    }
}

fn nearest_first(all: &mut [(Shape, Found)]) {
    all.sort_by(|(_, a), (_, b)| a.misfit.total_cmp(&b.misfit));
}
