//! A PostgreSQL server process, and the end of all of its processes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};

/// What the server writes when it has recovered.
const READY: &str = "database system is ready to accept connections";

/// A server, which is killed with the value.
pub(crate) struct Server {
    child: Child,
    /// Ends with the last of the server's processes, all of which have its stderr.
    log: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts it and waits until it is ready; else what it wrote.
    pub(crate) fn start(mut command: Command) -> Result<Server, String> {
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = child.stderr.take().unwrap();
        let (send, lines) = channel();
        let log = std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                // Nobody reads on after the server is ready.
                let _ = send.send(line);
            }
        });
        let server = Server { child, log: Some(log) };
        wait_until_ready(&lines).map(|()| server)
    }

    /// SIGSTOP to all of its processes; to the first one first, so that it starts no more of them.
    pub(crate) fn freeze(&self) {
        let _ = kill_process(self.pid(), Signal::STOP);
        for child in self.children() {
            let _ = kill_process(child, Signal::STOP);
        }
    }

    /// Ends it in order.
    pub(crate) fn stop(mut self) {
        kill_process(self.pid(), Signal::INT).unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// The processes that it has started.
    fn children(&self) -> Vec<Pid> {
        let pid = self.child.id();
        let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
    }
}

fn wait_until_ready(lines: &Receiver<String>) -> Result<(), String> {
    let mut written = String::new();
    for line in lines {
        if line.contains(READY) {
            return Ok(());
        }
        written.push_str(&line);
        written.push('\n');
    }
    Err(written)
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.freeze();
            for child in self.children() {
                let _ = kill_process(child, Signal::KILL);
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        if let Some(log) = self.log.take() {
            let _ = log.join();
        }
    }
}
