//! Spaces that do not break: a number and its unit stay in one line.

use std::borrow::Cow;

use minijinja::value::ValueKind;
use minijinja::{Error, Output, State, Value, escape_formatter};

const NO_BREAK: char = '\u{a0}';

/// What stands behind a number as its unit.
const UNITS: [&str; 24] = [
    "%", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "B/s", "kB/s", "MB/s", "GB/s", "TB/s", "µs", "ms", "s",
    "min", "h", "IOPS", "°C", "GT/s", "Gbit/s", "KB", "MB", "GB",
];

/// Writes a value as HTML, with its numbers and units together. What is safe markup already stays as it is.
pub(super) fn format(output: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) if value.kind() == ValueKind::String && !value.is_safe() => {
            escape_formatter(output, state, &Value::from(joined(text).into_owned()))
        }
        _ => escape_formatter(output, state, value),
    }
}

/// A template whose own words have their numbers and units together; what is between braces stays as it is.
pub(super) fn in_template(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        let (words, tag) = rest.split_at(at);
        let end = if tag.starts_with("{{") { "}}" } else { "%}" };
        let length = tag.find(end).map_or(tag.len(), |close| close + end.len());
        text.push_str(&joined(words));
        text.push_str(&tag[..length]);
        rest = &tag[length..];
    }
    text.push_str(&joined(rest));
    text
}

/// With a space that does not break between each number and its unit.
fn joined(text: &str) -> Cow<'_, str> {
    let mut places =
        text.match_indices(' ').filter(|(at, _)| is_between(&text[..*at], &text[at + 1..])).peekable();
    if places.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len() + 8);
    let mut done = 0;
    for (at, _) in places {
        made.push_str(&text[done..at]);
        made.push(NO_BREAK);
        done = at + 1;
    }
    made.push_str(&text[done..]);
    Cow::Owned(made)
}

/// Whether a number, `12` or `443k`, stands before and a unit behind.
fn is_between(before: &str, behind: &str) -> bool {
    let number = before.strip_suffix(['k', 'M', 'G']).unwrap_or(before);
    if !number.ends_with(|last: char| last.is_ascii_digit()) {
        return false;
    }
    let end = behind.find(|c: char| c.is_whitespace() || ",.;:)]–-<(".contains(c)).unwrap_or(behind.len());
    UNITS.contains(&&behind[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_unit_stay_together_and_other_words_do_not() {
        for (text, shown) in [
            ("82 % of 443k IOPS (95 % interval)", "82\u{a0}% of 443k\u{a0}IOPS (95\u{a0}% interval)"),
            ("at 85.3 µs, 4 KiB.", "at 85.3\u{a0}µs, 4\u{a0}KiB."),
            ("keep 8 seconds", "keep 8 seconds"),
            ("k_r 8 (6–9)", "k_r 8 (6–9)"),
            ("a % sign", "a % sign"),
            ("", ""),
        ] {
            assert_eq!(joined(text), shown);
        }
    }

    #[test]
    fn what_a_template_computes_is_left_alone() {
        let source = "{% if n == 95 %}95 % of{% endif %} {{ 95 % 10 }} in 3 s";
        assert_eq!(in_template(source), "{% if n == 95 %}95\u{a0}% of{% endif %} {{ 95 % 10 }} in 3\u{a0}s");
    }
}
