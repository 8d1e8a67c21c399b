//! Experiments: measurements that the I/O models need beyond a profile's points.
//!
//! An experiment is an [`ExperimentPlan`], carried out by [`run`] and put into a profile by [`profile()`].
//! Its results are [`leadline_profile::Experiments`]; docs/experiments.md says in words how each is made.

mod announcement;
mod application;
mod background;
mod beside_figures;
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
mod evicting_reads;
mod fall;
mod figures;
mod file_commits;
mod fsync;
mod gc;
mod interleaving;
mod io_cost;
mod kind;
mod ladder;
mod latency;
mod log_file;
mod mix_line;
mod mixed;
mod period;
mod pio_classes;
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
mod work_figures;
mod write_amplification;
mod write_budget;

pub use announcement::{Announcement, Bounds, Request, names};
pub use kind::{Choice, Experiment};
pub use plan::ExperimentPlan;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_device::Device;
use leadline_profile::{DeviceProfile, EngineKind, Experiments};

use self::context::ExperimentContext;
use self::kind::{context, plan};
use crate::MeasureError;
use crate::outcome::{Outcome, Stop};
use crate::prepare::{Prepared, prepare};
use crate::progress::Progress;
use crate::summary::{self, Circumstances};

/// The experiments, in the order in which `all` makes them and a profile has them.
macro_rules! registry {
    ($($(#[$doc:meta])* $constant:ident = $experiment:expr,)+) => {
        $($(#[$doc])* pub const $constant: &dyn Experiment = &$experiment;)+

        /// All of them.
        pub const ALL: &[&dyn Experiment] = &[$($constant),+];
    };
}

registry! {
    /// Random accesses of many lengths at many concurrencies: the benchmark of Ransom, Lim and Mitzenmacher
    /// (MQSSD).
    R_BY_K = r_by_k::RByKExperiment,
    /// Reads and writes together.
    MIXED = mixed::MixedExperiment,
    /// Latency over load.
    LADDER = ladder::LadderExperiment,
    /// The application classes of Papon and Athanassoulis, DaMoN 2021, section 3.1.
    PIO_CLASSES = pio_classes::PioClassesExperiment,
    /// How long one request at a time takes, and how much of that is software.
    LATENCY = latency::LatencyExperiment,
    /// Bandwidth over requests in flight and their size.
    INTERLEAVING = interleaving::InterleavingExperiment,
    /// Latency of one request at a time under background load.
    PRESSURE = pressure::PressureExperiment,
    /// Tail latency of random reads, at rest and under background load.
    TAIL = tail::TailExperiment,
    /// Sequential writes of sizes that are not multiples of a page.
    UNALIGNED = unaligned::UnalignedExperiment,
    /// The drive's read buffer.
    BUFFER = buffer::BufferExperiment,
    /// Slow reads among many reads of one page.
    READ_DISTURB = read_disturb::ReadDisturbExperiment,
    /// Burst credit of a volume.
    BURST = burst::BurstExperiment,
    /// Small durable appends by several writers.
    FSYNC = fsync::FsyncExperiment,
    /// The ways to make a write to a file durable.
    SYNC_METHODS = sync_methods::SyncMethodsExperiment,
    /// Bytes that the drive writes to its medium per byte that it is given.
    WRITE_AMPLIFICATION = write_amplification::WriteAmplificationExperiment,
    /// Bandwidth while a full drive is overwritten.
    GC = gc::GcExperiment,
    /// Burst against sustained writes, and reads during writes.
    SUSTAINED = sustained::SustainedExperiment,
    /// Channels that are busy with that many reads, at once and in a stream: appendix A of Papon and
    /// Athanassoulis, DaMoN 2021.
    CHANNELS = channels::ChannelsExperiment,
    /// Random reads and writes together, of two sizes: what Seastar's I/O scheduler assumes.
    MIX_LINE = mix_line::MixLineExperiment,
    /// Reads during durable writes.
    DURABLE_WRITES = durable_writes::DurableWritesExperiment,
    /// The six rates of Linux's io.cost.model.
    IO_COST = io_cost::IoCostExperiment,
}

/// The one of this name.
pub fn named(name: &str) -> Option<&'static dyn Experiment> {
    ALL.iter().copied().find(|experiment| experiment.name() == name)
}

/// An experiment that was run: to its end, or far enough to be worth keeping.
#[derive(Debug)]
pub struct Ran {
    /// What it found: its record and no other, whose procedure [`profile()`] completes.
    pub found: Experiments,
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
/// use leadline_measure::experiment::{self, ExperimentPlan};
///
/// let device = leadline_sim::open("flash")?;
/// let mut plan = ExperimentPlan::new(experiment::MIXED, device.geometry(), device.clock());
/// (plan.seconds, plan.region.len) = (1.0, 64 << 20);
/// let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ())?;
/// for p in ran.found.mixed.iter().flat_map(|work| &work.points) {
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
    let mut context = ExperimentContext::new(device, plan, prepared.written, cancel, progress);
    let (mut found, stopped_by) = plan.experiment.run(&mut context)?;
    debug_assert!(found.procedures().map(|(name, _)| name).eq([plan.experiment.name()]));
    for procedure in found.procedures_mut() {
        procedure.bytes_written += prepared.written;
        procedure.stopped_by = stopped_by.as_ref().map(describe_stop);
    }
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
    let mut outcome = Outcome { stopped_by: ran.stopped_by, ..Outcome::empty() };
    for procedure in found.procedures_mut() {
        procedure.created.clone_from(&around.created);
        procedure.engine.clone_from(&around.engine);
        procedure.direct = around.direct;
        if let (Some(_), Some(bytes)) = (plan.own_file_in(), plan.experiment.own_file_bytes()) {
            // Blocking calls through the page cache, whatever the target was opened for.
            (procedure.engine, procedure.direct) = (EngineKind::Psync, false);
            procedure.footprint_bytes = bytes;
        }
        outcome.measured_seconds = procedure.measured_seconds;
        outcome.traffic = (procedure.bytes_read, procedure.bytes_written - ran.prepared.written);
    }
    let mut profile = into
        .unwrap_or_else(|| summary::profile(&plan.for_preparing(), &ran.prepared, &outcome, around, None));
    profile.experiments.add(found);
    profile
}

fn describe_stop(stop: &Stop) -> String {
    match stop {
        Stop::Cancelled => "interrupted".to_owned(),
        Stop::Failed(error) => format!("an error: {error}"),
        Stop::WritesSpent => "--max-writes".to_owned(),
    }
}
