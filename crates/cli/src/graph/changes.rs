//! Where the changes of a graph come from: lines of text, as they arrive, or any file that import reads.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use leadline_files::Decompressor;
use leadline_graph::input::{self, Batch, EdgeReader, Format, IdMode, InputOptions};
use leadline_graph::{Change, GraphError, VertexId};

use crate::failure::{Failure, no_changes};

/// Bytes that are read at a time, and the longest line.
const PIECE: usize = 1 << 20;

/// Pieces that wait to be parsed.
const PIECES: usize = 4;

/// How long changes are waited for before it is looked whether somebody wants to stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// What a store takes as changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) strings: bool,
    pub(super) weighted: bool,
    /// Edges of a file are to be deleted.
    pub(super) delete: bool,
    pub(super) memory: u64,
}

/// Changes in order.
pub(super) enum Changes {
    Lines(Lines),
    Edges(Edges),
}

/// What comes next.
pub(super) enum Next {
    /// With the number of the line that says it, where there are lines.
    Some(Vec<(Option<u64>, Change)>),
    /// Nothing came until it was time.
    Waiting,
    End,
}

impl Changes {
    /// Opens a file, or standard input where it is `-`.
    pub(super) fn open(path: &Path, format: Option<Format>, wanted: Wanted) -> Result<Changes, Failure> {
        if path == Path::new("-") {
            if format.is_some() || wanted.delete {
                let text = "-: standard input is read as changes, one per line; name a file of edges";
                return Err(Failure::Input(text.to_owned()));
            }
            return Ok(Changes::Lines(Lines::start(
                "standard input".to_owned(),
                io::stdin(),
                wanted.strings,
            )));
        }
        let edges = format.is_some() || wanted.delete || path.is_dir();
        match if edges { None } else { changes_of(path)? } {
            Some(text) => Ok(Changes::Lines(Lines::start(path.display().to_string(), text, wanted.strings))),
            None => Edges::open(path, format, wanted).map(Changes::Edges),
        }
    }

    /// Some more changes, or none by the time that is given.
    pub(super) fn next(&mut self, until: Option<Instant>) -> Result<Next, Failure> {
        match self {
            Changes::Lines(lines) => lines.next(until),
            Changes::Edges(edges) => edges.next().map_err(|error| no_changes(error, &edges.name)),
        }
    }

    /// The input, in messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Changes::Lines(lines) => &lines.name,
            Changes::Edges(edges) => &edges.name,
        }
    }

    /// How far the input was read, in bytes of it, and how many there are.
    pub(super) fn progress(&self) -> Option<(u64, Option<u64>)> {
        match self {
            Changes::Lines(_) => None,
            Changes::Edges(edges) => Some(edges.reader.progress()),
        }
    }
}

/// A file if it is a text of changes.
fn changes_of(path: &Path) -> Result<Option<impl Read + Send + 'static>, Failure> {
    let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
    let failed = |error| GraphError::Read { name: path.display().to_string(), source: error };
    let mut text = Decompressor::new(file).map_err(failed)?;
    let mut first = Vec::new();
    text.by_ref().take(4096).read_to_end(&mut first).map_err(failed)?;
    let begins = Change::begins(&String::from_utf8_lossy(&first));
    Ok(begins.then(|| io::Cursor::new(first).chain(text)))
}

/// Lines of text, read by a thread of their own: changes that have come are there although the next are not.
pub(super) struct Lines {
    name: String,
    strings: bool,
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// Lines read so far.
    line: u64,
}

impl Lines {
    fn start(name: String, text: impl Read + Send + 'static, strings: bool) -> Lines {
        let (sender, pieces) = sync_channel(PIECES);
        // Not joined: a read from a terminal ends when its user wants it to.
        std::thread::spawn(move || {
            let mut text = text;
            let mut rest = Vec::new();
            loop {
                let piece = next_piece(&mut text, &mut rest);
                let is_last = !matches!(&piece, Ok(piece) if !piece.is_empty());
                if sender.send(piece).is_err() || is_last {
                    return;
                }
            }
        });
        Lines { name, strings, pieces, line: 0 }
    }

    fn next(&mut self, until: Option<Instant>) -> Result<Next, Failure> {
        let patience = until.map(|until| until.saturating_duration_since(Instant::now()));
        let piece = match self.pieces.recv_timeout(patience.unwrap_or(PATIENCE).min(PATIENCE)) {
            Err(RecvTimeoutError::Timeout) => return Ok(Next::Waiting),
            Err(RecvTimeoutError::Disconnected) => return Ok(Next::End),
            Ok(piece) => piece,
        };
        let piece = piece.map_err(|source| match source.kind() {
            io::ErrorKind::InvalidData => self.wrong(source.to_string()),
            _ => GraphError::Read { name: self.name.clone(), source }.into(),
        })?;
        if piece.is_empty() {
            return Ok(Next::End);
        }
        let mut changes = Vec::new();
        for line in piece.strip_suffix(b"\n").unwrap_or(&piece).split(|byte| *byte == b'\n') {
            self.line += 1;
            let text = std::str::from_utf8(line).map_err(|_| self.wrong("expected UTF-8".to_owned()))?;
            let change = Change::parse(text, self.strings).map_err(|wrong| self.wrong(wrong))?;
            changes.extend(change.map(|change| (Some(self.line), change)));
        }
        Ok(Next::Some(changes))
    }

    fn wrong(&self, what: String) -> Failure {
        Failure::Input(format!("{}: line {}: {what}", self.name, self.line.max(1)))
    }
}

/// Whole lines, some at a time; nothing at the end.
fn next_piece(text: &mut impl Read, rest: &mut Vec<u8>) -> io::Result<Vec<u8>> {
    loop {
        let before = rest.len();
        rest.resize(before + PIECE, 0);
        let got = loop {
            match text.read(&mut rest[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        rest.truncate(before + got);
        if got == 0 {
            return Ok(std::mem::take(rest));
        }
        if let Some(end) = rest[before..].iter().rposition(|byte| *byte == b'\n') {
            let next = rest.split_off(before + end + 1);
            return Ok(std::mem::replace(rest, next));
        }
        if rest.len() > PIECE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "expected a line of less than 1 MB"));
        }
    }
}

/// The edges of a file, as additions or deletions.
pub(super) struct Edges {
    name: String,
    reader: Box<dyn EdgeReader>,
    batch: Batch,
    wanted: Wanted,
}

impl Edges {
    fn open(path: &Path, format: Option<Format>, wanted: Wanted) -> Result<Edges, Failure> {
        let options = InputOptions {
            format,
            weights: wanted.weighted && !wanted.delete,
            ids: if wanted.strings { IdMode::Strings } else { IdMode::Numbers },
            directed: false,
            memory: wanted.memory / 4,
            threads: 1,
        };
        let name = path.display().to_string();
        let reader = input::open(path, options).map_err(|error| no_changes(error, &name))?;
        Ok(Edges { name, reader, batch: Batch::default(), wanted })
    }

    fn next(&mut self) -> Result<Next, GraphError> {
        let Edges { reader, batch, wanted, .. } = self;
        if !reader.next_batch(batch)? {
            return Ok(Next::End);
        }
        let id = |number: u64| match wanted.strings {
            true => VertexId::from(reader.string(number).unwrap_or_default()),
            false => VertexId::from(number),
        };
        let edge = |(at, (source, target)): (usize, &(u64, u64))| {
            let (source, target) = (id(*source), id(*target));
            let weight = batch.weights.get(at).copied();
            let change = match wanted.delete {
                true => Change::DeleteEdge { source, target },
                false => Change::InsertEdge { source, target, weight },
            };
            (None, change)
        };
        let vertex = |vertex: &u64| match wanted.delete {
            true => (None, Change::DeleteVertex(id(*vertex))),
            false => (None, Change::InsertVertex(id(*vertex))),
        };
        let edges = batch.pairs.iter().enumerate().map(edge);
        Ok(Next::Some(edges.chain(batch.vertices.iter().map(vertex)).collect()))
    }
}
