//! `rbps=... wrandiops=...` and `rpct=... max=...`, wherever they stand.

use super::super::kernel::RATES;

const LIMITS: [&str; 6] = ["rpct", "rlat", "wpct", "wlat", "min", "max"];

/// The rates and limits among the words of a line. A latency whose percentile is 0 has no effect and is left
/// out.
pub(in super::super) fn costs(line: &str) -> Vec<(String, &str)> {
    let words: Vec<(&str, &str)> = words(line).filter_map(|word| word.split_once('=')).collect();
    let is_off = |name: &str| {
        words
            .iter()
            .any(|(key, value)| *key == name && value.parse::<f64>().is_ok_and(|percent| percent == 0.0))
    };
    let off = [("rlat", is_off("rpct")), ("wlat", is_off("wpct"))];
    let kept = words.into_iter().filter(|(key, _)| !off.contains(&(*key, true)));
    let known = kept.filter_map(|(key, value)| {
        let file = if RATES.contains(&key) {
            "io.cost.model"
        } else if LIMITS.contains(&key) {
            "io.cost.qos"
        } else {
            return None;
        };
        Some((format!("{file} {key}"), value))
    });
    known.collect()
}

/// The `MAJOR:MINOR` with which the kernel's lines begin.
pub(in super::super) fn number(line: &str) -> Option<&str> {
    words(line).find(|word| is_number(word))
}

/// Whether it is `MAJOR:MINOR`.
pub(in super::super) fn is_number(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once(':').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).filter(|word| !word.is_empty())
}
