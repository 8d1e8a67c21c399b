//! Where a database is: an index in a directory of its own, made here, and never anybody else's.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use leadline_device::guard::{check_directory, check_space};
use leadline_index::{Index, IndexError, Options};

use crate::database::Database;

/// Name of the index in the directory that is given.
const NAME: &str = "leadline-tpcc.index";

/// Where the database in `dir` is.
pub fn path(dir: &Path) -> PathBuf {
    dir.join(NAME)
}

/// Makes an empty index in `dir`, where `bytes` must be free. With `replace`, a database that is there
/// already goes first.
///
/// # Errors
/// One line: where the directory cannot be written or has too little room, or an index is there already, or
/// in `replace`'s case one that is not a database of ours or is in use.
pub fn create(dir: &Path, bytes: u64, replace: bool, options: &Options) -> Result<Index, String> {
    check_directory(dir).map_err(|error| error.to_string())?;
    let path = path(dir);
    if fs::symlink_metadata(&path).is_ok() {
        if !replace {
            return Err(format!("{}: is there already; --replace loads it anew", path.display()));
        }
        let earlier = open(dir, &Options::default())?;
        if !Database::is_in(&earlier).map_err(|error| error.to_string())? {
            return Err(format!("{}: is no TPC-C database of Leadline's; move it away", path.display()));
        }
        drop(earlier);
        remove(dir).map_err(|error| format!("{}: replacing it failed: {error}", path.display()))?;
    }
    check_space(dir, bytes).map_err(|error| error.to_string())?;
    Index::open_with(path, options).map_err(|error| error.to_string())
}

/// Opens the index in `dir`.
///
/// # Errors
/// One line: where there is none, or it is in use, or damaged.
pub fn open(dir: &Path, options: &Options) -> Result<Index, String> {
    let path = path(dir);
    Index::open_with(&path, &options.clone().create(false)).map_err(|error| match error {
        IndexError::NotThere { .. } => {
            format!("{}: is not there; make it with `tpcc load --dir {}`", path.display(), dir.display())
        }
        error => error.to_string(),
    })
}

/// Removes the index in `dir`, which must not be open, and nothing else.
///
/// # Errors
/// The operating system's; also where the index's directory holds something else.
pub fn remove(dir: &Path) -> io::Result<()> {
    let path = path(dir);
    for entry in fs::read_dir(&path)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_ours = name == b"index" || name == b"pages" || name.ends_with(b".log");
        if is_ours || name.starts_with(b"spare-") {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir(&path)
}
