//! Bytes of a trace: from a file, a pipe or memory, with compression seen through.

mod buffered;
mod lines;
mod records;

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_files::{Archive, ArchiveError, Decompressor};
use memchr::memchr;

use crate::{Recognition, TraceError};

pub(crate) use buffered::Buffered;
pub(crate) use lines::Lines;
pub(crate) use records::Records;

/// That many bytes are looked at to tell the format.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// The mark that some programs put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A trace's bytes, decompressed.
pub(crate) struct Input {
    /// The trace, for messages.
    pub(crate) name: String,
    /// The name of the file within, where it is an archive.
    pub(crate) inner: Option<String>,
    /// The first [`HEAD_BYTES`]; all there is where they are fewer. `reader` gives them again.
    pub(crate) head: Vec<u8>,
    pub(crate) reader: Box<dyn Read + Send>,
    pub(crate) meter: Meter,
    /// What ends a line, where this is a text.
    pub(crate) line_end: u8,
    /// How the format was told, once it is.
    pub(crate) recognition: Option<Recognition>,
}

impl Input {
    /// The file at `path`.
    pub(crate) fn file(path: &Path) -> Result<Input, TraceError> {
        let name = path.to_string_lossy();
        let failed = |source| TraceError::Io { path: name.clone().into_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        let total = found.is_file().then_some(found.len());
        match Archive::of(&file) {
            Ok(None) => Input::new(Box::new(file), &name, total),
            Ok(Some(archive)) => {
                let input = Input::unpacked(Box::new(file), &name, total, |counted| archive.open(counted))?;
                Ok(Input { inner: Some(archive.name().to_owned()), ..input })
            }
            Err(ArchiveError::Io(source)) => Err(failed(source)),
            Err(refused) => {
                Err(TraceError::Name { name: name.clone().into_owned(), reason: refused.to_string() })
            }
        }
    }

    /// What `reader` gives, `total` bytes where that is known.
    pub(crate) fn new(
        reader: Box<dyn Read + Send>,
        name: &str,
        total: Option<u64>,
    ) -> Result<Input, TraceError> {
        Input::unpacked(reader, name, total, Decompressor::new)
    }

    fn unpacked(
        reader: Box<dyn Read + Send>,
        name: &str,
        total: Option<u64>,
        unpack: impl FnOnce(CountingReader) -> std::io::Result<Decompressor>,
    ) -> Result<Input, TraceError> {
        let failed = |source| TraceError::Io { path: name.to_owned(), source };
        let read = Arc::new(AtomicU64::new(0));
        let counted = CountingReader { reader, read: Arc::clone(&read) };
        let reader = unpack(counted).map_err(failed)?;
        let compressed = reader.is_packed();
        let (head, reader) = peek(reader).map_err(failed)?;
        let meter = Meter { read, total, compressed };
        let line_end = match (memchr(b'\n', &head), memchr(b'\r', &head)) {
            (None, Some(_)) => b'\r',
            _ => b'\n',
        };
        Ok(Input { name: name.to_owned(), inner: None, head, reader, meter, line_end, recognition: None })
    }
}

/// How far a trace's file was read.
pub(crate) struct Meter {
    read: Arc<AtomicU64>,
    total: Option<u64>,
    compressed: bool,
}

impl Meter {
    /// Share of the file, 0 to 1.
    pub(crate) fn progress(&self) -> Option<f64> {
        let total = self.total? as f64;
        if total > 0.0 {
            Some((self.read.load(Ordering::Relaxed) as f64 / total).min(1.0))
        } else {
            Some(1.0)
        }
    }

    /// Bytes of the decompressed trace, where nobody has to decompress it to know.
    pub(crate) fn plain_bytes(&self) -> Option<u64> {
        self.total.filter(|_| !self.compressed)
    }
}

/// Counts what is read from the file itself.
struct CountingReader {
    reader: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let got = self.reader.read(buffer)?;
        self.read.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

/// The first [`HEAD_BYTES`], and a reader that still gives all bytes; of a text without its byte order mark.
fn peek(mut reader: impl Read + Send + 'static) -> std::io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let looked = reader.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head);
    match looked {
        // What comes before the fault is read first.
        Err(error) if head.is_empty() => return Err(error),
        Err(error) => {
            without_mark(&mut head);
            let again = Cursor::new(head.clone()).chain(Broken(Some(error)));
            return Ok((head, Box::new(again)));
        }
        Ok(_) => {}
    }
    without_mark(&mut head);
    let again = Cursor::new(head.clone()).chain(reader);
    Ok((head, Box::new(again)))
}

/// Takes the byte order mark off a text: it is no part of its first line.
fn without_mark(head: &mut Vec<u8>) {
    if head.starts_with(BYTE_ORDER_MARK) && memchr(0, head).is_none() {
        head.drain(..BYTE_ORDER_MARK.len());
    }
}

/// Fails as the file did, once.
struct Broken(Option<std::io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
