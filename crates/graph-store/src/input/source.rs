//! The bytes of an input: a file, decompressed where it is compressed, and counted as it is on the
//! device.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_files::{Archive, ArchiveError, Decompressor};
use rustix::fs::{Advice, fadvise};

use super::format::uncompressed;
use crate::GraphError;

/// An open input.
pub(super) struct Source {
    /// The file, for messages.
    pub(super) name: String,
    pub(super) meter: Meter,
    /// The name of the file within, where it is an archive.
    pub(super) inner: Option<String>,
    reader: Box<dyn Read + Send>,
    /// Where the bytes of the file are those of the input.
    pub(super) anywhere: Option<Anywhere>,
}

/// An input that can be read at any place.
pub(super) struct Anywhere {
    file: File,
    name: String,
}

impl Anywhere {
    /// Calls `each` with that many bytes from each of some places.
    pub(super) fn at_places(
        &self,
        places: impl Iterator<Item = u64>,
        bytes: usize,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), GraphError> {
        let Anywhere { file, name } = self;
        let mut buffer = vec![0; bytes];
        // What lies behind them is not wanted yet.
        let _ = fadvise(file, 0, None, Advice::Random);
        for place in places {
            file.read_exact_at(&mut buffer, place).map_err(|error| GraphError::read(name, error))?;
            each(&buffer);
        }
        let _ = fadvise(file, 0, None, Advice::Sequential);
        Ok(())
    }
}

/// How far an input was read, in bytes of its file.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter {
    read: Arc<AtomicU64>,
    total: Option<u64>,
}

impl Meter {
    pub(super) fn progress(&self) -> (u64, Option<u64>) {
        (self.read.load(Ordering::Relaxed), self.total)
    }

    pub(super) fn total(&self) -> Option<u64> {
        self.total
    }
}

impl Source {
    /// A text: compression is told by its first bytes, which no text begins with.
    pub(super) fn text(path: &Path) -> Result<Source, GraphError> {
        Source::open(path, true)
    }

    /// A binary file, whose first bytes may be anything: only its ending tells compression. The flag says
    /// whether it did.
    pub(super) fn binary(path: &Path) -> Result<(Source, bool), GraphError> {
        let (_, compressed) = uncompressed(path);
        Ok((Source::open(path, compressed)?, compressed))
    }

    fn open(path: &Path, decompress: bool) -> Result<Source, GraphError> {
        let name = path.display().to_string();
        let failed = |error| GraphError::read(&name, error);
        let file = open_file(path)?;
        let found = file.metadata().map_err(failed)?;
        if found.is_dir() {
            return Err(GraphError::path(path, "is a directory; name a file of edges"));
        }
        // Only advice: a pipe takes none.
        let _ = fadvise(&file, 0, None, Advice::Sequential);
        let meter = Meter { read: Arc::default(), total: found.is_file().then_some(found.len()) };
        let own = file.try_clone().map_err(failed)?;
        let archive = if decompress { archive_of(&file, path)? } else { None };
        let counted = Box::new(Counted { file, read: Arc::clone(&meter.read) });
        let (reader, is_compressed): (Box<dyn Read + Send>, bool) = if decompress {
            let reader = match &archive {
                Some(archive) => archive.open(counted),
                None => Decompressor::new(counted),
            };
            let reader = reader.map_err(failed)?;
            let is_compressed = reader.is_packed();
            (Box::new(reader), is_compressed)
        } else {
            (counted, false)
        };
        let anywhere =
            (found.is_file() && !is_compressed).then(|| Anywhere { file: own, name: name.clone() });
        let inner = archive.map(|archive| archive.name().to_owned());
        Ok(Source { name, anywhere, meter, inner, reader })
    }

    /// Fills `buffer` as far as there is something to fill it with; less than its length only at the end.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, GraphError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(got) => filled += got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(GraphError::read(&self.name, error)),
            }
        }
        Ok(filled)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// The one file of an archive, if a file of the user's is one.
pub(crate) fn archive_of(file: &File, path: &Path) -> Result<Option<Archive>, GraphError> {
    Archive::of(file).map_err(|error| match error {
        ArchiveError::Io(error) => GraphError::read(&path.display().to_string(), error),
        refused => GraphError::path(path, refused.to_string()),
    })
}

/// Opens a file of the user's.
pub(super) fn open_file(path: &Path) -> Result<File, GraphError> {
    File::open(path).map_err(|error| GraphError::opening(path, error))
}

struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read(buffer)?;
        self.read.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}
