//! Files in and out of the page cache.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use rustix::fs::{Advice, fadvise, fdatasync};

use crate::ProveError;

/// Makes files durable: what is dirty stays in the page cache whatever it is told.
pub(crate) fn sync(files: &[PathBuf]) -> Result<(), ProveError> {
    for path in files {
        let synced = File::open(path).and_then(|file| Ok(fdatasync(&file)?));
        synced.map_err(|source| ProveError::io(path, "syncing it", source))?;
    }
    Ok(())
}

/// Takes files that are durable and not in use out of the page cache.
pub(crate) fn drop(files: &[PathBuf]) -> Result<(), ProveError> {
    for path in files {
        let dropped = File::open(path).and_then(|file| Ok(fadvise(&file, 0, None, Advice::DontNeed)?));
        dropped.map_err(|source| ProveError::io(path, "taking it out of the page cache", source))?;
    }
    Ok(())
}

/// Reads files into the page cache, as far as they fit.
pub(crate) fn warm(files: &[PathBuf]) -> Result<(), ProveError> {
    for path in files {
        let read = File::open(path).and_then(|mut file| io::copy(&mut file, &mut io::sink()));
        read.map_err(|source| ProveError::io(path, "reading it", source))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_there_are_taken_and_others_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        for act in [sync, drop, warm] {
            act(std::slice::from_ref(&file)).unwrap();
            let error = act(&[file.clone(), folder.path().join("gone")]).unwrap_err();
            assert!(error.to_string().contains("gone"), "{error}");
        }
    }
}
