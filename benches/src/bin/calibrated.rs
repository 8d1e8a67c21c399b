//! A drive calibrated to the points of a profile, asked for the experiments of the same device that it was
//! not fitted to.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result};
use clap::Parser;
use leadline_benches::median;
use leadline_calibrate::{ALLOWED_PERCENT, ALLOWED_REPEATS, Calibration, Checked, check};
use leadline_profile::{DeviceProfile, OpKind, Pattern, Point, Work, WorkPoint};

/// Median errors of predicted times, percent; over the runs their median, lowest and highest. Beside them how
/// far the profile itself is off where it has measured the very requests of the experiment.
#[derive(Parser)]
struct Args {
    /// The profile whose points the drive is fitted to
    profile: PathBuf,
    /// Profiles of the same device with `mixed`, `r-by-k` and `ladder`, measured in turn
    #[arg(required = true, num_args = 2..)]
    runs: Vec<PathBuf>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let load = |path: &PathBuf| DeviceProfile::load(path).with_context(|| path.display().to_string());
    let profile = load(&args.profile)?;
    let runs = args.runs.iter().map(load).collect::<Result<Vec<_>>>()?;
    let never = AtomicBool::new(false);
    let fitted = Calibration::of(&profile, &never, &mut |_| ())?;
    let mut checks: Vec<Vec<Checked>> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        // The analytic model, too, is fitted to the first profile's points.
        let run = DeviceProfile { experiments: run.experiments.clone(), ..profile.clone() };
        let again = &runs[(at + 1) % runs.len()];
        checks.push(check(&fitted.spec, &run, Some(again), &never, &mut |_| ())?);
    }
    println!(
        "| experiment | points | drive | analytic model | the profile itself | made again | within bounds |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for first in &checks[0] {
        let same: Vec<&Checked> =
            checks.iter().flatten().filter(|other| other.experiment == first.experiment).collect();
        let own: Vec<f64> = runs.iter().filter_map(|run| own(&profile, run, first.experiment)).collect();
        println!("{}", row(&same, &own));
    }
    println!("\nBounds: {ALLOWED_PERCENT} %, or {ALLOWED_REPEATS} times what it is off when made again");
    Ok(())
}

/// How far the profile's own points are from those of an experiment that are of the same requests.
fn own(profile: &DeviceProfile, run: &DeviceProfile, experiment: &str) -> Option<f64> {
    let work: &Work = match experiment {
        "mixed" => run.experiments.mixed.as_ref()?,
        "r-by-k" => run.experiments.r_by_k.as_ref()?,
        _ => return None,
    };
    let off = |asked: &WorkPoint| {
        let seconds = asked.seconds / (asked.reads + asked.writes) as f64;
        let known = profile.points.iter().find(|point| is_same(point, asked))?;
        Some(100.0 * (1.0 / known.iops / seconds - 1.0).abs())
    };
    let errors: Vec<f64> = work.points.iter().filter_map(off).collect();
    (!errors.is_empty()).then(|| median(&errors)[0])
}

fn is_same(point: &Point, asked: &WorkPoint) -> bool {
    let others = if point.op == OpKind::Read { asked.writes } else { asked.reads };
    point.pattern == Pattern::Random
        && !point.durable
        && asked.random_fraction == 1.0
        && others == 0
        && (point.block_bytes, point.concurrency) == (asked.block_bytes, asked.concurrency)
}

/// Median, lowest and highest.
fn spread(values: &[f64]) -> String {
    if values.is_empty() {
        return "-".to_owned();
    }
    let [middle, low, high] = median(values);
    format!("{middle:.1} ({low:.1} to {high:.1})")
}

/// One experiment in every run.
fn row(same: &[&Checked], own: &[f64]) -> String {
    let column = |of: &dyn Fn(&Checked) -> Option<f64>| {
        spread(&same.iter().filter_map(|one| of(one)).collect::<Vec<_>>())
    };
    let model = same.iter().find_map(|one| one.model).map_or(String::new(), |(name, _)| format!("{name}: "));
    format!(
        "| `{}`, {} | {} | {} | {model}{} | {} | {} | {} of {} |",
        same[0].experiment,
        same[0].quantity,
        same[0].points,
        column(&|one| Some(one.drive_percent)),
        column(&|one| one.model.map(|(_, percent)| percent)),
        spread(own),
        column(&|one| one.repeat_percent),
        same.iter().filter(|one| one.holds()).count(),
        same.len()
    )
}
