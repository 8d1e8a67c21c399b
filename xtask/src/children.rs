//! Programs that do not outlive us: each runs in a process group of its own, and a signal that ends us ends
//! them.

use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Time to put things away, for a child that was asked to end.
const GRACE: Duration = Duration::from_millis(1500);

static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on Ctrl-C and other signals that end us end all that [`start`] started first.
pub(crate) fn end_with_us() -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // Held to the end, so that nothing is started any more.
            let groups = groups();
            kill(&groups, Signal::TERM);
            if !groups.is_empty() {
                thread::sleep(GRACE);
                kill(&groups, Signal::KILL);
            }
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

fn kill(groups: &[Pid], signal: Signal) {
    for group in groups {
        // It may have ended by itself.
        let _ = kill_process_group(*group, signal);
    }
}

/// Starts `command` in a process group of its own; [`ended`] is to be called when it was waited for.
pub(crate) fn start(command: &mut Command) -> std::io::Result<Child> {
    use std::os::unix::process::CommandExt;
    let mut groups = groups();
    let child = command.process_group(0).spawn()?;
    groups.push(Pid::from_child(&child));
    Ok(child)
}

/// Ends what the first of `group` may have left running in it, and forgets it.
pub(crate) fn ended(group: Pid) {
    let mut groups = groups();
    kill(&[group], Signal::KILL);
    groups.retain(|known| *known != group);
}

/// Ends these at once.
pub(crate) fn kill_all(processes: &[u32]) {
    for id in processes {
        if let Some(process) = i32::try_from(*id).ok().and_then(Pid::from_raw) {
            // It may have ended by itself.
            let _ = kill_process(process, Signal::KILL);
        }
    }
}
