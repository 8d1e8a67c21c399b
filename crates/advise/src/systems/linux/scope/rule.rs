//! A rule of udev: its comparisons and assignments.

use super::super::reading::udev::{RULE, Token};
use crate::{Entry, Place};

/// A line of a file.
pub(super) struct Rule {
    pub(super) place: Place,
    pub(super) tokens: Vec<Token>,
}

/// The rules among the entries, in order.
pub(super) fn rules<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for entry in entries.filter(|entry| entry.section == RULE) {
        let Some(token) = Token::of(entry) else { continue };
        match rules.last_mut().filter(|rule| rule.place == entry.place) {
            Some(rule) => rule.tokens.push(token),
            None => rules.push(Rule { place: entry.place.clone(), tokens: vec![token] }),
        }
    }
    rules
}

impl Rule {
    pub(super) fn label(&self) -> Option<&String> {
        self.tokens.iter().find(|token| token.key == "LABEL").map(|token| &token.value)
    }

    /// Whether it does anything that matters here.
    pub(super) fn acts(&self) -> bool {
        let is_act = |token: &Token| match token.key.as_str() {
            "ATTR" => !token.is_match() && token.attribute.starts_with("queue/"),
            "SYSCTL" => !token.is_match(),
            "RUN" => ["/queue/", "blockdev", "hdparm", "sysctl", "io.cost"]
                .iter()
                .any(|it| token.value.contains(it)),
            _ => false,
        };
        self.tokens.iter().any(is_act)
    }
}

/// Whether it compares with a device that the drive hangs on.
pub(super) fn is_of_parents(token: &Token) -> bool {
    ["KERNELS", "SUBSYSTEMS", "DRIVERS", "ATTRS", "TAGS"].contains(&token.key.as_str())
}

/// Whether two places are in one file.
pub(super) fn is_same_file(one: &Place, other: &Place) -> bool {
    match (one, other) {
        (Place::Line { path: one, .. }, Place::Line { path: other, .. }) => one == other,
        _ => false,
    }
}

/// What a rule is for, in a word: `sd*`, `queue/rotational 1`.
pub(super) fn shown(token: &Token) -> String {
    let not = if token.operator == "!=" { "not " } else { "" };
    match token.key.as_str() {
        "KERNEL" | "KERNELS" => format!("{not}{}", token.value),
        _ if token.attribute.is_empty() => format!("{not}{} {}", token.key, token.value),
        _ => format!("{not}{} {}", token.attribute, token.value),
    }
}
