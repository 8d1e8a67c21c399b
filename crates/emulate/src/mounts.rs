//! Whether directories can be used, and which drive is mounted on one.

use std::io;
use std::path::{Path, PathBuf};

use leadline_fuse::{Place, PlaceError, mounted_at};

use crate::EmulateError;

/// What the source of our mounts begins with, in front of the backing directory: `mount` and `df` show it.
const KIND: &str = "leadline:";

/// What a drive on this backing directory is mounted from.
pub(crate) fn source(backing: &Path) -> String {
    format!("{KIND}{}", backing.display())
}

/// The directory to mount on, ours until the value is gone: an empty directory with nothing mounted there.
pub(crate) fn prepare(mount: &Path, backing: &Path) -> Result<Place, EmulateError> {
    let path = leadline_fuse::canonical(mount).map_err(|source| not_found(mount, source))?;
    check_apart(&path, backing)?;
    let in_use = || EmulateError::InUse { path: mount.to_owned() };
    let place = Place::take(path, KIND, &source(backing)).map_err(|error| match error {
        PlaceError::Io { path, source } => EmulateError::Io { path, source },
        _ => in_use(),
    })?;
    folder(place.path()).map_err(|error| match error {
        EmulateError::NotADirectory { .. } => EmulateError::NotADirectory { path: mount.to_owned() },
        error => error,
    })?;
    let io = |source| EmulateError::Io { path: mount.to_owned(), source };
    if mounted_at(place.path()).map_err(io)?.is_some() {
        return Err(in_use());
    }
    if std::fs::read_dir(place.path()).map_err(io)?.next().is_some() {
        return Err(EmulateError::NotEmpty { path: mount.to_owned() });
    }
    Ok(place)
}

/// The canonical path of a directory.
pub(crate) fn folder(path: &Path) -> Result<PathBuf, EmulateError> {
    let canonical = std::fs::canonicalize(path).map_err(|source| not_found(path, source))?;
    if !canonical.is_dir() {
        return Err(EmulateError::NotADirectory { path: path.to_owned() });
    }
    Ok(canonical)
}

fn not_found(path: &Path, source: io::Error) -> EmulateError {
    match source.kind() {
        io::ErrorKind::NotFound => EmulateError::NotADirectory { path: path.to_owned() },
        _ => EmulateError::Io { path: path.to_owned(), source },
    }
}

/// Refuses directories of which one holds the other.
fn check_apart(one: &Path, other: &Path) -> Result<(), EmulateError> {
    let nested = |inner: &Path, outer: &Path| {
        Err(EmulateError::Nested { inner: inner.to_owned(), outer: outer.to_owned() })
    };
    if one.starts_with(other) {
        return nested(one, other);
    }
    if other.starts_with(one) {
        return nested(other, one);
    }
    Ok(())
}

/// Whether an emulated drive is mounted at the path.
pub(crate) fn is_mounted(path: &Path) -> bool {
    leadline_fuse::is_mounted(path, KIND).unwrap_or(false)
}

/// The device number of an emulated drive's mount, which its control socket is named after. The mount itself
/// is not asked.
pub(crate) fn device_number(path: &Path) -> Result<u64, EmulateError> {
    let mounted = leadline_fuse::canonical(path)
        .and_then(|path| Ok(if leadline_fuse::is_mounted(&path, KIND)? { mounted_at(&path)? } else { None }));
    let mount = mounted.ok().flatten();
    mount
        .map(|mount| leadline_fuse::device_number(&mount))
        .ok_or_else(|| EmulateError::NotMounted { path: path.to_owned() })
}
