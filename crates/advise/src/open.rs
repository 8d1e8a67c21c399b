//! A configuration read from its files, or from a text, in the system's own syntax or among other things.

use std::path::{Path, PathBuf};

use crate::files::{Files, Reading};
use crate::recognise::{contained, decided};
use crate::{AdviseError, Config, System};

/// Systems that refuse other bytes: Ceph checks (`check_utf8`), YAML and SQL are UTF-8.
const ONLY_UTF8: [System; 4] = [System::Ceph, System::Etcd, System::Seastar, System::Cockroachdb];

/// Reads a configuration of `system` from a file with all that it includes, or from a directory: the data
/// directory of PostgreSQL, the directory of a database of RocksDB, rules.d and the like of Linux.
///
/// # Errors
/// [`AdviseError::Io`], or [`AdviseError::Syntax`] where the system would not start with it.
pub fn read(system: System, path: &Path) -> Result<Config, AdviseError> {
    read_as(system, path, &Reading::default())
}

/// The same, with what the user says of the file.
///
/// # Errors
/// As [`read()`].
pub fn read_as(system: System, path: &Path, reading: &Reading) -> Result<Config, AdviseError> {
    let files = if ONLY_UTF8.contains(&system) { Files::only_utf8(reading) } else { Files::new(reading) };
    if path.is_dir() && system.rules().reads_together("x.conf") {
        return in_order(system, path, &files);
    }
    let path = if path.is_dir() { in_folder(system, path, &files)? } else { path.to_owned() };
    let text = files.text(&path)?.ok_or_else(|| absent(&path))?;
    if let Some(config) = contained(system, &text, &path)? {
        return Ok(config);
    }
    let mut config = system.rules().read_from(&text, &path, &files)?;
    match files.included() {
        0 => {}
        1 => config.notes.push("read with one file that it includes".to_owned()),
        files => config.notes.push(format!("read with {files} files that it includes")),
    }
    Ok(decided(system, config))
}

/// Reads a configuration of `system` from the text of a file; `path` is what messages call it. Includes are
/// not followed.
///
/// # Errors
/// [`AdviseError::Syntax`] where the system would not start with it.
pub fn parse(system: System, text: &str, path: &Path) -> Result<Config, AdviseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match contained(system, text, path)? {
        Some(config) => Ok(config),
        None => Ok(decided(system, system.rules().read_from(text, path, &Files::none())?)),
    }
}

/// The text of a file, for [`recognise()`](crate::recognise()).
///
/// # Errors
/// [`AdviseError::Io`], or [`AdviseError::Syntax`] where it is no text, or too long for a configuration.
pub fn text(path: &Path) -> Result<String, AdviseError> {
    Files::new(&Reading::default()).text(path)?.ok_or_else(|| absent(path))
}

/// That a file is not there, in the words that the system has for it.
fn absent(path: &Path) -> AdviseError {
    let source = std::io::Error::new(std::io::ErrorKind::NotFound, "No such file or directory");
    AdviseError::Io { path: path.into(), source }
}

/// All files of a directory, in the order of their names. What is of another kind is told.
fn in_order(system: System, folder: &Path, files: &Files) -> Result<Config, AdviseError> {
    let rules = system.rules();
    let found = files.in_folder(folder, |name| rules.reads_together(name))?.unwrap_or_default();
    if found.is_empty() {
        return Err(AdviseError::syntax(folder, None, "is a directory without such files; name a file"));
    }
    let mut all = Config::default();
    for path in found {
        let text = files.text(&path)?.unwrap_or_default();
        match rules.read_from(&text, &path, files) {
            Ok(config) => {
                all.entries.extend(config.entries);
                all.notes.extend(config.notes);
            }
            Err(error @ AdviseError::Syntax { .. }) => all.notes.push(format!("not read: {error}")),
            Err(error) => return Err(error),
        }
    }
    Ok(decided(system, all))
}

/// The configuration in a directory.
fn in_folder(system: System, folder: &Path, files: &Files) -> Result<PathBuf, AdviseError> {
    let none = |what: &str| {
        let reason = format!("is a directory without {what}; name the configuration file");
        AdviseError::syntax(folder, None, reason)
    };
    let named = |name: &str| {
        let path = folder.join(name);
        if path.is_file() { Ok(path) } else { Err(none(name)) }
    };
    match system {
        System::Postgresql => named("postgresql.conf"),
        System::Innodb => named("my.cnf"),
        System::Redis => named("redis.conf"),
        System::Ceph => named("ceph.conf"),
        System::Kafka => named("server.properties"),
        System::Rocksdb => {
            let number = |name: &str| name.strip_prefix("OPTIONS-")?.parse::<u64>().ok();
            let found = files.in_folder(folder, |name| number(name).is_some())?.unwrap_or_default();
            let of = |path: &PathBuf| number(path.file_name()?.to_str()?);
            found.into_iter().max_by_key(of).ok_or_else(|| none("OPTIONS-NUMBER"))
        }
        _ => Err(AdviseError::syntax(folder, None, "is a directory; name a file in it")),
    }
}
