//! `leadline pool replay`: a trace on the real pool and a real device, its contents verified.

mod table;
mod values;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::guard::{self, GuardError, Space};
use leadline_device::scratch::DATA_START;
use leadline_device::target::{Target, TargetKind};
use leadline_device::{Device, format_size};
use leadline_measure::Progress;
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::replay::{Footprint, Ground, ReplayError, Replayed, Watch, check_config};
use leadline_pool::simulate::Config;
use leadline_trace::{Format, STDIN, Trace, TraceError, open, open_as};
use serde_json::json;

use super::device::measured_k_w;
use super::lists::{self, Batch};
use crate::failure::Failure;
use crate::open::{self, Found, OpenOptions};
use crate::progress::Display;
use crate::{output, signals, source};

/// Pages written at once where nobody knows better.
const DEFAULT_N: u32 = 8;

/// Replay a trace on the real buffer pool and a real device, and verify what it wrote
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    leadline pool replay trace.csv /mnt/nvme --frames 20000 --policy clock --ace cow-x --profile profile.json\n  \
    leadline pool replay gen:paper-wis . --frames 20640 --cleaner 1 --clients 8")]
pub(super) struct Args {
    /// A trace of pages or blocks, or gen:NAME; it is read twice
    trace: String,
    /// A directory (a scratch file is made in it and removed), a file that leadline kept, or a block device with
    /// --destructive
    target: String,
    /// The trace's format, where it cannot be told
    #[arg(long, value_parser = format)]
    format: Option<Format>,
    /// Replacement policy
    #[arg(long, value_name = "P", value_parser = values::policy, default_value = "lru")]
    policy: PolicyKind,
    /// Write-back when the victim is dirty: off, cow, cow-x, cow-e, cow-x-e
    #[arg(long, value_name = "MODE", value_parser = values::ace, default_value = "off")]
    ace: Ace,
    /// Pages written at once; auto is the k_w of --profile [default: auto with --profile, else 8]
    #[arg(long, value_name = "N|auto", value_parser = values::batch)]
    n: Option<Batch>,
    /// Background cleaner: off, so many writes in flight, or auto
    #[arg(long, value_name = "off|DEPTH|auto", value_parser = values::cleaner, default_value = "off")]
    cleaner: Cleaner,
    /// Threads that take the trace's operations in order, a few at a time
    #[arg(long, value_name = "C", value_parser = values::clients, default_value = "1")]
    clients: u32,
    /// Pages the pool holds
    #[arg(long, value_name = "N", value_parser = values::frames)]
    frames: u32,
    /// Bytes of a page, 4K to 64K
    #[arg(long, value_name = "SIZE", value_parser = lists::page, default_value = "4K")]
    page_bytes: u32,
    /// Take k_w for --n auto from this profile
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Replay no more than so many operations
    #[arg(long, value_name = "OPS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Pages carry a checksum, written with them and verified when they are read
    #[arg(long)]
    checksums: bool,
    /// Do not read all pages back at the end; each access is checked all the same
    #[arg(long)]
    no_verify: bool,
    /// Overwrite TARGET, a block device that is not in use
    #[arg(long)]
    destructive: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    let config = config(&args)?;
    check_config(&config).map_err(|error| Failure::Input(error.to_string()))?;
    let target = target(&args)?;
    let cancel = signals::cancel_flag()?;
    let mut shown = Shown { trace: &args.trace, cancel: &cancel, display: Display::new() };
    let replayed = replay(&args, &config, target, &mut shown);
    shown.display.finish();
    let replayed = replayed?;
    match args.json {
        true => output::print(&format!("{:#}\n", json!(replayed)))?,
        false => output::print(&table::render(&replayed))?,
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

/// From the trace's first reading to the last page verified.
fn replay(args: &Args, config: &Config, target: Target, shown: &mut Shown) -> Result<Replayed, Failure> {
    let mut trace = shown.named(open_trace(args).map_err(ReplayError::from))?;
    let footprint =
        shown.phase("read trace", |watch| Footprint::of(&mut trace, config.page_bytes, args.limit, watch))?;
    let pages = footprint.pages();
    let bytes = u64::from(pages) * u64::from(config.page_bytes);
    let options = options(args, target.kind, bytes);
    check_room(args, &target, bytes, &options)?;
    let found = Found::Real(target);
    output::say(&format!(
        "{}: writes {} to lay out {pages} pages, then what the pool writes back in {} operations",
        args.target,
        format_size(bytes),
        footprint.operations()
    ));
    let opened = open::open(&args.target, &found, options.size.unwrap_or(bytes), &options)?;
    opened.notes.iter().for_each(|note| output::say(note));
    check_opened(args, opened.writes, &opened.no_writes_because, opened.region.len, bytes)?;
    let start = opened.region.start;
    // The rest of `opened`, the scratch file with it, lives until the end of this function.
    let device: Arc<dyn Device> = Arc::from(opened.device);
    let mut ground = shown.phase("lay out", |watch| {
        Ground::lay_out(device, start, footprint, config.page_bytes, args.checksums, watch)
    })?;
    let mut trace = shown.named(open_trace(args).map_err(ReplayError::from))?;
    let mut replayed = shown.phase("replay", |watch| ground.replay(&mut trace, config, watch))?;
    if replayed.complete && !args.no_verify {
        replayed.verified_pages = match shown.phase_or_error("verify", |watch| ground.verify(watch)) {
            Ok(pages) => Some(pages),
            Err(ReplayError::Cancelled) => None,
            Err(error) => return shown.named(Err(error)),
        };
    }
    Ok(replayed)
}

/// What is shown of a run, and what ends it.
struct Shown<'a> {
    trace: &'a str,
    cancel: &'a AtomicBool,
    display: Display,
}

impl Shown<'_> {
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
        let Shown { display, cancel, .. } = self;
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
            ReplayError::Trace(_) | ReplayError::Config(_) => Failure::Input(error.to_string()),
            ReplayError::Empty | ReplayError::Shorter | ReplayError::Changed { .. } => {
                Failure::Input(format!("{}: {error}", self.trace))
            }
            ReplayError::Cancelled => Failure::Operation("interrupted before anything was replayed".into()),
            _ => Failure::Operation(error.to_string()),
        })
    }
}

fn config(args: &Args) -> Result<Config, Failure> {
    let profile = args.profile.as_deref().map(|name| Ok::<_, Failure>((name, source::load_profile(name)?)));
    let k_w = match profile.transpose()? {
        Some((name, profile)) => Some(measured_k_w(&profile, name, args.page_bytes)?),
        None => None,
    };
    let n = match (args.n, k_w) {
        (Some(Batch::Pages(n)), _) => n,
        (Some(Batch::Auto) | None, Some(k_w)) => k_w,
        (None, None) => DEFAULT_N,
        (Some(Batch::Auto), None) => {
            let text = "--n auto: is the k_w of a device; name its profile with --profile";
            return Err(Failure::Input(text.into()));
        }
        (Some(Batch::Adaptive), known) => known.unwrap_or(DEFAULT_N),
    };
    if n > args.frames && args.ace != Ace::Off {
        let frames = args.frames;
        output::say(&format!("n = {n} is more than a pool of {frames} frames holds: n = {frames}"));
    }
    Ok(Config {
        policy: args.policy,
        ace: args.ace,
        n,
        adaptive: args.n == Some(Batch::Adaptive),
        cleaner: args.cleaner,
        clients: args.clients,
        frames: args.frames,
        page_bytes: args.page_bytes,
    })
}

/// What TARGET is, where it can be at all.
fn target(args: &Args) -> Result<Target, Failure> {
    if args.trace == STDIN {
        return Err(Failure::Input("-: the trace is read twice; put it into a file".into()));
    }
    let name = &args.target;
    match open::find(name)? {
        Found::Simulated(_) => Err(Failure::Input(format!(
            "{name}: a simulated device keeps no data; leadline pool simulate --device {name} runs the trace on it"
        ))),
        Found::Real(target) if target.kind == TargetKind::Block && !args.destructive => {
            Err(Failure::Input(format!(
                "{name}: is a block device, and a replay would overwrite it; say so with --destructive, or name a directory"
            )))
        }
        Found::Real(target) => Ok(target),
    }
}

fn options(args: &Args, kind: TargetKind, bytes: u64) -> OpenOptions {
    // Whole mebibytes are what is laid out of a file.
    let whole = bytes.next_multiple_of(1 << 20);
    OpenOptions {
        engine: None,
        buffered: false,
        iopoll: false,
        sqpoll: false,
        destructive: args.destructive,
        reads_only: false,
        keep_scratch: false,
        serial: false,
        size: Some(if kind == TargetKind::Directory { whole + DATA_START } else { whole }),
        quick: false,
    }
}

/// Refuses before anything is made.
fn check_room(args: &Args, target: &Target, bytes: u64, options: &OpenOptions) -> Result<(), Failure> {
    let size = options.size.unwrap_or(bytes);
    match target.kind {
        TargetKind::Directory => {
            guard::check_directory(&target.path)?;
            guard::check_space(&target.path, size).map_err(|error| too_little(args, bytes, error))
        }
        TargetKind::File => check_size(args, target.size_bytes.saturating_sub(DATA_START), bytes),
        TargetKind::Block => check_size(args, target.size_bytes, bytes),
    }
}

/// The guard's own remedy is an option that a replay has not.
fn too_little(args: &Args, bytes: u64, error: GuardError) -> Failure {
    let GuardError::Space { available_bytes, reserve_bytes, .. } = error else { return error.into() };
    let fits = Space::of(args.target.as_ref()).map(Space::fits_bytes).unwrap_or(0).saturating_sub(DATA_START);
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
        "{name}: the trace's pages take {bytes}, and it has room for {room}; replay less with --limit, or name a directory"
    )))
}

fn check_opened(args: &Args, writes: bool, because: &str, room: u64, bytes: u64) -> Result<(), Failure> {
    if !writes {
        let name = &args.target;
        return Err(Failure::Input(format!("{name}: is not written to: {because}; name a directory")));
    }
    check_size(args, room, bytes)
}

fn open_trace(args: &Args) -> Result<Box<dyn Trace>, TraceError> {
    match args.format {
        Some(format) => open_as(&args.trace, format),
        None => open(&args.trace),
    }
}

fn format(text: &str) -> Result<Format, String> {
    Format::parse(text).ok_or_else(|| format!("no such format; there are {}", Format::names()))
}
