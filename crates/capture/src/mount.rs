//! Whether a directory can be captured.

use std::io;
use std::path::Path;

use leadline_fuse::{Place, PlaceError};

use crate::CaptureError;

/// What the source of our mounts begins with, in front of the directory: `mount` and `df` show it.
pub(crate) const KIND: &str = "leadline-capture:";

/// The directory to capture, ours until the value is gone.
pub(crate) fn prepare(folder: &Path) -> Result<Place, CaptureError> {
    let path = leadline_fuse::canonical(folder).map_err(|source| not_found(folder, source))?;
    // Before its place is taken: a name that is none would be a place, too.
    if path == Path::new("/") {
        return Err(CaptureError::Root { path });
    }
    let source = format!("{KIND}{}", path.display());
    let place = Place::take(path, KIND, &source).map_err(|error| match error {
        PlaceError::InUse { .. } => CaptureError::Captured { path: folder.to_owned() },
        PlaceError::Dead { path } => CaptureError::Dead { path },
        PlaceError::Io { path, source } => CaptureError::Io { path, source },
        error => CaptureError::Io { path: folder.to_owned(), source: io::Error::other(error) },
    })?;
    match std::fs::metadata(place.path()) {
        Ok(found) if found.is_dir() => Ok(place),
        Ok(_) => Err(CaptureError::NotAFolder { path: folder.to_owned() }),
        Err(source) => Err(not_found(folder, source)),
    }
}

fn not_found(folder: &Path, source: io::Error) -> CaptureError {
    let path = folder.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => CaptureError::NotAFolder { path },
        _ => CaptureError::Io { path, source },
    }
}

/// Refuses a file that would are in the captured directory.
pub(crate) fn check_outside(file: &Path, folder: &Path) -> Result<(), CaptureError> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match std::fs::canonicalize(parent) {
        Ok(parent) if parent.starts_with(folder) => {
            Err(CaptureError::Inside { file: file.to_owned(), folder: folder.to_owned() })
        }
        // A folder that does not exist is told when the file is made.
        _ => Ok(()),
    }
}
