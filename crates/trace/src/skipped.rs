//! Lines that hold no request, counted by kind: nothing of a file vanishes without a word.

use std::borrow::Cow;

use serde::Serialize;

/// As many kinds are told apart; all others are one more.
const KINDS_MAX: usize = 24;

/// What kinds beyond [`KINDS_MAX`] are called.
const OTHERS: &str = "others";

/// Lines (or records) of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedKind {
    /// What they are, such as `comments`, or what is wrong with them.
    pub what: Cow<'static, str>,
    /// How many.
    pub count: u64,
    /// Where the first of them is, from 1.
    pub first_line: u64,
}

/// Lines by kind, in the order in which the kinds appear.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Skipped {
    kinds: Vec<SkippedKind>,
}

impl Skipped {
    /// The kinds there are.
    pub fn kinds(&self) -> &[SkippedKind] {
        &self.kinds
    }

    /// Lines of all kinds.
    pub fn total(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.count).sum()
    }

    /// One more of this kind.
    pub(crate) fn add(&mut self, what: &'static str, line: u64) {
        self.count(Cow::Borrowed(what), line);
    }

    /// One more line with which this is wrong: what was found differs from line to line and is no part of the
    /// kind.
    pub(crate) fn add_wrong(&mut self, reason: &str, line: u64) {
        self.count(Cow::Owned(without_what_was_found(reason)), line);
    }

    fn count(&mut self, what: Cow<'static, str>, line: u64) {
        let what = match self.kinds.len() {
            KINDS_MAX.. if !self.kinds.iter().any(|kind| kind.what == what) => Cow::Borrowed(OTHERS),
            _ => what,
        };
        match self.kinds.iter_mut().find(|kind| kind.what == what) {
            Some(kind) => kind.count += 1,
            None => self.kinds.push(SkippedKind { what, count: 1, first_line: line }),
        }
    }
}

/// `size: found "-1", expected a whole number` as `size: expected a whole number`.
fn without_what_was_found(reason: &str) -> String {
    match (reason.find("found "), reason.find(", expected ")) {
        (Some(found), Some(expected)) if found < expected => {
            format!("{}{}", &reason[..found], &reason[expected + 2..])
        }
        _ => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_with_the_line_of_the_first() {
        let mut skipped = Skipped::default();
        skipped.add("comments", 3);
        skipped.add_wrong("size: found \"-1\", expected a whole number", 4);
        skipped.add_wrong("size: found \"x, y\", expected a whole number", 5);
        skipped.add("comments", 6);
        let kinds: Vec<_> = skipped.kinds().iter().map(|k| (&*k.what, k.count, k.first_line)).collect();
        assert_eq!(kinds, [("comments", 2, 3), ("size: expected a whole number", 2, 4)]);
        assert_eq!(skipped.total(), 4);
    }

    #[test]
    fn a_file_of_a_thousand_different_mistakes_takes_no_memory_for_each() {
        let mut skipped = Skipped::default();
        (1..=1000).for_each(|line| skipped.add_wrong(&format!("mistake {line}"), line));
        assert_eq!((skipped.kinds().len(), skipped.total()), (KINDS_MAX + 1, 1000));
        assert_eq!(skipped.kinds()[KINDS_MAX].count, 1000 - KINDS_MAX as u64);
    }
}
