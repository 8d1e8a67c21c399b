//! redis.conf with the files that it includes, as the server reads it (src/config.c).

use std::path::Path;

use super::words::words;
use crate::files::Files;
use crate::syntax::glob;
use crate::{AdviseError, Config, Entry, Place};

/// How deep files may include each other. The server has no limit and runs out of files.
const DEEPEST: usize = 32;

/// Keys of which more is known: they have one value.
const SINGLE: [&str; 5] = [
    "appendfsync",
    "appendonly",
    "no-appendfsync-on-rewrite",
    "aof-rewrite-incremental-fsync",
    "aof-load-truncated",
];

/// Reads a file and those that it includes.
pub(super) fn read(text: &str, path: &Path, files: &Files) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    file(text, path, 0, files, &mut config)?;
    Ok(config)
}

fn file(
    text: &str,
    path: &Path,
    depth: usize,
    files: &Files,
    config: &mut Config,
) -> Result<(), AdviseError> {
    for (at, line) in text.split('\n').enumerate() {
        let line = line.trim_matches([' ', '\t', '\r']);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |reason: &str| AdviseError::syntax(path, at + 1, reason);
        let words = words(line).ok_or_else(|| {
            wrong(
                "has quotes that do not end, or something behind them, with which the server does not start",
            )
        })?;
        let Some((key, values)) = words.split_first() else { continue };
        let key = key.to_ascii_lowercase();
        let place = Place::Line { path: path.into(), line: at + 1 };
        match (key.as_str(), values) {
            ("include", [name]) => include(name, &place, depth, files, config)?,
            (_, []) => {
                return Err(wrong("is not of the form KEY VALUE, with which the server does not start"));
            }
            (single, [_, ..]) if values.len() > 1 && SINGLE.contains(&single) => {
                let reason = "has more than one value, with which the server does not start; a remark is a line of \
                              its own";
                return Err(wrong(reason));
            }
            _ => config.entries.push(Entry { section: String::new(), key, value: values.join(" "), place }),
        }
    }
    Ok(())
}

fn include(
    name: &str,
    place: &Place,
    depth: usize,
    files: &Files,
    config: &mut Config,
) -> Result<(), AdviseError> {
    let Place::Line { path, line } = place else { return Ok(()) };
    let mut unknown = |what: &str| {
        config.notes.push(format!("{place}: include {name} {what}; its settings are not known"));
        config.incomplete = true;
    };
    if !files.are_there() {
        unknown("was not read");
        return Ok(());
    }
    if depth == DEEPEST {
        let reason = format!("include {name}: is more than {DEEPEST} files deep; the server would never end");
        return Err(AdviseError::syntax(path, *line, reason));
    }
    let target = files.path(name, path.parent().unwrap_or(Path::new("")));
    let pattern = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let found = if name.contains(['*', '?', '[']) {
        let folder = target.parent().unwrap_or(Path::new(""));
        if folder.to_string_lossy().contains(['*', '?', '[']) {
            unknown("has a pattern in the name of a directory, which is not followed");
            return Ok(());
        }
        // As glob(3): a hidden file only matches a pattern that begins with its dot.
        let is_one = |name: &str| {
            (!name.starts_with('.') || pattern.starts_with('.')) && glob::matches(&pattern, name)
        };
        files.in_folder(folder, is_one)?
    } else {
        Some(vec![target])
    };
    let Some(found) = found else {
        unknown("is of a directory that is not here");
        return Ok(());
    };
    if !Path::new(name).is_absolute() {
        config.notes.push(format!(
            "{place}: {name} was looked for next to this file; the server looks in its current directory"
        ));
    }
    for path in found {
        match files.text(&path)? {
            Some(text) => file(&text, &path, depth + 1, files, config)?,
            None => {
                config.notes.push(format!("{place}: include {name} is not here; its settings are not known"));
                config.incomplete = true;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Reading;

    fn config(text: &str) -> Config {
        read(text, Path::new("r.conf"), &Files::none()).unwrap()
    }

    #[test]
    fn words_have_quotes_and_escapes_as_in_the_server() {
        let text = "# appendfsync no\nAppendFsync 'always'\nsave 3600 1 300 100\nsave \"\"\na \"b\\x41\\n\\\"\" c'd e'\n\
                    \tf\t g \r\nh 'i\\'j'\nk l # m\n";
        let found = config(text).entries;
        let found: Vec<(&str, &str)> =
            found.iter().map(|entry| (entry.key.as_str(), entry.value.as_str())).collect();
        let want = [
            ("appendfsync", "always"),
            ("save", "3600 1 300 100"),
            ("save", ""),
            ("a", "bA\n\" cd e"),
            ("f", "g"),
            ("h", "i'j"),
            ("k", "l # m"),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn what_the_server_does_not_start_with_is_refused() {
        let said = |text| read(text, Path::new("r.conf"), &Files::none()).unwrap_err().to_string();
        let quotes =
            "has quotes that do not end, or something behind them, with which the server does not start";
        let more = said("appendfsync no # x\n");
        assert!(more.starts_with("r.conf, line 1: has more than one value"), "{more}");
        for text in ["a \"b", "a 'b", "a \"b\"c", "a 'b'c", "a \"b\\"] {
            assert_eq!(said(text), format!("r.conf, line 1: {quotes}"), "{text}");
        }
        let alone = said("\nappendfsync\n");
        assert_eq!(
            alone,
            "r.conf, line 2: is not of the form KEY VALUE, with which the server does not start"
        );
    }

    #[test]
    fn included_files_are_read_at_their_place() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("2.conf", "a 2\n"), ("1.conf", "a 1\n"), (".0.conf", "a 0\n"), ("x", "a x\n")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let text = format!("a 0\ninclude {0}/*.conf\ninclude {0}/none\n", folder.path().display());
        let reading = Reading::default();
        let config = read(&text, Path::new("r.conf"), &Files::new(&reading)).unwrap();
        let values: Vec<&str> = config.entries.iter().map(|entry| entry.value.as_str()).collect();
        assert_eq!(values, ["0", "1", "2"]);
        assert!(config.incomplete && config.notes.len() == 1, "{:?}", config.notes);
        let without = super::read(&text, Path::new("r.conf"), &Files::none()).unwrap();
        assert!(
            without.incomplete && without.notes[0].contains("line 2: include") && without.notes.len() == 2
        );
    }

    #[test]
    fn a_file_that_includes_itself_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.conf");
        let text = format!("include {}\n", path.display());
        std::fs::write(&path, &text).unwrap();
        let reading = Reading::default();
        let said = read(&text, &path, &Files::new(&reading)).unwrap_err().to_string();
        assert!(said.contains("is more than 32 files deep"), "{said}");
    }
}
