//! What killed runs left, removed.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::geteuid;

use super::TEMPORARY_PREFIX;
use crate::guard::{GuardError, io_error, lock, verify};

pub(super) fn sweep(dir: &Path) -> Result<Vec<PathBuf>, GuardError> {
    let mut removed = Vec::new();
    for entry in fs::read_dir(dir).map_err(|source| io_error("listing it", dir, source))? {
        let entry = entry.map_err(|source| io_error("listing it", dir, source))?;
        if !entry.file_name().to_str().is_some_and(is_temporary_name) {
            continue;
        }
        let path = entry.path();
        let Some(file) = leftover(&path) else { continue };
        match fs::remove_file(&path) {
            Ok(()) => removed.push(path),
            // Another Leadline swept at the same time.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(io_error("removing a killed run's scratch file", &path, source)),
        }
        drop(file); // the lock is held until the name is gone
    }
    Ok(removed)
}

/// The prefix and exactly eight lower-case hexadecimal digits.
fn is_temporary_name(name: &str) -> bool {
    let Some(id) = name.strip_prefix(TEMPORARY_PREFIX) else { return false };
    id.len() == 8 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The file, open and locked, if it is ours and nobody works on it. Whatever is in doubt is not.
fn leftover(path: &Path) -> Option<File> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.uid() != geteuid().as_raw() {
        return None;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty()).ok()?);
    verify(&file, path).ok()?;
    lock(&file, path).ok()?;
    let opened = file.metadata().ok()?;
    let same = (opened.dev(), opened.ino()) == (metadata.dev(), metadata.ino());
    same.then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_name_is_ours() {
        assert!(is_temporary_name(".leadline-scratch-0123abcd"));
        for name in [
            "leadline-scratch.dat",
            ".leadline-scratch-",
            ".leadline-scratch-0123abc",
            ".leadline-scratch-0123abcde",
            ".leadline-scratch-0123ABCD",
            ".leadline-scratch-0123abcg",
            "x.leadline-scratch-0123abcd",
        ] {
            assert!(!is_temporary_name(name), "{name}");
        }
    }
}
