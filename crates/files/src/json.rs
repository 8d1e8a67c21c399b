//! JSON documents that people hand over: what is wrong with one, where, and in plain words.

use std::fmt;

use serde::Deserialize;
use serde_json::error::Category;

use crate::plainly;

/// How much of a text that is no JSON is shown.
const SHOWN: usize = 20;

/// What is wrong with a text that is to be a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonFlaw {
    /// Line and column, from 1; `None` where the text as a whole is something else.
    pub at: Option<(usize, usize)>,
    /// What is wrong, with the key that it is wrong with: `points[3].iops: must be a number, found ...`.
    pub reason: String,
}

impl fmt::Display for JsonFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for JsonFlaw {}

/// Reads a document that is the whole of a text.
///
/// # Errors
/// [`JsonFlaw`], which a file's name can stand before.
///
/// ```
/// # #[derive(serde::Deserialize, Debug)]
/// # struct Costs { point_us: f64 }
/// let flaw = leadline_files::from_json::<Vec<Costs>>("[{\"point_us\": 1.0},\n {\"point_us\": \"x\"}]");
/// let said = "line 2, column 17: [1].point_us: must be a number, found the text \"x\"";
/// assert_eq!(flaw.unwrap_err().to_string(), said);
/// ```
pub fn from_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, JsonFlaw> {
    // Finding out the place takes longer, so it is done only for a text that is refused.
    serde_json::from_str(text).map_err(|error| json_flaw::<T>(text, &error))
}

/// What is wrong with a text that was not read as a `T`, because of this error.
pub fn json_flaw<'a, T: Deserialize<'a>>(text: &'a str, error: &serde_json::Error) -> JsonFlaw {
    let whole = |reason: String| JsonFlaw { at: None, reason };
    let start = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    match error.classify() {
        _ if start.is_empty() => return whole("is empty".to_owned()),
        Category::Syntax | Category::Io if start.starts_with('<') => {
            return whole("is HTML or XML, not JSON".to_owned());
        }
        Category::Syntax | Category::Io if !start.starts_with(['{', '[']) => {
            let shown: String = start.chars().take_while(|c| *c != '\n').take(SHOWN).collect();
            return whole(format!("is not JSON: it begins with {shown:?}"));
        }
        Category::Eof => {
            return whole(format!("ends too early, in line {}: it was cut off", error.line()));
        }
        _ => {}
    }
    let said = error.to_string();
    let reason = plainly(said.rsplit_once(" at line ").map_or(said.as_str(), |(reason, _)| reason));
    let reason = match error.classify() {
        Category::Data => format!("{}{reason}", place::<T>(text)),
        _ => format!("is not JSON: {reason}"),
    };
    JsonFlaw { at: Some((error.line(), error.column())), reason }
}

/// The keys that lead to what is wrong, with a colon behind; nothing where the document as a whole is.
fn place<'a, T: Deserialize<'a>>(text: &'a str) -> String {
    let read = serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_str(text));
    match read.err().map(|error| error.path().to_string()) {
        Some(place) if place != "." && place != "?" => format!("{place}: "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Debug)]
    struct Point {
        #[expect(dead_code)]
        iops: f64,
    }

    #[derive(Deserialize, Debug)]
    struct Document {
        #[expect(dead_code)]
        points: Vec<Point>,
    }

    fn said(text: &str) -> String {
        from_json::<Document>(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_with_a_document_is_one_line_with_its_place() {
        let points = |inner: &str| format!("{{\"points\": [{{\"iops\": 1}},\n{{{inner}}}]}}");
        for (text, expected) in [
            ("", "is empty"),
            (" \n\u{feff}", "is empty"),
            ("<!DOCTYPE html>\n<html>", "is HTML or XML, not JSON"),
            ("# a text\nwith lines", "is not JSON: it begins with \"# a text\""),
            ("{\"points\": [{\"iops\":", "ends too early, in line 1: it was cut off"),
            (
                "{\"points\": [],\n}",
                "line 2, column 1: is not JSON: there is a comma before the end of a list or an object",
            ),
            ("{}", "line 1, column 2: `points` is missing"),
            (&points(""), "line 2, column 2: points[1]: `iops` is missing"),
            (&points("\"iops\": null"), "line 2, column 13: points[1].iops: must be a number, found nothing"),
            (
                "{\"points\": []} {}",
                "line 1, column 16: is not JSON: something follows the end of the document",
            ),
        ] {
            assert_eq!(said(text), expected, "{text:?}");
        }
    }

    #[test]
    fn no_word_of_the_parser_is_left() {
        for text in [
            "{",
            "[",
            "{\"a\"",
            "{\"a\" 1}",
            "{a: 1}",
            "{\"points\": 1}",
            "{\"points\": {}}",
            "[1]",
            "{\"points\":[tru]}",
        ] {
            let said = said(text);
            for word in ["EOF", "field", "sequence", "struct", "f64", "ident", "at line"] {
                assert!(!said.contains(word), "{text}: {said}");
            }
        }
    }
}
