//! `leadline emulate ctl`: commands to a drive that is mounted.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use leadline_device::format_size;
use leadline_emulate::{Answer, Command, EmulateError, FaultKind, FileOperation, send, wait};
use serde_json::json;

use crate::console;
use crate::failure::Failure;
use crate::output;
use crate::paths::{ChangedPath, DeviceName, OutputPlace};
use crate::values;
use leadline_catalogue::{PUBLISHED, SIMULATED};

/// How often it is looked whether the caller still waits.
const LOOK: Duration = Duration::from_millis(20);

/// Control a mounted drive: power cuts, faults, counters, traces
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # Wait until the drive is mounted and ready
  leadline emulate ctl mnt wait
  leadline emulate ctl mnt counters --json
  leadline emulate ctl mnt power-cut
  leadline emulate ctl mnt inject eio --operation fsync --path 'base/**'
  leadline emulate ctl mnt device sim:gp3")]
pub(crate) struct Args {
    /// The directory on which the drive is mounted
    mount: ChangedPath,
    #[command(subcommand)]
    action: Action,
    /// Print the result as one JSON document
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Wait until the drive is mounted and ready
    #[command(after_help = "\
Examples:
  leadline emulate ctl mnt wait --seconds 10 && ls mnt")]
    Wait {
        /// Seconds to wait at most, 0.1 to 86400
        #[arg(long, value_name = "S", value_parser = values::seconds, default_value = "60")]
        seconds: Duration,
    },
    /// Show the requests so far, and the delay of the answers
    #[command(after_help = "\
Examples:
  leadline emulate ctl mnt counters
  leadline emulate ctl mnt counters --json")]
    Counters,
    /// Cut the power: data that is not durable is lost
    #[command(after_help = "\
Examples:
  # Everything that is not durable is lost
  leadline emulate ctl mnt power-cut
  # Some of it survives, by chance
  leadline emulate ctl mnt power-cut --seed 7
  # Every state that a power cut could leave now, each in a directory
  leadline emulate ctl mnt power-cut --enumerate states --limit 100

The mount goes on with the data that is left.")]
    PowerCut {
        /// Let some of the data survive that is not durable, chosen by this seed [default: none survives]
        #[arg(long, value_name = "N")]
        seed: Option<u64>,
        /// Cut nothing: write each state that a power cut could leave now to a directory in this new one
        #[arg(long, value_name = "DIR", conflicts_with = "seed")]
        enumerate: Option<OutputPlace>,
        /// Most states to write
        #[arg(
            long = "limit",
            alias = "most",
            value_name = "N",
            default_value = "256",
            requires = "enumerate"
        )]
        most: usize,
    },
    /// Inject a fault into the next matching operation
    #[command(after_help = "\
Examples:
  # The next fsync of a file below base fails
  leadline emulate ctl mnt inject eio --operation fsync --path 'base/**'
  # The drive stalls for two seconds, three times
  leadline emulate ctl mnt inject stall --seconds 2 --times 3")]
    Inject {
        /// The fault
        #[arg(value_parser = PossibleValuesParser::new(FaultKind::ALL.map(FaultKind::name)).map(|name| {
            FaultKind::ALL.into_iter().find(|kind| kind.name() == name).expect("one of the possible values")
        }))]
        kind: FaultKind,
        /// Only in this operation [default: every operation that KIND applies to]
        #[arg(long, value_name = "OPERATION", value_parser = PossibleValuesParser::new(FileOperation::ALL.map(FileOperation::name)).map(|name| {
            FileOperation::ALL.into_iter().find(|op| op.name() == name).expect("one of the possible values")
        }))]
        operation: Option<FileOperation>,
        /// Only in files whose path below the mount matches this glob [default: all files]
        #[arg(long, value_name = "GLOB")]
        path: Option<String>,
        /// Seconds that a stall or a slow period lasts, 0.1 to 86400
        #[arg(long, value_name = "S", value_parser = values::seconds)]
        seconds: Option<Duration>,
        /// Number of operations to fail
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), default_value = "1",
              conflicts_with = "forever")]
        times: u64,
        /// Every matching operation from now on
        #[arg(long)]
        forever: bool,
    },
    /// Show where a file is on the device
    #[command(after_help = "\
Examples:
  leadline emulate ctl mnt map base/1/1259")]
    Map {
        /// The file, as a path below the mount
        file: PathBuf,
    },
    /// Switch to another device model
    #[command(after_help = "\
Examples:
  leadline emulate ctl mnt device sim:gp3")]
    Device {
        /// The device: sim:NAME, sim:FILE.toml, device:NAME or the file of a profile
        device: DeviceName,
    },
    /// Start to record every request
    #[command(after_help = "\
Examples:
  leadline emulate ctl mnt start-trace run.capture")]
    StartTrace {
        /// The trace, which is complete after stop-trace or when the drive is unmounted
        file: OutputPlace,
    },
    /// Stop recording, and complete the trace
    #[command(after_help = "\
Examples:
  leadline emulate ctl mnt stop-trace")]
    StopTrace,
}

/// Sends the command and prints the answer.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let answer = match args.action {
        Action::Wait { seconds } => {
            let mount = args.mount.to_path_buf();
            unless_cancelled(move || wait(mount, seconds))?;
            Answer::Done
        }
        action => {
            let (mount, command) = (args.mount.to_path_buf(), command(action)?);
            unless_cancelled(move || send(mount, &command))?
        }
    };
    if args.json {
        return output::print_json(&json(&answer));
    }
    output::print(&text(&answer))
}

/// Asks the drive on a thread, so that whoever does not want to wait any longer need not. The drive carries
/// out what it was told.
fn unless_cancelled<T: Send + 'static>(
    ask: impl FnOnce() -> Result<T, EmulateError> + Send + 'static,
) -> Result<T, Failure> {
    // At a terminal a signal ends the program.
    let Some(call) = console::call() else { return Ok(ask()?) };
    let cancel = call.cancel();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let _ = tell.send(ask());
    });
    loop {
        match told.recv_timeout(LOOK) {
            Ok(answer) => return Ok(answer?),
            Err(RecvTimeoutError::Timeout) if !cancel.load(Ordering::Relaxed) => {}
            Err(_) => return Err(Failure::Operation("interrupted before the drive had answered".into())),
        }
    }
}

fn command(action: Action) -> Result<Command, Failure> {
    Ok(match action {
        Action::Wait { .. } => Command::IsReady,
        Action::Counters => Command::Counters,
        Action::PowerCut { enumerate: Some(into), most, .. } => {
            Command::Enumerate { into: from_root(&into)?, most }
        }
        Action::PowerCut { seed, .. } => Command::PowerCut { seed },
        Action::Inject { kind, operation, path, seconds, times, forever } => Command::Inject {
            kind,
            operation,
            path,
            seconds: seconds.map(|seconds| seconds.as_secs_f64()),
            times: (!forever).then_some(times),
        },
        Action::Map { file } => Command::Map { file },
        Action::Device { device } => Command::Device { name: absolute(&device)? },
        Action::StartTrace { file } => Command::StartTrace { into: from_root(&file)? },
        Action::StopTrace => Command::StopTrace,
    })
}

/// A path from the root: the emulator has a working directory of its own.
fn from_root(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}

/// A device's name with the path of its file from the root.
fn absolute(device: &DeviceName) -> Result<String, Failure> {
    let device = device.text()?;
    for prefix in [SIMULATED, PUBLISHED] {
        if let Some(name) = device.strip_prefix(prefix) {
            return Ok(match leadline_catalogue::is_file(name) {
                true => format!("{prefix}{}", from_root(Path::new(name))?.display()),
                false => device.to_owned(),
            });
        }
    }
    // A profile; or no device, as the emulator will say.
    if leadline_tiers::is_modelled(device) {
        Ok(from_root(Path::new(device))?.display().to_string())
    } else {
        Ok(device.to_owned())
    }
}

fn json(answer: &Answer) -> serde_json::Value {
    match answer {
        Answer::Counters(report) => json!(report),
        Answer::PowerCut(cut) => json!(cut),
        Answer::Enumerated(states) => json!({ "states": states }),
        Answer::Captured(summary) => json!(summary),
        Answer::Map(extents) => {
            let extents = extents.iter().map(|[file, device, bytes]| {
                json!({ "file_offset_bytes": file, "device_offset_bytes": device, "bytes": bytes })
            });
            json!({ "extents": extents.collect::<Vec<_>>() })
        }
        _ => json!({}),
    }
}

fn text(answer: &Answer) -> String {
    match answer {
        Answer::Counters(report) => {
            let traffic = report.traffic;
            let mut text = format!(
                "{}: {:.1} s, {} reads ({}), {} writes ({}), {} syncs\n",
                report.device,
                report.seconds,
                traffic.reads,
                format_size(traffic.read_bytes),
                traffic.writes,
                format_size(traffic.written_bytes),
                traffic.flushes
            );
            report.summary().iter().for_each(|line| text += &format!("{line}\n"));
            text
        }
        Answer::PowerCut(cut) => format!(
            "the power was cut: {} of {} writes and {} of {} changes to names were lost\n",
            cut.writes_lost, cut.writes, cut.names_lost, cut.names
        ),
        Answer::Enumerated(states) => format!("{states} states were written\n"),
        Answer::Captured(trace) => {
            format!("{} requests to {} files were recorded\n", trace.events, trace.files)
        }
        Answer::Map(extents) => {
            let mut text = "      offset in file    offset on device        bytes\n".to_owned();
            for [file, device, bytes] in extents {
                text += &format!("{file:>20}{device:>20}{bytes:>13}\n");
            }
            text
        }
        _ => String::new(),
    }
}
