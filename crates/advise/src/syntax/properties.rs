//! Java's properties (`java.util.Properties.load`): `KEY=VALUE`, `KEY: VALUE` or `KEY VALUE`.

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Property {
    /// Where it begins, from 1.
    pub(crate) line: usize,
    pub(crate) key: String,
    pub(crate) value: String,
}

/// All properties, in order; the last of a key is in force.
pub(crate) fn parse(text: &str) -> Vec<Property> {
    logical(text).into_iter().map(|(line, text)| property(line, &text)).collect()
}

/// Lines without remarks. One that ends with an odd number of backslashes goes on in the next, without the
/// white space before that.
fn logical(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (at, line) in text.split('\n').enumerate() {
        let line = line.trim_start_matches(is_space);
        if !goes_on && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        let more = backslashes % 2 == 1;
        let line = &line[..line.len() - usize::from(more)];
        match lines.last_mut().filter(|_| goes_on) {
            Some((_, before)) => before.push_str(line),
            None => lines.push((at + 1, line.to_owned())),
        }
        goes_on = more;
    }
    lines
}

fn property(line: usize, text: &str) -> Property {
    let mut is_escaped = false;
    let end = text.find(|c: char| {
        let ends = !is_escaped && (matches!(c, '=' | ':') || is_space(c));
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    let (key, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.trim_start_matches(is_space);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(is_space);
    Property { line, key: plain(key), value: plain(value) }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

/// Without escapes. Java refuses a `\u` without four digits; it stands for a u here.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let Some(c) = after.chars().next() else { return plain };
        rest = &after[c.len_utf8()..];
        let code = rest.get(..4).filter(|code| c == 'u' && code.bytes().all(|b| b.is_ascii_hexdigit()));
        if let Some(code) = code.and_then(|code| u32::from_str_radix(code, 16).ok()) {
            plain.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            rest = &rest[4..];
            continue;
        }
        plain.push(match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            other => other,
        });
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_end_at_equals_colons_and_spaces() {
        let text = "# c\n! c\na.b=1\nc.d : 2\ne.f 3\ng.h = x, \\\n  y\\\r\n\t# z\nempty=\nalone\ni\\=j\\:k=l\\tm\\u0041\n\
                    n = o \\\\\np==q\n   \nr = s  \n=t";
        let want = [
            (3, "a.b", "1"),
            (4, "c.d", "2"),
            (5, "e.f", "3"),
            (6, "g.h", "x, y# z"),
            (9, "empty", ""),
            (10, "alone", ""),
            (11, "i=j:k", "l\tmA"),
            (12, "n", "o \\"),
            (13, "p", "=q"),
            (15, "r", "s  "),
            (16, "", "t"),
        ];
        let want =
            want.map(|(line, key, value)| Property { line, key: key.to_owned(), value: value.to_owned() });
        assert_eq!(parse(text), want);
    }
}
