//! The keys wherever they stand: etcd's configuration file, its flags in a unit, a script or a manifest of
//! Kubernetes, its environment, k3s's `etcd-arg`, Consul's HCL or JSON. All of them have the key, something
//! between, and a number, on one line; so that is what is looked for.

use std::path::Path;

use super::{ELECTION, HEARTBEAT, MULTIPLIER};
use crate::{Config, Entry, Place};

/// How the keys are spelt, and what they are called here.
const SPELT: [(&str, &str); 5] = [
    (HEARTBEAT, HEARTBEAT),
    (ELECTION, ELECTION),
    ("ETCD_HEARTBEAT_INTERVAL", HEARTBEAT),
    ("ETCD_ELECTION_TIMEOUT", ELECTION),
    (MULTIPLIER, MULTIPLIER),
];

/// Every mention of a key, in order.
pub(super) fn read(text: &str, path: &Path) -> Config {
    let mut config = Config::default();
    let lines: Vec<&str> = text.lines().map(without_remark).collect();
    for (at, line) in lines.iter().enumerate() {
        for (key, after) in mentions(line) {
            let place = Place::Line { path: path.into(), line: at + 1 };
            let next = lines.get(at + 1).copied().unwrap_or_default();
            let value = Some(value(after)).filter(|value| !value.is_empty()).or_else(|| manifest_value(next));
            match value {
                Some(value) => {
                    let (section, key) = (String::new(), key.to_owned());
                    config.entries.push(Entry { section, key, value, place });
                }
                None => config.notes.push(format!("{place}: {key} has no number there, and was not judged")),
            }
        }
    }
    config
}

/// The keys in a line, in order, each with what follows it.
fn mentions(line: &str) -> Vec<(&'static str, &str)> {
    let mut found = Vec::new();
    for (spelt, key) in SPELT {
        for (start, _) in line.match_indices(spelt) {
            // A flag has one dash before it, or two.
            let (before, after) = (line[..start].trim_end_matches('-'), &line[start + spelt.len()..]);
            if !before.ends_with(is_of_word) && !after.starts_with(|c| c == '-' || is_of_word(c)) {
                found.push((start, key, after));
            }
        }
    }
    found.sort_by_key(|(start, ..)| *start);
    found.into_iter().map(|(_, key, after)| (key, after)).collect()
}

/// Environment in a manifest of Kubernetes: the name on one line, `value: "500"` on the next.
fn manifest_value(line: &str) -> Option<String> {
    let after = line.trim_start().strip_prefix("value:")?;
    Some(value(after)).filter(|value| !value.is_empty())
}

/// Letters, digits and underscores.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Without what stands behind `#` or `//`, which begin remarks where white space or nothing is before them.
fn without_remark(line: &str) -> &str {
    let starts = |(at, _): &(usize, &str)| *at == 0 || line[..*at].ends_with([' ', '\t']);
    let first = ["#", "//"].iter().filter_map(|mark| line.match_indices(mark).find(starts));
    first.map(|(at, _)| at).min().map_or(line, |at| &line[..at])
}

/// What follows the key, without quotes, equals signs, colons and spaces before it, up to the end of the
/// word.
fn value(after: &str) -> String {
    let rest = after.trim_start_matches([' ', '\t', '=', ':', '"', '\'']);
    let end = rest.find(|c: char| !(is_of_word(c) || matches!(c, '.' | '-'))).unwrap_or(rest.len());
    rest[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String, String)> {
        let config = read(text, Path::new("x"));
        config.entries.into_iter().map(|e| (e.key, e.value, e.place.to_string())).collect()
    }

    #[test]
    fn keys_are_found_in_every_syntax() {
        let texts = [
            "heartbeat-interval: 250 # a remark\nelection-timeout: 2500\n",
            "ETCD_HEARTBEAT_INTERVAL=\"250\"\nexport ETCD_ELECTION_TIMEOUT=2500\n",
            "ExecStart=/usr/bin/etcd --name a --heartbeat-interval=250 \\\n  --election-timeout 2500\n",
            "    - --heartbeat-interval=250\n    - --election-timeout=2500\n",
            "etcd-arg:\n  - \"heartbeat-interval=250\"\n  - 'election-timeout=2500'\n",
            "Environment=\"ETCD_HEARTBEAT_INTERVAL=250\" \"ETCD_ELECTION_TIMEOUT=2500\"\n",
            "{\"heartbeat-interval\": 250, \"election-timeout\": 2500}\n",
            "- name: ETCD_HEARTBEAT_INTERVAL\n  value: \"250\"\n- name: ETCD_ELECTION_TIMEOUT\n  value: \
             \"2500\"\n",
            "etcd -heartbeat-interval 250 -election-timeout 2500\n",
        ];
        for text in texts {
            let pairs: Vec<(String, String)> =
                found(text).into_iter().map(|(key, value, _)| (key, value)).collect();
            let want = [(HEARTBEAT, "250"), (ELECTION, "2500")].map(|(k, v)| (k.to_owned(), v.to_owned()));
            assert_eq!(pairs, want, "{text}");
        }
        for text in
            ["performance {\n  raft_multiplier = 1\n}\n", "{\"performance\": {\n\"raft_multiplier\": 1}}"]
        {
            assert_eq!(
                found(text),
                [(MULTIPLIER.to_owned(), "1".to_owned(), "x, line 2".to_owned())],
                "{text}"
            );
        }
    }

    #[test]
    fn other_keys_and_remarks_are_passed_over() {
        let text = "# heartbeat-interval: 1\n// raft_multiplier = 9\ndraft_multiplier = 4\n\
                    peer-heartbeat-interval-x: 3\nXETCD_ELECTION_TIMEOUT=1\n";
        assert_eq!(found(text), []);
    }

    #[test]
    fn a_key_without_a_number_is_told() {
        let config = read("a\nelection-timeout: ${TIMEOUT}\n", Path::new("x"));
        assert_eq!(config.entries, []);
        assert_eq!(config.notes, ["x, line 2: election-timeout has no number there, and was not judged"]);
    }
}
