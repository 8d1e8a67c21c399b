//! Files out of the page cache: a scan then reads from the device.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, fadvise, fdatasync};

use crate::ProveError;

/// Files of relations, by the path of the first of each: those of further gigabytes, and the free-space and
/// visibility maps, have the same name with an ending.
pub(super) fn files(data: &Path, relations: &[PathBuf]) -> Result<Vec<PathBuf>, ProveError> {
    let mut files = Vec::new();
    for relation in relations {
        let first = data.join(relation);
        let (Some(folder), Some(name)) = (first.parent(), first.file_name()) else { continue };
        let list = |source| ProveError::io(folder, "listing it", source);
        for entry in fs::read_dir(folder).map_err(list)? {
            let entry = entry.map_err(list)?;
            let (found, name) = (entry.file_name(), name.to_string_lossy());
            let ending = found.to_str().and_then(|found| found.strip_prefix(name.as_ref()));
            if ending.is_some_and(|ending| ending.is_empty() || ending.starts_with(['.', '_'])) {
                files.push(entry.path());
            }
        }
    }
    Ok(files)
}

/// Makes files durable: what is dirty stays in the page cache whatever it is told.
pub(super) fn sync(files: &[PathBuf]) -> Result<(), ProveError> {
    for path in files {
        let synced = File::open(path).and_then(|file| Ok(fdatasync(&file)?));
        synced.map_err(|source| ProveError::io(path, "syncing it", source))?;
    }
    Ok(())
}

/// Takes files that are durable and not in use out of the page cache.
pub(super) fn drop(files: &[PathBuf]) -> Result<(), ProveError> {
    for path in files {
        let dropped = File::open(path).and_then(|file| Ok(fadvise(&file, 0, None, Advice::DontNeed)?));
        dropped.map_err(|source| ProveError::io(path, "taking it out of the page cache", source))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_has_all_its_files_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("base/5");
        fs::create_dir_all(&base).unwrap();
        for name in ["16384", "16384.1", "16384_vm", "163841", "1638", "16385"] {
            fs::write(base.join(name), "x").unwrap();
        }
        let mut found = files(folder.path(), &["base/5/16384".into()]).unwrap();
        found.sort();
        assert_eq!(found, ["16384", "16384.1", "16384_vm"].map(|name| base.join(name)));
        sync(&found).unwrap();
        drop(&found).unwrap();
        assert!(drop(&[base.join("gone")]).is_err());
    }
}
