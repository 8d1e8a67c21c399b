//! `leadline trace capture`: a directory recorded while a command, or whatever else, uses it.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use leadline_capture::PassThrough;
use leadline_process::Program;
use rustix::fs::Access;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::console;
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::messages;
use crate::output;
use crate::paths::{ChangedPath, OutputPlace};

/// How often it is looked whether the capture can still be written.
const LOOK: Duration = Duration::from_secs(1);

/// How often it is looked whether the folder is still in use.
const AGAIN: Duration = Duration::from_millis(200);

/// Starts a program that gets a signal when the thread that started it ends: the main thread, here.
const SETPRIV: Program = Program { name: "setpriv", package: "util-linux" };

/// What shells end with where a command does not exist, and where it cannot be run.
const NOT_FOUND: i32 = 127;
const NOT_RUNNABLE: i32 = 126;

/// Record every request that programs make in a directory
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline trace capture /srv/db -o q9.capture -- psql -f q9.sql bench
  leadline trace capture data -o build.capture -- make -C data
  # Whatever programs do in data, until Ctrl-C
  leadline trace capture data -o data.capture
  # What was asked of each file
  leadline trace info q9.capture --by file

A file system is mounted over DIR while the command runs, and passes everything on to DIR. Only files that \
are opened in that time through DIR are recorded: start a server after the capture has begun. The trace has the \
time, thread, file and offset of each request. Ctrl-C goes to the command, whose exit code is the \
capture's: see `leadline docs capture`.")]
pub(crate) struct Args {
    /// The directory to record
    #[arg(value_name = "DIR")]
    folder: ChangedPath,
    /// Write the trace to this file outside DIR, replacing it
    #[arg(short, long, value_name = "FILE")]
    output: OutputPlace,
    #[command(flatten)]
    dry: DryRun,
    /// The command to run, after -- [default: none, all programs are recorded until Ctrl-C or SIGTERM]
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What is waited for.
enum Happened {
    Ended(std::io::Result<ExitStatus>),
    Signal(i32),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if args.dry.dry_run {
        return dry_run(&args);
    }
    let (happen, happened) = channel();
    watch_signals(happen.clone())?;
    let command = command(&args.command)?;
    let mut mounted = PassThrough::mount(&args.folder, &args.output)?;
    let folder = args.folder.display();
    if mounted.cleaned_up() {
        messages::note(&format!("{folder}: a capture was killed here; its mount was taken away"));
    }
    let child = command.map(|mut command| command.spawn()).transpose();
    let child = child.map_err(|error| Failure::Operation(format!("the command: {error}")))?;
    mounted.raise_file_limit();
    if child.is_none() {
        messages::note(&format!("{folder} is recorded; Ctrl-C ends it"));
    }
    console::mounted();
    let code = wait(child, happen, &happened, &mounted)?;
    let_go(&mut mounted, &happened)?;
    let summary = mounted.finish()?;
    messages::note(&format!(
        "{} events of {} files in {}",
        summary.events,
        summary.files,
        args.output.display()
    ));
    match code {
        0 => Ok(()),
        code => std::process::exit(code),
    }
}

/// Says what would be mounted, run and written.
fn dry_run(args: &Args) -> Result<(), Failure> {
    output::check_writable(&args.output)?;
    if !args.folder.is_dir() {
        return Err(Failure::Input(format!("{}: is not a directory", args.folder.display())));
    }
    let command = args.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let ends = match args.command.is_empty() {
        true => "at Ctrl-C or SIGTERM".to_owned(),
        false => format!("when {command} ends"),
    };
    Foreseen::until(ends)
        .writes(args.output.display(), "every request, some tens of bytes each", None)
        .mounts(format!("{0} on {0}: what programs ask of it is handed on", args.folder.display()))
        .print(false)
}

/// The command to run, if one was named; ends as shells do where it cannot be run.
fn command(words: &[OsString]) -> Result<Option<Command>, Failure> {
    let [program, arguments @ ..] = words else { return Ok(None) };
    // Looked at while the folder itself can be: the mount must not be asked by the one who answers for it.
    if let Err(error) = check_program(program) {
        messages::error(&format!("{}: {error}", program.to_string_lossy()));
        std::process::exit(if error == Errno::NOENT { NOT_FOUND } else { NOT_RUNNABLE });
    }
    let setpriv = SETPRIV.find(&[]).map_err(|error| Failure::Input(error.to_string()))?;
    // If we are killed, so that its files lead nowhere, it is told to end.
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", "TERM", "--"]).arg(program).args(arguments);
    // By its path, even where it lies in DIR: the folder below is not the one that is recorded.
    if let Ok(here) = std::env::current_dir() {
        command.current_dir(here);
    }
    Ok(Some(command))
}

/// Whether there is such a program, by its path or in PATH.
fn check_program(program: &OsStr) -> Result<(), Errno> {
    let check = |path: &Path| match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(Errno::ACCESS),
        Ok(_) => rustix::fs::access(path, Access::EXEC_OK),
        Err(_) => Err(Errno::NOENT),
    };
    if program.as_bytes().contains(&b'/') {
        return check(Path::new(program));
    }
    let mut why = Errno::NOENT;
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        match check(&folder.join(program)) {
            Ok(()) => return Ok(()),
            Err(Errno::NOENT) => {}
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// Signals are not our end, but the command's.
fn watch_signals(happen: Sender<Happened>) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|error| Failure::Operation(format!("signal handler: {error}")))?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let _ = happen.send(Happened::Signal(signal));
        }
    });
    Ok(())
}

/// The command's exit code once it has ended, as shells have it; without a command, 0 at the first signal.
fn wait(
    child: Option<Child>,
    happen: Sender<Happened>,
    happened: &Receiver<Happened>,
    mounted: &PassThrough,
) -> Result<i32, Failure> {
    let pid = child.as_ref().map(Pid::from_child);
    if let Some(mut child) = child {
        std::thread::spawn(move || {
            let _ = happen.send(Happened::Ended(child.wait()));
        });
    }
    let mut warned = false;
    loop {
        match happened.recv_timeout(LOOK) {
            Ok(Happened::Ended(status)) => {
                let status = status.map_err(|error| Failure::Operation(format!("the command: {error}")))?;
                return Ok(status.code().unwrap_or(128 + status.signal().unwrap_or(0)));
            }
            Ok(Happened::Signal(signal)) => match pid {
                Some(pid) => pass_on(signal, pid),
                None => return Ok(0),
            },
            Err(RecvTimeoutError::Timeout) => {
                if mounted.has_failed() && !warned {
                    messages::warning_of_loss(
                        "the capture cannot be written any further; all goes on without it",
                    );
                    warned = true;
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Operation("the command cannot be waited for".to_owned()));
            }
        }
    }
}

/// Gives the command a signal that we got. A terminal gives Ctrl-C to both of us.
fn pass_on(signal: i32, pid: Pid) {
    let at_terminal = std::io::stdin().is_terminal() || std::io::stderr().is_terminal();
    let signal = match signal {
        SIGINT if at_terminal => return,
        SIGINT => Signal::INT,
        SIGTERM => Signal::TERM,
        _ => Signal::HUP,
    };
    // It may have ended at this moment.
    let _ = kill_process(pid, signal);
}

/// Takes the mount away; waits for programs that still use it, as long as the user does.
fn let_go(mounted: &mut PassThrough, happened: &Receiver<Happened>) -> Result<(), Failure> {
    let mut told = false;
    while !mounted.unmount()? {
        if !told {
            let folder = mounted.folder().display();
            messages::warning_of_loss(&format!(
                "{folder}: programs still use it (fuser -vm {folder} names them); waiting for their end; Ctrl-C \
                 takes it away from them"
            ));
            told = true;
        }
        if let Ok(Happened::Signal(_)) = happened.recv_timeout(AGAIN) {
            messages::warning_of_loss("what these processes have open leads nowhere from now on");
            mounted.detach()?;
        }
    }
    Ok(())
}
