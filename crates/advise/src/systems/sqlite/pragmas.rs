//! `PRAGMA NAME = VALUE` and `PRAGMA NAME(VALUE)`, in scripts and in programs.

use std::path::Path;

use super::{CHECKPOINT, JOURNAL, MMAP, PAGE_SIZE, SYNCHRONOUS};
use crate::syntax::{comments, sql};
use crate::{Advice, AdviseError, Config, Entry, Place, Setting, Value};

/// Modes of the journal.
const MODES: [&str; 6] = ["delete", "truncate", "persist", "memory", "wal", "off"];

/// Words for the levels of `synchronous`: their numbers first (`getSafetyLevel` in src/pragma.c).
const LEVELS: [(&str, &[&str]); 4] = [
    ("off", &["0", "off", "no", "false"]),
    ("normal", &["1", "normal", "on", "yes", "true"]),
    ("full", &["2", "full"]),
    ("extra", &["3", "extra"]),
];

/// A script.
pub(super) fn write(advice: &Advice) -> String {
    let mut text: String = advice.heading().iter().map(|line| format!("-- {line}\n")).collect();
    for setting in &advice.settings {
        text.push_str(&format!("PRAGMA {} = {};\n", setting.key, setting.value));
    }
    text
}

/// Finds the pragmas that set something.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let shown = comments::out_of_sql(text);
    let mut is_one = false;
    for (line, _, rest) in sql::behind(&shown, "pragma") {
        is_one = true;
        let place = Place::Line { path: path.into(), line };
        let (name, rest) = sql::name(rest);
        let (schema, key) = name.rsplit_once('.').unwrap_or(("", name));
        let key = key.to_ascii_lowercase();
        // Without a value it asks.
        let Some(rest) = rest.trim_start().strip_prefix(['=', '(']) else { continue };
        let Some(value) = sql::value(rest) else {
            let judged = [PAGE_SIZE, MMAP, JOURNAL, SYNCHRONOUS, CHECKPOINT].contains(&key.as_str());
            if judged {
                config.notes.push(format!("{place}: the value of {key} is put in by a program: not judged"));
            }
            continue;
        };
        let section = if schema.eq_ignore_ascii_case("main") { String::new() } else { schema.to_owned() };
        config.entries.push(Entry { section, key, value: value.to_owned(), place });
    }
    if !is_one && !shown.trim().is_empty() {
        return Err(AdviseError::syntax(path, None, "has no PRAGMA NAME = VALUE"));
    }
    Ok(config)
}

/// What a value means; `None` where SQLite passes over it, or takes it for another.
pub(super) fn value(setting: &Setting, text: &str) -> Option<Value> {
    let word = text.to_ascii_lowercase();
    match setting.key {
        JOURNAL => MODES.contains(&word.as_str()).then(|| Value::word(word)),
        SYNCHRONOUS => {
            let level = LEVELS.iter().find(|(_, names)| names.contains(&word.as_str()))?;
            Some(Value::word(level.0))
        }
        PAGE_SIZE => {
            let bytes = number(&word)?;
            let is_one = (512..=65_536).contains(&bytes) && bytes & (bytes - 1) == 0;
            is_one.then_some(Value::Bytes(bytes as u64))
        }
        // Below 0 it is the default that the library was built with, 0 unless somebody changed that.
        MMAP => Some(Value::Bytes(number(&word)?.max(0) as u64)),
        // Not above 0: never.
        _ => Some(Value::Number(number(&word)?.max(0) as f64)),
    }
}

/// A whole number, also as `0x10`.
fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String, String)> {
        let config = read(text, Path::new("s.sql")).unwrap();
        let line = |entry: &Entry| match entry.place {
            Place::Line { line, .. } => line,
            Place::Server(_) => 0,
        };
        config.entries.iter().map(|entry| (line(entry), entry.key.clone(), entry.value.clone())).collect()
    }

    #[test]
    fn pragmas_are_found_in_scripts_and_in_programs() {
        let text = "-- PRAGMA page_size = 512;\npragma main.Page_Size=8192; PRAGMA journal_mode('WAL');\n\
                    db.execute(\"PRAGMA synchronous = normal\")\nPRAGMA page_size;\n/* PRAGMA\nmmap_size=1 */\n\
                    sqlite3 x.db 'PRAGMA wal_autocheckpoint(0x10)'\n";
        let want = [
            (2, "page_size", "8192"),
            (2, "journal_mode", "WAL"),
            (3, "synchronous", "normal"),
            (7, "wal_autocheckpoint", "0x10"),
        ];
        assert_eq!(found(text), want.map(|(line, key, value)| (line, key.to_owned(), value.to_owned())));
    }

    #[test]
    fn what_a_program_puts_in_is_told_and_a_text_without_pragmas_is_refused() {
        let config = read("f\"PRAGMA synchronous = {level}\"", Path::new("s.py")).unwrap();
        assert_eq!(
            config.notes,
            ["s.py, line 1: the value of synchronous is put in by a program: not judged"]
        );
        let said = read("SELECT 1;\n", Path::new("s.sql")).unwrap_err().to_string();
        assert_eq!(said, "s.sql: has no PRAGMA NAME = VALUE");
        assert_eq!(read("# nothing is set\n", Path::new("s")).unwrap(), Config::default());
    }
}
