//! What parsers say of a document, in the words of its author.
//!
//! serde speaks of fields, maps and sequences, of `f64` and of structs of the program. Whoever misspelt a key
//! of a file knows keys, texts, numbers and lists.

/// What serde, or a parser below it, says of a value, without the place: in plain words, or as it is where
/// it says something else.
///
/// ```
/// use leadline_files::plainly;
/// assert_eq!(plainly("missing field `iops`"), "`iops` is missing");
/// assert_eq!(plainly("invalid type: string \"a\", expected f64"), "must be a number, found the text \"a\"");
/// ```
pub fn plainly(reason: &str) -> String {
    let reason = reason.replace('\n', " ");
    plain(&reason).unwrap_or(reason)
}

/// What a parser of TOML says of a text, in plain words; of a text that is something else, what it is.
pub fn plainly_of_toml(text: &str, reason: &str) -> String {
    match text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace()).chars().next() {
        Some('{') => "is JSON, not TOML".to_owned(),
        Some('<') => "is HTML or XML, not TOML".to_owned(),
        _ => plainly(reason),
    }
}

fn plain(reason: &str) -> Option<String> {
    if let Some(field) = quoted(reason, "missing field ") {
        return Some(format!("`{field}` is missing"));
    }
    if let Some(field) = quoted(reason, "duplicate field ") {
        return Some(format!("`{field}` is given twice"));
    }
    if let Some(field) = quoted(reason, "unknown field ") {
        return Some(match listed(reason) {
            Some(list) => format!("`{field}` is not known here; known are {list}"),
            None => format!("`{field}` is not known here"),
        });
    }
    if let Some(variant) = quoted(reason, "unknown variant ") {
        let list = listed(reason)?;
        return Some(format!("must be one of {list}, found \"{variant}\""));
    }
    for kind in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some((given, expected)) =
            reason.strip_prefix(kind).and_then(|rest| rest.split_once(", expected "))
        {
            let given = match kind {
                "invalid length " if expected.starts_with("struct") => "a list".to_owned(),
                "invalid length " => format!("{given} of them"),
                _ => found(given),
            };
            return Some(format!("must be {}, found {given}", wanted(expected)));
        }
    }
    Some(syntax(reason)?.to_owned())
}

/// What a parser of JSON misses.
fn syntax(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "expected value" | "expected ident" => "expected a value",
        "expected `:`" => "expected : after a key",
        "expected `,` or `}`" => "expected , or } after a value",
        "expected `,` or `]`" => "expected , or ] after a value",
        "key must be a string" => "expected a key in double quotes",
        "trailing comma" => "there is a comma before the end of a list or an object",
        "trailing characters" => "something follows the end of the document",
        "number out of range" => "the number is too large",
        "invalid number" => "expected a number",
        "recursion limit exceeded" => "is nested too deeply",
        _ if reason.starts_with("control character") => "a text in quotes is not closed in its line",
        _ => return None,
    })
}

/// The name that follows `what` in backquotes.
fn quoted<'a>(reason: &'a str, what: &str) -> Option<&'a str> {
    reason.strip_prefix(what)?.strip_prefix('`')?.split('`').next()
}

/// The names that are expected: `expected one of ...`, `expected X or Y`, `expected X`.
fn listed(reason: &str) -> Option<String> {
    let (_, list) = reason.split_once(", expected ")?;
    Some(list.strip_prefix("one of ").unwrap_or(list).replace("` or `", "`, `"))
}

/// What serde expects.
fn wanted(expected: &str) -> String {
    let first = expected.split(' ').next().unwrap_or(expected);
    match (expected, first) {
        ("f64" | "f32", _) => "a number",
        ("u8" | "u16" | "u32" | "u64" | "u128" | "usize", _) => "a whole number that is not negative",
        ("i8" | "i16" | "i32" | "i64" | "i128" | "isize", _) => "a whole number",
        ("a string" | "string", _) => "a text in quotes",
        ("a boolean", _) => "true or false",
        ("a sequence", _) => "a list",
        ("a map", _) | (_, "struct" | "internally" | "adjacently") => "a group of keys and values",
        (_, "enum") | ("string or map", _) => "a name in quotes",
        _ => {
            let tuple =
                expected.strip_prefix("a tuple of size ").or(expected.strip_prefix("an array of length "));
            return tuple.map_or_else(|| expected.to_owned(), |count| format!("a list of {count} values"));
        }
    }
    .to_owned()
}

/// What serde found.
fn found(given: &str) -> String {
    let (kind, value) = given.split_once(' ').unwrap_or((given, ""));
    let bare = || value.trim_matches('`').trim_start_matches("point ").trim_matches('`').to_owned();
    match (kind, given) {
        ("string", _) => format!("the text {value}"),
        ("integer" | "boolean" | "floating" | "character", _) => bare(),
        (_, "null" | "unit value" | "Option value") => "nothing".to_owned(),
        (_, "sequence") => "a list".to_owned(),
        (_, "map") => "a group of keys and values".to_owned(),
        _ => given.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_toml_is_told_as_what_it_is() {
        let reason = "missing field `kind`";
        assert_eq!(plainly_of_toml("\n{\"a\": 1}", reason), "is JSON, not TOML");
        assert_eq!(plainly_of_toml("<html>", reason), "is HTML or XML, not TOML");
        assert_eq!(plainly_of_toml("[read]\n", reason), "`kind` is missing");
    }

    #[test]
    fn what_serde_says_is_told_in_plain_words() {
        for (said, plain) in [
            ("missing field `k_r`", "`k_r` is missing"),
            ("duplicate field `k_r`", "`k_r` is given twice"),
            (
                "unknown field `clas`, expected one of `class`, `name`",
                "`clas` is not known here; known are `class`, `name`",
            ),
            ("unknown field `a`, expected `b` or `c`", "`a` is not known here; known are `b`, `c`"),
            ("unknown field `a`, there are no fields", "`a` is not known here"),
            ("unknown variant `x`, expected one of `a`, `b`", "must be one of `a`, `b`, found \"x\""),
            ("invalid type: string \"a\", expected f64", "must be a number, found the text \"a\""),
            (
                "invalid type: floating point `1.5`, expected u32",
                "must be a whole number that is not negative, found 1.5",
            ),
            (
                "invalid value: integer `-1`, expected u64",
                "must be a whole number that is not negative, found -1",
            ),
            ("invalid type: null, expected a sequence", "must be a list, found nothing"),
            (
                "invalid type: map, expected a string",
                "must be a text in quotes, found a group of keys and values",
            ),
            (
                "invalid type: sequence, expected struct Point",
                "must be a group of keys and values, found a list",
            ),
            (
                "invalid length 1, expected an array of length 2",
                "must be a list of 2 values, found 1 of them",
            ),
            ("key must be a string", "expected a key in double quotes"),
            ("string values must be quoted", "string values must be quoted"),
        ] {
            assert_eq!(plainly(said), plain);
        }
    }
}
