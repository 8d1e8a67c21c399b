//! The file of etcd's `--config-file`.

use std::path::Path;

use crate::syntax::yaml::{self, Dialect, Node, Value};
use crate::{Config, Entry, Place};

/// Keys by which a document is known to be one: those that most of them have (server/embed/config.go).
const KNOWN: [&str; 14] = [
    "name",
    "data-dir",
    "wal-dir",
    "snapshot-count",
    "heartbeat-interval",
    "election-timeout",
    "listen-peer-urls",
    "listen-client-urls",
    "initial-advertise-peer-urls",
    "advertise-client-urls",
    "initial-cluster",
    "initial-cluster-token",
    "client-transport-security",
    "quota-backend-bytes",
];

/// What the document sets; `None` where it is not such a file.
pub(super) fn read(text: &str, path: &Path) -> Option<Config> {
    let document = yaml::parse(text, Dialect::Go).ok()?;
    let Value::Map(entries) = &document.value else { return None };
    let mut config = Config::default();
    let mut is_one = false;
    for (key, node) in entries {
        // Keys are compared as those of JSON in Go: case does not matter.
        let key = key.to_ascii_lowercase();
        is_one |= KNOWN.contains(&key.as_str());
        let Some(value) = scalar(node) else { continue };
        let place = Place::Line { path: path.into(), line: node.line };
        config.entries.push(Entry { section: String::new(), key, value, place });
    }
    is_one.then_some(config)
}

/// The text of a scalar; in quotes where it has them, since a number in quotes is none.
fn scalar(node: &Node) -> Option<String> {
    let text = node.text()?;
    Some(if node.is_quoted && text.parse::<f64>().is_ok() { format!("{text:?}") } else { text.to_owned() })
}

/// A whole number as Go reads it from YAML and from flags: with a base before it, with underscores, and as a
/// float where that is whole.
pub(super) fn number(text: &str) -> Option<u32> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let plain = text.replace('_', "");
    let based = [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)];
    let based = based.iter().find_map(|(start, radix)| Some((plain.strip_prefix(start)?, *radix)));
    let (digits, radix) = match based {
        Some(based) => based,
        None if plain.len() > 1 && plain.starts_with('0') && !plain.contains('.') => (&plain[1..], 8),
        None => (plain.as_str(), 10),
    };
    if digits.bytes().all(|b| b.is_ascii_alphanumeric())
        && let Ok(number) = u32::from_str_radix(digits, radix)
    {
        return Some(number);
    }
    let is_float = plain.starts_with(|c: char| c.is_ascii_digit()) && plain.contains(['.', 'e', 'E']);
    let float = plain.parse::<f64>().ok().filter(|number| is_float && number.fract() == 0.0)?;
    (0.0..=f64::from(u32::MAX)).contains(&float).then_some(float as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_at_the_top_and_anchors_are_followed() {
        let text = "name: a\nx: &x 150\nHeartbeat-Interval: *x\nelection-timeout: '1500'\nother:\n  \
                    heartbeat-interval: 9\n";
        let config = read(text, Path::new("e.yml")).unwrap();
        let found: Vec<(&str, &str)> =
            config.entries.iter().map(|entry| (entry.key.as_str(), entry.value.as_str())).collect();
        let want =
            [("name", "a"), ("x", "150"), ("heartbeat-interval", "150"), ("election-timeout", "\"1500\"")];
        assert_eq!(found, want);
        assert_eq!(read("apiVersion: v1\nkind: Pod\n", Path::new("p.yml")), None);
        assert_eq!(read("etcd --name a\n", Path::new("s")), None);
    }

    #[test]
    fn numbers_are_those_of_go() {
        let numbers = ["250", "0x64", "0144", "0o144", "1_500", "+150", "250.0", "2.5e3", "0"].map(number);
        assert_eq!(numbers, [250, 100, 100, 100, 1500, 150, 250, 2500, 0].map(Some));
        assert_eq!(["", "-150", "250ms", "1.5", "\"250\"", "0x", "nan", "5000000000"].map(number), [None; 8]);
    }
}
