//! What a command makes, to be taken away again where nothing came of it.

use std::fs;
use std::path::{Path, PathBuf};

/// A directory, before an index is made in it.
pub(super) struct Made {
    path: PathBuf,
    /// Whether the directory was there.
    was_there: bool,
    /// Whether anything was in it.
    was_used: bool,
}

impl Made {
    pub(super) fn of(path: &Path) -> Made {
        let entries = fs::read_dir(path);
        let was_there = fs::symlink_metadata(path).is_ok();
        let was_used = entries.is_ok_and(|mut entries| entries.next().is_some());
        Made { path: path.to_owned(), was_there, was_used }
    }

    /// Whether the index is one that the command makes.
    pub(super) fn is_new(&self) -> bool {
        !self.was_used
    }

    /// Takes away what was made since; nothing where something was there before.
    pub(super) fn remove(self) {
        if self.was_used {
            return;
        }
        // Nothing more can be done here than to try.
        if self.was_there {
            for file in fs::read_dir(&self.path).into_iter().flatten().flatten() {
                let _ = fs::remove_file(file.path());
            }
        } else {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
