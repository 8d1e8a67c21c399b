//! Text that a terminal shows as it is: what a name holds to drive the terminal is written out.
//!
//! A file may be called anything, and so may a device or a query in a file from elsewhere. All messages and
//! results pass through here on their way to a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// One line: line breaks are written out too.
pub(crate) fn line(text: &str) -> String {
    written_out(text, |c| c == '\n' || drives(c))
}

/// Numbers of errors that say more than their text does: of devices that fail.
const TELLING: [&str; 9] = ["5", "6", "19", "61", "84", "110", "117", "121", "132"];

/// Without the number that Rust writes behind what the system says of a file, ` (os error 2)`.
pub(crate) fn without_number(text: &str) -> Cow<'_, str> {
    const BEFORE: &str = " (os error ";
    let Some(at) = text.find(BEFORE) else { return Cow::Borrowed(text) };
    let (before, behind) = (&text[..at], &text[at + BEFORE.len()..]);
    match behind.split_once(')') {
        Some((number, rest)) if !TELLING.contains(&number) && number.parse::<u32>().is_ok() => {
            Cow::Owned(format!("{before}{}", without_number(rest)))
        }
        _ => Cow::Owned(format!("{before}{BEFORE}{}", without_number(behind))),
    }
}

/// Several lines, or a JSON document, which stays one and says the same.
pub(crate) fn lines(text: &str) -> String {
    written_out(text, drives)
}

/// Several lines with colours, made of names that hold no escape character any more.
pub(crate) fn coloured(text: &str) -> String {
    written_out(text, |c| c != '\u{1b}' && drives(c))
}

/// A name as one word of a command line that is shown to be pasted: in quotes where the shell needs them, and
/// what would drive the terminal as bash and zsh write it, `$'\u001b'`.
pub(crate) fn shell_word(name: &str) -> String {
    if name.chars().any(|c| c == '\n' || drives(c)) {
        let quoted = name.replace('\\', "\\\\").replace('\'', "\\'");
        return format!("$'{}'", line(&quoted));
    }
    // A zero byte is in no name, and nothing else cannot be quoted.
    shlex::try_quote(name).map_or_else(|_| name.to_owned(), |word| word.into_owned())
}

/// Whether a terminal does something at this character instead of showing it: control characters (of eight
/// bits too), and those that turn the direction of writing around.
pub(crate) fn drives(c: char) -> bool {
    let is_layout = matches!(c, '\n' | '\t');
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() && !is_layout || turns
}

/// As JSON has them, `\u001b`, wherever they stand.
fn written_out(text: &str, wanted: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' if wanted(c) => out.push_str("\\n"),
            c if wanted(c) => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_drive_a_terminal_is_written_out_and_nothing_else() {
        let name = "a\u{1b}[2J\u{7}\u{9b}31m\r\u{202e}b\u{7f}";
        assert_eq!(line(name), "a\\u001b[2J\\u0007\\u009b31m\\u000d\\u202eb\\u007f");
        assert_eq!(lines(name), line(name));
        assert_eq!((line("a\nb"), lines("a\nb").as_str()), ("a\\nb".to_owned(), "a\nb"));
        let plain = "4K \u{b5}s \u{2013} \u{2588}\t\u{fc} \u{1f980} \\u001b";
        assert_eq!((line(plain), lines(plain)), (plain.to_owned(), plain.to_owned()));
    }

    #[test]
    fn the_number_of_an_error_is_told_where_it_says_more_than_the_text() {
        assert_eq!(
            without_number("p.json: No such file or directory (os error 2)"),
            "p.json: No such file or directory"
        );
        assert_eq!(without_number("a (os error 13); b (os error 28)!"), "a; b!");
        for kept in [
            "read: Input/output error (os error 5)",
            "No data available (os error 61)",
            "a (os error x)",
            "(os error ",
        ] {
            assert_eq!(without_number(kept), kept);
        }
    }

    #[test]
    fn a_word_of_a_command_line_can_be_pasted() {
        assert_eq!(shell_word("leadline-vda-1/profile.json"), "leadline-vda-1/profile.json");
        assert_eq!(shell_word("device:p4510"), "device:p4510");
        assert_eq!(shell_word("my disk.json"), "'my disk.json'");
        assert_eq!(shell_word("it's"), "\"it's\"");
        assert_eq!(shell_word("a'b\u{1b}[2J\n"), "$'a\\'b\\u001b[2J\\n'");
    }

    #[test]
    fn a_document_says_the_same_afterwards() {
        let document = serde_json::json!({ "name": "a\u{9b}\u{7f}\u{202e}\u{1b}\nb" });
        let text = serde_json::to_string_pretty(&document).unwrap();
        let shown = lines(&text);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), document);
        assert!(shown.contains("\\u009b") && !shown.contains('\u{9b}'), "{shown}");
    }
}
