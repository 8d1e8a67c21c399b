//! The words of a line of redis.conf (`sdssplitargs` in src/sds.c).

/// The words; `None` where quotes do not end, or end within a word.
pub(super) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(is_space);
        if rest.is_empty() {
            return Some(words);
        }
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after;
    }
}

fn word(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            c if is_space(c) => break,
            '"' | '\'' => {
                let (inner, after) = if c == '"' { double_quoted(after)? } else { single_quoted(after)? };
                word.push_str(&inner);
                return (after.is_empty() || after.starts_with(is_space)).then_some((word, after));
            }
            c => word.push(c),
        }
        rest = after;
    }
    Some((word, rest))
}

fn double_quoted(text: &str) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Some((inner, rest)),
            '\\' => {
                let hex = rest.strip_prefix('x').and_then(|rest| rest.get(..2));
                if let Some(code) = hex.filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit())) {
                    inner.push(char::from(u8::from_str_radix(code, 16).ok()?));
                    rest = &rest[3..];
                    continue;
                }
                let escaped = rest.chars().next()?;
                rest = &rest[escaped.len_utf8()..];
                inner.push(match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'b' => '\u{8}',
                    'a' => '\u{7}',
                    other => other,
                });
            }
            other => inner.push(other),
        }
    }
}

fn single_quoted(text: &str) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix("\\'") {
            inner.push('\'');
            rest = after;
            continue;
        }
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        if c == '\'' {
            return Some((inner, rest));
        }
        inner.push(c);
    }
}

/// As C's `isspace`.
fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}
