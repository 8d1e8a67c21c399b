//! SQL: the words behind a keyword, wherever they stand: in a script, in a shell's command line,
//! in a program's text.

/// Where `word` stands by itself, whatever its case: the line, from 1, what is before it, and what follows.
pub(crate) fn behind<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (usize, &'a str, &'a str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let lower = text.to_ascii_lowercase();
    let starts: Vec<usize> = lower.match_indices(word).map(|(at, _)| at).collect();
    let mut line = 1;
    let mut seen = 0;
    starts.into_iter().filter_map(move |at| {
        line += text[seen..at].matches('\n').count();
        seen = at;
        let (before, rest) = (&text[..at], &text[at + word.len()..]);
        let alone = !before.ends_with(is_part) && !rest.starts_with(is_part);
        alone.then_some((line, before, rest))
    })
}

/// The name that `text` begins with, and what follows.
pub(crate) fn name(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')));
    text.split_at(end.unwrap_or(text.len()))
}

/// The value that `text` begins with, without its quotes; `None` where there is none, or one that a program
/// puts in, such as `%d` and `{n}`.
pub(crate) fn value(text: &str) -> Option<&str> {
    let text = text.trim_start();
    for quote in ['\'', '"'] {
        if let Some(rest) = text.strip_prefix(quote) {
            let (inner, _) = rest.split_once(quote)?;
            return (!inner.contains(['{', '%', '$', '?', '\n'])).then_some(inner.trim());
        }
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, ';' | ')' | '"' | '\'' | '`' | ',' | '\\' | '&');
    let found = &text[..text.find(ends).unwrap_or(text.len())];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '+' | '%');
    (!found.is_empty() && !found.starts_with('%') && found.chars().all(is_plain)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_itself_with_its_line() {
        let found: Vec<(usize, &str)> = behind("Set a\nreset b; set_c\n(SET d", "set")
            .map(|(line, _, rest)| (line, rest.trim_end()))
            .collect();
        assert_eq!(found, [(1, " a\nreset b; set_c\n(SET d"), (3, " d")]);
    }

    #[test]
    fn values_are_quoted_or_plain_and_what_a_program_puts_in_is_none() {
        for (text, found) in [
            (" = 1", None),
            (" 100;", Some("100")),
            ("'4 GB')", Some("4 GB")),
            ("\"wal\"", Some("wal")),
            ("-2000\"", Some("-2000")),
            ("80%;", Some("80%")),
            ("%d", None),
            ("{n}", None),
            ("'{n}'", None),
            ("?1", None),
            ("", None),
        ] {
            assert_eq!(value(text), found, "{text}");
        }
        assert_eq!(name(" main.page_size = 4"), ("main.page_size", " = 4"));
    }
}
