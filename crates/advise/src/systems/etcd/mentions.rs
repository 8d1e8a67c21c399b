//! The keys wherever they stand: etcd's configuration file, its flags in a unit, a script or a manifest of
//! Kubernetes, its environment, k3s's `etcd-arg`, Consul's HCL or JSON. All of them have the key, something
//! between, and a number, on one line; so that is what is looked for.

use std::path::Path;

use super::{ELECTION, HEARTBEAT, MULTIPLIER};
use crate::syntax::templates;
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
    // What was found in the environment, and as a flag.
    let (mut in_environment, mut as_flag) = (Vec::new(), Vec::new());
    let lines: Vec<&str> = text.lines().map(without_remark).collect();
    for (at, line) in lines.iter().enumerate() {
        for mention in mentions(line) {
            let (key, place) = (mention.key, Place::Line { path: path.into(), line: at + 1 });
            let next = lines.get(at + 1).copied().unwrap_or_default();
            let found = Some(mention.value).filter(|value| !value.is_empty());
            let Some(value) = found.or_else(|| manifest_value(next)) else {
                config.notes.push(format!("{place}: {key} has no number there, and was not judged"));
                continue;
            };
            let which = if mention.is_environment { &mut in_environment } else { &mut as_flag };
            which.push(key);
            config.entries.push(Entry { section: String::new(), key: key.to_owned(), value, place });
        }
    }
    for key in [HEARTBEAT, ELECTION] {
        if in_environment.contains(&key) && as_flag.contains(&key) {
            config.notes.push(format!(
                "{key} is in the environment and elsewhere: etcd does not start where one is a flag"
            ));
        }
    }
    config
}

/// A key in a line.
struct Mention {
    key: &'static str,
    is_environment: bool,
    value: String,
}

/// The keys in a line, in order, each with what follows it. Those within a value, `${ETCD_...:-500}`, are
/// none.
fn mentions(line: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    for (spelt, key) in SPELT {
        for (start, _) in line.match_indices(spelt) {
            // A flag has one dash before it, or two.
            let (before, after) = (line[..start].trim_end_matches('-'), &line[start + spelt.len()..]);
            if !before.ends_with(is_of_word) && !after.starts_with(|c| c == '-' || is_of_word(c)) {
                found.push((start, spelt, key));
            }
        }
    }
    found.sort_by_key(|(start, ..)| *start);
    let mut mentions = Vec::new();
    let mut end = 0;
    for (start, spelt, key) in found {
        if start < end {
            continue;
        }
        let after = start + spelt.len();
        let (skipped, value) = value(&line[after..]);
        end = after + skipped + value.len();
        mentions.push(Mention { key, is_environment: spelt.starts_with("ETCD_"), value: value.to_owned() });
    }
    mentions
}

/// Environment in a manifest of Kubernetes: the name on one line, `value: "500"` on the next.
fn manifest_value(line: &str) -> Option<String> {
    let after = line.trim_start().strip_prefix("value:")?;
    Some(value(after).1.to_owned()).filter(|value| !value.is_empty())
}

/// Letters, digits and underscores.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Without what is behind `#` or `//`, which begin remarks where white space or nothing is before them.
fn without_remark(line: &str) -> &str {
    let starts = |(at, _): &(usize, &str)| *at == 0 || line[..*at].ends_with([' ', '\t']);
    let first = ["#", "//"].iter().filter_map(|mark| line.match_indices(mark).find(starts));
    first.map(|(at, _)| at).min().map_or(line, |at| &line[..at])
}

/// What follows the key: the bytes of quotes, equals signs, colons and spaces before it, and the value up to
/// the end of the word.
fn value(after: &str) -> (usize, &str) {
    let rest = after.trim_start_matches([' ', '\t', '=', ':', '"', '\'']);
    let is_of_value = |c: char| is_of_word(c) || matches!(c, '.' | '-' | '$');
    (after.len() - rest.len(), &rest[..templates::end(rest, |c| !is_of_value(c))])
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
    fn variables_and_templates_are_no_numbers() {
        for (text, value) in [
            ("ETCD_HEARTBEAT_INTERVAL=${ETCD_HEARTBEAT_INTERVAL:-500}\n", "${ETCD_HEARTBEAT_INTERVAL:-500}"),
            (
                "  --heartbeat-interval={{ etcd_heartbeat | default(500) }} \\\n",
                "{{ etcd_heartbeat | default(500) }}",
            ),
            ("heartbeat-interval: $HEARTBEAT\n", "$HEARTBEAT"),
            ("heartbeat-interval: 5${ZEROS}\n", "5${ZEROS}"),
        ] {
            let values: Vec<String> = found(text).into_iter().map(|(_, value, _)| value).collect();
            assert_eq!(values, [value], "{text}");
            assert!(templates::depends_on(value).is_some());
        }
    }

    #[test]
    fn a_key_without_a_number_and_one_in_two_places_are_told() {
        let config = read("a\nelection-timeout:\n", Path::new("x"));
        assert_eq!(config.entries, []);
        assert_eq!(config.notes, ["x, line 2: election-timeout has no number there, and was not judged"]);
        let both = read("ETCD_ELECTION_TIMEOUT=2000 etcd --election-timeout=2500\n", Path::new("x"));
        assert!(both.notes[0].starts_with("election-timeout is in the environment and elsewhere"));
    }
}
