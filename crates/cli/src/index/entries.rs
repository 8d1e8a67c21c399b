//! Entries of a file or of standard input, one after the other.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_files::{Archive, ArchiveError, Decompressor};
use leadline_index::IndexError;
use leadline_text::{BYTE_ORDER_MARK, Fields, LineEnd};
use serde::Serialize;

use super::keys::{TypeArgs, is_integer};
use super::reading::{Columns, ReadingArgs, Unread};
use crate::failure::Failure;
use crate::paths::ChangesName;

/// Bytes in which it is looked what a file is.
const HEAD_BYTES: u64 = 1 << 20;

/// Bytes of a line at most: a value of 1 GiB as hex, and a key.
const LINE_BYTES: u64 = (2 << 30) + (1 << 20);

const BUFFER_BYTES: usize = 1 << 20;

/// A key and its value.
pub(super) type Entry = (Vec<u8>, Vec<u8>);

/// Lines that hold no entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct SkippedLines {
    /// Of `--skip`.
    pub(super) as_asked: u64,
    pub(super) header: u64,
    pub(super) comments: u64,
    pub(super) blank: u64,
}

/// Reads entries.
pub(super) struct Entries {
    name: String,
    reader: BufReader<Box<dyn Read + Send>>,
    /// What ends lines.
    end: u8,
    columns: Option<Columns>,
    types: TypeArgs,
    /// The line that was read last, and its number.
    line: Vec<u8>,
    number: u64,
    read: Arc<AtomicU64>,
    total: Option<u64>,
    pub(super) skipped: SkippedLines,
    /// The line that names columns is still to come.
    header_is_due: bool,
    /// The first key as it is written, until one comes that is no integer.
    first_integer: Option<Vec<u8>>,
    /// Entries that were read.
    pub(super) entries: u64,
}

/// Counts what passes.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.read.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

impl Entries {
    /// Opens a file, also compressed or alone in an archive, or standard input, and looks what it is.
    ///
    /// # Errors
    /// [`Failure::Input`]: it cannot be read, or in two ways.
    pub(super) fn open(input: &ChangesName, reading: &ReadingArgs) -> Result<Entries, Failure> {
        let name = input.to_string();
        let read = Arc::new(AtomicU64::new(0));
        let (mut reader, total) = open(input, &name, &read)?;
        let (mut head, whole) = head(&mut reader).map_err(|error| unreadable(&name, &error))?;
        let (columns, end) = match reading.scanned {
            true => (None, b'\n'),
            false => {
                let columns = reading.columns(&head, whole, &ending(Path::new(&**input)));
                let columns = columns.map_err(|Unread { line, what }| match line {
                    Some(line) => Failure::Input(format!("{name}: line {line}: {what}")),
                    None => Failure::Input(format!("{name}: {what}")),
                })?;
                let end = if columns.dialect.line_end == LineEnd::Cr { b'\r' } else { b'\n' };
                (Some(columns), end)
            }
        };
        let begin = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        head.drain(..begin);
        let reader: Box<dyn Read + Send> = Box::new(Cursor::new(head).chain(reader));
        let header_is_due = columns.as_ref().is_some_and(|columns| columns.dialect.header.is_some());
        Ok(Entries {
            name,
            reader: BufReader::with_capacity(BUFFER_BYTES, reader),
            end,
            columns,
            types: reading.types(),
            line: Vec::new(),
            number: 0,
            read,
            total,
            skipped: SkippedLines::default(),
            header_is_due,
            first_integer: None,
            entries: 0,
        })
    }

    /// Refuses a file whose keys, as far as they were read, could be integers or text.
    ///
    /// # Errors
    /// [`Failure::Input`] with both options.
    pub(super) fn check_decided(&self) -> Result<(), Failure> {
        let keys = self.first_integer.iter().map(Vec::as_slice);
        self.types.check_decided(keys).map_err(|what| Failure::Input(format!("{}: {what}", self.name)))
    }

    /// How the file is read, in words.
    pub(super) fn words(&self) -> String {
        let (keys, values) = self.types.words();
        let lines = match &self.columns {
            Some(columns) => columns.words(),
            None => "as `leadline index scan` prints".to_owned(),
        };
        format!("{lines}; keys are {keys}, values {values}")
    }

    /// Bytes read of the file, and how many it has.
    pub(super) fn progress(&self) -> (u64, Option<u64>) {
        (self.read.load(Ordering::Relaxed), self.total)
    }

    /// The next entry.
    ///
    /// # Errors
    /// [`Failure::Input`] names the line that holds none.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, Failure> {
        let Some((written, value)) = self.next_written()? else { return Ok(None) };
        if self.entries == 0 {
            self.first_integer = Some(written.clone());
        }
        if self.first_integer.is_some() && !is_integer(&written) {
            self.first_integer = None;
        }
        self.entries += 1;
        match (self.types.key(&written), self.types.value(&value)) {
            (Ok(key), Ok(value)) => Ok(Some((key, value))),
            (Err(what), _) | (_, Err(what)) => Err(self.refused(&what)),
        }
    }

    /// The next key and value as they are written.
    fn next_written(&mut self) -> Result<Option<Entry>, Failure> {
        loop {
            if !self.read_line()? {
                return Ok(None);
            }
            let Some(columns) = &self.columns else {
                let Some(at) = self.line.iter().position(|byte| *byte == b'\t') else {
                    return Err(self.refused("has no tab between a key and its value"));
                };
                return Ok(Some((self.line[..at].to_vec(), self.line[at + 1..].to_vec())));
            };
            if self.number <= columns.skip {
                self.skipped.as_asked += 1;
            } else if self.line.iter().all(u8::is_ascii_whitespace) {
                self.skipped.blank += 1;
            } else if columns.dialect.is_comment(&self.line) {
                self.skipped.comments += 1;
            } else if self.header_is_due {
                self.header_is_due = false;
                self.skipped.header += 1;
            } else {
                let entry = fields(&self.line, columns).map_err(|what| self.refused(&what))?;
                return Ok(Some(entry));
            }
        }
    }

    /// Reads the next line without its end; whether there was one.
    fn read_line(&mut self) -> Result<bool, Failure> {
        self.line.clear();
        let mut limited = (&mut self.reader).take(LINE_BYTES);
        limited.read_until(self.end, &mut self.line).map_err(|error| unreadable(&self.name, &error))?;
        self.number += 1;
        match self.line.last() {
            None => return Ok(false),
            Some(last) if *last == self.end => drop(self.line.pop()),
            Some(_) if self.line.len() as u64 == LINE_BYTES => {
                return Err(self.refused("is longer than 2 GiB; no key and value are"));
            }
            Some(_) => {}
        }
        // What `scan` prints has no such byte but at the end of a line from elsewhere.
        if self.end == b'\n' && self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(true)
    }

    /// The number of the line that was read last.
    pub(super) fn line(&self) -> u64 {
        self.number
    }

    /// That the last line holds no entry.
    fn refused(&self, what: &str) -> Failure {
        Failure::Input(format!("{}: line {}: {what}", self.name, self.number))
    }

    /// That the index does not take the entry of a line.
    pub(super) fn not_taken(&self, line: u64, error: IndexError) -> Failure {
        match Failure::from(error) {
            Failure::Input(what) => Failure::Input(format!("{}: line {line}: {what}", self.name)),
            other => other,
        }
    }
}

/// The first bytes of a file, with one line at least, and whether these are all.
fn head(reader: &mut dyn Read) -> io::Result<(Vec<u8>, bool)> {
    let mut head = Vec::new();
    let mut wanted = HEAD_BYTES;
    loop {
        reader.take(wanted - head.len() as u64).read_to_end(&mut head)?;
        let whole = (head.len() as u64) < wanted;
        if whole || wanted > LINE_BYTES || head.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return Ok((head, whole));
        }
        wanted *= 2;
    }
}

/// The key and the value of a line.
fn fields(line: &[u8], columns: &Columns) -> Result<Entry, String> {
    let (mut key, mut value, mut count) = (None, None, 0);
    let mut fields = Fields::new(line, columns.dialect.delimiter);
    while let Some(field) = fields.next_field()? {
        match count {
            at if at == columns.key => key = Some(field.into_owned()),
            at if at == columns.value => value = Some(field.into_owned()),
            _ => {}
        }
        count += 1;
    }
    let expected = columns.dialect.columns;
    if count != expected {
        return Err(format!("columns: {count}, and {expected} were expected"));
    }
    match (key, value) {
        (Some(key), _) if key.is_empty() => {
            Err("its key is empty; give it one, or leave the line out".to_owned())
        }
        (Some(key), Some(value)) => Ok((key, value)),
        _ => Err(format!("columns: {count}, and no key and value")),
    }
}

/// `csv` of `words.CSV.gz`.
fn ending(path: &Path) -> String {
    let plain = match leadline_files::Compression::of_ending(path) {
        Some(_) => path.with_extension(""),
        None => path.to_owned(),
    };
    plain.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

type Opened = (Box<dyn Read + Send>, Option<u64>);

fn open(input: &ChangesName, name: &str, read: &Arc<AtomicU64>) -> Result<Opened, Failure> {
    let failed = |error: io::Error| unreadable(name, &error);
    let read = Arc::clone(read);
    if input.is_standard_input() {
        if crate::console::call().is_some() {
            let what = "standard input is for the command line; name a file";
            return Err(Failure::Input(format!("{name}: {what}")));
        }
        let reader = Decompressor::new(Counted { inner: io::stdin(), read }).map_err(failed)?;
        return Ok((Box::new(reader), None));
    }
    let file = File::open(&**input).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if found.is_dir() {
        return Err(Failure::Input(format!("{name}: is a directory; name a file of keys and values")));
    }
    let archive = Archive::of(&file).map_err(|error| match error {
        ArchiveError::Io(error) => failed(error),
        ArchiveError::Refused(what) => Failure::Input(format!("{name}: {what}")),
        error => Failure::Input(format!("{name}: {error}")),
    })?;
    let counted = Counted { inner: file, read };
    let reader = match archive {
        Some(archive) => archive.open(Box::new(counted)),
        None => Decompressor::new(counted),
    };
    Ok((Box::new(reader.map_err(failed)?), found.is_file().then_some(found.len())))
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::Input(format!("{name}: {error}"))
}
