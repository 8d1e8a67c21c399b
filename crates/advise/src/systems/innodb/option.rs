//! A line of an option file: which option it sets, and to what.

use crate::{Entry, Place};

/// Options whose own name begins like one that is switched off.
const OWN_SKIP: [&str; 8] = [
    "skip_external_locking",
    "skip_grant_tables",
    "skip_host_cache",
    "skip_name_resolve",
    "skip_networking",
    "skip_show_database",
    "skip_slave_start",
    "skip_stack_trace",
];

/// As the server's `my_isspace`.
pub(super) fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// An option of a group that the server reads. Groups are of one section: their order decides.
pub(super) fn entry(option: &str, place: Place) -> Entry {
    let option = without_remark(option);
    let (key, value) = match option.split_once('=') {
        Some((key, value)) => (key, plain(value.trim_matches(is_space))),
        None => (option, String::new()),
    };
    let (key, value) = named(key.trim_end_matches(is_space), value);
    Entry { section: "mysqld".to_owned(), key, value, place }
}

/// What is before the first # outside of quotes.
fn without_remark(line: &str) -> &str {
    let (mut quote, mut is_escaped) = (None, false);
    for (at, c) in line.char_indices() {
        if matches!(c, '"' | '\'') && !is_escaped {
            quote = match quote {
                None => Some(c),
                Some(open) if open == c => None,
                open => open,
            };
        }
        if quote.is_none() && c == '#' {
            return &line[..at];
        }
        is_escaped = quote.is_some() && c == '\\' && !is_escaped;
    }
    line
}

/// A value without the quotes around it and without its escapes.
fn plain(value: &str) -> String {
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    let mut plain = String::new();
    let mut chars = inner.unwrap_or(value).chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('b') => plain.push('\u{8}'),
            Some('s') => plain.push(' '),
            Some(c @ ('"' | '\'' | '\\')) => plain.push(c),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    plain
}

/// The option that is meant: dashes are underscores, case and `loose-` do not matter, `maximum-` sets the
/// same, and `skip-`, `disable-` and `enable-` stand for a value (mysys/my_getopt.c).
fn named(key: &str, value: String) -> (String, String) {
    let mut key = key.replace('-', "_").to_ascii_lowercase();
    let mut switched = None;
    loop {
        if OWN_SKIP.contains(&key.as_str()) {
            break;
        }
        let prefixes = [
            ("loose_", None),
            ("maximum_", None),
            ("skip_", Some("0")),
            ("disable_", Some("0")),
            ("enable_", Some("1")),
        ];
        let found = prefixes.iter().find_map(|(prefix, to)| Some((key.strip_prefix(prefix)?, *to)));
        let Some((rest, to)) = found.filter(|(rest, _)| !rest.is_empty()) else { break };
        // `skip-x = 0` switches x on.
        switched = match to {
            Some("0") if value == "0" => Some("1"),
            to => to.or(switched),
        };
        key = rest.to_owned();
    }
    match switched {
        Some(switched) => (key, switched.to_owned()),
        None => (key, value),
    }
}

/// A whole number with one of the server's suffixes; what follows a suffix is passed over, as by the server.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim_start_matches(is_space);
    let digits = text.trim_start_matches(['-', '+']);
    let end = text.len() - digits.len() + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: i64 = text[..end].parse().ok()?;
    let power = match text[end..].chars().next() {
        None => 0,
        Some(suffix) => 1 + "KMGTPE".find(suffix.to_ascii_uppercase())? as i32,
    };
    Some(number as f64 * 1024_f64.powi(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_suffixes_of_the_server() {
        for (text, value) in [
            ("200", 200.0),
            ("40K", 40960.0),
            ("1g", 1073741824.0),
            ("-1", -1.0),
            ("10MB", 10485760.0),
            ("1e", 2_f64.powi(60)),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "fast", "1.5", "1.5G", "1 G", "--1", "200#"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
