//! fio's mixes in turns, and how far each is from what the rates say.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use leadline_process::Scratch;

use super::fit::best_rates;
use super::plan::Plan;
use super::{Mix, Rates};
use crate::fio::{Fio, Job};
use crate::order::of_round;
use crate::proof::document;
use crate::{Effort, Estimate, Foreseen, Part, Progress, ProveError, Spread};

/// The version of the format of [`Proof`].
pub const SCHEMA: &str = "leadline.proof.seastar/1";

/// What was measured, and what it says of the rates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of Leadline.
    pub leadline: String,
    /// The system.
    pub system: String,
    /// What was asked for.
    pub plan: Plan,
    /// Keys of the advice that were not tried.
    pub not_tried: Vec<String>,
    /// The rates of the advice.
    pub rates: Rates,
    /// Each mix.
    pub mixes: Vec<MixResult>,
    /// How far off the rates are.
    pub errors: Errors,
    /// The rates that explain these mixes best, which none can do better than by the formula; `None` of fewer
    /// than four mixes.
    pub best_rates: Option<Rates>,
    /// How far off those are.
    pub best_errors: Option<Errors>,
    /// Every run, in the order in which they were made.
    pub runs: Vec<MixRun>,
}

/// One run of one mix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MixRun {
    /// The mix.
    pub mix: Mix,
    /// The round, from 0.
    pub round: u32,
    /// Reads per second.
    pub reads_per_second: f64,
    /// Writes per second.
    pub writes_per_second: f64,
}

/// What came of a mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixResult {
    /// The mix.
    pub mix: Mix,
    /// Requests per second that fio measured.
    pub measured: Estimate,
    /// Requests per second at which the fractions of the rates are 1 together, with as many reads among them
    /// as fio made.
    pub predicted: f64,
    /// The fractions of the rates that fio's requests took, all together: above 1, the device did more than
    /// the rates say.
    pub sum: Estimate,
    /// Predicted over measured, less 1.
    pub error: f64,
    /// The same with the best rates.
    pub best_error: Option<f64>,
}

/// How far off rates are, over all mixes, whichever way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// Half of the mixes are off by no more.
    pub median: f64,
    /// No mix is off by more.
    pub worst: f64,
    /// Mixes that are within the tolerance.
    pub within: usize,
    /// Whether all are.
    pub holds: bool,
}

impl Errors {
    fn of(errors: &[f64], tolerance: f64) -> Option<Errors> {
        let sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        let Spread { median, max: worst, .. } = Spread::of(&sizes)?;
        let within = sizes.iter().filter(|error| **error <= tolerance).count();
        Some(Errors { median, worst, within, holds: within == sizes.len() })
    }
}

impl Proof {
    /// The document: JSON, indented, with a line feed at its end.
    pub fn to_json(&self) -> String {
        document(self)
    }
}

/// Measures what `plan` says. Whichever way this ends, no process runs then, and no file of it is left.
///
/// The thread that calls it must live until the end: fio dies with it.
///
/// # Errors
/// [`ProveError`]: before anything is started, for what is missing or makes no sense.
pub fn prove(
    plan: &Plan,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Proof, ProveError> {
    let rates = plan.check()?;
    let fio = Fio::find()?;
    let scratch = Scratch::create(&plan.target, "prove")?;
    scratch.check_space(plan.file_bytes)?;
    let detail = format!("writing a file of {} MiB", plan.file_bytes >> 20);
    progress(Progress { phase: "loading", done: 0.0, detail: detail.clone() });
    let file = |options: &[String], during: &str| {
        let mut all = vec![
            "--filename=data".to_owned(),
            format!("--size={}", plan.file_bytes),
            format!("--direct={}", u8::from(plan.direct)),
            format!("--ioengine={}", plan.engine),
        ];
        all.extend_from_slice(options);
        fio.run(&all, scratch.path(), scratch.lock(), during, cancel)
    };
    let layout = ["--rw=write", "--bs=1M", "--iodepth=4", "--end_fsync=1"].map(str::to_owned);
    file(&layout, &detail)?;
    let mut runs = Vec::new();
    for round in 0..plan.rounds {
        for which in of_round(plan.mixes.len(), round, plan.seed) {
            let mix = plan.mixes[which];
            let detail = format!("round {} of {}: {mix}", round + 1, plan.rounds);
            let all = plan.mixes.len() as f64 * f64::from(plan.rounds);
            progress(Progress { phase: "mixes", done: runs.len() as f64 / all, detail: detail.clone() });
            let job = file(&mix_options(plan, mix, round), &detail)?;
            let [reads_per_second, writes_per_second] = per_second(&job, mix)?;
            runs.push(MixRun { mix, round, reads_per_second, writes_per_second });
        }
    }
    judge(plan, rates, runs)
        .ok_or_else(|| ProveError::unexpected("fio", "all rounds", "a mix moved nothing", "0 requests"))
}

/// What `plan` does, with which program, and about how much time and space that takes.
///
/// # Errors
/// As [`prove()`] before anything is started.
pub fn foresee(plan: &Plan) -> Result<Foreseen, ProveError> {
    let rates = plan.check()?;
    let fio = Fio::find()?;
    let seconds = plan.warm_up_seconds + plan.seconds;
    let written = |mix: &Mix| {
        let reads = f64::from(mix.read_percent) / 100.0;
        let requests = 1.0 / rates.sum(mix.bytes, reads, 1.0 - reads);
        f64::from(mix.bytes) * (1.0 - reads) * requests * f64::from(seconds)
    };
    let runs = plan.mixes.len() as u32;
    let round = Effort {
        seconds: f64::from(runs * (seconds + 1)),
        written_bytes: plan.mixes.iter().map(written).sum::<f64>() as u64,
    };
    let runs = runs * plan.rounds;
    Ok(Foreseen {
        target: plan.target.clone(),
        version: fio.version()?,
        programs: vec![fio.path().to_owned()],
        loading: Effort { seconds: plan.file_bytes as f64 / LOADED, written_bytes: plan.file_bytes },
        parts: vec![Part { name: "mixes", keys: Vec::new(), runs, effort: round.times(plan.rounds) }],
        on_disk_bytes: plan.file_bytes,
    })
}

/// Bytes per second at which the file is written on an SSD.
const LOADED: f64 = 500e6;

fn mix_options(plan: &Plan, mix: Mix, round: u32) -> Vec<String> {
    let mut options = Vec::from(mix.options());
    options.extend(["--time_based", "--norandommap", "--randrepeat=0"].map(str::to_owned));
    options.extend([
        format!("--iodepth={}", plan.concurrency),
        format!("--ramp_time={}", plan.warm_up_seconds),
        format!("--runtime={}", plan.seconds),
        format!("--randseed={}", plan.seed.wrapping_add(u64::from(round)) % (1 << 31)),
    ]);
    options
}

/// Reads and writes that were done. fio's own `iops` count requests that were sent, over a time that includes
/// the wait for those in flight at the end: a fifth too few where 128 large ones take a second.
fn per_second(job: &Job, mix: Mix) -> Result<[f64; 2], ProveError> {
    let per_second = |way| Ok::<_, ProveError>(job.number(way)? / f64::from(mix.bytes));
    Ok([per_second("/read/bw_bytes")?, per_second("/write/bw_bytes")?])
}

/// `None` where a mix moved nothing.
fn judge(plan: &Plan, rates: Rates, runs: Vec<MixRun>) -> Option<Proof> {
    let estimate = |mix: Mix, of: &dyn Fn(&MixRun) -> f64| {
        let values: Vec<f64> = runs.iter().filter(|run| run.mix == mix).map(of).collect();
        Estimate::of(&values, plan.seed)
    };
    let total = |run: &MixRun| run.reads_per_second + run.writes_per_second;
    let sum = |rates: Rates, mix| {
        estimate(mix, &|run| rates.sum(mix.bytes, run.reads_per_second, run.writes_per_second))
    };
    let measured: Option<Vec<(Mix, Estimate)>> =
        plan.mixes.iter().map(|mix| Some((*mix, estimate(*mix, &total)?))).collect();
    let measured = measured?;
    let seconds: Vec<(Mix, f64)> = measured.iter().map(|(mix, found)| (*mix, 1.0 / found.value)).collect();
    let best_rates = best_rates(&seconds, rates);
    let error = |sum: Estimate| 1.0 / sum.value - 1.0;
    let result = |(mix, measured): (Mix, Estimate)| {
        let sum_of_rates = sum(rates, mix)?;
        Some(MixResult {
            mix,
            measured,
            predicted: measured.value / sum_of_rates.value,
            sum: sum_of_rates,
            error: error(sum_of_rates),
            best_error: best_rates.and_then(|best| sum(best, mix)).map(error),
        })
    };
    let mixes: Vec<MixResult> = measured.into_iter().map(result).collect::<Option<_>>()?;
    let errors: Vec<f64> = mixes.iter().map(|result| result.error).collect();
    let best_errors: Vec<f64> = mixes.iter().filter_map(|result| result.best_error).collect();
    let not_tried = plan.advice.iter().map(|(key, _)| key).filter(|key| !Rates::has(key));
    Some(Proof {
        schema: SCHEMA.into(),
        leadline: env!("CARGO_PKG_VERSION").into(),
        system: "seastar".into(),
        plan: plan.clone(),
        not_tried: not_tried.cloned().collect(),
        rates,
        errors: Errors::of(&errors, plan.tolerance)?,
        best_rates,
        best_errors: Errors::of(&best_errors, plan.tolerance),
        mixes,
        runs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let advice = [
            ("mountpoint", "/x"),
            ("read_iops", "1000"),
            ("read_bandwidth", "1000000000"),
            ("write_iops", "500"),
            ("write_bandwidth", "500000000"),
        ];
        let advice = advice.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Plan::new("/".into(), advice.to_vec())
    }

    /// What a device does that is that many times as fast as the rates, in two rounds.
    fn runs(rates: Rates, mixes: &[Mix], factor: impl Fn(Mix) -> f64) -> Vec<MixRun> {
        let run = |round| {
            let factor = &factor;
            mixes.iter().map(move |&mix| {
                let all = rates.requests_per_second(mix) * factor(mix);
                let reads_per_second = all * f64::from(mix.read_percent) / 100.0;
                MixRun { mix, round, reads_per_second, writes_per_second: all - reads_per_second }
            })
        };
        (0..2).flat_map(run).collect()
    }

    #[test]
    fn a_device_that_does_as_the_rates_say_is_explained() {
        let plan = plan();
        let rates = plan.check().unwrap();
        let proof = judge(&plan, rates, runs(rates, &plan.mixes, |_| 1.0)).unwrap();
        assert!(proof.errors.holds && proof.errors.worst < 1e-9, "{:?}", proof.errors);
        assert_eq!((proof.errors.within, proof.mixes.len()), (10, 10));
        assert!(proof.best_errors.unwrap().worst < 1e-6);
        assert_eq!(proof.not_tried, ["mountpoint"]);
        let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
        assert_eq!(read.plan, proof.plan);
    }

    #[test]
    fn a_device_that_does_twice_as_much_of_one_mix_is_not() {
        let plan = plan();
        let rates = plan.check().unwrap();
        let odd = plan.mixes[3];
        let seen = runs(rates, &plan.mixes, |mix| if mix == odd { 2.0 } else { 1.0 });
        let proof = judge(&plan, rates, seen).unwrap();
        assert!(!proof.errors.holds && proof.errors.within == 9 && proof.errors.median < 1e-9);
        let odd = &proof.mixes[3];
        assert!((odd.error + 0.5).abs() < 1e-9 && (odd.sum.value - 2.0).abs() < 1e-9);
        assert!((odd.predicted * 2.0 / odd.measured.value - 1.0).abs() < 1e-9);
        // One of ten is no reason for other rates to explain all ten.
        assert!(!proof.best_errors.unwrap().holds);
    }

    #[test]
    fn a_mix_that_moved_nothing_is_no_proof() {
        let plan = plan();
        let rates = plan.check().unwrap();
        assert_eq!(judge(&plan, rates, runs(rates, &plan.mixes, |_| 0.0)), None);
        assert_eq!(judge(&plan, rates, Vec::new()), None);
    }
}
