//! An OPTIONS file, as RocksDB reads it (options/options_parser.cc).

use std::path::Path;

use super::READAHEAD_BYTES;
use crate::{AdviseError, Config, Entry, Place};

/// Reads the sections. Of equal keys in a section the first is in force, since a map of them is filled by
/// `insert`; options in braces get a section of their own.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let mut section: Option<String> = None;
    let mut sections: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let wrong = |reason: &str| AdviseError::syntax(path, at + 1, reason);
        let line = trimmed(without_remark(line));
        if line.is_empty() {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            if sections.iter().any(|before| before == name) {
                return Err(wrong("is a section that is there already, with which RocksDB loads no file"));
            }
            sections.push(name.to_owned());
            section = Some(name.to_owned());
            continue;
        }
        let section = section.as_ref().ok_or_else(|| {
            wrong("is before the first section; options of a database are below [DBOptions]")
        })?;
        let (key, value) = line.split_once('=').ok_or_else(|| {
            wrong("is neither a [Section] nor of the form KEY=VALUE, with which RocksDB loads no file")
        })?;
        let (key, value) = (trimmed(key), unescaped(trimmed(value)));
        if key.is_empty() {
            return Err(wrong("has no key before the ="));
        }
        let place = Place::Line { path: path.into(), line: at + 1 };
        if section == "Version" && key == "rocksdb_version" {
            config.version = Some(value.clone());
        }
        add(section, key, value, &place, &mut config);
    }
    sanitize(&mut config);
    Ok(config)
}

/// An option, and below a section of its own those in its braces.
fn add(section: &str, key: &str, value: String, place: &Place, config: &mut Config) {
    if let Some(inner) = braced(&value) {
        let inside = format!("{section}: {key}");
        for part in parts(inner) {
            if let Some((key, value)) = part.split_once('=') {
                add(&inside, trimmed(key), trimmed(value).to_owned(), place, config);
            }
        }
    }
    let is_same = |before: &Entry| before.section == section && before.key == key;
    if config.entries.iter().any(is_same) {
        config.notes.push(format!("{place}: {key} is set above, which is in force"));
        return;
    }
    let (section, key) = (section.to_owned(), key.to_owned());
    config.entries.push(Entry { section, key, value, place: place.clone() });
}

/// What is in the braces around a value: `{capacity=8M;num_shard_bits=4;}`.
fn braced(value: &str) -> Option<&str> {
    value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'))
}

/// The options in braces, less what is in further braces.
fn parts(inner: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = inner.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ';' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).collect()
}

/// What RocksDB makes of an option when it opens the database (`SanitizeOptions` in db_impl_open.cc, from 7.8
/// to 10): compactions that read directly have to read ahead themselves.
fn sanitize(config: &mut Config) {
    let is_on = |entry: &Entry| ["true", "1"].contains(&entry.value.as_str());
    let is_direct = config.last("use_direct_reads").is_some_and(is_on);
    let zero = |entry: &&mut Entry| entry.key == "compaction_readahead_size" && entry.value == "0";
    if let Some(entry) = config.entries.iter_mut().find(zero).filter(|_| is_direct) {
        entry.value = READAHEAD_BYTES.to_string();
        let place = &entry.place;
        config.notes.push(format!(
            "{place}: compaction_readahead_size = 0 with use_direct_reads is {READAHEAD_BYTES} in force"
        ));
    }
}

/// What is before the first # that has no backslash before it.
fn without_remark(line: &str) -> &str {
    let starts = |&(at, _): &(usize, &str)| at == 0 || line.as_bytes()[at - 1] != b'\\';
    line.match_indices('#').find(starts).map_or(line, |(at, _)| &line[..at])
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}')
}

/// Without the backslashes of `EscapeOptionString`.
fn unescaped(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('r') => plain.push('\r'),
                Some(other) => plain.push(other),
                None => {}
            },
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(config: &Config) -> Vec<(&str, &str, &str)> {
        let entries = config.entries.iter();
        entries.map(|entry| (entry.section.as_str(), entry.key.as_str(), entry.value.as_str())).collect()
    }

    #[test]
    fn the_first_of_equal_keys_is_in_force_and_the_version_is_the_files() {
        let text = "# c\n[Version]\n  rocksdb_version=7.8.3\n[DBOptions]\n  a = 1 # c\n  a=2\n  b=x\\#y\n\
                    [CFOptions \"default\"]\n  a=3\n  t={id=T;c={capacity=8M;};d=1;}\n";
        let config = read(text, Path::new("O")).unwrap();
        let family = "CFOptions \"default\"";
        assert_eq!(
            found(&config),
            [
                ("Version", "rocksdb_version", "7.8.3"),
                ("DBOptions", "a", "1"),
                ("DBOptions", "b", "x#y"),
                (family, "a", "3"),
                ("CFOptions \"default\": t", "id", "T"),
                ("CFOptions \"default\": t: c", "capacity", "8M"),
                ("CFOptions \"default\": t", "c", "{capacity=8M;}"),
                ("CFOptions \"default\": t", "d", "1"),
                (family, "t", "{id=T;c={capacity=8M;};d=1;}"),
            ]
        );
        assert_eq!(config.version.as_deref(), Some("7.8.3"));
        assert_eq!(config.notes, ["O, line 6: a is set above, which is in force"]);
    }

    #[test]
    fn direct_reads_read_ahead_where_nothing_is_set() {
        let of = |text: &str| {
            let text = format!("[DBOptions]\n{text}\n");
            let config = read(&text, Path::new("O")).unwrap();
            (config.last("compaction_readahead_size").unwrap().value.clone(), config.notes.len())
        };
        assert_eq!(of("compaction_readahead_size=0\nuse_direct_reads=true"), ("2097152".to_owned(), 1));
        assert_eq!(of("compaction_readahead_size=0\nuse_direct_reads=false"), ("0".to_owned(), 0));
        assert_eq!(of("compaction_readahead_size=4096\nuse_direct_reads=true"), ("4096".to_owned(), 0));
    }

    #[test]
    fn what_rocksdb_does_not_load_is_refused_with_its_line() {
        let said = |text| read(text, Path::new("O")).unwrap_err().to_string();
        assert!(said("a=1\n").starts_with("O, line 1: is before the first section"));
        assert!(said("[DBOptions]\na\n").starts_with("O, line 2: is neither a [Section] nor"));
        assert!(
            said("[DBOptions]\n[DBOptions]\n").starts_with("O, line 2: is a section that is there already")
        );
        assert_eq!(said("[DBOptions]\n=1\n"), "O, line 2: has no key before the =");
    }
}
