//! fio and etcd in turns, and what they say of the prediction.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use leadline_profile::Histogram;
use serde::{Deserialize, Serialize};

use super::member::{Etcd, Site};
use super::plan::{APPEND_BYTES, Plan, SEGMENT_BYTES};
use super::timeouts::{JudgedTimeouts, Timeouts};
use crate::fio::Fio;
use crate::order::of_round;
use crate::proof::document;
use crate::{Effort, Estimate, Foreseen, Part, Progress, ProveError};

/// The version of the format of [`Proof`].
pub const SCHEMA: &str = "leadline.proof.etcd/1";

/// What etcd's documentation wants the 99th percentile of fdatasync below, milliseconds.
const LIMIT_MS: f64 = 10.0;

/// The percentile that counts.
const Q: f64 = 0.99;

/// What was measured, and what it says of the prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of Leadline.
    pub leadline: String,
    /// The system.
    pub system: String,
    /// Its version.
    pub version: String,
    /// The server that was started.
    pub server: PathBuf,
    /// What was asked for.
    pub plan: Plan,
    /// Keys of the advice that were not tried.
    pub not_tried: Vec<String>,
    /// The p99 of fdatasync in the job of etcd's documentation, milliseconds.
    pub fio_p99_ms: Estimate,
    /// The predicted p99 over fio's, round by round; `None` without a prediction.
    pub predicted_over_fio: Option<Estimate>,
    /// Whether the prediction is between fio's smallest and largest.
    pub is_within_fio_runs: Option<bool>,
    /// The p99 that the caller measured in the same rounds, milliseconds.
    pub own_p99_ms: Option<Estimate>,
    /// That over fio's, round by round.
    pub own_over_fio: Option<Estimate>,
    /// The p99 of etcd's own syncs of its log, milliseconds, by its histogram.
    pub etcd_p99_ms: Estimate,
    /// The bucket that has the p99 of all rounds together: what is between its bounds is a guess. The last
    /// one has no upper bound.
    pub etcd_bucket_ms: (f64, Option<f64>),
    /// The p99 of fio's syncs, put into etcd's buckets: what etcd would show if its disk were as fast.
    pub fio_p99_in_buckets_ms: Estimate,
    /// etcd's p99 over that, round by round: like with like.
    pub etcd_over_fio: Estimate,
    /// The p99 of puts, milliseconds, as their one client saw it.
    pub put_p99_ms: Estimate,
    /// All of etcd's syncs.
    pub etcd_syncs: Histogram,
    /// What etcd's documentation wants the p99 below, milliseconds.
    pub limit_ms: f64,
    /// What the prediction, fio and etcd say of it.
    pub verdicts: Verdicts,
    /// etcd's default times and the advised times, before what was seen.
    pub timeouts: Vec<JudgedTimeouts>,
    /// What limits the comparison, in words.
    pub notes: Vec<String>,
    /// Every round.
    pub rounds: Vec<Round>,
}

/// One run of fio, one of etcd, and one measurement of the caller's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// What ran, in its order.
    pub order: Vec<String>,
    /// The caller's p99, milliseconds.
    pub own_p99_ms: Option<f64>,
    /// fio's p99, milliseconds.
    pub fio_p99_ms: f64,
    /// Syncs that fio made.
    pub fio_syncs: u64,
    /// fio's p99 by etcd's buckets, milliseconds.
    pub fio_p99_in_buckets_ms: f64,
    /// etcd's p99, milliseconds.
    pub etcd_p99_ms: f64,
    /// Syncs that etcd made.
    pub etcd_syncs: u64,
    /// The p99 of puts, milliseconds.
    pub put_p99_ms: f64,
}

/// Whether a p99 is below etcd's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// With its whole interval.
    FastEnough,
    /// The limit is in its interval.
    Near,
    /// Not even the lower end of its interval.
    TooSlow,
}

/// What each of them says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// The prediction; `None` without one.
    pub predicted: Option<Verdict>,
    /// fio.
    pub fio: Verdict,
    /// etcd.
    pub etcd: Verdict,
}

impl Verdict {
    fn of(value: f64, interval: Option<[f64; 2]>) -> Verdict {
        let [low, high] = interval.unwrap_or([value; 2]);
        match () {
            () if high < LIMIT_MS => Verdict::FastEnough,
            () if low >= LIMIT_MS => Verdict::TooSlow,
            () => Verdict::Near,
        }
    }
}

impl Proof {
    /// The document: JSON, indented, with a line feed at its end.
    pub fn to_json(&self) -> String {
        document(self)
    }
}

/// Measures the p99 of fdatasync after appends of 2300 bytes by one writer, milliseconds: in this directory,
/// which is removed afterwards, and for about that many seconds.
pub type Measure<'a> = dyn FnMut(&Path, f64) -> Result<f64, ProveError> + 'a;

/// What runs in each round; the last one only if the caller has it.
const RUNS: [&str; 3] = ["fio", "etcd", "own"];

/// One run of fio.
struct Job {
    p99_ms: f64,
    bins: Vec<(f64, u64)>,
}

/// Measures what `plan` says, and in each round what the caller measures, if anything: a disk that others use
/// as well is not now what it was when the profile was made. Whichever way this ends, no process runs then,
/// and no file of it is left.
///
/// The thread that calls it must live until the end: etcd dies with it.
///
/// # Errors
/// [`ProveError`]: before anything is started, for missing or senseless input; later also the errors
/// of the caller's measurement.
pub fn prove(
    plan: &Plan,
    mut own: Option<&mut Measure>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Proof, ProveError> {
    let advised = plan.check()?;
    let etcd = Etcd::find(plan.bin.as_deref())?;
    let fio = Fio::find()?;
    let site = Site::create(&etcd, plan, advised, cancel)?;
    let (mut rounds, mut all) = (Vec::new(), None::<Histogram>);
    for round in 0..plan.rounds {
        let count = RUNS.len() - usize::from(own.is_none());
        let order = of_round(count, round, plan.seed);
        let (mut job, mut load, mut own_p99_ms) = (None, None, None);
        for (place, which) in order.iter().enumerate() {
            let detail = format!("round {} of {}: {}", round + 1, plan.rounds, RUNS[*which]);
            let mut see = |share: f64| {
                let done = (f64::from(round) + (place as f64 + share.min(1.0)) / count as f64)
                    / f64::from(plan.rounds);
                progress(Progress { phase: "appends", done, detail: detail.clone() });
            };
            see(0.0);
            match which {
                0 => job = Some(documented_job(&fio, &site, plan, &detail)?),
                1 => load = Some(site.load(plan.appends(), plan.seconds, &detail, &mut see)?),
                _ => own_p99_ms = measure(&mut own, &site, plan)?,
            }
        }
        let (Some(job), Some(load)) = (job, load) else { continue };
        let p99 = |syncs: &Histogram| syncs.quantile(Q).map_or(f64::NAN, |found| found.ms);
        rounds.push(Round {
            order: order.iter().map(|which| RUNS[*which].to_owned()).collect(),
            own_p99_ms,
            fio_p99_ms: job.p99_ms,
            fio_syncs: job.bins.iter().map(|(_, count)| count).sum(),
            fio_p99_in_buckets_ms: p99(&Histogram::of(&load.syncs.bounds_ms, &job.bins)),
            etcd_p99_ms: p99(&load.syncs),
            etcd_syncs: load.syncs.total(),
            put_p99_ms: nearest_rank(&load.puts_ms, Q),
        });
        match &mut all {
            Some(all) => all.add(&load.syncs),
            None => all = Some(load.syncs),
        }
    }
    let judged = all.and_then(|all| judge(plan, &etcd, advised, all, rounds));
    judged.ok_or_else(|| {
        ProveError::unexpected("etcd", "all rounds", "a p99 is not above 0", "no time of some runs")
    })
}

/// What `plan` does, with which programs, and how much time and space that takes at most.
///
/// # Errors
/// As [`prove()`] before anything is started.
pub fn foresee(plan: &Plan, with_own: bool) -> Result<Foreseen, ProveError> {
    plan.check()?;
    let etcd = Etcd::find(plan.bin.as_deref())?;
    let fio = Fio::find()?;
    let runs = RUNS.len() as u32 - u32::from(!with_own);
    // etcd has everything twice, and makes its log's segments in full.
    let written = u64::from(runs + 1) * plan.append_bytes + 2 * SEGMENT_BYTES;
    let round = Effort { seconds: f64::from(runs) * plan.seconds, written_bytes: written };
    let effort = round.times(plan.rounds);
    Ok(Foreseen {
        target: plan.target.clone(),
        version: etcd.version,
        programs: vec![etcd.path, fio.path().to_owned()],
        loading: Effort { seconds: 0.0, written_bytes: 0 },
        parts: vec![Part { name: "appends", keys: Vec::new(), runs: runs * plan.rounds, effort }],
        on_disk_bytes: plan.space_bytes(),
    })
}

/// The job of etcd's documentation.
fn documented_job(fio: &Fio, site: &Site, plan: &Plan, during: &str) -> Result<Job, ProveError> {
    let folder = site.scratch.subfolder("fio", None)?;
    let mut options: Vec<String> =
        ["--rw=write", "--ioengine=sync", "--fdatasync=1"].map(str::to_owned).into();
    options.push(format!("--size={}", plan.append_bytes));
    options.push(format!("--bs={APPEND_BYTES}"));
    // The job has none, and would take ten minutes where a sync takes 60 ms.
    options.push(format!("--runtime={}us", (plan.seconds * 1e6).max(1.0) as u64));
    let job = fio.run(&options, &folder, site.scratch.lock(), during, site.cancel)?;
    remove(&folder)?;
    let p99_ms = job.number("/sync/lat_ns/percentile/99.000000")? / 1e6;
    Ok(Job { p99_ms, bins: job.sync_bins()? })
}

/// The caller's measurement.
fn measure(own: &mut Option<&mut Measure>, site: &Site, plan: &Plan) -> Result<Option<f64>, ProveError> {
    let Some(own) = own else { return Ok(None) };
    let folder = site.scratch.subfolder("own", None)?;
    let p99_ms = own(&folder, plan.seconds)?;
    remove(&folder)?;
    Ok(Some(p99_ms))
}

fn remove(folder: &Path) -> Result<(), ProveError> {
    fs::remove_dir_all(folder).map_err(|source| ProveError::io(folder, "removing it", source))
}

/// Of ascending values; not a number of none.
fn nearest_rank(ascending: &[f64], q: f64) -> f64 {
    let rank = (q * ascending.len() as f64).ceil() as usize;
    rank.checked_sub(1).and_then(|which| ascending.get(which)).copied().unwrap_or(f64::NAN)
}

/// `None` where a time is missing.
fn judge(
    plan: &Plan,
    etcd: &Etcd,
    advised: Option<Timeouts>,
    etcd_syncs: Histogram,
    rounds: Vec<Round>,
) -> Option<Proof> {
    let estimate =
        |of: &dyn Fn(&Round) -> f64| Estimate::of(&rounds.iter().map(of).collect::<Vec<_>>(), plan.seed);
    let fio_p99_ms = estimate(&|round| round.fio_p99_ms)?;
    let etcd_p99_ms = estimate(&|round| round.etcd_p99_ms)?;
    let etcd_bucket_ms = etcd_syncs.quantile(Q)?.bucket_ms;
    let predicted = plan.predicted;
    let [least, most] = fio_p99_ms.extremes;
    let not_tried = plan.advice.iter().map(|(key, _)| key).filter(|key| !Timeouts::has(key));
    Some(Proof {
        schema: SCHEMA.into(),
        leadline: env!("CARGO_PKG_VERSION").into(),
        system: "etcd".into(),
        version: etcd.version.clone(),
        server: etcd.path.clone(),
        plan: plan.clone(),
        not_tried: not_tried.cloned().collect(),
        fio_p99_ms,
        predicted_over_fio: predicted
            .and_then(|predicted| estimate(&|round| predicted.p99_ms / round.fio_p99_ms)),
        is_within_fio_runs: predicted.map(|predicted| (least..=most).contains(&predicted.p99_ms)),
        own_p99_ms: estimate(&|round| round.own_p99_ms.unwrap_or(f64::NAN)),
        own_over_fio: estimate(&|round| round.own_p99_ms.unwrap_or(f64::NAN) / round.fio_p99_ms),
        etcd_p99_ms,
        etcd_bucket_ms,
        fio_p99_in_buckets_ms: estimate(&|round| round.fio_p99_in_buckets_ms)?,
        etcd_over_fio: estimate(&|round| round.etcd_p99_ms / round.fio_p99_in_buckets_ms)?,
        put_p99_ms: estimate(&|round| round.put_p99_ms)?,
        limit_ms: LIMIT_MS,
        verdicts: Verdicts {
            predicted: predicted.map(|predicted| Verdict::of(predicted.p99_ms, predicted.interval_ms)),
            fio: Verdict::of(fio_p99_ms.value, fio_p99_ms.interval),
            etcd: Verdict::of(etcd_p99_ms.value, etcd_p99_ms.interval),
        },
        timeouts: Timeouts::judge(advised, &etcd_syncs),
        notes: notes(&etcd_syncs, etcd_bucket_ms),
        etcd_syncs,
        rounds,
    })
}

fn notes(syncs: &Histogram, bucket_ms: (f64, Option<f64>)) -> Vec<String> {
    let lowest = syncs.bounds_ms.first().copied().unwrap_or(0.0);
    let mut notes = Vec::new();
    match bucket_ms {
        (_, Some(high)) if high <= lowest => notes.push(format!(
            "etcd's lowest bucket ends at {lowest} ms, and its p99 is in it: it is known to be {lowest} ms \
             at most, and no more than that"
        )),
        (low, Some(high)) => notes.push(format!(
            "etcd's lowest bucket ends at {lowest} ms, and each is twice as wide as the one before: its p99 \
             is known to be from {low} to {high} ms, and read off a straight line between them"
        )),
        (low, None) => {
            notes.push(format!("etcd's p99 is beyond its last bucket: it is known to be above {low} ms"));
        }
    }
    notes.push(
        "etcd's database is synced every 100 ms on the same device, next to its log: fio has no such \
                neighbour"
            .into(),
    );
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_takes_the_whole_interval() {
        assert_eq!(Verdict::of(9.0, None), Verdict::FastEnough);
        assert_eq!(Verdict::of(9.0, Some([8.0, 9.9])), Verdict::FastEnough);
        assert_eq!(Verdict::of(9.0, Some([8.0, 11.0])), Verdict::Near);
        assert_eq!(Verdict::of(11.0, Some([10.0, 12.0])), Verdict::TooSlow);
        assert_eq!(Verdict::of(10.0, None), Verdict::TooSlow);
    }

    #[test]
    fn rounds_become_a_judgement_beside_the_prediction() {
        let predicted = super::super::Prediction { p99_ms: 12.0, interval_ms: Some([11.0, 13.0]) };
        let advice = vec![("election-timeout".to_owned(), "2000".to_owned()), ("x".into(), "y".into())];
        let plan = Plan::new("/".into(), Some(predicted), advice);
        let etcd = Etcd { path: "/usr/bin/etcd".into(), version: "3.4.23".into() };
        let round = |factor: f64| Round {
            order: vec!["etcd".into(), "own".into(), "fio".into()],
            own_p99_ms: Some(11.0 * factor),
            fio_p99_ms: 10.0 * factor,
            fio_syncs: 100,
            fio_p99_in_buckets_ms: 12.0 * factor,
            etcd_p99_ms: 15.0 * factor,
            etcd_syncs: 100,
            put_p99_ms: 20.0 * factor,
        };
        let syncs = Histogram { bounds_ms: vec![1.0, 8.0, 16.0], counts: vec![0, 190, 10, 0] };
        let rounds = vec![round(1.0), round(1.44)];
        let proof = judge(&plan, &etcd, plan.check().unwrap(), syncs.clone(), rounds.clone()).unwrap();
        assert!((proof.fio_p99_ms.value - 12.0).abs() < 1e-9);
        assert!((proof.predicted_over_fio.unwrap().value - 1.0).abs() < 1e-9);
        assert!((proof.own_over_fio.unwrap().value - 1.1).abs() < 1e-9);
        assert!((proof.etcd_over_fio.value - 1.25).abs() < 1e-9);
        assert_eq!(proof.is_within_fio_runs, Some(true));
        assert_eq!(proof.etcd_bucket_ms, (8.0, Some(16.0)));
        assert_eq!(proof.verdicts.predicted, Some(Verdict::TooSlow));
        assert_eq!(proof.not_tried, ["x"]);
        assert_eq!(proof.timeouts.len(), 2);
        assert!(proof.notes[0].contains("from 8 to 16 ms"), "{:?}", proof.notes);
        let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
        assert_eq!((read.timeouts, read.rounds), (proof.timeouts, proof.rounds));
        let alone = Plan { predicted: None, ..plan };
        let proof = judge(&alone, &etcd, None, syncs, rounds).unwrap();
        assert_eq!((proof.predicted_over_fio, proof.verdicts.predicted), (None, None));
    }

    #[test]
    fn a_p99_below_the_lowest_bound_is_said_to_be_unknown() {
        let fast = Histogram { bounds_ms: vec![1.0, 2.0], counts: vec![100, 0, 0] };
        let notes = |syncs: &Histogram| notes(syncs, syncs.quantile(Q).unwrap().bucket_ms);
        assert!(notes(&fast)[0].contains("1 ms at most"));
        let slow = Histogram { counts: vec![0, 0, 1], ..fast };
        assert!(notes(&slow)[0].contains("above 2 ms"));
    }

    #[test]
    fn ranks_are_those_of_values_that_were_seen() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!((nearest_rank(&values, Q), nearest_rank(&values[..1], Q)), (198.0, 1.0));
        assert!(nearest_rank(&[], Q).is_nan());
    }
}
