//! A file that appears whole or not at all.

use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::GraphError;
use crate::format::folder;

/// Bytes of the buffer in front of a file.
pub(super) const BUFFER: usize = 256 << 10;

/// Written under a temporary name beside `target`, whose place it takes in [`NewFile::finish`].
#[derive(Debug)]
pub(super) struct NewFile {
    out: BufWriter<NamedTempFile>,
    /// As the user named it.
    path: PathBuf,
    /// The file to become: the end of `path` where that is a symbolic link.
    target: PathBuf,
}

impl NewFile {
    /// # Errors
    /// [`GraphError::Input`] where no file can be made there, or something that is no regular file would be replaced.
    pub(super) fn create(path: &Path) -> Result<NewFile, GraphError> {
        let refuse =
            |reason: String| GraphError::Input(format!("{}: {reason}; name another place", path.display()));
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match std::fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(refuse("is a folder, not a file".into())),
            Ok(found) if !found.is_file() => return Err(refuse("is no regular file".into())),
            _ => {}
        }
        let temporary =
            tempfile::Builder::new().prefix(".leadline-").suffix(".tmp").tempfile_in(folder(&target));
        // The message it comes with names the temporary file, which means nothing to the user.
        let file =
            temporary.map_err(|error| refuse(format!("its folder cannot be written: {}", error.kind())))?;
        Ok(NewFile { out: BufWriter::with_capacity(BUFFER, file), path: path.to_owned(), target })
    }

    /// An error of the system, with the user's name for the file.
    pub(super) fn failed(&self, error: io::Error) -> GraphError {
        GraphError::write(&self.path, error)
    }

    /// Brings the bytes to the disk and gives the file its name. Returns its size.
    pub(super) fn finish(self) -> Result<u64, GraphError> {
        let NewFile { out, path, target } = self;
        let keep = || -> io::Result<u64> {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            // A temporary file is private (0600); what it becomes is an ordinary document.
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
            file.as_file().sync_all()?;
            let bytes = file.as_file().metadata()?.len();
            file.persist(&target).map_err(|error| error.error)?;
            std::fs::File::open(folder(&target))?.sync_all()?;
            Ok(bytes)
        };
        keep().map_err(|error| GraphError::write(&path, error))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
