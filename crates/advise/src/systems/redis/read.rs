//! redis.conf with the files that it includes, as the server reads it (src/config.c).

use std::path::Path;

use crate::files::Files;
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
        config.notes.push(format!("{place}: include {name} {what}; what it sets is not known"));
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
            unknown("has a pattern in the name of a folder, which is not followed");
            return Ok(());
        }
        // As glob(3): a hidden file only matches a pattern that begins with its dot.
        let is_one =
            |name: &str| (!name.starts_with('.') || pattern.starts_with('.')) && matches(&pattern, name);
        files.in_folder(folder, is_one)?
    } else {
        Some(vec![target])
    };
    let Some(found) = found else {
        unknown("is of a folder that is not here");
        return Ok(());
    };
    if !Path::new(name).is_absolute() {
        config.notes.push(format!(
            "{place}: {name} was looked for beside this file; the server looks where it is started"
        ));
    }
    for path in found {
        match files.text(&path)? {
            Some(text) => file(&text, &path, depth + 1, files, config)?,
            None => {
                config.notes.push(format!("{place}: include {name} is not here; what it sets is not known"));
                config.incomplete = true;
            }
        }
    }
    Ok(())
}

/// The words of a line (`sdssplitargs` in src/sds.c); `None` where quotes do not end, or end within a word.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(is_space);
        if rest.is_empty() {
            return Some(words);
        }
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after;
    }
}

fn word(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            c if is_space(c) => break,
            '"' | '\'' => {
                let (inner, after) = if c == '"' { double_quoted(after)? } else { single_quoted(after)? };
                word.push_str(&inner);
                return (after.is_empty() || after.starts_with(is_space)).then_some((word, after));
            }
            c => word.push(c),
        }
        rest = after;
    }
    Some((word, rest))
}

fn double_quoted(text: &str) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Some((inner, rest)),
            '\\' => {
                let hex = rest.strip_prefix('x').and_then(|rest| rest.get(..2));
                if let Some(code) = hex.filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit())) {
                    inner.push(char::from(u8::from_str_radix(code, 16).ok()?));
                    rest = &rest[3..];
                    continue;
                }
                let escaped = rest.chars().next()?;
                rest = &rest[escaped.len_utf8()..];
                inner.push(match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'b' => '\u{8}',
                    'a' => '\u{7}',
                    other => other,
                });
            }
            other => inner.push(other),
        }
    }
}

fn single_quoted(text: &str) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix("\\'") {
            inner.push('\'');
            rest = after;
            continue;
        }
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        if c == '\'' {
            return Some((inner, rest));
        }
        inner.push(c);
    }
}

/// As C's `isspace`.
fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// Whether a pattern of a shell with `*`, `?` and `[a-z]` is the whole of a name.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Where the last star stands, and what it has taken: all that may have to be tried again.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => class(&pattern[p..], name[n]),
            Some('\\') if p + 1 < pattern.len() => (pattern[p + 1] == name[n]).then_some(2),
            Some(c) => (*c == name[n]).then_some(1),
            None => None,
        };
        match (step, &mut star) {
            (Some(step), _) => (p, n) = (p + step, n + 1),
            (None, Some((at, taken))) => {
                *taken += 1;
                (p, n) = (*at + 1, *taken);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Length of the class `[a-z]` at the beginning, if it has the character.
fn class(pattern: &[char], c: char) -> Option<usize> {
    let is_not = matches!(pattern.get(1), Some('!' | '^'));
    let first = 1 + usize::from(is_not);
    let end = first + 1 + pattern.get(first + 1..)?.iter().position(|c| *c == ']')?;
    let inner = &pattern[first..end];
    let has = (0..inner.len()).any(|at| match inner.get(at..at + 3) {
        Some([from, '-', to]) => (*from..=*to).contains(&c),
        _ => inner[at] == c,
    });
    (has != is_not).then_some(end + 1)
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
    fn patterns_of_includes_are_those_of_a_shell() {
        for (pattern, name) in [
            ("*.conf", "a.conf"),
            ("?.conf", "a.conf"),
            ("[a-c]*", "b1"),
            ("[!a]*", "b"),
            ("a*b*c", "axbxbc"),
            ("*", ""),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*.conf", "a.config"), ("?.conf", "ab.conf"), ("[a-c]*", "d"), ("[!a]", "a"), ("a", "ab")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
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
