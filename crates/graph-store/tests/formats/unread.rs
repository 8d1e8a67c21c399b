//! Formats that are not read are named.

use super::{plain, refused};

#[test]
fn what_a_file_is_instead_is_named() {
    for (bytes, expected) in [
        (&b"\x89HDF\r\n\x1a\n"[..], "found HDF5, which is not read; write its edges as two columns"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
            "a pointer of Git LFS, not the file itself",
        ),
        (b"<!DOCTYPE html>\n<title>404</title>", "found an HTML page, as sites send in place of a file"),
        (b"7z\xbc\xaf\x27\x1c", "found 7-Zip, which is not read; unpack it"),
    ] {
        for name in ["a.txt", "a.csv", "a.what"] {
            let error = super::refusal(name, bytes, &plain());
            assert!(error.contains(expected), "{error}");
        }
    }
    let error = super::refusal("a.parquet", "1,2\n3,4\n", &plain());
    assert!(error.ends_with("expected Parquet, which begins with \"PAR1\", found \"1,2\\n\""), "{error}");
}

#[test]
fn graphs_in_other_languages_are_named_and_not_read_as_columns() {
    refused(
        "a.txt",
        &plain(),
        &[
            (
                "digraph G {\n a -> b;\n}\n",
                "line 1: found Graphviz's DOT, \"digraph G {\", which is not read; convert it",
            ),
            ("graph {\n", "line 1: found Graphviz's DOT"),
            ("{\"nodes\": [], \"links\": []}\n", "line 1: found JSON"),
            ("<?xml version=\"1.0\"?>\n<svg xmlns=\"x\">\n", "found XML that is neither GraphML nor GEXF"),
        ],
    );
}
