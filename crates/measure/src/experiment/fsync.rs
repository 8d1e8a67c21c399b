//! `fsync`: how fast small appends become durable, by one writer and by several at once.

mod figures;

use leadline_device::Nanos;
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, Fsync, FsyncPoint, LogKind};
use serde_json::{Value, json};

use super::commit_log::{APPEND_BYTES, CommitLog, SliceEnd};
use super::context::{ExperimentContext, SHORTEST_SLICE, rate};
use super::device_commits::DeviceCommits;
use super::file_commits::FileCommits;
use super::kind::Experiment;
use super::log_file::ETCD_SEGMENT_BYTES;
use super::plan::MOST_WRITERS;
use super::rounds::{Round, Rounds, make_rounds};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::load::Recorder;
use crate::outcome::Stop;
use crate::summary::latency;

/// Writers at once.
const WRITERS: [u32; 5] = [1, 2, 4, 8, MOST_WRITERS];

/// One number of writers, as far as measured.
struct Group {
    writers: u32,
    /// Commits and the seconds they took, one entry per round.
    slices: Vec<(u64, f64)>,
    latencies: Recorder,
}

/// `fsync`.
pub(super) struct FsyncExperiment;

impl Experiment for FsyncExperiment {
    fn name(&self) -> &'static str {
        "fsync"
    }

    fn help(&self) -> &'static str {
        "small durable appends by 1 to 16 writers; etcd's rule"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn own_file_bytes(&self) -> Option<u64> {
        Some(ETCD_SEGMENT_BYTES)
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { fsync: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.fsync.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.fsync.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        profile.experiments.fsync.as_ref().map(|found| json!(figures::CommitChart::new(found)))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Fsync, Option<Stop>), MeasureError> {
    let (kind, log): (LogKind, Box<dyn CommitLog>) = match context.plan.own_file_in() {
        Some(dir) => (LogKind::File, Box::new(FileCommits::create(dir, context.plan.seed)?)),
        None => (LogKind::Device, Box::new(DeviceCommits::open(context, MOST_WRITERS)?)),
    };
    context.start_clock(log.now());
    let most = context.plan.most_writers.max(1);
    let groups = WRITERS
        .into_iter()
        .filter(|writers| *writers <= most)
        .map(|writers| Group { writers, slices: Vec::new(), latencies: Recorder::new() })
        .collect();
    let mut appends = Appends { context, log, groups };
    let (epochs, ended) = make_rounds(&mut appends);
    let has_all = appends.groups.iter().all(|group| !group.slices.is_empty());
    let stop = appends.context.stop_or_error(ended, has_all)?;
    Ok((appends.into_fsync(kind, epochs), stop))
}

struct Appends<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    log: Box<dyn CommitLog>,
    groups: Vec<Group>,
}

impl<'a> Rounds<'a> for Appends<'_, 'a> {
    fn context(&self) -> &ExperimentContext<'a> {
        self.context
    }

    fn now(&self) -> Nanos {
        self.log.now()
    }

    fn round(&mut self, round: Round) -> Result<(), Stop> {
        let seconds = round.seconds_of_slice(self.groups.len()).max(SHORTEST_SLICE);
        for i in self.context.in_random_order(0..self.groups.len()) {
            self.slice(i, seconds)?;
        }
        Ok(())
    }
}

impl Appends<'_, '_> {
    fn slice(&mut self, i: usize, seconds: f64) -> Result<(), Stop> {
        let group = &mut self.groups[i];
        let each = u64::from(self.log.sent_bytes());
        let may_send = self.context.bytes_allowed(self.log.written(), u64::from(group.writers) * each)?;
        let end = SliceEnd {
            duration: (seconds * 1e9) as Nanos,
            most_commits: self.context.plan.max_ops_per_slice.min(may_send / each),
        };
        let cancel = self.context.cancel;
        let committed = self.log.commit(group.writers, end, &mut group.latencies, cancel);
        let committed = committed.map_err(Stop::Failed)?;
        self.context.cancelled()?;
        group.slices.push((committed.commits, committed.seconds));
        let words = match group.writers {
            1 => "1 writer".to_owned(),
            several => format!("{several} writers"),
        };
        self.context.report(self.log.now(), words);
        Ok(())
    }

    fn into_fsync(self, log: LogKind, epochs: u32) -> Fsync {
        let resamples = self.context.resamples(epochs);
        let procedure = self.context.procedure(epochs, (0, self.log.written()), self.log.now());
        let points = self.groups.iter().map(|group| group.point(resamples.as_ref())).collect();
        Fsync { procedure, log, append_bytes: APPEND_BYTES, sent_bytes: self.log.sent_bytes(), points }
    }
}

impl Group {
    fn point(&self, resamples: Option<&Resamples>) -> FsyncPoint {
        let (commits_per_second, commits_ci) = rate(&self.slices, resamples);
        FsyncPoint {
            writers: self.writers,
            commits: self.slices.iter().map(|slice| slice.0).sum(),
            seconds: self.slices.iter().map(|slice| slice.1).sum(),
            commits_per_second,
            commits_ci,
            latency_us: latency(&self.latencies, self.latencies.mean() / 1e3),
        }
    }
}
