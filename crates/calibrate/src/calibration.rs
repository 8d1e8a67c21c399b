//! A drive fitted to a profile: its parameters, what the profile shows of them, and how far it is off.

mod written;

use std::sync::atomic::AtomicBool;

use leadline_measure::Progress;
use leadline_profile::DeviceProfile;
use leadline_sim::DeviceSpec;

use self::written::Comments;
use crate::description::{Shape, drive};
use crate::fit::Fit;
use crate::measured::{Curve, CurveKind, Measured};
use crate::misfit::Misfit;
use crate::parameter::{Parameter, Values};
use crate::simulate::{Simulated, at};
use crate::{CalibrateError, start};

/// A drive fitted to a profile.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// Short name of the measured device.
    pub name: String,
    /// The parameters that a profile may show, from the host to the flash.
    pub parameters: Vec<Fitted>,
    /// How far the drive is from each measured curve.
    pub residuals: Vec<Residual>,
    /// The description, with comments.
    pub text: String,
    /// The drive.
    pub spec: DeviceSpec,
    /// What to keep in mind.
    pub notes: Vec<String>,
    /// Curves that were simulated.
    pub simulated: usize,
}

/// A parameter of the drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fitted {
    /// Which.
    pub parameter: Parameter,
    /// Its value.
    pub value: f64,
    /// Least and most with which a drive fits about as well, the other parameters making up for it; of an
    /// open end, as far as was tried.
    pub range: [f64; 2],
    /// Whether nothing beyond that end fits worse.
    pub open: [bool; 2],
    /// Where the value is from.
    pub origin: Origin,
}

/// Where a value is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The profile shows it: what fits about as well is within a factor of [`IDENTIFIED`](crate::IDENTIFIED).
    Identified,
    /// The profile does not show it, but the default does not fit: the best value.
    Fitted,
    /// The profile does not show it: a default.
    Default {
        /// What that is of.
        from: &'static str,
    },
}

/// How far a drive is from a measured curve: medians over its points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The curve.
    pub kind: CurveKind,
    /// Points of it.
    pub points: usize,
    /// Median absolute error of throughput, percent.
    pub throughput_percent: f64,
    /// Of the median latency, percent; `None` where none was measured.
    pub latency_percent: Option<f64>,
    /// The measurement's own error of throughput: median half width of the 95 % intervals, percent.
    pub measured_percent: f64,
    /// Whether parameters were fitted to it.
    pub fitted: bool,
}

impl Calibration {
    /// Fits a drive to a profile's points; experiments are not looked at. The same profile gives the same
    /// drive.
    ///
    /// # Errors
    /// [`CalibrateError`]: the profile is not one of a flash drive or something like it, or `cancel` was set.
    pub fn of(
        profile: &DeviceProfile,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Calibration, CalibrateError> {
        let measured = Measured::of(profile)?;
        let misfit = Misfit::new(&measured);
        let mut fit = Fit::new(&misfit, cancel, progress);
        let (mut shape, all) = fit.best()?;
        let mut found = all[0];
        let spreads = fit.spreads(shape, &mut found, &all[1..])?;
        let (values, held) = fit.settle(shape, found, &spreads)?;
        fit.choose_rest(&mut shape, &values)?;
        let main = fit.main();
        let parameters: Vec<Fitted> = spreads
            .iter()
            .map(|&(parameter, spread)| Fitted {
                parameter,
                value: values.get(parameter),
                range: spread.range,
                open: spread.open,
                origin: match (spread.is_identified(), held.contains(&parameter)) {
                    (true, _) => Origin::Identified,
                    (_, true) => Origin::Default { from: start::default(&measured, &values, parameter).from },
                    _ => Origin::Fitted,
                },
            })
            .collect();
        let comments = Comments { profile, measured: &measured, parameters: &parameters };
        Ok(Calibration {
            name: measured.name.clone(),
            text: written::text(shape, &values, &comments),
            residuals: residuals(&misfit, shape, &values, &main),
            spec: drive(shape, &values, measured.capacity)
                .map_err(|error| CalibrateError::NoDrive { reason: error.to_string() })?,
            notes: measured.notes.clone(),
            simulated: misfit.simulated(),
            parameters,
        })
    }
}

/// How far the drive is from every curve; `main` are those that it was fitted to.
fn residuals(misfit: &Misfit, shape: Shape, values: &Values, main: &[usize]) -> Vec<Residual> {
    let curves = &misfit.measured.curves;
    let all: Vec<usize> = (0..curves.len()).collect();
    let simulated = misfit.curves(shape, values, &all);
    let of = |(index, found): (usize, Option<Vec<Simulated>>)| {
        residual(&curves[index], &found?, main.contains(&index))
    };
    all.iter().copied().zip(simulated).filter_map(of).collect()
}

fn residual(curve: &Curve, found: &[Simulated], fitted: bool) -> Option<Residual> {
    let mut throughput = Vec::new();
    let mut latency = Vec::new();
    for target in &curve.targets {
        let (iops, median_us) = at(found, target.concurrency);
        throughput.push(percent(iops, target.iops));
        latency.extend(target.median_us.map(|median| percent(median_us, median)));
    }
    Some(Residual {
        kind: curve.kind,
        points: curve.targets.len(),
        throughput_percent: median(&mut throughput)?,
        latency_percent: median(&mut latency),
        measured_percent: median(&mut curve.half_widths_percent())?,
        fitted,
    })
}

/// Absolute error, percent.
pub(crate) fn percent(predicted: f64, measured: f64) -> f64 {
    100.0 * (predicted / measured - 1.0).abs()
}

/// The middle of them; `None` without any.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    (n > 0).then(|| 0.5 * (values[(n - 1) / 2] + values[n / 2]))
}
