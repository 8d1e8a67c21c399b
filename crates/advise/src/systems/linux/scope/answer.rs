//! What is known, and what follows from it: yes, no, or that it cannot be known.

use super::super::globs;

/// Whether a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    Unknown,
}

impl Answer {
    pub(super) fn of(is_so: bool) -> Self {
        if is_so { Answer::Yes } else { Answer::No }
    }

    pub(super) fn not(self) -> Self {
        match self {
            Answer::Yes => Answer::No,
            Answer::No => Answer::Yes,
            Answer::Unknown => Answer::Unknown,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Answer::No, _) | (_, Answer::No) => Answer::No,
            (Answer::Yes, Answer::Yes) => Answer::Yes,
            _ => Answer::Unknown,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    /// The one that all of them are.
    pub(super) fn agreed(all: impl Iterator<Item = Answer>) -> Self {
        let all: Vec<Answer> = all.collect();
        let same = all.windows(2).all(|pair| pair[0] == pair[1]);
        all.first().copied().filter(|_| same).unwrap_or(Answer::Unknown)
    }
}

/// What is known of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// One of these.
    OneOf(Vec<String>),
    /// Something that begins with one of these.
    Begins(Vec<String>),
    /// The drive has no such property.
    Absent,
    /// Anything but these.
    Not(&'static [&'static str]),
    /// Anything.
    Unknown,
}

impl Known {
    pub(super) fn is(value: impl Into<String>) -> Self {
        Known::OneOf(vec![value.into()])
    }

    pub(super) fn maybe(value: Option<String>) -> Self {
        value.map_or(Known::Unknown, Known::is)
    }

    /// Whether it matches one of the patterns between bars.
    pub(super) fn matches(&self, patterns: &str) -> Answer {
        let always =
            patterns.split('|').any(|pattern| !pattern.is_empty() && pattern.chars().all(|c| c == '*'));
        if always && *self != Known::Absent {
            return Answer::Yes;
        }
        match self {
            Known::OneOf(values) => {
                let one = |value: &String| Answer::of(globs::matches_any(patterns, value));
                Answer::agreed(values.iter().map(one))
            }
            Known::Begins(starts) => {
                let may = |pattern: &str| starts.iter().any(|start| may_begin(pattern, start));
                let is_any = |pattern: &str| starts.iter().all(|start| is_any_end(pattern, start));
                match (patterns.split('|').any(is_any), patterns.split('|').any(may)) {
                    (true, _) => Answer::Yes,
                    (false, true) => Answer::Unknown,
                    (false, false) => Answer::No,
                }
            }
            Known::Absent => Answer::No,
            Known::Not(never) => {
                let is_never = |pattern: &str| globs::is_plain(pattern) && never.contains(&pattern);
                if patterns.split('|').all(is_never) { Answer::No } else { Answer::Unknown }
            }
            Known::Unknown => Answer::Unknown,
        }
    }
}

/// Whether all that begins with `start` matches.
fn is_any_end(pattern: &str, start: &str) -> bool {
    // What no pattern has in it but by a star.
    ["", "\u{1}", "\u{1}0\u{2}"].iter().all(|end| globs::matches(pattern, &format!("{start}{end}")))
}

/// Whether something that begins with `start` may match.
fn may_begin(pattern: &str, start: &str) -> bool {
    let end = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
    let head = &pattern[..end];
    if end == pattern.len() {
        head.starts_with(start)
    } else {
        head.starts_with(start) || start.starts_with(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_answered() {
        let forms = Known::OneOf(vec!["A B".into(), "A_B".into()]);
        assert_eq!(forms.matches("A?B"), Answer::Yes);
        assert_eq!(forms.matches("A B"), Answer::Unknown);
        assert_eq!(forms.matches("C*|D*"), Answer::No);
        let cut = Known::Begins(vec!["ST4000DM004-2CV1".into()]);
        assert_eq!(cut.matches("ST4000DM004-2CV104"), Answer::Unknown);
        assert_eq!(cut.matches("ST4*"), Answer::Yes);
        assert_eq!(cut.matches("ST4*04"), Answer::Unknown);
        assert_eq!(cut.matches("WDC*"), Answer::No);
        assert_eq!(Known::Not(&["nvme"]).matches("nvme"), Answer::No);
        assert_eq!(Known::Not(&["nvme"]).matches("usb"), Answer::Unknown);
        assert_eq!(Known::Unknown.matches("*"), Answer::Yes);
        assert_eq!(Known::Unknown.matches("?*"), Answer::Unknown);
        assert_eq!(Known::Absent.matches("*"), Answer::No);
    }
}
