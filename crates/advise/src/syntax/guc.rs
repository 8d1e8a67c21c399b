//! A line of postgresql.conf, as the server's scanner takes it apart (src/backend/utils/misc/guc-file.l).

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assigned {
    /// In lower case: the server compares without case.
    pub(crate) key: String,
    /// Without its quotes.
    pub(crate) value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word of letters, digits and underscores.
    Word,
    /// Two words with a dot between, as the options of extensions are called.
    Qualified,
    /// A word that also has `-._:/`.
    Unquoted,
    Quoted,
    Number,
    Equals,
}

struct Token<'a> {
    kind: Kind,
    text: &'a str,
}

/// What a line assigns, `None` if nothing. An error is what the server stops at.
pub(crate) fn line(text: &str) -> Result<Option<Assigned>, String> {
    let mut rest = text;
    let Some(key) = next(&mut rest)? else { return Ok(None) };
    if !matches!(key.kind, Kind::Word | Kind::Qualified) {
        return Err(key.text.to_owned());
    }
    let end = || "the end of the line".to_owned();
    let mut value = next(&mut rest)?.ok_or_else(end)?;
    if value.kind == Kind::Equals {
        value = next(&mut rest)?.ok_or_else(end)?;
    }
    let text = match value.kind {
        Kind::Word | Kind::Unquoted | Kind::Number => value.text.to_owned(),
        Kind::Quoted => plain(value.text),
        Kind::Qualified | Kind::Equals => return Err(value.text.to_owned()),
    };
    match next(&mut rest)? {
        Some(more) => Err(more.text.to_owned()),
        None => Ok(Some(Assigned { key: key.text.to_ascii_lowercase(), value: text })),
    }
}

/// Takes the next token off `rest`; `None` at the end of the line and at a remark.
fn next<'a>(rest: &mut &'a str) -> Result<Option<Token<'a>>, String> {
    let text = rest.trim_start_matches([' ', '\t', '\r']);
    let Some(first) = text.chars().next().filter(|c| *c != '#') else { return Ok(None) };
    let (kind, length) = match first {
        '=' => (Kind::Equals, 1),
        '\'' => (Kind::Quoted, quoted(text).ok_or_else(|| text.to_owned())?),
        c if is_letter(c) => {
            let length = text.find(|c| !is_of_unquoted(c)).unwrap_or(text.len());
            (kind_of_word(&text[..length]), length)
        }
        _ => match integer(text).max(real(text)) {
            0 => return Err(text.to_owned()),
            length => (Kind::Number, length),
        },
    };
    let (token, after) = text.split_at(length);
    *rest = after;
    Ok(Some(Token { kind, text: token }))
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

fn is_of_word(c: char) -> bool {
    is_letter(c) || c.is_ascii_digit()
}

fn is_of_unquoted(c: char) -> bool {
    is_of_word(c) || matches!(c, '-' | '.' | '_' | ':' | '/')
}

fn kind_of_word(text: &str) -> Kind {
    let is_word = |text: &str| text.starts_with(is_letter) && text.chars().all(is_of_word);
    match text.split_once('.') {
        None if is_word(text) => Kind::Word,
        Some((before, after)) if is_word(before) && is_word(after) => Kind::Qualified,
        _ => Kind::Unquoted,
    }
}

/// Bytes of the text in quotes at the beginning, with them; `None` where they do not end.
fn quoted(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b'\'' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Bytes of an integer with the letters of its unit at the beginning.
fn integer(text: &str) -> usize {
    let bytes = text.as_bytes();
    let span = |from: usize, is: fn(&u8) -> bool| bytes[from..].iter().take_while(|b| is(b)).count();
    let sign = usize::from(text.starts_with(['+', '-']));
    let unit = |end: usize| end + span(end, u8::is_ascii_alphabetic);
    let digits = span(sign, u8::is_ascii_digit);
    let decimal = if digits > 0 { unit(sign + digits) } else { 0 };
    let is_hex = bytes[sign..].starts_with(b"0x");
    let hex = if is_hex { span(sign + 2, u8::is_ascii_hexdigit) } else { 0 };
    decimal.max(if hex > 0 { unit(sign + 2 + hex) } else { 0 })
}

/// Bytes of a number with a point at the beginning; it has no unit outside of quotes.
fn real(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = |from: usize| usize::from(matches!(bytes.get(from), Some(b'+' | b'-')));
    let point = sign(0) + digits(sign(0));
    if bytes.get(point) != Some(&b'.') {
        return 0;
    }
    let end = point + 1 + digits(point + 1);
    if !matches!(bytes.get(end), Some(b'e' | b'E')) {
        return end;
    }
    let from = end + 1 + sign(end + 1);
    match digits(from) {
        0 => end,
        exponent => from + exponent,
    }
}

/// A text without its quotes and its escapes (`DeescapeQuotedString`).
fn plain(quoted: &str) -> String {
    let mut value = String::new();
    let mut chars = quoted[1..quoted.len() - 1].chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                chars.next();
                value.push('\'');
            }
            '\\' => match chars.next() {
                Some('b') => value.push('\u{8}'),
                Some('f') => value.push('\u{c}'),
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('t') => value.push('\t'),
                Some(first @ '0'..='7') => {
                    let mut code = first.to_digit(8).unwrap_or_default();
                    for _ in 0..2 {
                        let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                        code = 8 * code + digit;
                        chars.next();
                    }
                    value.push(char::from((code & 0xff) as u8));
                }
                Some(other) => value.push(other),
                None => {}
            },
            other => value.push(other),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_with_and_without_equals_quotes_and_remarks() {
        for (text, key, value) in [
            ("shared_buffers = 128MB # of memory", "shared_buffers", "128MB"),
            ("Port 5432", "port", "5432"),
            ("a=0x80", "a", "0x80"),
            ("a\t=\t-0x1fkB\r", "a", "-0x1fkB"),
            ("a = 1.5e-3", "a", "1.5e-3"),
            ("a = .5", "a", ".5"),
            ("my.extension = on", "my.extension", "on"),
            ("a = UTC", "a", "UTC"),
            ("a = Europe/Berlin", "a", "Europe/Berlin"),
            ("a = 'it''s'", "a", "it's"),
            (r"a = 'it\'s\n\101\\'#x", "a", "it's\nA\\"),
            ("a = '1.5 GB'", "a", "1.5 GB"),
            ("a=''", "a", ""),
        ] {
            let want = Assigned { key: key.to_owned(), value: value.to_owned() };
            assert_eq!(line(text), Ok(Some(want)), "{text}");
        }
        for text in ["", "  \t", "# a = 1", " # a"] {
            assert_eq!(line(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn the_server_stops_at_what_it_does_not_know() {
        for (text, at) in [
            ("a = 1.5GB", "GB"),
            ("a = 1e6", "6"),
            ("a = 16 MB", "MB"),
            ("a", "the end of the line"),
            ("a =", "the end of the line"),
            ("= 1", "="),
            ("1 = 1", "1"),
            ("a = 'b", "'b"),
            ("a = b.c", "b.c"),
            ("a == b", "="),
            ("a = $b", "$b"),
            ("a = b; c", "; c"),
        ] {
            assert_eq!(line(text), Err(at.to_owned()), "{text}");
        }
    }
}
