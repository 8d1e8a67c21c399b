//! Changes as lines of text, some at a time.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::NextChanges;
use crate::GraphError;
use crate::updates::Change;

/// Bytes that are read at a time, and the longest line.
const PIECE: usize = 1 << 20;

/// Pieces that wait to be parsed.
const PIECES: usize = 4;

/// How long changes are waited for before it is looked whether somebody wants to stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// Lines of text, read by a thread of their own: changes that have come are there although the next are not.
pub(super) struct Lines {
    name: String,
    strings: bool,
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// Lines read so far.
    line: u64,
}

impl Lines {
    pub(super) fn start(name: String, text: impl Read + Send + 'static, strings: bool) -> Lines {
        let (sender, pieces) = sync_channel(PIECES);
        // Not joined: a read from a terminal ends when its user wants it to.
        std::thread::spawn(move || {
            let mut lines = Pieces::of(text);
            loop {
                let piece = lines.next();
                let is_last = !matches!(&piece, Ok(piece) if !piece.is_empty());
                if sender.send(piece).is_err() || is_last {
                    return;
                }
            }
        });
        Lines { name, strings, pieces, line: 0 }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn next(&mut self, until: Option<Instant>) -> Result<NextChanges, GraphError> {
        let patience = until.map(|until| until.saturating_duration_since(Instant::now()));
        let piece = match self.pieces.recv_timeout(patience.unwrap_or(PATIENCE).min(PATIENCE)) {
            Err(RecvTimeoutError::Timeout) => return Ok(NextChanges::Waiting),
            Err(RecvTimeoutError::Disconnected) => return Ok(NextChanges::End),
            Ok(piece) => piece,
        };
        let piece = piece.map_err(|source| match source.kind() {
            io::ErrorKind::InvalidData => self.wrong(source.to_string()),
            _ => GraphError::read(&self.name, source),
        })?;
        if piece.is_empty() {
            return Ok(NextChanges::End);
        }
        let mut changes = Vec::new();
        for line in piece.strip_suffix(b"\n").unwrap_or(&piece).split(|byte| *byte == b'\n') {
            self.line += 1;
            let text = std::str::from_utf8(line).map_err(|_| self.wrong("expected UTF-8".to_owned()))?;
            let change = Change::parse(text, self.strings).map_err(|wrong| self.wrong(wrong))?;
            changes.extend(change.map(|change| (Some(self.line), change)));
        }
        Ok(NextChanges::Some(changes))
    }

    fn wrong(&self, what: String) -> GraphError {
        GraphError::malformed(format_args!("{}: line {}", self.name, self.line.max(1)), what)
    }
}

/// Whole lines of a text, some at a time.
struct Pieces<R> {
    text: R,
    /// What is read at a time goes here first.
    buffer: Vec<u8>,
    /// The begin of a line whose end was not read yet.
    rest: Vec<u8>,
}

impl<R: Read> Pieces<R> {
    fn of(text: R) -> Pieces<R> {
        Pieces { text, buffer: vec![0; PIECE], rest: Vec::new() }
    }

    /// The next lines; nothing at the end.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        let Pieces { text, buffer, rest } = self;
        loop {
            let got = match text.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                got => got?,
            };
            if got == 0 {
                return Ok(std::mem::take(rest));
            }
            let read = &buffer[..got];
            if let Some(end) = read.iter().rposition(|byte| *byte == b'\n') {
                let (whole, begun) = read.split_at(end + 1);
                rest.extend_from_slice(whole);
                return Ok(std::mem::replace(rest, begun.to_vec()));
            }
            rest.extend_from_slice(read);
            if rest.len() > PIECE {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "expected a line of less than 1 MB"));
            }
        }
    }
}
