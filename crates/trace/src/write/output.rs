//! A file that appears whole or not at all, compressed as its ending says; or standard output.

use std::fmt;
use std::io::{BufWriter, Stdout, Write};
use std::path::Path;

use leadline_files::{Compression, Compressor, NewFile};

use crate::TraceError;

const BUFFER_BYTES: usize = 128 << 10;

/// Where a trace is written to: a file, or standard output.
///
/// A file takes its name in [`Output::finish`], when all of it is on the disk. Until then, and if it is
/// dropped instead, what was there stays as it is.
pub struct Output {
    sink: Sink,
    name: String,
}

enum Sink {
    File(Box<Compressor<NewFile>>),
    Stdout(BufWriter<Stdout>),
}

impl Output {
    /// A file at `path`, compressed if that ends in `.gz`, `.bz2`, `.zst` or `.xz`. A symbolic link is
    /// followed.
    ///
    /// # Errors
    /// [`TraceError::Write`] where no file can be made there, or something other than a regular file would be
    /// replaced.
    pub fn file(path: impl AsRef<Path>) -> Result<Output, TraceError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = NewFile::create(path)?;
        let compressor = Compressor::new(file, Compression::of_ending(path))
            .map_err(|source| TraceError::Io { path: name.clone(), source })?;
        Ok(Output { sink: Sink::File(Box::new(compressor)), name })
    }

    /// Standard output, not compressed.
    pub fn stdout() -> Output {
        let out = BufWriter::with_capacity(BUFFER_BYTES, std::io::stdout());
        Output { sink: Sink::Stdout(out), name: "stdout".to_owned() }
    }

    /// The output, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Ends the compression, brings a file to the disk and gives it its name.
    ///
    /// # Errors
    /// [`TraceError::Write`] or [`TraceError::Io`]; no new file is left then.
    pub fn finish(self) -> Result<(), TraceError> {
        let Output { sink, name } = self;
        let failed = |source| TraceError::Io { path: name, source };
        match sink {
            Sink::File(compressor) => compressor.finish().map_err(failed)?.finish().map(drop)?,
            Sink::Stdout(mut out) => out.flush().map_err(failed)?,
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.sink {
            Sink::File(out) => out.write(bytes),
            Sink::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.sink {
            Sink::File(out) => out.flush(),
            Sink::Stdout(out) => out.flush(),
        }
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("name", &self.name).finish_non_exhaustive()
    }
}
