//! `CONFIG GET *` of Redis: keys and values on lines that take turns, as redis-cli prints them to a terminal
//! and to a file.

use super::found::Found;
use super::source::Source;
use crate::{AdviseError, System};

/// Keys on odd lines that tell it.
const TOLD: [&str; 6] = [
    "appendfsync",
    "appendonly",
    "no-appendfsync-on-rewrite",
    "maxmemory",
    "save",
    "aof-rewrite-incremental-fsync",
];

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let lines: Vec<&str> = source.text.lines().map(plain).collect();
    let start = lines.iter().take_while(|line| line.is_empty()).count();
    let pairs = lines[start..].chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)));
    let is_key = |key: &str| !key.is_empty() && !key.contains(char::is_whitespace);
    let pairs: Vec<(usize, &str, &str)> =
        pairs.enumerate().map(|(at, (key, value))| (start + 2 * at + 1, key, value)).collect();
    let told = pairs.iter().filter(|(_, key, _)| TOLD.contains(key)).count();
    if told == 0 || !pairs.iter().all(|(_, key, _)| is_key(key)) {
        return Ok(None);
    }
    let evidence = format!("{} keys and values on lines that take turns", pairs.len());
    let mut found = Found::new(System::Redis, source.path, evidence);
    found.config.incomplete = true;
    for (line, key, value) in pairs {
        found.put(key, value, line + 1);
    }
    found
        .config
        .notes
        .push("unset options are judged like set ones: CONFIG GET does not distinguish them".to_owned());
    Ok(Some(vec![found]))
}

/// Without the number and the quotes of a terminal: `1) "appendfsync"`.
fn plain(line: &str) -> &str {
    let line = line.trim();
    let (number, rest) = line.split_once(')').unwrap_or(("", line));
    let line = if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        rest.trim()
    } else {
        line
    };
    line.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(line)
}
