//! JSON documents that people hand over: what is wrong with one, where, and in plain words.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::de::StrRead;
use serde_json::error::Category;

use crate::plainly;

mod place;

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
pub fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonFlaw> {
    let mut document = serde_json::Deserializer::from_str(text);
    let read = value::<T>(&mut document);
    read.and_then(|value| document.end().map(|()| value)).map_err(|error| json_flaw::<T>(text, &error))
}

/// What is wrong with a text that was not read as a `T`, because of this error.
pub fn json_flaw<T: DeserializeOwned>(text: &str, error: &serde_json::Error) -> JsonFlaw {
    flaw(text, error, &|text| value::<T>(&mut serde_json::Deserializer::from_str(text)).err())
}

/// Everything that reads a `T` goes through here: the compiler makes one copy of what reads it.
#[inline(never)]
fn value<T: DeserializeOwned>(document: &mut serde_json::Deserializer<StrRead<'_>>) -> serde_json::Result<T> {
    T::deserialize(document)
}

/// `again` reads a text as the one that was refused was read.
fn flaw(
    text: &str,
    error: &serde_json::Error,
    again: &dyn Fn(&str) -> Option<serde_json::Error>,
) -> JsonFlaw {
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
        // Finding out the place takes longer, so it is done only for a text that is refused.
        Category::Data => match place::keys(text, error, again) {
            keys if keys.is_empty() => reason,
            keys => format!("{keys}: {reason}"),
        },
        _ => format!("is not JSON: {reason}"),
    };
    // serde gives no place where a document was read as a whole, and then refused.
    let at = (error.line() > 0).then(|| (error.line(), error.column()));
    JsonFlaw { at, reason }
}

#[cfg(test)]
mod tests;
