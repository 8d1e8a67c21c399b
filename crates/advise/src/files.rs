//! The files of a configuration: the named file, and the files that it includes.

use std::cell::Cell;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::AdviseError;

/// The largest file that is read: a wrong one should not fill the memory.
const MOST_BYTES: u64 = 4 << 20;

/// Files that are read of one configuration: two that include each other twice would be without end.
const MOST_FILES: usize = 1000;

/// What else a reader of a configuration needs, in addition to its file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The directory that stands for `/` where the configuration names others by absolute paths: the copy of
    /// another machine's files.
    pub root: Option<PathBuf>,
    /// The version of the server, which reads groups for other versions not; where it is known.
    pub version: Option<String>,
}

/// Where included files are looked for.
pub(crate) struct Files<'a> {
    /// `None`: a text without files, so that nothing is followed.
    reading: Option<&'a Reading>,
    /// Whether the program refuses bytes that are not UTF-8.
    only_utf8: bool,
    read: Cell<usize>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(reading: &'a Reading) -> Self {
        Files { reading: Some(reading), only_utf8: false, read: Cell::new(0) }
    }

    /// Of a program that refuses bytes that are not UTF-8.
    pub(crate) fn only_utf8(reading: &'a Reading) -> Self {
        Files { only_utf8: true, ..Files::new(reading) }
    }

    /// Of a text that is not in a file.
    pub(crate) fn none() -> Self {
        Files { reading: None, only_utf8: true, read: Cell::new(0) }
    }

    /// Whether there are files that can be followed.
    pub(crate) fn are_there(&self) -> bool {
        self.reading.is_some()
    }

    /// The version of the server, where somebody said it.
    pub(crate) fn version(&self) -> Option<&str> {
        self.reading?.version.as_deref()
    }

    /// Further files that were read.
    pub(crate) fn included(&self) -> usize {
        self.read.get().saturating_sub(1)
    }

    /// Where a file is that a configuration names: a relative path is below `base`, an absolute one below the
    /// root.
    pub(crate) fn path(&self, named: &str, base: &Path) -> PathBuf {
        let root = self.reading.and_then(|reading| reading.root.as_deref());
        match (Path::new(named).strip_prefix("/"), root) {
            (Ok(below), Some(root)) => root.join(below),
            _ => base.join(named),
        }
    }

    /// The text of a file; `None` where there is none. Bytes that are not UTF-8 are taken for Latin-1 where
    /// the program takes any byte in a remark.
    pub(crate) fn text(&self, path: &Path) -> Result<Option<String>, AdviseError> {
        if self.read.get() == MOST_FILES {
            let reason =
                format!("is one more than the {MOST_FILES} files that are read of one configuration");
            return Err(AdviseError::syntax(path, None, reason));
        }
        self.read.set(self.read.get() + 1);
        match bytes(path) {
            Ok(bytes) => text(bytes, self.only_utf8, path).map(Some),
            Err(AdviseError::Io { source, .. }) if is_absent(source.kind()) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The files of a directory whose name `is_one`, by name; `None` where there is no such directory.
    pub(crate) fn in_folder(
        &self,
        folder: &Path,
        is_one: impl Fn(&str) -> bool,
    ) -> Result<Option<Vec<PathBuf>>, AdviseError> {
        let io = |source| AdviseError::Io { path: folder.into(), source };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(source) if is_absent(source.kind()) => return Ok(None),
            Err(source) => return Err(io(source)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(io)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if is_one(&name) && !path.is_dir() {
                found.push(path);
            }
        }
        found.sort();
        Ok(Some(found))
    }
}

/// Whether a program that leaves out hidden files reads one with this name from a directory: `x.conf`.
pub(crate) fn is_conf(name: &str) -> bool {
    name.strip_suffix(".conf").is_some_and(|stem| !stem.is_empty() && !stem.starts_with('.'))
}

fn is_absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn bytes(path: &Path) -> Result<Vec<u8>, AdviseError> {
    let io = |source| AdviseError::Io { path: path.into(), source };
    let mut bytes = Vec::new();
    File::open(path).map_err(io)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(AdviseError::syntax(path, None, "is larger than 4 MiB; name a configuration file"));
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>, only_utf8: bool, path: &Path) -> Result<String, AdviseError> {
    if bytes.contains(&0) {
        return Err(AdviseError::syntax(path, None, "is not text; name a configuration file"));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if only_utf8 => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            return Err(AdviseError::syntax(
                path,
                line,
                "is not UTF-8, with which the program does not start",
            ));
        }
        Err(error) => error.as_bytes().iter().copied().map(char::from).collect(),
    };
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_are_below_the_root_and_relative_ones_below_their_file() {
        let reading = Reading { root: Some("/copy".into()), ..Reading::default() };
        let files = Files::new(&reading);
        let base = Path::new("/copy/etc");
        assert_eq!(files.path("/etc/x.conf", base), Path::new("/copy/etc/x.conf"));
        assert_eq!(files.path("x.conf", base), Path::new("/copy/etc/x.conf"));
        let here = Reading::default();
        assert_eq!(Files::new(&here).path("/etc/x.conf", base), Path::new("/etc/x.conf"));
    }

    #[test]
    fn latin_1_is_text_and_nothing_with_zeros_is() {
        let path = Path::new("x");
        let latin_1 = b"\n# f\xfcr\na = 1\n".to_vec();
        assert_eq!(text(latin_1.clone(), false, path).unwrap(), "\n# für\na = 1\n");
        assert_eq!(text("\u{feff}# für\n".into(), true, path).unwrap(), "# für\n");
        let said = |bytes| text(bytes, true, path).unwrap_err().to_string();
        assert_eq!(said(b"a\0b".to_vec()), "x: is not text; name a configuration file");
        assert_eq!(said(latin_1), "x, line 2: is not UTF-8, with which the program does not start");
    }

    #[test]
    fn a_folder_has_its_files_by_name_and_no_hidden_ones() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.conf", "a.conf", ".c.conf", "d.conf.bak", "10.conf", ".conf"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("e.conf")).unwrap();
        let reading = Reading::default();
        let found = Files::new(&reading).in_folder(folder.path(), is_conf).unwrap().unwrap();
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap()).collect();
        assert_eq!(names, ["10.conf", "a.conf", "b.conf"]);
        assert_eq!(Files::new(&reading).in_folder(&folder.path().join("none"), is_conf).unwrap(), None);
    }
}
