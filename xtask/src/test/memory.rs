//! Files of tests in memory: many tests write and sync what has nothing to do with a disk, and on a disk that
//! other tests measure and databases use they wait for it most of their time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use rustix::fs::statvfs;
use tempfile::TempDir;

use super::queue::Job;

/// Programs, by their labels, whose temporary files may be in memory. What they test of a disk is in target.
const PROGRAMS: [&str; 2] = ["crates/graph all", "crates/index all"];

/// Where Linux has a file system in memory.
const MEMORY: &str = "/dev/shm";

/// Several times what these programs have at the same time.
const LEAST_BYTES: u64 = 4 << 30;

/// The names of our directories; the number of the process follows.
const PREFIX: &str = "leadline-tests-";

/// A directory in memory, which is removed in the end.
#[derive(Debug)]
pub(super) struct Memory(TempDir);

impl Memory {
    /// None where there is too little room, or no such file system.
    pub(super) fn new() -> Option<Memory> {
        let space = statvfs(MEMORY).ok()?;
        let available = space.f_bavail.saturating_mul(space.f_frsize);
        remove_left_behind(Path::new(MEMORY));
        let make =
            || tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", process::id())).tempdir_in(MEMORY);
        (available >= LEAST_BYTES).then(make)?.ok().map(Memory)
    }

    /// Has these programs' temporary files in it, if they may be in memory.
    pub(super) fn lend(&self, jobs: &mut [Job]) {
        for job in jobs {
            let label = job.label();
            if PROGRAMS
                .iter()
                .any(|program| label == *program || label.starts_with(&format!("{program}, part")))
            {
                job.command.env("TMPDIR", self.0.path());
            }
        }
    }
}

/// Removes the directories of runs that were killed.
fn remove_left_behind(memory: &Path) {
    let entries = fs::read_dir(memory).into_iter().flatten().flatten();
    let is_left = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let id = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
        id.is_some_and(|id| !Path::new("/proc").join(id).exists())
    };
    for path in entries.map(|entry| entry.path()).filter(is_left) {
        // Another user's, or gone meanwhile.
        let _ = fs::remove_dir_all(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_runs_that_were_killed_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        // Beyond the largest number of a process.
        let [left, ours, other] =
            [format!("{PREFIX}4194305-a"), format!("{PREFIX}{}-b", process::id()), "c".into()]
                .map(|name| folder.path().join(name));
        for path in [&left, &ours, &other] {
            fs::create_dir(path).unwrap();
        }
        remove_left_behind(folder.path());
        assert_eq!([left.exists(), ours.exists(), other.exists()], [false, true, true]);
    }
}
