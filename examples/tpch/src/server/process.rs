//! The server's process: it ends with us, however we end.

use std::fs;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::programs::{INSTALL, SERVER, SETPRIV};
use super::{Session, Settings};
use crate::{Interrupt, TpchError};

/// How often a server that starts or ends is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// A server that is not ready or gone by then hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// Lines of the log that an error quotes.
const QUOTED: usize = 4;

/// A server, which is killed with the value.
#[derive(Debug)]
pub struct Server {
    child: Child,
    settings: Settings,
    interrupt: Interrupt,
}

impl Server {
    /// Starts it and waits until it takes connections.
    ///
    /// # Errors
    /// [`TpchError::Server`] quotes its log.
    pub fn start(settings: Settings, interrupt: &Interrupt) -> Result<Server, TpchError> {
        let program = SERVER.find()?;
        // What an earlier server said is no reason of this one's.
        let _ = fs::remove_file(&settings.log);
        let mut command = Command::new(SETPRIV.find()?);
        command.args(["--pdeathsig", "KILL", "--"]).arg(&program).args(settings.arguments());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C is for us, who end it in order.
        command.process_group(0);
        let child = command.spawn().map_err(TpchError::io(program))?;
        let mut server = Server { child, settings, interrupt: interrupt.clone() };
        server.wait_until_ready()?;
        Ok(server)
    }

    fn wait_until_ready(&mut self) -> Result<(), TpchError> {
        let (began, socket) = (Instant::now(), self.settings.socket());
        loop {
            if let Some(status) = self.child.try_wait().map_err(TpchError::io(&socket))? {
                return Err(self.failed(format!("did not start, it ended with {status}")));
            }
            if UnixStream::connect(&socket).is_ok() {
                return Ok(());
            }
            self.interrupt.check()?;
            if began.elapsed() > PATIENCE {
                return Err(self.failed(format!("was not ready after {} s", PATIENCE.as_secs())));
            }
            sleep(LOOK);
        }
    }

    /// A client of it.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn session(&self) -> Result<Session, TpchError> {
        Session::start(&self.settings.socket(), &self.interrupt)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it in order: everything is written.
    ///
    /// # Errors
    /// [`TpchError::Server`] where it does not end, or with an error.
    pub fn stop(mut self) -> Result<(), TpchError> {
        let io = TpchError::io(&self.settings.data);
        kill_process(Pid::from_child(&self.child), Signal::TERM).map_err(|error| io(error.into()))?;
        let status = self.wait_until_gone()?;
        if status.success() { Ok(()) } else { Err(self.failed(format!("ended with {status}"))) }
    }

    fn wait_until_gone(&mut self) -> Result<ExitStatus, TpchError> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().map_err(TpchError::io(&self.settings.data))? {
                return Ok(status);
            }
            self.interrupt.check()?;
            if began.elapsed() > PATIENCE {
                return Err(self.failed(format!("had not ended after {} s", PATIENCE.as_secs())));
            }
            sleep(LOOK);
        }
    }

    fn failed(&self, what: String) -> TpchError {
        let log = self.settings.log.clone();
        TpchError::Server { what, said: last_lines(&log), log }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// Makes an empty database folder.
///
/// # Errors
/// [`TpchError::Server`] quotes what the program said.
pub fn create_data_folder(settings: &Settings) -> Result<(), TpchError> {
    let program = INSTALL.find()?;
    let mut command = Command::new(SETPRIV.find()?);
    command.args(["--pdeathsig", "KILL", "--"]).arg(&program).args(settings.arguments());
    command.args(["--auth-root-authentication-method=normal", "--skip-test-db"]);
    let output = command.stdin(Stdio::null()).process_group(0).output().map_err(TpchError::io(program))?;
    if output.status.success() {
        return Ok(());
    }
    let log = settings.log.clone();
    let mut said = last_lines(&log);
    if said.is_empty() {
        said = quote(
            &[output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat(),
        );
    }
    Err(TpchError::Server { what: format!("made no database in {}", settings.data.display()), said, log })
}

/// The last lines of a log, errors first.
fn last_lines(log: &Path) -> String {
    quote(&String::from_utf8_lossy(&fs::read(log).unwrap_or_default()))
}

/// The errors in what a program said, else its last lines, as one line.
fn quote(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut errors: Vec<&str> = lines.iter().copied().filter(|line| line.contains("[ERROR]")).collect();
    if errors.is_empty() {
        errors = lines;
    }
    errors[errors.len().saturating_sub(QUOTED)..].join("; ")
}
