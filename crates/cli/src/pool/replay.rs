//! `leadline pool replay`: a trace on the real pool and a real device, its contents verified.

mod table;
mod values;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::guard::{self, GuardError};
use leadline_device::scratch::DATA_START;
use leadline_device::target::{self, TargetKind};
use leadline_device::{Device, format_size};
use leadline_files::Space;
use leadline_measure::Progress;
use leadline_measure::target::{Access, OpenTarget};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::replay::{Footprint, ReplayArea, ReplayError, ReplayReport, Watch, check_config};
use leadline_pool::simulate::Config;
use leadline_profile::DeviceProfile;
use leadline_trace::{Format, STDIN};
use serde_json::json;

use super::device::advised_n;
use super::lists::{self, Batch};
use crate::columns::ColumnArgs;
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::paths::{ProfileName, TargetName, TraceName};
use crate::progress::Display;
use crate::source::{open_trace, say_recognized, say_skipped};
use crate::target::Target;
use crate::{messages, output, signals};

/// Replay a trace on the real buffer pool, and verify its pages
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline pool replay trace.csv /mnt/nvme --frames 20000 \\
    --policy clock --ace cow-x --profile profile.json
  # A generated trace, by eight clients, with a cleaner
  leadline pool replay gen:paper-wis . --frames 20640 --cleaner 1 --clients 8")]
pub(super) struct Args {
    /// The trace: a file or gen:NAME, which is read twice
    trace: TraceName,
    /// Where to replay it: a directory (with a scratch file that is removed at the end), a scratch file that
    /// was kept, or a block device with --destructive
    target: TargetName,
    #[arg(long, value_parser = crate::values::format, help = crate::values::formats_of("TRACE"))]
    format: Option<Format>,
    /// Replacement policy: lru, clock or another
    #[arg(long, value_name = "P", value_parser = values::policy, default_value = "lru")]
    policy: PolicyKind,
    /// Pages to write back with a dirty victim: off (the victim alone), cow, cow-x, cow-e, cow-x-e
    #[arg(long, value_name = "MODE", value_parser = values::ace, default_value = "off")]
    ace: Ace,
    /// Pages written at once: 1 to 32768, auto (k_w_90 of --profile, k_w where it is older), or adaptive
    /// (found by watching the device) [default: auto with --profile, else 8]
    #[arg(long, value_name = "N|auto|adaptive", value_parser = values::batch)]
    n: Option<Batch>,
    /// Background cleaner: off, its writes in flight (1 to 32768), or auto
    #[arg(long, value_name = "off|DEPTH|auto", value_parser = values::cleaner, default_value = "off")]
    cleaner: Cleaner,
    /// Clients that carry out the trace's operations in order, a few at a time, 1 to 4096
    #[arg(long, value_name = "N", value_parser = values::clients, default_value = "1")]
    clients: u32,
    /// Size of the pool in pages
    #[arg(long, value_name = "N", value_parser = values::frames)]
    frames: u32,
    /// Size of a page, a power of two from 4K to 64K
    #[arg(long = "page-size", alias = "page-bytes", value_name = "SIZE", value_parser = lists::page, default_value = "4K")]
    page_bytes: u32,
    /// Take k_w_90 (k_w in older profiles) for --n auto from this profile
    #[arg(long, value_name = "PROFILE")]
    profile: Option<ProfileName>,
    /// Stop after N operations of the trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Write a checksum with each page, and verify it at each read
    #[arg(long)]
    checksums: bool,
    /// Do not read all pages at the end; each access is still checked
    #[arg(long)]
    no_verify: bool,
    /// Allow writes to TARGET, a block device that is not in use; its data is lost
    #[arg(long)]
    destructive: bool,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    columns: ColumnArgs,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    let config = config(&args)?;
    check_config(&config).map_err(|error| Failure::Input(error.to_string()))?;
    let target = target(&args)?;
    let cancel = signals::cancel_flag()?;
    let mut shown = PhaseRunner { trace: &args.trace, cancel: &cancel, display: Display::new() };
    let replayed = replay(&args, &config, target, &mut shown);
    shown.display.finish();
    let Some(replayed) = replayed? else { return Ok(()) };
    match args.json {
        true => output::print(&format!("{:#}\n", json!(replayed)))?,
        false => output::print_text(&table::text(&replayed))?,
    }
    match (replayed.complete, replayed.verified_pages, args.no_verify) {
        (false, ..) => {
            let (done, text) = (replayed.outcome.operations, "interrupted; what is shown is of the first");
            Err(Failure::Operation(format!("{text} {done} operations, and was not verified")))
        }
        (true, None, false) => {
            Err(Failure::Operation("interrupted while verifying: the pages were not all compared".into()))
        }
        _ => Ok(()),
    }
}

/// From the trace's first reading to the last page verified; nothing of it with --dry-run, which is printed.
fn replay(
    args: &Args,
    config: &Config,
    target: target::Target,
    shown: &mut PhaseRunner,
) -> Result<Option<ReplayReport>, Failure> {
    let read_as = args.columns.read_as(args.format)?;
    let mut trace = shown.named(open_trace(&args.trace, &read_as).map_err(ReplayError::from))?;
    trace.recognition().into_iter().for_each(|told| say_recognized(&args.trace, told));
    let footprint =
        shown.phase("read trace", |watch| Footprint::of(&mut trace, config.page_bytes, args.limit, watch))?;
    let pages = footprint.pages();
    let bytes = u64::from(pages) * u64::from(config.page_bytes);
    let space = space(target.kind, bytes);
    check_room(args, &target, bytes, space)?;
    if args.dry.dry_run {
        shown.display.finish();
        let what = format!("{pages} pages, laid out first, then what the pool writes back");
        let foreseen = Foreseen::until(format!("after {} operations", footprint.operations()))
            .reads_file(Path::new(&*args.trace), "the trace, twice")
            .writes(&args.target, &what, Some(bytes));
        return foreseen.print(args.json).map(|()| None);
    }
    messages::note(&format!(
        "{}: writes {} to lay out {pages} pages, then what the pool writes back in {} operations",
        args.target,
        format_size(bytes),
        footprint.operations()
    ));
    let access = Access { destructive: args.destructive, size_bytes: Some(space), ..Access::default() };
    let target = OpenTarget::open(&target, space, &access)?;
    target.warnings.iter().for_each(|warning| messages::warning(warning));
    check_opened(args, target.writes, &target.no_writes_because, target.region.len, bytes)?;
    let start = target.region.start;
    // The rest of `target`, the scratch file with it, lives until the end of this function.
    let device: Arc<dyn Device> = Arc::from(target.device);
    let mut ground = shown.phase("lay out", |watch| {
        ReplayArea::lay_out(device, start, footprint, config.page_bytes, args.checksums, watch)
    })?;
    let mut trace = shown.named(open_trace(&args.trace, &read_as).map_err(ReplayError::from))?;
    let mut replayed = shown.phase("replay", |watch| ground.replay(&mut trace, config, watch))?;
    trace.skipped().into_iter().for_each(say_skipped);
    if replayed.complete && !args.no_verify {
        replayed.verified_pages = match shown.phase_or_error("verify", |watch| ground.verify(watch)) {
            Ok(pages) => Some(pages),
            Err(ReplayError::Cancelled) => None,
            Err(error) => return shown.named(Err(error)),
        };
    }
    Ok(Some(replayed))
}

/// What is shown of a run, and what ends it.
struct PhaseRunner<'a> {
    trace: &'a TraceName,
    cancel: &'a AtomicBool,
    display: Display,
}

impl PhaseRunner<'_> {
    fn phase<T>(
        &mut self,
        phase: &'static str,
        work: impl FnOnce(&mut Watch) -> Result<T, ReplayError>,
    ) -> Result<T, Failure> {
        let done = self.phase_or_error(phase, work);
        self.named(done)
    }

    fn phase_or_error<T>(
        &mut self,
        phase: &'static str,
        work: impl FnOnce(&mut Watch) -> Result<T, ReplayError>,
    ) -> Result<T, ReplayError> {
        let PhaseRunner { display, cancel, .. } = self;
        // Before it is said to have begun: from then on the work itself says what was done.
        if cancel.load(Ordering::Relaxed) {
            return Err(ReplayError::Cancelled);
        }
        let mut progress = |done| display.show(&Progress { phase, done, detail: String::new() });
        progress(0.0);
        work(&mut Watch { cancel, progress: &mut progress })
    }

    fn named<T>(&self, done: Result<T, ReplayError>) -> Result<T, Failure> {
        done.map_err(|error| match error {
            ReplayError::Trace(error) => error.into(),
            ReplayError::Config(_) => Failure::Input(error.to_string()),
            ReplayError::Empty | ReplayError::Shorter | ReplayError::Changed { .. } => {
                Failure::Input(format!("{}: {error}", self.trace))
            }
            ReplayError::Cancelled => Failure::Operation("interrupted before anything was replayed".into()),
            _ => Failure::Operation(error.to_string()),
        })
    }
}

fn config(args: &Args) -> Result<Config, Failure> {
    let profile = args.profile.as_ref().map(|name| Ok::<_, Failure>((name, DeviceProfile::open(name)?)));
    let k_w = match profile.transpose()? {
        Some((name, profile)) => Some(advised_n(&profile, &name.to_string(), args.page_bytes)?),
        None => None,
    };
    let n = match (args.n, k_w) {
        (Some(Batch::Pages(n)), _) => n,
        (Some(Batch::Auto) | None, Some(k_w)) => k_w,
        (None, None) => lists::DEFAULT_N,
        (Some(Batch::Auto), None) => {
            let text = "--n auto: is the k_w_90 of a device; name its profile with --profile";
            return Err(Failure::Input(text.into()));
        }
        (Some(Batch::Adaptive), known) => known.unwrap_or(lists::DEFAULT_N),
    };
    if n > args.frames && args.ace != Ace::Off {
        let frames = args.frames;
        messages::warning(&format!("n = {n} is more than a pool of {frames} frames holds: n = {frames}"));
    }
    Ok(Config::new(args.page_bytes, args.frames)
        .policy(args.policy)
        .ace(args.ace)
        .n(n)
        .adaptive(args.n == Some(Batch::Adaptive))
        .cleaner(args.cleaner)
        .clients(args.clients))
}

/// What TARGET is, where it can be at all.
fn target(args: &Args) -> Result<target::Target, Failure> {
    if *args.trace == *STDIN {
        return Err(Failure::Input(
            "-: the trace is read twice, which standard input cannot be; put it into a file".into(),
        ));
    }
    let name = &args.target;
    match Target::find(name)? {
        Target::Simulated { .. } => Err(Failure::Input(format!(
            "{name}: a simulated device keeps no data; leadline pool simulate --device {name} runs the trace \
             on it"
        ))),
        Target::Real(target) if target.kind == TargetKind::Block && !args.destructive => {
            Err(Failure::Input(format!(
                "{name}: is a block device, which a replay overwrites; allow that with --destructive, or \
                 name a directory"
            )))
        }
        Target::Real(target) => Ok(target),
    }
}

/// Bytes that the pages take on a target, whole mebibytes as they are laid out, with the header of a scratch
/// file.
fn space(kind: TargetKind, bytes: u64) -> u64 {
    let whole = bytes.next_multiple_of(1 << 20);
    if kind == TargetKind::Directory { whole + DATA_START } else { whole }
}

/// Refuses before anything is made.
fn check_room(args: &Args, target: &target::Target, bytes: u64, space: u64) -> Result<(), Failure> {
    match target.kind {
        TargetKind::Directory => {
            guard::check_directory(&target.path)?;
            guard::check_space(&target.path, space).map_err(|error| too_little(args, bytes, error))
        }
        TargetKind::File => check_size(args, target.size_bytes.saturating_sub(DATA_START), bytes),
        TargetKind::Block => check_size(args, target.size_bytes, bytes),
    }
}

/// The guard's own remedy is an option that a replay has not.
fn too_little(args: &Args, bytes: u64, error: GuardError) -> Failure {
    let GuardError::Space { available_bytes, reserve_bytes, .. } = error else { return error.into() };
    let fits =
        Space::of(Path::new(&*args.target)).map(Space::fits_bytes).unwrap_or(0).saturating_sub(DATA_START);
    Failure::Input(format!(
        "{}: {} free, and the trace's pages take {}, which would leave less than {}; {} would fit: replay \
         less with --limit, or name another directory",
        args.target,
        format_size(available_bytes),
        format_size(bytes),
        format_size(reserve_bytes),
        format_size(fits)
    ))
}

fn check_size(args: &Args, room: u64, bytes: u64) -> Result<(), Failure> {
    if bytes <= room {
        return Ok(());
    }
    let (name, bytes, room) = (&args.target, format_size(bytes), format_size(room));
    Err(Failure::Input(format!(
        "{name}: has room for {room}, and the trace's pages take {bytes}; replay less with --limit, or name a \
         directory"
    )))
}

fn check_opened(args: &Args, writes: bool, because: &str, room: u64, bytes: u64) -> Result<(), Failure> {
    if !writes {
        let name = &args.target;
        return Err(Failure::Input(format!("{name}: is not written to: {because}; name a directory")));
    }
    check_size(args, room, bytes)
}
