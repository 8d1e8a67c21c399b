//! mongod.conf in YAML, with WiredTiger's own configuration in one of its keys; and the older form,
//! `KEY=VALUE`.

use std::path::Path;

use super::{COMMIT, EVICTORS, READERS};
use crate::syntax::yaml::{self, Dialect, Node, Value as Part};
use crate::{Advice, AdviseError, Config, Entry, Place, Value};

/// WiredTiger's configuration.
const STRING: &str = "storage.wiredTiger.engineConfig.configString";

/// Input of the server in addition to its options.
const PARAMETERS: &str = "setParameter";

/// Names of the older form and of the command line.
const SHORT: [(&str, &str); 3] = [
    ("journalCommitInterval", COMMIT),
    ("wiredTigerEngineConfigString", STRING),
    ("syncdelay", "storage.syncPeriodSecs"),
];

/// A part of the file.
pub(super) fn write(advice: &Advice) -> String {
    let mut text: String = advice.heading().iter().map(|line| format!("# {line}\n")).collect();
    let value = |key: &str| advice.setting(key).map(|setting| setting.value.clone());
    let own: Vec<String> = advice
        .settings
        .iter()
        .filter_map(|setting| match setting.key {
            // Both, since the later of two lists takes the place of the earlier.
            EVICTORS => Some(format!("eviction=(threads_min=4,threads_max={})", setting.value)),
            COMMIT | READERS => None,
            key => Some(format!("{key}={}", setting.value)),
        })
        .collect();
    let commit = value(COMMIT);
    if commit.is_some() || !own.is_empty() {
        text.push_str("storage:\n");
    }
    if let Some(Value::Seconds(seconds)) = commit {
        text.push_str(&format!("  journal:\n    commitIntervalMs: {:.0}\n", 1e3 * seconds));
    }
    if !own.is_empty() {
        let string = own.join(",");
        text.push_str(&format!("  wiredTiger:\n    engineConfig:\n      configString: \"{string}\"\n"));
    }
    if let Some(readers) = value(READERS) {
        text.push_str(&format!("{PARAMETERS}:\n  {READERS}: {readers}\n"));
    }
    text
}

/// All keys with those above them, as `storage.journal.commitIntervalMs`.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let document =
        yaml::parse(text, Dialect::Cpp).map_err(|(line, reason)| AdviseError::syntax(path, line, reason))?;
    let mut config = Config::default();
    match &document.value {
        Part::Null => {}
        Part::Map(_) => flat("", &document, path, &mut config),
        // dbpath=/data is a text to YAML.
        _ => {
            for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())) {
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let form = || AdviseError::syntax(path, at, "is neither YAML nor of the form KEY=VALUE");
                let (key, value) = line.split_once('=').ok_or_else(form)?;
                push(key.trim(), value.trim(), &Place::Line { path: path.into(), line: at }, &mut config);
            }
        }
    }
    Ok(config)
}

fn flat(above: &str, node: &Node, path: &Path, config: &mut Config) {
    match &node.value {
        Part::Map(entries) => {
            for (name, part) in entries {
                let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
                flat(&key, part, path, config);
            }
        }
        Part::Text(text) => {
            push(above, text, &Place::Line { path: path.into(), line: node.line }, config);
        }
        Part::List(_) | Part::Null => {}
    }
}

/// With WiredTiger's keys by themselves.
fn push(key: &str, value: &str, place: &Place, config: &mut Config) {
    let key = SHORT.iter().find(|(short, _)| *short == key).map_or(key, |(_, key)| key);
    let parameter = key.strip_prefix(PARAMETERS);
    let mut add = |key: &str, value: &str| {
        let (section, key, value) = (String::new(), key.to_owned(), value.to_owned());
        config.entries.push(Entry { section, key, value, place: place.clone() });
    };
    match (parameter, value.split_once('=')) {
        // setParameter = NAME=VALUE.
        (Some(""), Some((name, value))) => add(name.trim(), value.trim()),
        (Some(name), _) => add(name.trim_start_matches('.'), value),
        _ if key == STRING => in_string("", value, &mut add),
        _ => add(key, value),
    }
}

/// `eviction=(threads_min=4,threads_max=8),eviction_dirty_target=5`.
fn in_string(above: &str, string: &str, add: &mut impl FnMut(&str, &str)) {
    let mut depth = 0;
    let parts = string.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    for part in parts {
        let Some((name, value)) = part.split_once('=') else { continue };
        let key = format!("{above}{}", name.trim());
        match value.trim().strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            // They do not lie deeper in each other.
            Some(inner) if above.is_empty() => in_string(&format!("{key}."), inner, add),
            _ => add(&key, value.trim()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let config = read(text, Path::new("m.conf")).unwrap();
        config.entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
    }

    #[test]
    fn both_forms_say_the_same() {
        let yaml = "storage:\n  journal:\n    commitIntervalMs: 50\n  wiredTiger:\n    engineConfig:\n      \
                    configString: eviction=(threads_min=4,threads_max=8),cache_size=1G\nsetParameter:\n  a: 1\n\
                    net.port: 27017\n";
        let want = [
            (COMMIT, "50"),
            ("eviction.threads_min", "4"),
            (EVICTORS, "8"),
            ("cache_size", "1G"),
            ("a", "1"),
            ("net.port", "27017"),
        ];
        assert_eq!(found(yaml), want.map(|(key, value)| (key.to_owned(), value.to_owned())));
        let old = "# c\njournalCommitInterval = 50\nsetParameter = a=1\ndbpath=/data\n";
        let want = [(COMMIT, "50"), ("a", "1"), ("dbpath", "/data")];
        assert_eq!(found(old), want.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }
}
