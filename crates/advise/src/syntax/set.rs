//! `SET NAME = VALUE` and `SET NAME TO VALUE`, in scripts and in programs.

use std::path::Path;

use super::{comments, sql};
use crate::{AdviseError, Config, Entry, Place};

/// Where a setting is to be in force.
const SCOPES: [&str; 3] = ["global", "session", "local"];

/// Finds the statements that begin with one of `words` and set something; keys in lower case.
pub(crate) fn read(text: &str, path: &Path, words: &[&str]) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let shown = comments::out_of_sql(text);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for word in words {
        let of_word = sql::behind(&shown, word).filter(|(_, before, _)| begins_a_statement(before));
        found.extend(of_word.map(|(line, _, rest)| (line, rest)));
    }
    // What is nearer to the end has the shorter rest.
    found.sort_by_key(|(_, rest)| std::cmp::Reverse(rest.len()));
    for &(line, rest) in &found {
        let place = Place::Line { path: path.into(), line };
        let (mut name, mut rest) = sql::name(rest);
        if SCOPES.contains(&name.to_ascii_lowercase().as_str()) {
            (name, rest) = sql::name(rest);
        }
        let key = name.to_ascii_lowercase();
        let Some(rest) = behind_sign(rest) else { continue };
        match sql::value(rest) {
            Some(value) => {
                config.entries.push(Entry { section: String::new(), key, value: value.to_owned(), place });
            }
            None => {
                config.notes.push(format!("{place}: the value of {key} is put in by a program: not judged"));
            }
        }
    }
    if found.is_empty() && !shown.trim().is_empty() {
        return Err(AdviseError::syntax(path, None, "has no SET NAME = VALUE"));
    }
    Ok(config)
}

/// Whether nothing of the same statement stands before: `UPDATE t SET a = 1` sets no setting. Lines that
/// begin with a dot are the shell's own.
fn begins_a_statement(before: &str) -> bool {
    let start = before.rfind([';', '"', '\'', '`', '(']).map_or(0, |at| at + 1);
    before[start..].lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('.'))
}

/// What follows `=`, `TO` or `(`.
fn behind_sign(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    if let Some(rest) = rest.strip_prefix(['=', '(']) {
        return Some(rest);
    }
    let (word, rest) = sql::name(rest);
    word.eq_ignore_ascii_case("to").then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_in_scripts_and_in_programs() {
        let text = ".timer on\nSET threads = 4; set global Checkpoint_Threshold TO '1GB';\n\
                    UPDATE t SET threads = 9;\ncon.execute(\"PRAGMA worker_threads=2\")\n-- SET threads = 1;\n";
        let config = read(text, Path::new("s.sql"), &["set", "pragma"]).unwrap();
        let found: Vec<(String, &str, &str)> = config
            .entries
            .iter()
            .map(|entry| (entry.place.to_string(), entry.key.as_str(), entry.value.as_str()))
            .collect();
        let place = |line| format!("s.sql, line {line}");
        let want = [
            (place(2), "threads", "4"),
            (place(2), "checkpoint_threshold", "1GB"),
            (place(4), "worker_threads", "2"),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn a_text_that_sets_nothing_is_refused() {
        let read = |text, path| read(text, Path::new(path), &["set"]);
        let said = read("SELECT 1;\n", "s.sql").unwrap_err().to_string();
        assert_eq!(said, "s.sql: has no SET NAME = VALUE");
        let config = read("f'SET threads = {n}'", "s.py").unwrap();
        assert_eq!(config.notes, ["s.py, line 1: the value of threads is put in by a program: not judged"]);
    }
}
