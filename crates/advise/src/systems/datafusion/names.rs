//! `SET datafusion.execution.NAME = VALUE` in SQL, `DATAFUSION_EXECUTION_NAME=VALUE` in the environment.

use std::path::Path;

use super::{COMPRESSION, HINT, METADATA, PARTITIONS};
use crate::syntax::set;
use crate::{Advice, AdviseError, Config, Entry, Place, Value};

/// Keys that are advised, by which names in the environment are known: those have `_` for a point.
const KEYS: [&str; 4] = [PARTITIONS, METADATA, HINT, COMPRESSION];

/// A script.
pub(super) fn statements(advice: &Advice) -> String {
    let mut text: String = advice.heading().iter().map(|line| format!("-- {line}\n")).collect();
    for setting in &advice.settings {
        let quote = if matches!(setting.value, Value::Word(_)) { "'" } else { "" };
        text.push_str(&format!("SET {} = {quote}{}{quote};\n", setting.key, setting.value));
    }
    text
}

/// The same for the environment.
pub(super) fn environment(advice: &Advice) -> String {
    let mut text: String = advice.heading().iter().map(|line| format!("# {line}\n")).collect();
    for setting in &advice.settings {
        text.push_str(&format!("{}={}\n", variable(setting.key), setting.value));
    }
    text
}

fn variable(key: &str) -> String {
    key.replace('.', "_").to_ascii_uppercase()
}

/// Either of the two.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let variables = in_environment(text, path);
    if variables.entries.is_empty() {
        return set::read(text, path, &["set"]);
    }
    Ok(variables)
}

/// `KEY=VALUE` wherever it stands: files of variables, units of systemd, compose files, shells.
fn in_environment(text: &str, path: &Path) -> Config {
    let mut config = Config::default();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')) {
        for key in KEYS {
            let Some((_, rest)) = line.split_once(&variable(key)) else { continue };
            let Some(rest) = rest.trim_start().strip_prefix(['=', ':']) else { continue };
            let rest = rest.trim_start().trim_start_matches(['"', '\'']);
            let end =
                rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';')).unwrap_or(rest.len());
            let place = Place::Line { path: path.into(), line: at + 1 };
            let (section, key, value) = (String::new(), key.to_owned(), rest[..end].to_owned());
            config.entries.push(Entry { section, key, value, place });
        }
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_statements_say_the_same() {
        let found = |text: &str| -> Vec<(String, String)> {
            let config = read(text, Path::new("x")).unwrap();
            config.entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
        };
        let want = [(PARTITIONS.to_owned(), "8".to_owned()), (COMPRESSION.to_owned(), "zstd".to_owned())];
        let sql = "SET datafusion.execution.target_partitions = 8;\nset DataFusion.execution.spill_compression = 'zstd'";
        assert_eq!(found(sql), want);
        let variables = "# c\nexport DATAFUSION_EXECUTION_TARGET_PARTITIONS=8\n\
                         Environment=\"DATAFUSION_EXECUTION_SPILL_COMPRESSION=zstd\"\n";
        assert_eq!(found(variables), want);
    }
}
