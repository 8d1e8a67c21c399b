//! Reads the log from the checkpoint to its end.
//!
//! The end is where no whole record begins any more. It is a crash's end, and is cut, unless more was
//! durable: a later file, or a record behind the end that says so. Then the log is damaged. Not to be noticed
//! is a loss of the last records alone, behind which there is nothing.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::file::{BLOCK, LogFile};
use super::record::{HEADER, Header};
use super::{LogError, Lsn};

/// Bytes that are read at a time.
const WINDOW: usize = 1 << 20;

/// How far before the checkpoint a record is looked for, at first.
const NEAR: u64 = 64 << 10;

/// What a replay found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replayed {
    pub(crate) records: u64,
    /// Bytes of the records, headers included.
    pub(crate) bytes: u64,
    /// The position behind the last record.
    pub(crate) end: Lsn,
    /// Before this everything was durable when the last record was appended.
    pub(crate) durable: Lsn,
    /// What was left out.
    pub(crate) cut: Option<Cut>,
}

/// A record that a crash interrupted, and that was never acknowledged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cut {
    pub(crate) path: PathBuf,
    /// Where it begins in the file.
    pub(crate) byte: u64,
}

/// Files that were written without a break.
#[derive(Debug)]
struct Session {
    number: u64,
    start: Lsn,
    /// Where the next one begins; the last one has no end.
    end: Lsn,
}

/// Calls `apply` with the position behind each record, and its payload.
pub(crate) fn replay<E: From<LogError>>(
    files: &VecDeque<LogFile>,
    folder: &Path,
    from: Lsn,
    mut apply: impl FnMut(Lsn, &[u8]) -> Result<(), E>,
) -> Result<Replayed, E> {
    let mut replayed = Replayed { records: 0, bytes: 0, end: from, durable: from, cut: None };
    let Some(first) = files.front() else {
        return if from == Lsn(0) { Ok(replayed) } else { Err(lost(folder, Lsn(0), from).into()) };
    };
    if first.start > from {
        return Err(LogError::Begins { path: first.path().to_owned(), start: first.start, from }.into());
    }
    let sessions = sessions(files);
    let mut reader = Reader::new(files);
    find_checkpoint(&mut reader, &sessions, from)?;
    let last = sessions.len() - 1;
    for (i, session) in sessions.iter().enumerate().filter(|(i, session)| *i == last || session.end > from) {
        let mut at = from.max(session.start);
        while let Some((header, payload)) = reader.record(session, at)? {
            let end = behind(at, &header);
            apply(end, payload)?;
            replayed.records += 1;
            replayed.durable = replayed.durable.max(header.durable);
            replayed.bytes += end.0 - at.0;
            at = end;
        }
        replayed.end = at;
        // All files but the last were durable before the next one was made.
        let durable = if i == last { files[files.len() - 1].start } else { session.end };
        if at < durable && !(i == last && reader.goes_on(session, at, durable)?) {
            return Err(reader.damaged(at, durable).into());
        }
        replayed.durable = replayed.durable.max(durable);
    }
    replayed.cut = reader.tail(&sessions[last], replayed.end)?;
    Ok(replayed)
}

fn lost(folder: &Path, end: Lsn, from: Lsn) -> LogError {
    LogError::Lost { path: folder.to_owned(), end, from }
}

fn sessions(files: &VecDeque<LogFile>) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for file in files {
        if sessions.last().is_some_and(|last| last.number == file.session) {
            continue;
        }
        if let Some(last) = sessions.last_mut() {
            last.end = file.start;
        }
        sessions.push(Session { number: file.session, start: file.start, end: Lsn(u64::MAX) });
    }
    sessions
}

/// Makes sure that a record ends at the checkpoint: a log that ends before has lost what was durable.
fn find_checkpoint(reader: &mut Reader<'_>, sessions: &[Session], from: Lsn) -> Result<(), LogError> {
    // A session begins where the log ended.
    if sessions.iter().any(|session| session.start == from) {
        return Ok(());
    }
    let Some(session) = sessions.iter().rev().find(|session| session.start < from) else { return Ok(()) };
    let mut back = NEAR;
    loop {
        let near = session.start.max(Lsn(from.0.saturating_sub(back)));
        // Where the log does not reach so far, what is before its end is of interest.
        let found = reader.find(session, near, from, |_, _| true)?;
        if let Some(at) = found {
            return follow(reader, session, at, from);
        }
        if near == session.start {
            // Within a record that is larger than the files that are left.
            return if from <= reader.end { Ok(()) } else { Err(lost(reader.folder(), reader.end, from)) };
        }
        back = back.saturating_mul(16);
    }
}

/// Goes from record to record, to `from`.
fn follow(reader: &mut Reader<'_>, session: &Session, mut at: Lsn, from: Lsn) -> Result<(), LogError> {
    while at < from {
        match reader.header(session, at)? {
            Some(header) if behind(at, &header) <= reader.end.min(from) => at = behind(at, &header),
            _ => return Err(lost(reader.folder(), at, from)),
        }
    }
    Ok(())
}

fn behind(at: Lsn, header: &Header) -> Lsn {
    Lsn(at.0 + HEADER as u64 + u64::from(header.length))
}

/// Reads across files.
struct Reader<'a> {
    files: &'a VecDeque<LogFile>,
    /// Where the bytes end that can be read.
    end: Lsn,
    window: Vec<u8>,
    /// Position of the window.
    start: Lsn,
}

impl Reader<'_> {
    fn new(files: &VecDeque<LogFile>) -> Reader<'_> {
        let gap = files.iter().zip(files.iter().skip(1)).find(|(file, next)| file.room_end() < next.start);
        let end = gap.map(|(file, _)| file).or(files.back()).map_or(Lsn(0), LogFile::room_end);
        Reader { files, end, window: Vec::new(), start: Lsn(0) }
    }

    fn folder(&self) -> &Path {
        let path = self.files[0].path().parent();
        path.unwrap_or(Path::new("."))
    }

    /// Bytes at `at`, which may be in several files.
    fn bytes(&mut self, at: Lsn, count: usize) -> Result<Option<&[u8]>, LogError> {
        let left = self.end.0.saturating_sub(at.0);
        if (count as u64) > left {
            return Ok(None);
        }
        if at < self.start || at.0 + count as u64 > self.start.0 + self.window.len() as u64 {
            self.window.resize(left.min(count.max(WINDOW) as u64) as usize, 0);
            self.start = at;
            self.fill()?;
        }
        let first = (at.0 - self.start.0) as usize;
        Ok(Some(&self.window[first..first + count]))
    }

    fn fill(&mut self) -> Result<(), LogError> {
        let (mut at, mut rest) = (self.start, &mut self.window[..]);
        while !rest.is_empty() {
            let next = self.files.partition_point(|file| file.start <= at);
            let file_end = self.files.get(next).map_or(self.end, |file| file.start);
            let count = rest.len().min((file_end.0 - at.0) as usize);
            let (now, later) = rest.split_at_mut(count);
            self.files[next - 1].read(now, at)?;
            (at, rest) = (Lsn(at.0 + count as u64), later);
        }
        Ok(())
    }

    fn header(&mut self, session: &Session, at: Lsn) -> Result<Option<Header>, LogError> {
        let bytes = self.bytes(at, HEADER)?;
        let header = bytes.and_then(|bytes| Header::read(session.number, at, bytes));
        Ok(header.filter(|header| behind(at, header) <= session.end))
    }

    /// The whole record at `at`: its header and its payload.
    fn record(&mut self, session: &Session, at: Lsn) -> Result<Option<(Header, &[u8])>, LogError> {
        let Some(header) = self.header(session, at)? else { return Ok(None) };
        let bytes = self.bytes(at, HEADER + header.length as usize)?;
        let payload = bytes.map(|bytes| &bytes[HEADER..]).filter(|payload| header.fits(payload));
        Ok(payload.map(|payload| (header, payload)))
    }

    /// Whether the record at `at` ends behind `durable`, so that not all of it was.
    fn goes_on(&mut self, session: &Session, at: Lsn, durable: Lsn) -> Result<bool, LogError> {
        let header = self.header(session, at)?;
        Ok(at.0 + HEADER as u64 > durable.0 || header.is_some_and(|header| behind(at, &header) > durable))
    }

    /// The first place in a range where a record begins that `is_it`.
    fn find(
        &mut self,
        session: &Session,
        mut at: Lsn,
        end: Lsn,
        mut is_it: impl FnMut(Lsn, &Header) -> bool,
    ) -> Result<Option<Lsn>, LogError> {
        while at < end {
            let left = self.end.0.saturating_sub(at.0).min(WINDOW as u64) as usize;
            let Some(bytes) = self.bytes(at, left)?.filter(|bytes| bytes.len() >= HEADER) else { break };
            let starts = bytes.len() - HEADER + 1;
            for (i, place) in bytes.windows(16).take(starts).enumerate() {
                let here = Lsn(at.0 + i as u64);
                if here >= end {
                    return Ok(None);
                }
                // Few bytes are their own position.
                if place[8..] == here.0.to_le_bytes()
                    && let Some(header) = Header::read(session.number, here, &bytes[i..])
                    && is_it(here, &header)
                {
                    return Ok(Some(here));
                }
            }
            at = Lsn(at.0 + starts as u64);
        }
        Ok(None)
    }

    /// What is behind the last record: nothing, parts of records that nobody was told of, or, with an error,
    /// a record that was appended when more was durable.
    fn tail(&mut self, session: &Session, at: Lsn) -> Result<Option<Cut>, LogError> {
        let (mut torn, mut durable) = (self.header(session, at)?.is_some(), at);
        self.find(session, Lsn(at.0 + 1), self.end, |_, header| {
            torn = true;
            durable = durable.max(header.durable);
            false
        })?;
        if durable > at {
            return Err(self.damaged(at, durable));
        }
        let file = self.file(at);
        Ok(torn.then(|| Cut { path: file.path().to_owned(), byte: file.byte(at) }))
    }

    fn file(&self, at: Lsn) -> &LogFile {
        &self.files[self.files.partition_point(|file| file.start <= at).max(1) - 1]
    }

    fn damaged(&self, at: Lsn, durable: Lsn) -> LogError {
        let file = self.file(at);
        LogError::Damaged { path: file.path().to_owned(), byte: file.byte(at), lost: durable.0 - at.0 }
    }
}

const _: () = assert!(HEADER < BLOCK as usize && HEADER < WINDOW);
