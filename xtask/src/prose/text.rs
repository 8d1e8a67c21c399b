//! What Harper is given, and where it came from.

use std::path::PathBuf;

/// Markdown whose lines have the numbers that they have in `file`.
pub(super) struct Text {
    pub(super) file: PathBuf,
    pub(super) kind: Kind,
    pub(super) markdown: String,
}

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Pages and comments: names of code are marked as code, so that the other words can be spell-checked.
    Page,
    /// Messages, in which options and names of files stand unmarked.
    Messages,
}

/// Lines of a source of which only some have prose.
pub(super) struct Lines(Vec<String>);

impl Lines {
    /// Without prose so far.
    pub(super) fn of(source: &str) -> Lines {
        Lines(vec![String::new(); source.lines().count()])
    }

    /// Adds prose to a line; numbers begin at 1.
    pub(super) fn add(&mut self, number: usize, prose: &str) {
        let line = &mut self.0[number - 1];
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(prose);
    }

    pub(super) fn markdown(self) -> String {
        self.0.join("\n")
    }
}

/// A piece of a message as prose: its placeholders and escapes hide no words and make none.
pub(super) fn plain(message: &str) -> String {
    let mut plain = String::new();
    let mut braces = 0_usize;
    let mut characters = message.trim().trim_end_matches('\\').chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '{' if characters.peek() == Some(&'{') => _ = characters.next(),
            '{' => {
                braces += 1;
                plain.push('…');
            }
            '}' => braces = braces.saturating_sub(1),
            '\\' => {
                let escaped = characters.next();
                plain.push(if escaped == Some('n') || escaped == Some('t') { ' ' } else { '\'' });
            }
            _ if braces > 0 => {}
            _ => plain.push(character),
        }
    }
    // What would be a heading, a list or code of Markdown is none here.
    plain.trim_start_matches(['#', '-', '*', '>', ' ', '`']).to_owned()
}

/// Whether a string is meant for people: it has three words in a row.
pub(super) fn is_sentence(message: &str) -> bool {
    let words: Vec<&str> = message.split_whitespace().collect();
    let is_word = |word: &str| word.len() > 1 && word.chars().all(|letter| letter.is_alphabetic());
    words
        .windows(3)
        .any(|three| three.iter().all(|word| is_word(word.trim_end_matches([',', '.', ':', ';']))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_no_words_and_escapes_do_not_join_any() {
        assert_eq!(
            plain("the file {name:?} has {{braces}}, and\\n  more \\"),
            "the file … has braces, and   more "
        );
        assert_eq!(plain("# of requests"), "of requests");
    }

    #[test]
    fn a_sentence_has_three_words_in_a_row() {
        assert!(is_sentence("{name}: no such device, so"));
        assert!(!is_sentence("SELECT a, b FROM t"));
        assert!(!is_sentence("--no-such-option 4 K"));
    }
}
