//! Servers named by keywords, as libpq has them: `host=db port=5432 dbname='my data'`.

/// Keywords with their values, in order; the reason where the text is of another form.
///
/// By "Connection Strings" in PostgreSQL's documentation: spaces around the equals sign do not count, a value
/// with spaces is in single quotes, and a backslash takes the next character as it is.
pub(super) fn parse(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=').ok_or_else(|| format!("{}: has no =", rest.trim()))?;
        let key = key.trim();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(format!("{key}: is no keyword such as host=db"));
        }
        let (value, left) = value(after.trim_start()).ok_or("has a quote that does not end")?;
        pairs.push((key.to_owned(), value));
        rest = left.trim_start();
    }
    Ok(pairs)
}

/// A value and what follows it; `None` where its quote does not end.
fn value(text: &str) -> Option<(String, &str)> {
    let is_quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut chars = text.char_indices().skip(usize::from(is_quoted));
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            '\'' if is_quoted => return Some((value, &text[at + 1..])),
            c if c.is_whitespace() && !is_quoted => return Some((value, &text[at..])),
            c => value.push(c),
        }
    }
    (!is_quoted).then_some((value, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_have_values_with_and_without_quotes() {
        let pairs = parse(" host = db  dbname='my \\'data' user=me ").unwrap();
        let want = [("host", "db"), ("dbname", "my 'data"), ("user", "me")];
        assert_eq!(pairs, want.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert_eq!(parse("host").unwrap_err(), "host: has no =");
        assert!(parse("a b=c").unwrap_err().starts_with("a b: is no keyword"));
        assert_eq!(parse("a='b").unwrap_err(), "has a quote that does not end");
    }
}
