//! Words and lines within the width of a terminal.

use unicode_width::UnicodeWidthStr as _;

/// The plot needs this many columns.
pub(super) const NARROWEST: usize = 60;

/// A line does not end before these where they follow a number.
const UNITS: [&str; 27] = [
    "%", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "B/s", "kB/s", "MB/s", "GB/s", "TB/s", "µs", "ms", "s",
    "min", "h", "°C", "IOPS", "reads", "writes", "read", "write", "points", "times", "GT/s", "KB",
];

/// A device may call itself anything; the terminal must not obey it.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Breaks at blanks; lines after the first begin with `indent`.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    broken(text, width, [String::new(), indent.to_owned()])
}

/// With no-break spaces at the blanks where no line ends: between a number and its unit, and around the
/// equals sign of `k = 4`. [`loose`] makes blanks of them.
pub(super) fn bound(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = "";
    for (i, word) in text.split(' ').enumerate() {
        if i > 0 {
            out.push(if stays_with(before, word) { '\u{a0}' } else { ' ' });
        }
        out.push_str(word);
        before = word;
    }
    out
}

/// With ordinary blanks again.
pub(super) fn loose(text: &str) -> String {
    text.replace('\u{a0}', " ")
}

/// In red, if the terminal has colors.
pub(super) fn red(text: &str, color: bool) -> String {
    if color { format!("\x1b[31m{text}\x1b[0m") } else { text.to_owned() }
}

fn stays_with(before: &str, word: &str) -> bool {
    let unit = word.trim_end_matches(|c: char| ".,;:)".contains(c));
    // `12`, `82.0k`.
    let is_number = before.trim_end_matches(['k', 'M', 'G']).ends_with(|c: char| c.is_ascii_digit());
    is_number && UNITS.contains(&unit)
        || before == "k" && word == "="
        || matches!(before, "=" | "<" | "≥" | "min" | "h") && word.starts_with(|c: char| c.is_ascii_digit())
}

/// Breaks at blanks; `first` stands before the first line and `rest` before the other ones. Blanks with which
/// the text begins are kept.
pub(super) fn broken(text: &str, width: usize, [first, rest]: [String; 2]) -> String {
    let text = bound(&printable(text));
    let mut lines = Vec::new();
    let mut words = text.split(' ');
    let mut line = first + words.next().unwrap_or_default();
    for word in words {
        if line.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut line, format!("{rest}{word}")));
        } else {
            line = format!("{line} {word}");
        }
    }
    lines.push(line);
    loose(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_unit_stay_on_one_line() {
        let text = "one at a time gets 12 % (9.84k of 82.0k IOPS); 4 KiB at k = 16 took < 1 ms.";
        for width in 8..60 {
            let lines = wrap(text, width, "");
            assert_eq!(lines.replace('\n', " "), text, "nothing is lost");
            for line in lines.lines() {
                let ends_a_unit = ["%", "IOPS);", "KiB", "=", "16", "1", "ms."];
                assert!(!ends_a_unit.iter().any(|unit| line.starts_with(&format!("{unit} "))), "{lines}");
                assert!(!ends_a_unit.contains(&line), "{lines}");
                assert!(line.chars().count() <= width.max(12), "{lines}");
            }
        }
    }

    #[test]
    fn wide_characters_count_as_two() {
        assert_eq!(wrap("盤 盤 盤", 5, ""), "盤 盤\n盤");
    }
}
