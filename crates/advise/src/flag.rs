//! What systems take for yes and no.

use crate::System;

impl System {
    /// Whether the text of a value says yes or no to a key that is one or the other; `None` where the system
    /// does not take it for either.
    pub fn flag(self, text: &str) -> Option<bool> {
        let one_of = |yes: &[&str], no: &[&str]| {
            let is_in = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
            if is_in(yes) { Some(true) } else { is_in(no).then_some(false) }
        };
        match self {
            System::Postgresql => postgresql(text),
            // An option without a value is on.
            System::Innodb => one_of(&["on", "true", "1", ""], &["off", "false", "0"]),
            System::Redis => one_of(&["yes"], &["no"]),
            System::Ceph => one_of(&["true", "yes", "on", "1"], &["false", "no", "off", "0"]),
            System::Zfs => one_of(&["y", "1", "on"], &["n", "0", "off"]),
            _ => one_of(&["true", "1"], &["false", "0"]),
        }
    }
}

/// `parse_bool_with_len` in src/backend/utils/adt/bool.c: words that begin unlike any other.
fn postgresql(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let begins = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if begins("true", 1) || begins("yes", 1) || text == "on" || text == "1" {
        Some(true)
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || text == "0" {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_words_of_its_own() {
        for (system, yes, no, neither) in [
            (
                System::Postgresql,
                &["on", "TRUE", "t", "y", "1"][..],
                &["of", "off", "F", "n", "0"][..],
                &["o", "", "2"][..],
            ),
            (System::Innodb, &["ON", "1", ""], &["off", "FALSE"], &["yes", "2"]),
            (System::Redis, &["yes", "YES"], &["no"], &["on", "1"]),
            (System::Rocksdb, &["true", "1"], &["false"], &["on"]),
        ] {
            assert!(yes.iter().all(|text| system.flag(text) == Some(true)), "{system}");
            assert!(no.iter().all(|text| system.flag(text) == Some(false)), "{system}");
            assert!(neither.iter().all(|text| system.flag(text).is_none()), "{system}");
        }
    }
}
