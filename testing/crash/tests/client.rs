//! Clients that commit one number after another, and what was acknowledged to them.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Only there so that a hang becomes a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// A request to commit a number, as text for the program's stdin.
pub(crate) type Request = Box<dyn Fn(u64) -> String + Send>;

/// The line with which a program acknowledges a commit.
pub(crate) fn acknowledgement(number: u64) -> String {
    format!("commit {number}")
}

/// What was acknowledged to all clients.
#[derive(Debug)]
pub(crate) struct Acknowledged {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The last number of each client.
    last: Vec<u64>,
    /// Commits since the clients were started.
    commits: u64,
    /// Whether a client has ended.
    ended: bool,
}

impl Acknowledged {
    /// What was found when the clients were started.
    pub(crate) fn new(found: &[u64]) -> Arc<Acknowledged> {
        let state = State { last: found.to_vec(), commits: 0, ended: false };
        Arc::new(Acknowledged { state: Mutex::new(state), changed: Condvar::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits for so many commits since the start. False if a client has ended, or does not get there.
    pub(crate) fn wait_for(&self, commits: u64) -> bool {
        let waiting = |state: &mut State| state.commits < commits && !state.ended;
        let waited = self.changed.wait_timeout_while(self.state(), PATIENCE, waiting);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.commits >= commits && !state.ended
    }

    /// The last number of each client.
    pub(crate) fn last(&self) -> Vec<u64> {
        self.state().last.clone()
    }
}

/// A process that commits numbers until it is killed.
pub(crate) struct Client {
    child: Child,
    thread: JoinHandle<()>,
}

impl Client {
    /// Starts client `index`, which continues after the last number acknowledged to it.
    pub(crate) fn start(
        index: usize,
        mut command: Command,
        request: Request,
        acknowledged: &Arc<Acknowledged>,
        log: &File,
    ) -> Client {
        let log = log.try_clone().unwrap();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let acknowledged = Arc::clone(acknowledged);
        let thread = std::thread::spawn(move || {
            let mut answers = BufReader::new(output).lines().map_while(Result::ok);
            for number in acknowledged.last()[index] + 1.. {
                let asked = input.write_all(request(number).as_bytes());
                // Programs also print other things, such as the results of settings.
                if asked.is_err() || !answers.any(|line| line == acknowledgement(number)) {
                    break;
                }
                acknowledged.change(|state| {
                    state.last[index] = number;
                    state.commits += 1;
                });
            }
            acknowledged.change(|state| state.ended = true);
        });
        Client { child, thread }
    }

    /// SIGSTOP: it starts nothing new.
    pub(crate) fn freeze(&self) {
        kill_process(Pid::from_child(&self.child), Signal::STOP).unwrap();
    }

    /// SIGKILL, and waits until it is gone.
    pub(crate) fn kill(mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
        self.thread.join().unwrap();
    }
}
