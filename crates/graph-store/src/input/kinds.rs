//! Files that hold no text of edges: what they are, by their first bytes, and what to do with them.

/// How a file begins, what it is then, and what to do.
const KINDS: [(&[u8], &str, &str); 21] = [
    (b"\x04\x22\x4d\x18", "LZ4", "decompress it: lz4 -d OLD NEW"),
    (b"\x1f\x9d", "compress (.Z)", "decompress it: gzip -d < OLD > NEW"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "unpack it: 7z x FILE"),
    (b"Rar!\x1a\x07", "RAR", "unpack it: unrar x FILE"),
    (b"LZIP", "lzip", "decompress it: lzip -d < OLD > NEW"),
    (b"\x5d\x00\x00", "LZMA alone", "decompress it: xz -d --format=lzma < OLD > NEW"),
    (b"\xff\x06\x00\x00sNaPpY", "Snappy", "decompress it"),
    (b"\x89HDF\r\n", "HDF5", "write its edges as two columns"),
    (b"\x93NUMPY", "a NumPy array", "give it to Graph.from_edges in Python, or write it as two columns"),
    (b"\x80\x02", "a Python pickle", "write its edges as two columns"),
    (b"\x80\x03", "a Python pickle", "write its edges as two columns"),
    (b"\x80\x04", "a Python pickle", "write its edges as two columns"),
    (b"\x80\x05", "a Python pickle", "write its edges as two columns"),
    (b"MATLAB 5.0 MAT-file", "a MATLAB file", "write its matrix as Matrix Market"),
    (b"SQLite format 3\0", "an SQLite database", "write its table of edges as .csv"),
    (b"ARROW1", "Arrow IPC (Feather)", "write it as Parquet"),
    (b"ORC", "ORC", "write it as Parquet"),
    (b"Obj\x01", "Avro", "write it as Parquet"),
    (b"\xd0\xcf\x11\xe0", "a document of Microsoft Office", "save its table as .csv"),
    (b"%PDF-", "a PDF", "name the file of edges"),
    (b"version https://git-lfs", "a pointer of Git LFS, not the file itself", "fetch the file: git lfs pull"),
];

/// What a file is that begins so, and what to do, where it is of a kind that is not read.
pub(super) fn unread_kind(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let known =
        KINDS.iter().find(|(begin, ..)| bytes.starts_with(begin) && is_binary_where_short(begin, bytes));
    if let Some((_, what, remedy)) = known {
        return Some((what, remedy));
    }
    let text = bytes.trim_ascii_start();
    let html = [&b"<!doctype html"[..], b"<html", b"<head"];
    let is_html =
        html.iter().any(|begin| text.len() >= begin.len() && text[..begin.len()].eq_ignore_ascii_case(begin));
    is_html.then_some(("an HTML page, as sites send in place of a file", "download the file again"))
}

/// Letters may begin a text of edges as well: only bytes that no text has make sure then.
fn is_binary_where_short(begin: &[u8], bytes: &[u8]) -> bool {
    let is_text = begin.iter().all(|byte| byte.is_ascii_graphic());
    !is_text
        || begin.len() > 6
        || begin.starts_with(b"%PDF")
        || bytes.iter().take(1000).any(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_bytes_that_no_text_of_edges_begins_with() {
        let name = |bytes: &[u8]| unread_kind(bytes).map(|(what, _)| what);
        assert_eq!(name(b"\x89HDF\r\n\x1a\n"), Some("HDF5"));
        assert_eq!(name(b"ORC\x0a\0\0"), Some("ORC"));
        assert_eq!(name(b"\n<!DOCTYPE HTML><p>404"), Some("an HTML page, as sites send in place of a file"));
        for text in ["ORC elf\n", "LZIP zip\n", "1 2\n", "<a> <b> <c> .\n", ""] {
            assert_eq!(name(text.as_bytes()), None, "{text}");
        }
    }
}
