//! Flags of environments and calls, in C and in what binds it.

use std::path::Path;

use super::{LAZY, MDBX, READAHEAD, SYNC_BYTES};
use crate::syntax::comments::out_of_code;
use crate::syntax::sql::{behind, name};
use crate::{Advice, AdviseError, Config, Entry, Place, Value};

/// Names by which the flag is set: of C, of heed, of lmdb-rkv.
const NO_READAHEAD: [&str; 3] = ["mdb_nordahead", "no_read_ahead", "no_readahead"];

/// Names by which it is left out or set, as a value says: of Python, where true is the opposite.
const PYTHON: &str = "readahead";

/// Calls that open an environment, with the flags or without; the second is in the file that is written.
const OPEN: [&str; 2] = ["mdb_env_open", "leadline_mdb_flags"];

/// Constants for the program.
pub(super) fn write(advice: &Advice) -> String {
    let mut text: String = advice.heading().iter().map(|line| format!("// {line}\n")).collect();
    for setting in &advice.settings {
        match (setting.key, &setting.value) {
            (READAHEAD, value) => {
                let flags = if *value == Value::word("on") { READAHEAD } else { "0" };
                text.push_str(&format!("#define LEADLINE_MDB_FLAGS {flags}\n"));
            }
            (_, value) => {
                text.push_str(&format!("// in force with {LAZY}\n"));
                text.push_str(&format!("mdbx_env_set_option(env, {SYNC_BYTES}, {value});\n"));
            }
        }
    }
    text
}

/// Finds flags and calls; an environment of LMDB that is opened without the flag has read-ahead.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let shown = out_of_code(text);
    let mut add = |key: &str, value: String, line: usize| {
        let place = Place::Line { path: path.into(), line };
        config.entries.push(Entry { section: String::new(), key: key.to_owned(), value, place });
    };
    for flag in NO_READAHEAD {
        behind(&shown, flag).for_each(|(line, ..)| add(READAHEAD, "on".to_owned(), line));
    }
    for (line, _, rest) in behind(&shown, PYTHON) {
        let Some(rest) = rest.trim_start().strip_prefix(['=', ':']) else { continue };
        match name(rest).0 {
            "True" | "true" => add(READAHEAD, "off".to_owned(), line),
            "False" | "false" => add(READAHEAD, "on".to_owned(), line),
            _ => {}
        }
    }
    behind(&shown, "mdbx_safe_nosync").for_each(|(line, ..)| add(LAZY, "on".to_owned(), line));
    for call in ["mdbx_opt_sync_bytes", "mdbx_env_set_syncbytes"] {
        for (line, _, rest) in behind(&shown, call) {
            let rest = rest.trim_start().trim_start_matches("(env").trim_start().trim_start_matches(',');
            let value = name(rest).0;
            if value.parse::<u64>().is_ok() {
                add(SYNC_BYTES, value.to_owned(), line);
            }
        }
    }
    let opened: Vec<usize> =
        OPEN.iter().flat_map(|call| behind(&shown, call)).map(|(line, ..)| line).collect();
    let place = Place::Line { path: path.into(), line: opened.first().copied().unwrap_or(1) };
    if config.last(READAHEAD).is_none() && !opened.is_empty() {
        let (section, key, value) = (String::new(), READAHEAD.to_owned(), "off".to_owned());
        config.entries.push(Entry { section, key, value, place });
    }
    // Includes and other directives say nothing of it.
    let says_something = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if config.entries.is_empty() && shown.lines().any(says_something) {
        let reason = format!("opens no environment and has no {READAHEAD} or {SYNC_BYTES}");
        return Err(AdviseError::syntax(path, None, reason));
    }
    // Of which of the two it is.
    config.version =
        config.entries.iter().any(|entry| entry.key.starts_with("MDBX")).then(|| MDBX.to_owned());
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let config = read(text, Path::new("e.c")).unwrap();
        config.entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
    }

    #[test]
    fn flags_are_found_in_c_and_in_bindings() {
        let one = |value: &str| vec![(READAHEAD.to_owned(), value.to_owned())];
        assert_eq!(
            found("mdb_env_open(env, path, MDB_NOTLS | MDB_NORDAHEAD, 0664); // MDB_NOSYNC"),
            one("on")
        );
        assert_eq!(found("rc = mdb_env_open(env, path, /* MDB_NORDAHEAD */ 0, 0664);"), one("off"));
        assert_eq!(found("lmdb.open(path, readahead=False)"), one("on"));
        assert_eq!(found("options.flags(EnvFlags::NO_READ_AHEAD)"), one("on"));
        let calls = "flags |= MDBX_SAFE_NOSYNC;\nmdbx_env_set_option(env, MDBX_opt_sync_bytes, 4096);\n\
                     mdbx_env_set_syncbytes(env, threshold);";
        let want = [(LAZY.to_owned(), "on".to_owned()), (SYNC_BYTES.to_owned(), "4096".to_owned())];
        assert_eq!(found(calls), want);
        assert!(read("int main() {}", Path::new("e.c")).is_err());
        assert_eq!(read("#include <lmdb.h>\n", Path::new("e.c")).unwrap(), Config::default());
    }
}
