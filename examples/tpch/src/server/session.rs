//! A connection to a server, by MariaDB's own client.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::programs::CLIENT;
use crate::{Interrupt, TpchError};

/// How often a statement that runs looks whether the user wants it to end.
const LOOK: Duration = Duration::from_millis(50);

/// A row that no query has: it ends each answer.
const END: &str = "end of the answer";

/// Errors of statements that took too long.
const TOO_LONG: &str = "ERROR 1969 ";

/// A row's columns as text; NULL is `NULL`.
pub type Row = Vec<String>;

/// A connection. After an error it is closed.
#[derive(Debug)]
pub struct Session {
    client: Child,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    interrupt: Interrupt,
}

impl Session {
    pub(super) fn start(socket: &Path, interrupt: &Interrupt) -> Result<Session, TpchError> {
        let program = CLIENT.find()?;
        let mut command = Command::new(&program);
        command.args(["--no-defaults", "--batch", "--skip-column-names", "--unbuffered", "--user=root"]);
        command.arg(format!("--socket={}", socket.display())).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut client = command.spawn().map_err(TpchError::io(&program))?;
        let (send, lines) = channel();
        if let Some(stdout) = client.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    // The session may be gone.
                    let _ = send.send(line);
                }
            });
        }
        let errors = client.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut said = String::new();
                let _ = stderr.read_to_string(&mut said);
                said
            })
        });
        Ok(Session { client, lines, errors, interrupt: interrupt.clone() })
    }

    /// Runs a statement, without a semicolon at its end, and waits for all of its rows.
    ///
    /// # Errors
    /// [`TpchError::Statement`] with the server's reason, [`TpchError::TimeLimit`],
    /// [`TpchError::Interrupted`].
    pub fn run(&mut self, statement: &str) -> Result<Vec<Row>, TpchError> {
        let sent = match &mut self.client.stdin {
            Some(stdin) => write!(stdin, "{statement};\nselect '{END}';\n").and_then(|()| stdin.flush()),
            None => Ok(()),
        };
        if sent.is_err() {
            return Err(self.failed(statement));
        }
        let mut rows = Vec::new();
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) if line == END => return Ok(rows),
                Ok(line) => rows.push(line.split('\t').map(str::to_owned).collect()),
                Err(RecvTimeoutError::Timeout) => self.interrupt.check()?,
                Err(RecvTimeoutError::Disconnected) => return Err(self.failed(statement)),
            }
        }
    }

    /// The client has ended; why.
    fn failed(&mut self, statement: &str) -> TpchError {
        let _ = self.client.wait();
        let said = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
        let statement = first_words(statement);
        if said.contains(TOO_LONG) {
            return TpchError::TimeLimit { statement };
        }
        let said = if said.trim().is_empty() { "the client ended".into() } else { said.trim().to_owned() };
        TpchError::Statement { statement, said }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.client.kill();
        let _ = self.client.wait();
        if let Some(errors) = self.errors.take() {
            let _ = errors.join();
        }
    }
}

/// What names a statement in an error.
fn first_words(statement: &str) -> String {
    let code = statement.lines().filter(|line| !line.starts_with("--")).flat_map(str::split_whitespace);
    let words: Vec<&str> = code.take(9).collect();
    words[..words.len().min(8)].join(" ") + if words.len() > 8 { " ..." } else { "" }
}
