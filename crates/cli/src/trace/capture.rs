//! `leadline trace capture`: a folder recorded while a command uses it.

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

use crate::failure::Failure;
use crate::output;
use crate::paths::{ChangedPath, OutputPath};

/// How often it is looked whether the capture can still be written.
const LOOK: Duration = Duration::from_secs(1);

/// How often it is looked whether the folder is still in use.
const AGAIN: Duration = Duration::from_millis(200);

/// Starts a program that gets a signal when the thread that started it ends: the main thread, here.
const SETPRIV: Program = Program { name: "setpriv", package: "util-linux" };

/// What shells end with where a command does not exist, and where it cannot be run.
const NOT_FOUND: i32 = 127;
const NOT_RUNNABLE: i32 = 126;

/// Record what a command asks of a folder: every request, with its times, thread, file and place
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        leadline trace capture /srv/db -o q9.capture -- psql -f q9.sql bench\n  \
        leadline trace capture data -o build.capture -- make -C data\n  \
        leadline trace info q9.capture --by file       what was asked of each file\n\n\
        A file system is mounted over DIR while the command runs, which hands everything on to DIR. The\n\
        command must open its files in that time, by paths through DIR: a server that runs already is not\n\
        recorded. Ends with the command's exit code. Ctrl-C goes to the command. See docs/capture.md.")]
pub(crate) struct Args {
    /// The folder to record
    #[arg(value_name = "DIR")]
    folder: ChangedPath,
    /// The file to write, outside DIR; it is replaced if it exists
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// The command to run, behind --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What is waited for.
enum Happened {
    Ended(std::io::Result<ExitStatus>),
    Signal(i32),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let (happen, happened) = channel();
    watch_signals(happen.clone())?;
    let [program, arguments @ ..] = &args.command[..] else {
        return Err(Failure::Input("no command; name one behind --".to_owned()));
    };
    // Looked at while the folder itself can be: the mount must not be asked by the one who answers for it.
    if let Err(error) = check_program(program) {
        output::say(&format!("{}: {error}", program.to_string_lossy()));
        std::process::exit(if error == Errno::NOENT { NOT_FOUND } else { NOT_RUNNABLE });
    }
    let setpriv = SETPRIV.find(&[]).map_err(|error| Failure::Input(error.to_string()))?;
    // By its path, even where it lies in DIR: the folder below is not the one that is recorded.
    let here = std::env::current_dir();
    let mut mounted = PassThrough::mount(&args.folder, &args.output)?;
    if mounted.cleaned_up() {
        let folder = args.folder.display();
        output::say(&format!("{folder}: a capture was killed here; its mount was taken away"));
    }
    // If we are killed, so that its files lead nowhere, it is told to end.
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", "TERM", "--"]).arg(program).args(arguments);
    if let Ok(here) = here {
        command.current_dir(here);
    }
    let child = command.spawn().map_err(|error| Failure::Operation(format!("the command: {error}")))?;
    mounted.raise_file_limit();
    let code = wait(child, happen, &happened, &mounted)?;
    let_go(&mut mounted, &happened)?;
    let summary = mounted.finish()?;
    output::say(&format!(
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

/// The command's exit code once it has ended, as shells have it.
fn wait(
    mut child: Child,
    happen: Sender<Happened>,
    happened: &Receiver<Happened>,
    mounted: &PassThrough,
) -> Result<i32, Failure> {
    let pid = Pid::from_child(&child);
    std::thread::spawn(move || {
        let _ = happen.send(Happened::Ended(child.wait()));
    });
    let mut warned = false;
    loop {
        match happened.recv_timeout(LOOK) {
            Ok(Happened::Ended(status)) => {
                let status = status.map_err(|error| Failure::Operation(format!("the command: {error}")))?;
                return Ok(status.code().unwrap_or(128 + status.signal().unwrap_or(0)));
            }
            Ok(Happened::Signal(signal)) => pass_on(signal, pid),
            Err(RecvTimeoutError::Timeout) => {
                if mounted.has_failed() && !warned {
                    output::say(
                        "warning: the capture cannot be written any further; the command goes on without it",
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

/// Takes the mount away; waits for processes that the command has left behind, as long as the user does.
fn let_go(mounted: &mut PassThrough, happened: &Receiver<Happened>) -> Result<(), Failure> {
    let mut told = false;
    while !mounted.unmount()? {
        if !told {
            let folder = mounted.folder().display();
            output::say(&format!(
                "{folder}: processes that the command has left use it (fuser -vm {folder} names them); waiting \
                 for their end; Ctrl-C takes it away from them"
            ));
            told = true;
        }
        if let Ok(Happened::Signal(_)) = happened.recv_timeout(AGAIN) {
            output::say("warning: what these processes have open leads nowhere from now on");
            mounted.detach()?;
        }
    }
    Ok(())
}
