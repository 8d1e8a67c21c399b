//! A database that was filled once, and as many copies as there are runs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ProveError;

/// The ending of files that RocksDB writes once, and then only reads and removes.
const WRITTEN_ONCE: &str = "sst";

/// A database that nobody opens.
pub(super) struct Snapshot {
    path: PathBuf,
}

impl Snapshot {
    /// Moves a database that is closed to `to`.
    pub(super) fn take(database: &Path, to: PathBuf) -> Result<Snapshot, ProveError> {
        fs::rename(database, &to).map_err(|source| ProveError::io(database, "moving a database", source))?;
        Ok(Snapshot { path: to })
    }

    /// Makes a copy at `database`, where there is none. Large files are the same on disk, under two names.
    pub(super) fn restore(&self, database: &Path) -> Result<(), ProveError> {
        let copying = |source| ProveError::io(database, "copying a database", source);
        fs::create_dir(database).map_err(copying)?;
        for entry in fs::read_dir(&self.path).map_err(copying)? {
            let from = entry.map_err(copying)?.path();
            let Some(name) = from.file_name().filter(|_| from.is_file()) else { continue };
            let to = database.join(name);
            let copied = match from.extension() {
                Some(ending) if ending == WRITTEN_ONCE => fs::hard_link(&from, &to),
                _ => fs::copy(&from, &to).map(drop),
            };
            copied.map_err(copying)?;
        }
        Ok(())
    }

    /// Removes it.
    pub(super) fn remove(self) -> Result<(), ProveError> {
        fs::remove_dir_all(&self.path)
            .map_err(|source| ProveError::io(&self.path, "removing a database", source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_can_be_changed_and_the_next_is_as_before() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("db");
        fs::create_dir(&database).unwrap();
        fs::write(database.join("1.sst"), "pairs").unwrap();
        fs::write(database.join("CURRENT"), "1").unwrap();
        let snapshot = Snapshot::take(&database, folder.path().join("base")).unwrap();
        assert!(!database.exists());
        for _ in 0..2 {
            snapshot.restore(&database).unwrap();
            assert_eq!(fs::read_to_string(database.join("1.sst")).unwrap(), "pairs");
            assert_eq!(fs::read_to_string(database.join("CURRENT")).unwrap(), "1");
            fs::write(database.join("CURRENT"), "2").unwrap();
            fs::remove_dir_all(&database).unwrap();
        }
        snapshot.remove().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
