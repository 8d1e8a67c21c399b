//! The keys that lead to the value that is wrong: `points[3].iops`.
//!
//! serde gives the line and the column that it had reached when it refused a value. The text is walked up to
//! that place, whatever type it was read as: code that follows the type would be compiled for each type, and
//! was a tenth of the program.
//!
//! Some values are checked after they have been read, for example a text that must be a duration. serde has
//! then reached the end of the enclosing list or object, or the next value, and so the place does not tell
//! which of the two is wrong. Then the text is read again with an addition after the suspect: a reader that
//! stops before the addition has refused the suspect.

use std::fmt::Write as _;

use serde_json::Error;

/// A list or object, with what is known of it at a place.
struct Container {
    list: bool,
    /// In a list, the position of the current or next value.
    index: usize,
    /// In an object, the latest key, in quotes.
    key: String,
    /// Where the latest value ends.
    value_end: Option<usize>,
}

/// What stands before a place.
enum Last {
    Nothing,
    /// The beginning of a list or object.
    Start,
    Key,
    Colon,
    /// A text, a number, `true`, `false` or `null`.
    Scalar,
    /// The end of a list or object.
    End(Container),
    Comma,
}

/// The keys that lead to what is wrong in a text; empty where the document as a whole is. `again` reads a
/// text as the one that was refused was read.
pub(super) fn keys(text: &str, error: &Error, again: &dyn Fn(&str) -> Option<Error>) -> String {
    let place = offset(text, error);
    let (mut open, last) = walk(text, place);
    // Whether the latest value of a list or object was refused.
    let by_value = |container: &Container| {
        let Some(at) = container.value_end else { return false };
        let addition = if container.list { ",0" } else { ",\"\":0" };
        let longer = format!("{}{addition}{}", &text[..at], &text[at..]);
        again(&longer).is_some_and(|error| offset(&longer, &error) <= at + ",".len())
    };
    match (last, open.last_mut()) {
        (Last::Comma, Some(list)) if list.list && by_value(list) => list.index -= 1,
        // Of an object, where no value is meant.
        (Last::Start | Last::Comma, Some(object)) if !object.list => drop(open.pop()),
        (Last::Key, _) if error.to_string().starts_with("duplicate field ") => drop(open.pop()),
        (Last::End(container), _) if by_value(&container) => open.push(container),
        _ => {}
    }
    written(&open)
}

/// Where serde was in a text.
fn offset(text: &str, error: &Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}

/// The containers that enclose a place, and what stands before the place. The text was read up to there, so
/// it is JSON.
fn walk(text: &str, place: usize) -> (Vec<Container>, Last) {
    let bytes = text.as_bytes();
    let mut open: Vec<Container> = Vec::new();
    let mut last = Last::Nothing;
    let mut at = 0;
    while at < place.min(bytes.len()) {
        let start = at;
        at += 1;
        match bytes[start] {
            b' ' | b'\n' | b'\t' | b'\r' => continue,
            first @ (b'[' | b'{') => {
                open.push(Container { list: first == b'[', index: 0, key: String::new(), value_end: None });
                last = Last::Start;
            }
            b']' | b'}' => last = open.pop().map_or(Last::Nothing, Last::End),
            b':' => last = Last::Colon,
            b',' => last = Last::Comma,
            b'"' => {
                at = string_end(bytes, at);
                let key = matches!(last, Last::Start | Last::Comma);
                last = match open.last_mut().filter(|object| key && !object.list) {
                    Some(object) => {
                        object.key = String::from_utf8_lossy(&bytes[start..at]).into_owned();
                        Last::Key
                    }
                    None => Last::Scalar,
                };
            }
            _ => {
                let more = bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
                at += more.count();
                last = Last::Scalar;
            }
        }
        if let Some(container) = open.last_mut() {
            match last {
                Last::Comma => container.index += 1,
                Last::Scalar | Last::End(_) => container.value_end = Some(at),
                Last::Nothing | Last::Start | Last::Key | Last::Colon => {}
            }
        }
    }
    (open, last)
}

/// Where a string ends that begins before `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `points[3].iops`
fn written(containers: &[Container]) -> String {
    let mut keys = String::new();
    for container in containers {
        if container.list {
            let _ = write!(keys, "[{}]", container.index);
        } else {
            if !keys.is_empty() {
                keys.push('.');
            }
            let key = serde_json::from_str::<String>(&container.key);
            keys.push_str(key.as_ref().map_or(container.key.as_str(), String::as_str));
        }
    }
    keys
}

#[cfg(test)]
mod tests;
