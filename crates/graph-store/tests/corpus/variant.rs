//! The same file with other line ends, a byte order mark, or its last line's end missing: it means the same.

use super::case::Case;

/// The file itself.
pub const AS_IT_IS: &str = "as it is";

/// Old Macintosh programs end lines so.
pub const WITH_CR: &str = "with CR";

type Files = Vec<(String, Vec<u8>)>;

/// The files of a case as they are, and what else means the same.
pub fn variants(case: &Case) -> Vec<(&'static str, Files)> {
    let mut all = vec![(AS_IT_IS, case.files.clone())];
    if case.has("@once") {
        return all;
    }
    let mut add = |variant, change: &dyn Fn(&[u8]) -> Vec<u8>| {
        all.push((variant, case.files.iter().map(|(name, bytes)| (name.clone(), change(bytes))).collect()));
    };
    let first = &case.files[0].1;
    if !first.contains(&b'\r') {
        add("with CRLF", &|bytes| ends(bytes, b"\r\n"));
        add(WITH_CR, &|bytes| ends(bytes, b"\r"));
    }
    if !first.starts_with("\u{feff}".as_bytes()) {
        add("with a byte order mark", &|bytes| ["\u{feff}".as_bytes(), bytes].concat());
    }
    if first.ends_with(b"\n") && !case.has("@lines") {
        add("without its last end of a line", &|bytes| bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec());
    }
    all
}

fn ends(bytes: &[u8], end: &[u8]) -> Vec<u8> {
    bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(end)
}
