//! Files of `key = value` lines in `[sections]`: my.cnf, ceph.conf, RocksDB's OPTIONS.

use std::path::Path;

use crate::{AdviseError, Config, Entry, Place};

/// Reads the lines of `text`. A key without a value, as in my.cnf, has an empty one; lines that begin with
/// `!` (my.cnf's includes) are told in the notes. Comments begin with `#` or `;`, behind a value with `#`
/// after white space.
pub(crate) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let mut section = String::new();
    for (at, line) in text.lines().enumerate() {
        let place = Place::Line { path: path.into(), line: at + 1 };
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('!') {
            config.notes.push(format!("{place}: {line} was not followed; name that file instead"));
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let Some((name, _)) = name.split_once(']') else {
                return Err(AdviseError::syntax(path, at + 1, "is a section whose ] is missing"));
            };
            section = name.trim().to_owned();
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let key = key.trim();
        if key.is_empty() || key.contains(char::is_whitespace) && !line.contains('=') {
            return Err(AdviseError::syntax(path, at + 1, "is not of the form KEY = VALUE"));
        }
        let entry = Entry { section: section.clone(), key: key.to_owned(), value: plain(value), place };
        config.entries.push(entry);
    }
    Ok(config)
}

/// The value without quotes, and without the comment behind it.
fn plain(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some((inner, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inner.to_owned();
        }
    }
    let comment = value.find(" #").or_else(|| value.find("\t#")).unwrap_or(value.len());
    value[..comment].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_know_their_section_and_their_line() {
        let text = "# c\n[mysqld]\ninnodb_io_capacity = 200 # small\nskip-name-resolve\n!includedir /etc/x\n\
                    [DBOptions \"x\"]\n  a={b=1;c=2}\nq = \"a # b\"\n";
        let config = read(text, Path::new("my.cnf")).unwrap();
        let found: Vec<(&str, &str, &str)> = config
            .entries
            .iter()
            .map(|entry| (entry.section.as_str(), entry.key.as_str(), entry.value.as_str()))
            .collect();
        let want = [
            ("mysqld", "innodb_io_capacity", "200"),
            ("mysqld", "skip-name-resolve", ""),
            ("DBOptions \"x\"", "a", "{b=1;c=2}"),
            ("DBOptions \"x\"", "q", "a # b"),
        ];
        assert_eq!(found, want);
        assert_eq!(config.entries[0].place.to_string(), "my.cnf, line 3");
        assert_eq!(
            config.notes,
            ["my.cnf, line 5: !includedir /etc/x was not followed; name that file instead"]
        );
    }

    #[test]
    fn lines_of_another_form_are_refused_with_their_number() {
        let said = |text| read(text, Path::new("x.cnf")).unwrap_err().to_string();
        assert_eq!(said("a=1\n[mysqld\n"), "x.cnf, line 2: is a section whose ] is missing");
        assert_eq!(said("= 1"), "x.cnf, line 1: is not of the form KEY = VALUE");
        assert_eq!(said("some words here"), "x.cnf, line 1: is not of the form KEY = VALUE");
    }
}
