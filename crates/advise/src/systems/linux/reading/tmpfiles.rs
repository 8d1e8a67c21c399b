//! Lines of systemd's tmpfiles.d that write into a file: `w /sys/block/sda/queue/scheduler - - - - none`.

/// What a line does.
pub(super) enum Line {
    /// It writes this text into this file.
    Writes(String, String),
    /// It is a line of tmpfiles.d that makes, removes or changes files.
    Other,
}

/// The line as tmpfiles.d has it; `None` where it is of another syntax.
pub(super) fn line(line: &str) -> Option<Line> {
    let mut words = Words(line);
    let kind = words.next()?;
    let path = words.next()?;
    let (letter, marks) = kind.split_at_checked(1)?;
    let is_kind = letter.starts_with(|c: char| c.is_ascii_alphabetic())
        && marks.chars().all(|c| matches!(c, '+' | '!' | '-' | '=' | '~' | '^' | '$' | '?'));
    let path = path.trim_matches(['"', '\'']);
    if !is_kind || !path.starts_with('/') {
        return None;
    }
    if letter != "w" {
        return Some(Line::Other);
    }
    for _ in 0..4 {
        words.next()?;
    }
    Some(Line::Writes(path.replace("%%", "%"), unescaped(words.0.trim()).replace("%%", "%")))
}

/// Words with white space between them.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// `\n`, `\t`, `\\`; anything else as it is.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some(next @ ('n' | 't' | '\\'))) => {
                out.push(match next {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
                chars.next();
            }
            (other, _) => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_write_have_a_value() {
        let writes = |text: &str| match line(text) {
            Some(Line::Writes(path, value)) => Some((path, value)),
            _ => None,
        };
        let want = ("/sys/block/sda/queue/scheduler".to_owned(), "none".to_owned());
        assert_eq!(writes("w  /sys/block/sda/queue/scheduler - - - - none"), Some(want.clone()));
        assert_eq!(
            writes("w!- /sys/block/sda/queue/scheduler - - - - none\\n ").map(|it| it.0),
            Some(want.0)
        );
        assert!(matches!(line("d /run/a 0755 root root -"), Some(Line::Other)));
        for other in ["echo /a - - - - b", "w", "vm.dirty_ratio = 10", "w a - - - - b"] {
            assert!(line(other).is_none(), "{other}");
        }
    }
}
