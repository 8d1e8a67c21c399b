use serde::Deserialize;

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
        ("{\"points\": []} {}", "line 1, column 16: is not JSON: something follows the end of the document"),
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
