//! Experiments: measurements that the I/O models need beyond a profile's points.
//!
//! An experiment is an [`ExperimentPlan`], carried out by [`run`] and put into a profile by [`profile()`].
//! Its results are [`leadline_profile::Experiments`]; docs/experiments.md says in words how each is made.

mod application;
mod background;
mod buffer;
mod buffer_size;
mod burst;
mod burst_estimates;
mod cells;
mod channels;
mod channels_fit;
mod commit_log;
mod device_commits;
mod disturb_series;
mod durable_writes;
mod extremes;
mod fall;
mod file_commits;
mod frame;
mod fsync;
mod gc;
mod interleaving;
mod io_cost;
mod ladder;
mod latency;
mod log_file;
mod mix_line;
mod mixed;
mod other_reads;
mod period;
mod pio_classes;
mod plan;
mod pressure;
mod r_by_k;
mod read_disturb;
mod rounds;
mod sampled_load;
mod saturation;
mod settling;
mod stretches;
mod sustained;
mod sustained_cliffs;
mod sustained_rounds;
mod sync_methods;
mod tail;
mod timed;
mod unaligned;
mod under_load;
mod volume;
mod write_amplification;
mod write_budget;

pub use plan::{Experiment, ExperimentPlan};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_device::Device;
use leadline_profile::{
    Buffer, Burst, Channels, DeviceProfile, DurableWrites, EngineKind, Experiments, Fsync, Gc, Interleaving,
    IoCost, Ladder, LatencyDistributions, PioClasses, Pressure, Procedure, ReadDisturb, Sustained,
    SyncMethods, Unaligned, Work, WriteAmplification,
};

use self::frame::Frame;
use crate::MeasureError;
use crate::outcome::{Outcome, Stop};
use crate::prepare::{Prepared, prepare};
use crate::progress::Progress;
use crate::summary::{self, Circumstances};

/// What an experiment found.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Of [`Experiment::RByK`].
    RByK(Work),
    /// Of [`Experiment::Mixed`].
    Mixed(Work),
    /// Of [`Experiment::Ladder`].
    Ladder(Ladder),
    /// Of [`Experiment::PioClasses`].
    PioClasses(PioClasses),
    /// Of [`Experiment::Latency`].
    Latency(LatencyDistributions),
    /// Of [`Experiment::Interleaving`].
    Interleaving(Interleaving),
    /// Of [`Experiment::Pressure`].
    Pressure(Pressure),
    /// Of [`Experiment::Tail`].
    Tail(Pressure),
    /// Of [`Experiment::Unaligned`].
    Unaligned(Unaligned),
    /// Of [`Experiment::Buffer`].
    Buffer(Buffer),
    /// Of [`Experiment::ReadDisturb`].
    ReadDisturb(Box<ReadDisturb>),
    /// Of [`Experiment::Burst`].
    Burst(Burst),
    /// Of [`Experiment::Fsync`].
    Fsync(Fsync),
    /// Of [`Experiment::SyncMethods`].
    SyncMethods(SyncMethods),
    /// Of [`Experiment::WriteAmplification`].
    WriteAmplification(WriteAmplification),
    /// Of [`Experiment::Gc`].
    Gc(Gc),
    /// Of [`Experiment::Sustained`].
    Sustained(Sustained),
    /// Of [`Experiment::Channels`].
    Channels(Channels),
    /// Of [`Experiment::MixLine`].
    MixLine(Work),
    /// Of [`Experiment::DurableWrites`].
    DurableWrites(DurableWrites),
    /// Of [`Experiment::IoCost`].
    IoCost(Box<IoCost>),
}

/// An experiment that was run: to its end, or far enough to be worth keeping.
#[derive(Debug)]
pub struct Ran {
    /// What it found; [`profile()`] completes its procedure.
    pub found: Found,
    /// What was done before.
    pub prepared: Prepared,
    /// Why it ended before its time; what is in `found` was then measured in fewer rounds.
    pub stopped_by: Option<Stop>,
}

/// Prepares the device and runs an experiment on it.
///
/// Where it is cancelled, the device fails, or `max_writes` is spent, what was measured is returned if every
/// point was measured at least once.
///
/// ```
/// use std::sync::Arc;
///
/// use leadline_device::Device;
/// use leadline_measure::experiment::{self, Experiment, ExperimentPlan, Found};
///
/// let device = leadline_sim::open("flash")?;
/// let mut plan = ExperimentPlan::new(Experiment::Mixed, device.geometry(), device.clock());
/// (plan.seconds, plan.region.len) = (1.0, 64 << 20);
/// let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ())?;
/// let Found::Mixed(work) = ran.found else { unreachable!("that is what was asked for") };
/// for p in &work.points {
///     println!("{} reads and {} writes, k = {}: {:.3} s", p.reads, p.writes, p.concurrency, p.seconds);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MeasureError`] where nothing is worth keeping: the plan does not fit, preparing failed, or the
/// experiment ended before every point was measured once.
pub fn run(
    device: &dyn Device,
    plan: &ExperimentPlan,
    cancel: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Ran, MeasureError> {
    plan.check(&device.geometry())?;
    let prepared = prepare(device, &plan.for_preparing(), false, cancel, progress)?;
    let plan = &plan.within_budget(prepared.written);
    let mut frame = Frame::new(device, plan, prepared.written, cancel, progress);
    let (mut found, stopped_by) = match plan.experiment {
        Experiment::RByK => r_by_k::run(&mut frame).map(|(work, stop)| (Found::RByK(work), stop)),
        Experiment::Mixed => mixed::run(&mut frame).map(|(work, stop)| (Found::Mixed(work), stop)),
        Experiment::Ladder => ladder::run(&mut frame).map(|(ladder, stop)| (Found::Ladder(ladder), stop)),
        Experiment::PioClasses => {
            pio_classes::run(&mut frame).map(|(classes, stop)| (Found::PioClasses(classes), stop))
        }
        Experiment::Latency => latency::run(&mut frame).map(|(found, stop)| (Found::Latency(found), stop)),
        Experiment::Interleaving => {
            interleaving::run(&mut frame).map(|(found, stop)| (Found::Interleaving(found), stop))
        }
        Experiment::Pressure => pressure::run(&mut frame).map(|(found, stop)| (Found::Pressure(found), stop)),
        Experiment::Tail => tail::run(&mut frame).map(|(found, stop)| (Found::Tail(found), stop)),
        Experiment::Unaligned => {
            unaligned::run(&mut frame).map(|(found, stop)| (Found::Unaligned(found), stop))
        }
        Experiment::Buffer => buffer::run(&mut frame).map(|(found, stop)| (Found::Buffer(found), stop)),
        Experiment::ReadDisturb => {
            read_disturb::run(&mut frame).map(|(found, stop)| (Found::ReadDisturb(Box::new(found)), stop))
        }
        Experiment::Burst => burst::run(&mut frame).map(|(burst, stop)| (Found::Burst(burst), stop)),
        Experiment::Fsync => fsync::run(&mut frame).map(|(fsync, stop)| (Found::Fsync(fsync), stop)),
        Experiment::SyncMethods => {
            sync_methods::run(&mut frame).map(|(methods, stop)| (Found::SyncMethods(methods), stop))
        }
        Experiment::WriteAmplification => {
            write_amplification::run(&mut frame).map(|(found, stop)| (Found::WriteAmplification(found), stop))
        }
        Experiment::Gc => gc::run(&mut frame).map(|(found, stop)| (Found::Gc(found), stop)),
        Experiment::Sustained => {
            sustained::run(&mut frame).map(|(found, stop)| (Found::Sustained(found), stop))
        }
        Experiment::Channels => channels::run(&mut frame).map(|(found, stop)| (Found::Channels(found), stop)),
        Experiment::MixLine => mix_line::run(&mut frame).map(|(work, stop)| (Found::MixLine(work), stop)),
        Experiment::DurableWrites => {
            durable_writes::run(&mut frame).map(|(found, stop)| (Found::DurableWrites(found), stop))
        }
        Experiment::IoCost => {
            io_cost::run(&mut frame).map(|(found, stop)| (Found::IoCost(Box::new(found)), stop))
        }
    }?;
    let procedure = found.procedure();
    procedure.bytes_written += prepared.written;
    procedure.stopped_by = stopped_by.as_ref().map(describe_stop);
    Ok(Ran { found, prepared, stopped_by })
}

/// Puts a result into a profile: `into`, where there is one of this device, else a new one without points.
pub fn profile(
    plan: &ExperimentPlan,
    ran: Ran,
    around: Circumstances,
    into: Option<DeviceProfile>,
) -> DeviceProfile {
    let mut found = ran.found;
    let procedure = found.procedure();
    procedure.created.clone_from(&around.created);
    procedure.engine.clone_from(&around.engine);
    procedure.direct = around.direct;
    if let (Some(_), Some(bytes)) = (plan.own_file_in(), plan.experiment.own_file_bytes()) {
        // Blocking calls through the page cache, whatever the target was opened for.
        (procedure.engine, procedure.direct) = (EngineKind::Psync, false);
        procedure.footprint_bytes = bytes;
    }
    let outcome = Outcome {
        measured_seconds: procedure.measured_seconds,
        traffic: (procedure.bytes_read, procedure.bytes_written - ran.prepared.written),
        stopped_by: ran.stopped_by,
        ..Outcome::empty()
    };
    let mut profile = into
        .unwrap_or_else(|| summary::profile(&plan.for_preparing(), &ran.prepared, &outcome, around, None));
    found.add_to(&mut profile.experiments);
    profile
}

impl Found {
    fn procedure(&mut self) -> &mut Procedure {
        match self {
            Found::RByK(work) | Found::Mixed(work) | Found::MixLine(work) => &mut work.procedure,
            Found::Ladder(ladder) => &mut ladder.procedure,
            Found::PioClasses(classes) => &mut classes.procedure,
            Found::Latency(found) => &mut found.procedure,
            Found::Interleaving(found) => &mut found.procedure,
            Found::Pressure(found) | Found::Tail(found) => &mut found.procedure,
            Found::Unaligned(found) => &mut found.procedure,
            Found::Buffer(found) => &mut found.procedure,
            Found::ReadDisturb(found) => &mut found.procedure,
            Found::Burst(burst) => &mut burst.procedure,
            Found::Fsync(fsync) => &mut fsync.procedure,
            Found::SyncMethods(methods) => &mut methods.procedure,
            Found::WriteAmplification(found) => &mut found.procedure,
            Found::Gc(found) => &mut found.procedure,
            Found::Sustained(found) => &mut found.procedure,
            Found::Channels(found) => &mut found.procedure,
            Found::DurableWrites(found) => &mut found.procedure,
            Found::IoCost(found) => &mut found.procedure,
        }
    }

    /// Takes the place of an earlier result of the same experiment; of `write-amplification`, of the same
    /// pattern and fill level.
    fn add_to(self, experiments: &mut Experiments) {
        match self {
            Found::RByK(work) => experiments.r_by_k = Some(work),
            Found::Mixed(work) => experiments.mixed = Some(work),
            Found::Ladder(ladder) => experiments.ladder = Some(ladder),
            Found::PioClasses(classes) => experiments.pio_classes = Some(classes),
            Found::Latency(found) => experiments.latency = Some(found),
            Found::Interleaving(found) => experiments.interleaving = Some(found),
            Found::Pressure(found) => experiments.pressure = Some(found),
            Found::Tail(found) => experiments.tail = Some(found),
            Found::Unaligned(found) => experiments.unaligned = Some(found),
            Found::Buffer(found) => experiments.buffer = Some(found),
            Found::ReadDisturb(found) => experiments.read_disturb = Some(*found),
            Found::Burst(burst) => experiments.burst = Some(burst),
            Found::Fsync(fsync) => experiments.fsync = Some(fsync),
            Found::SyncMethods(methods) => experiments.sync_methods = Some(methods),
            Found::WriteAmplification(mut found) => {
                if let Some(earlier) = experiments.write_amplification.take() {
                    found.keep(earlier);
                }
                experiments.write_amplification = Some(found);
            }
            Found::Gc(found) => experiments.gc = Some(found),
            Found::Sustained(found) => experiments.sustained = Some(found),
            Found::Channels(found) => experiments.channels = Some(found),
            Found::MixLine(work) => experiments.mix_line = Some(work),
            Found::DurableWrites(found) => experiments.durable_writes = Some(found),
            Found::IoCost(found) => experiments.io_cost = Some(*found),
        }
    }
}

fn describe_stop(stop: &Stop) -> String {
    match stop {
        Stop::Cancelled => "interrupted".to_owned(),
        Stop::Failed(error) => format!("an error: {error}"),
        Stop::WritesSpent => "--max-writes".to_owned(),
    }
}
