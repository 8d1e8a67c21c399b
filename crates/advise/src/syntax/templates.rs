//! Values that are filled in elsewhere: by a shell, Jinja, Helm, ERB.

use crate::{Config, Entry};

/// Moves entries whose value is not known here from [`Config::entries`] to [`Config::undecided`]. What they
/// override is not in force either, and an entry that another one overrides says nothing. A value without a
/// key is told.
pub(crate) fn set_aside(mut config: Config) -> Config {
    let mut kept: Vec<Entry> = Vec::with_capacity(config.entries.len());
    let mut undecided: Vec<Entry> = std::mem::take(&mut config.undecided);
    let is_same = |one: &Entry, other: &Entry| one.key == other.key && one.section == other.section;
    for entry in config.entries {
        if entry.key.is_empty() {
            config.notes.push(format!("{}: has a value without a key, and sets nothing", entry.place));
            continue;
        }
        undecided.retain(|before| !is_same(before, &entry));
        if depends_on(&entry.value).is_some() {
            kept.retain(|before| !is_same(before, &entry));
            undecided.push(entry);
        } else {
            kept.push(entry);
        }
    }
    Config { entries: kept, undecided, ..config }
}

/// What the value depends on, as the end of a sentence: `VAR, whose default is 500`; `None` where it stands
/// there.
pub(crate) fn depends_on(value: &str) -> Option<String> {
    for [open, close] in [["{{", "}}"], ["{%", "%}"], ["<%", "%>"]] {
        if let Some((_, rest)) = value.split_once(open) {
            let inner = rest.split_once(close).map_or(rest, |(inner, _)| inner);
            return Some(format!("{open} {} {close}", inner.trim_matches([' ', '-', '='])));
        }
    }
    value.match_indices('$').find_map(|(at, _)| variable(&value[at + 1..]))
}

/// Where a value ends that does not are in quotes: at the first character that `ends` it and is not within
/// `{{ }}` or `${ }`.
pub(crate) fn end(text: &str, ends: impl Fn(char) -> bool) -> usize {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let within = [["{{", "}}"], ["${", "}"], ["<%", "%>"]].into_iter().find_map(|[open, close]| {
            let inner = text[at..].strip_prefix(open)?;
            Some(open.len() + inner.find(close)? + close.len())
        });
        match within {
            Some(length) => at += length,
            None if ends(c) => return at,
            None => at += c.len_utf8(),
        }
    }
    text.len()
}

/// The variable that follows a `$`.
fn variable(text: &str) -> Option<String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // As Kubernetes has them.
    if let Some((name, _)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        return (!name.is_empty() && name.chars().all(is_of_name)).then(|| name.to_owned());
    }
    let Some(inner) = text.strip_prefix('{') else {
        let end = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
        let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        return is_name.then(|| text[..end].to_owned());
    };
    let inner = inner.split_once('}').map_or(inner, |(inner, _)| inner).trim();
    if inner.is_empty() {
        return None;
    }
    let end = inner.find(|c| !is_of_name(c)).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(end);
    let default = [":-", ":=", "-", "="].iter().find_map(|between| rest.strip_prefix(between));
    match default {
        Some(default) if !name.is_empty() && !default.is_empty() => {
            Some(format!("{name}, whose default is {default}"))
        }
        Some(_) if !name.is_empty() => Some(name.to_owned()),
        _ => Some(inner.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    #[test]
    fn values_of_shells_and_templates_are_no_values() {
        for (value, found) in [
            ("${HEARTBEAT:-500}", "HEARTBEAT, whose default is 500"),
            ("${HEARTBEAT-500}", "HEARTBEAT, whose default is 500"),
            ("${HEARTBEAT:-}", "HEARTBEAT"),
            ("${HEARTBEAT}", "HEARTBEAT"),
            ("5${ZEROS}", "ZEROS"),
            ("$HEARTBEAT", "HEARTBEAT"),
            ("{{ postgresql_io | default(200) }}", "{{ postgresql_io | default(200) }}"),
            ("{{- .Values.io -}}", "{{ .Values.io }}"),
            ("<%= @io %>", "<% @io %>"),
            ("${env:IO}", "env:IO"),
        ] {
            assert_eq!(depends_on(value).as_deref(), Some(found), "{value}");
        }
        for value in ["500", "-500", "", "pa$$", "a$", "$5", "{capacity=8M;}", "%t", "${}"] {
            assert_eq!(depends_on(value), None, "{value}");
        }
    }

    #[test]
    fn what_a_template_overrides_is_not_in_force() {
        let entry = |key: &str, value: &str| {
            let place = Place::Line { path: "x".into(), line: 1 };
            Entry { section: String::new(), key: key.to_owned(), value: value.to_owned(), place }
        };
        let entries =
            vec![entry("a", "1"), entry("a", "$A"), entry("b", "$B"), entry("b", "2"), entry("", "3")];
        let config = set_aside(Config { entries, ..Config::default() });
        assert_eq!(config.entries, [entry("b", "2")]);
        assert_eq!(config.undecided, [entry("a", "$A")]);
        assert_eq!(config.notes, ["x, line 1: has a value without a key, and sets nothing"]);
    }
}
