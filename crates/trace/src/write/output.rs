//! A file that appears whole or not at all, compressed as its ending says.

use std::io::{BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use tempfile::NamedTempFile;

use crate::TraceError;

const BUFFER_BYTES: usize = 128 << 10;

/// Levels: what the tools take by default.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;
const XZ_PRESET: u32 = 6;

/// Where a trace is written to: a file, or standard output.
///
/// A file is written under a temporary name beside it and takes its own in [`Output::finish`], on the disk by then; until
/// that, and if it is dropped instead, what was there stays as it is.
pub struct Output {
    sink: Sink,
    /// The file to become, and its folder.
    target: Option<PathBuf>,
    name: String,
}

enum Sink {
    Plain(BufWriter<Raw>),
    Gzip(Box<GzEncoder<BufWriter<Raw>>>),
    Zstd(zstd::Encoder<'static, BufWriter<Raw>>),
    Xz(Box<XzWriter<BufWriter<Raw>>>),
}

enum Raw {
    File(NamedTempFile),
    Stdout(Stdout),
}

impl Output {
    /// A file at `path`, compressed where that ends in `.gz`, `.zst` or `.xz`. A symbolic link is followed.
    ///
    /// # Errors
    /// [`TraceError::Io`] where no file can be made there, or something that is no regular file would be replaced.
    pub fn file(path: &Path) -> Result<Output, TraceError> {
        let name = path.display().to_string();
        let make = || -> std::io::Result<Output> {
            let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            if std::fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
                return Err(std::io::Error::other("is no regular file; name another place"));
            }
            let file = temporary(folder(&target))?;
            let raw = BufWriter::with_capacity(BUFFER_BYTES, Raw::File(file));
            Ok(Output { sink: Sink::new(raw, path)?, target: Some(target), name: name.clone() })
        };
        make().map_err(|source| TraceError::Io { path: name.clone(), source })
    }

    /// Standard output, not compressed.
    pub fn stdout() -> Output {
        let raw = BufWriter::with_capacity(BUFFER_BYTES, Raw::Stdout(std::io::stdout()));
        Output { sink: Sink::Plain(raw), target: None, name: "stdout".to_owned() }
    }

    /// The output, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Ends the compression, brings a file to the disk and gives it its name.
    ///
    /// # Errors
    /// [`TraceError::Io`]; no file is left then.
    pub fn finish(self) -> Result<(), TraceError> {
        let Output { sink, target, name } = self;
        let finish = || -> std::io::Result<()> {
            let raw = sink.finish()?.into_inner().map_err(|error| error.into_error())?;
            match (raw, target) {
                (Raw::File(file), Some(target)) => keep(file, &target),
                (Raw::File(_), None) => Ok(()),
                (Raw::Stdout(mut stdout), _) => stdout.flush(),
            }
        };
        finish().map_err(|source| TraceError::Io { path: name, source })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.sink {
            Sink::Plain(out) => out.write(bytes),
            Sink::Gzip(out) => out.write(bytes),
            Sink::Zstd(out) => out.write(bytes),
            Sink::Xz(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.sink {
            Sink::Plain(out) => out.flush(),
            Sink::Gzip(out) => out.flush(),
            Sink::Zstd(out) => out.flush(),
            Sink::Xz(out) => out.flush(),
        }
    }
}

impl Sink {
    fn new(raw: BufWriter<Raw>, path: &Path) -> std::io::Result<Sink> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        Ok(match ending.to_ascii_lowercase().as_str() {
            "gz" => Sink::Gzip(Box::new(GzEncoder::new(raw, flate2::Compression::new(GZIP_LEVEL)))),
            "zst" => {
                let mut encoder = zstd::Encoder::new(raw, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Sink::Zstd(encoder)
            }
            "xz" => Sink::Xz(Box::new(XzWriter::new(raw, XzOptions::with_preset(XZ_PRESET))?)),
            _ => Sink::Plain(raw),
        })
    }

    fn finish(self) -> std::io::Result<BufWriter<Raw>> {
        match self {
            Sink::Plain(out) => Ok(out),
            Sink::Gzip(out) => out.finish(),
            Sink::Zstd(out) => out.finish(),
            Sink::Xz(out) => out.finish(),
        }
    }
}

impl Write for Raw {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Raw::File(file) => file.write(bytes),
            Raw::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Raw::File(file) => file.flush(),
            Raw::Stdout(stdout) => stdout.flush(),
        }
    }
}

fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A file beside the one it will become.
fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".leadline-").suffix(".tmp").tempfile_in(folder).map_err(|error| {
        // The message it comes with names the temporary file, which means nothing to the user.
        let text = format!("its folder cannot be written: {}; name another place", error.kind());
        std::io::Error::new(error.kind(), text)
    })
}

/// Gives the temporary file its name, when its bytes are on the disk.
fn keep(file: NamedTempFile, target: &Path) -> std::io::Result<()> {
    // A temporary file is private (0600); what it becomes is an ordinary document.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    std::fs::File::open(folder(target))?.sync_all()
}
