//! Files of `key = value` lines with comments after `#`, in which the `=` may be left out: postgresql.conf.

use std::path::Path;

use crate::{AdviseError, Config, Entry, Place};

/// Reads the lines of `text`. Values may stand in single quotes; a quote in quotes is doubled.
pub(crate) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let wrong = |reason: &str| AdviseError::syntax(path, at + 1, reason);
        let end = trimmed
            .find(|c: char| c == '=' || c.is_whitespace())
            .ok_or_else(|| wrong("is not of the form KEY = VALUE"))?;
        let (key, rest) = trimmed.split_at(end);
        let rest = rest.trim_start();
        let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
        if key.is_empty() {
            return Err(wrong("has no key before the ="));
        }
        let value = value(rest).ok_or_else(|| wrong("has a value whose quote does not end"))?;
        let place = Place::Line { path: path.into(), line: at + 1 };
        config.entries.push(Entry { section: String::new(), key: key.to_owned(), value, place });
    }
    Ok(config)
}

/// The value without its quotes and without the comment behind it; `None` where a quote does not end.
fn value(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('\'') else {
        return Some(text.split('#').next().unwrap_or_default().trim_end().to_owned());
    };
    let mut value = String::new();
    let mut chars = quoted.chars().peekable();
    loop {
        match chars.next()? {
            '\'' if chars.peek() == Some(&'\'') => value.extend(chars.next()),
            '\'' => return Some(value),
            other => value.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let config = read(text, Path::new("x.conf")).unwrap();
        config.entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
    }

    #[test]
    fn values_stand_with_and_without_equals_quotes_and_comments() {
        let text = "# a comment\n\nshared_buffers = 128MB # of memory\nport 5432\nname='it''s'\nempty =\n";
        let want = [("shared_buffers", "128MB"), ("port", "5432"), ("name", "it's"), ("empty", "")];
        assert_eq!(pairs(text), want.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    #[test]
    fn lines_of_another_form_are_refused_with_their_number() {
        let said = |text| read(text, Path::new("x.conf")).unwrap_err().to_string();
        assert_eq!(said("a = 1\nnonsense\n"), "x.conf, line 2: is not of the form KEY = VALUE");
        assert_eq!(said("= 1"), "x.conf, line 1: has no key before the =");
        assert_eq!(said("a = 'b"), "x.conf, line 1: has a value whose quote does not end");
    }
}
