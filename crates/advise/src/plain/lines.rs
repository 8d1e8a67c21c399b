//! Lines that set something, whatever the syntax.

use super::names;

/// What stands between key and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Equals,
    Colon,
    Space,
    Nothing,
}

/// A line with a key.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: usize,
    /// Of the last line in brackets.
    pub(super) section: String,
    /// In lower case.
    pub(super) key: String,
    pub(super) mark: Mark,
    /// All of it.
    pub(super) text: &'a str,
}

impl Line<'_> {
    pub(super) fn words(&self, count: usize) -> Vec<&str> {
        self.text.split_whitespace().take(count).collect()
    }

    /// `block:*:name:…`, whose stars and brackets are no section.
    pub(super) fn is_hwdb(&self) -> bool {
        self.text.starts_with("block:") || self.text.starts_with("IOCOST_")
    }
}

/// All lines but comments and sections. A key may have `- `, quotes, `export` or `set` before it.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut section = String::new();
    let mut lines = Vec::new();
    for (at, text) in text.lines().enumerate() {
        let text = text.trim();
        if text.is_empty() || text.starts_with(['#', ';', '!']) || text.starts_with("//") || text == "---" {
            continue;
        }
        if let Some(name) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            section = name.0.trim().to_owned();
            continue;
        }
        let start = ["- ", "export "].iter().fold(text, |text, word| text.strip_prefix(word).unwrap_or(text));
        let start = start.trim_start_matches(['"', '\'']);
        let end = start.find(|c: char| matches!(c, '=' | ':') || c.is_whitespace()).unwrap_or(start.len());
        let (key, rest) = start.split_at(end);
        // A key of several words has an equals sign behind the last: Ceph's.
        let (key, rest) = match rest.split_once('=') {
            Some((words, value)) if words.split_whitespace().count() > 0 && !section.is_empty() => {
                (&start[..end + words.len()], ["=", value].concat())
            }
            _ => (key, rest.to_owned()),
        };
        let rest = rest.trim_start().trim_start_matches(['"', '\'']).trim_start();
        let mark = match rest.chars().next() {
            Some('=') => Mark::Equals,
            Some(':') => Mark::Colon,
            Some(_) => Mark::Space,
            None => Mark::Nothing,
        };
        let key = key.trim().trim_end_matches(['"', '\'']).to_ascii_lowercase();
        lines.push(Line { number: at + 1, section: section.clone(), key, mark, text });
    }
    lines
}

/// A key of sysctl, a udev rule, an entry of the hardware database, rates of io.cost, or a command that
/// writes into a queue.
pub(super) fn is_linux(line: &Line) -> bool {
    let key = line.key.trim_start_matches('-').replace('/', ".");
    let is_sysctl = |key: &str| names::SYSCTLS.iter().any(|part| key.starts_with(part));
    let text = line.text;
    let is_rule = ["ACTION", "KERNEL", "SUBSYSTEM", "ATTR{", "ENV{", "ATTRS{"]
        .iter()
        .any(|word| text.starts_with(word) && (text.contains("==") || text.contains("ATTR{")));
    let is_command = line.words(1) == ["sysctl"] && text.split_whitespace().any(is_sysctl)
        || text.contains('>') && text.contains("/queue/");
    let is_rate = ["rbps=", "wbps=", "rpct=", "wpct="].iter().any(|rate| text.contains(rate));
    line.mark == Mark::Equals && is_sysctl(&key) || is_rule || is_command || line.is_hwdb() || is_rate
}

/// A flag of etcd somewhere in the line.
pub(super) fn has_etcd_flag(text: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ',');
    text.split(ends).any(|word| {
        let name = word.trim_start_matches('-');
        ["heartbeat-interval", "election-timeout", "ETCD_HEARTBEAT_INTERVAL", "ETCD_ELECTION_TIMEOUT"]
            .contains(&name)
    })
}
