use std::collections::BTreeMap;

use serde::Deserialize;

use crate::from_json;

#[derive(Deserialize, Debug)]
#[expect(dead_code)]
struct Point {
    iops: f64,
}

/// A document with every way in which serde reads a value.
#[derive(Deserialize, Debug)]
#[expect(dead_code)]
struct Everything {
    points: Option<Vec<Point>>,
    strict: Option<Vec<Strict>>,
    lists: Option<Vec<Vec<bool>>>,
    pairs: Option<Vec<[u8; 2]>>,
    by_number: Option<BTreeMap<u32, Point>>,
    by_name: Option<BTreeMap<String, Point>>,
    scale: Option<Scale>,
    scales: Option<Vec<Scale>>,
    scale_of: Option<BTreeMap<String, Scale>>,
    shape: Option<Shape>,
    shapes: Option<Vec<Shape>>,
    loads: Option<Vec<Load>>,
    sizes: Option<Vec<Size>>,
    flat: Option<Flat>,
    checked: Option<Vec<Checked>>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
#[expect(dead_code)]
struct Strict {
    name: String,
    count: Option<u8>,
}

/// A text that means something else: serde learns that it is wrong after it has read it.
#[derive(Deserialize, Debug)]
#[serde(try_from = "String")]
struct Scale;

impl TryFrom<String> for Scale {
    type Error = String;

    fn try_from(text: String) -> Result<Scale, String> {
        if text == "full" { Ok(Scale) } else { Err(format!("{text} is no scale")) }
    }
}

/// An object that is checked as a whole.
#[derive(Deserialize, Debug)]
#[serde(try_from = "Strict")]
struct Checked;

impl TryFrom<Strict> for Checked {
    type Error = String;

    fn try_from(strict: Strict) -> Result<Checked, String> {
        if strict.name == "a" { Ok(Checked) } else { Err(format!("{} is not a", strict.name)) }
    }
}

#[derive(Deserialize, Debug)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(dead_code)]
enum Shape {
    Circle { radius: u32 },
    Point,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code)]
enum Load {
    Idle,
    Random { depth: u32 },
    Scaled(Scale),
}

#[derive(Deserialize, Debug)]
#[serde(untagged)]
#[expect(dead_code)]
enum Size {
    Bytes(u64),
    Text(String),
}

#[derive(Deserialize, Debug)]
#[expect(dead_code)]
struct Flat {
    name: String,
    #[serde(flatten)]
    rest: Counted,
}

#[derive(Deserialize, Debug)]
#[expect(dead_code)]
struct Counted {
    count: u32,
}

/// Refused texts, and what is said of each.
const REFUSED: &[(&str, &str)] = &[
    ("1", "line 1, column 1: must be a group of keys and values, found 1"),
    ("[1]", "line 1, column 2: [0]: must be a list, found 1"),
    (r#""a""#, r#"line 1, column 3: must be a group of keys and values, found the text "a""#),
    (r#"{"points": {}}"#, "line 1, column 11: points: must be a list, found a group of keys and values"),
    (r#"{"points": [1]}"#, "line 1, column 13: points[0]: must be a group of keys and values, found 1"),
    (
        r#"{"points": [{"iops": 1}, {"iops": [] }]}"#,
        "line 1, column 34: points[1].iops: must be a number, found a list",
    ),
    (
        r#"{"points": [{"iops": 1}, {"iops":{}}]}"#,
        "line 1, column 33: points[1].iops: must be a number, found a group of keys and values",
    ),
    (r#"{"points": [{"iops": 1}, {}]}"#, "line 1, column 27: points[1]: `iops` is missing"),
    (
        r#"{"points": [{"iops": 1}, { "x": [{"iops": 2}, 2] } ]}"#,
        "line 1, column 50: points[1]: `iops` is missing",
    ),
    (r#"{"points": [{"iops": 1, "iops" : 2}]}"#, "line 1, column 31: points[0]: `iops` is given twice"),
    (r#"{"points": [], "points": []}"#, "line 1, column 23: `points` is given twice"),
    (
        r#"{"points": [{"iops": "1\"}"}]}"#,
        r#"line 1, column 27: points[0].iops: must be a number, found the text "1\"}""#,
    ),
    (r#"{"points": [{"iops": 1}, {"iops": 1"#, "ends too early, in line 1: it was cut off"),
    (
        r#"{"strict": [{"name": "a", "nam": 1}]}"#,
        "line 1, column 31: strict[0].nam: `nam` is not known here; known are `name`, `count`",
    ),
    (
        r#"{"strict": [{"name": "a", "count": 300}]}"#,
        "line 1, column 38: strict[0].count: must be a whole number that is not negative, found 300",
    ),
    (r#"{"strict": [{"count": 1}]}"#, "line 1, column 24: strict[0]: `name` is missing"),
    (
        r#"{"strict": [["a", 300]]}"#,
        "line 1, column 21: strict[0][1]: must be a whole number that is not negative, found 300",
    ),
    (r#"{"lists": [[true], [false, 1]]}"#, "line 1, column 28: lists[1][1]: must be true or false, found 1"),
    (
        r#"{"lists": [[true], [false, []]]}"#,
        "line 1, column 27: lists[1][1]: must be true or false, found a list",
    ),
    (
        r#"{"pairs": [[1, 2], [1]]}"#,
        "line 1, column 22: pairs[1]: must be a list of 2 values, found 1 of them",
    ),
    (
        r#"{"pairs": [[], [1, 2]]}"#,
        "line 1, column 13: pairs[0]: must be a list of 2 values, found 0 of them",
    ),
    (r#"{"by_number": {"1": {"iops": 1}, "2": {}}}"#, "line 1, column 40: by_number.2: `iops` is missing"),
    (
        r#"{"by_number": {"1": {"iops": 1}, "x" : {}}}"#,
        "line 1, column 34: is not JSON: invalid value: expected key to be a number in quotes",
    ),
    (
        r#"{"by_number": {"-1": {"iops": 1}}}"#,
        "line 1, column 18: by_number.-1: must be a whole number that is not negative, found -1",
    ),
    (
        r#"{"by_name": {"a \"b\"\u00e9": {"iops": "x"}}}"#,
        r#"line 1, column 42: by_name.a "b"é.iops: must be a number, found the text "x""#,
    ),
    (
        r#"{"by_name": {"a": {"iops": 1}, "b": {}, "c": {"iops": 1}}}"#,
        "line 1, column 38: by_name.b: `iops` is missing",
    ),
    (r#"{"scale": "half"}"#, "line 1, column 17: scale: half is no scale"),
    (r#"{"scale": "half" , "lists": []}"#, "line 1, column 17: scale: half is no scale"),
    (r#"{"lists": [], "scale": "half" }"#, "line 1, column 31: scale: half is no scale"),
    (r#"{"scales": ["full", "half", "full"]}"#, "line 1, column 28: scales[1]: half is no scale"),
    (r#"{"scales": ["half" , "full"]}"#, "line 1, column 21: scales[0]: half is no scale"),
    (r#"{"scales": ["half", ["full"]]}"#, "line 1, column 20: scales[0]: half is no scale"),
    (
        r#"{"scales": ["full", ["full"]]}"#,
        "line 1, column 20: scales[1]: must be a text in quotes, found a list",
    ),
    (r#"{"scale_of": {"a": "full", "b": "half"}}"#, "line 1, column 39: scale_of.b: half is no scale"),
    (r#"{"shape": {"kind": "circle"}}"#, "line 1, column 29: shape: `radius` is missing"),
    (
        r#"{"shape": {"kind": "square"}}"#,
        r#"line 1, column 27: shape.kind: must be one of `circle`, `point`, found "square""#,
    ),
    (r#"{"shape": {"radius": 1}}"#, "line 1, column 23: shape: `kind` is missing"),
    (
        r#"{"shape": {"radius": -1, "kind": "circle"}, "lists": []}"#,
        "line 1, column 42: shape: must be a whole number that is not negative, found -1",
    ),
    (
        r#"{"shape": {"kind": "circle", "radius": "x"}}"#,
        r#"line 1, column 44: shape: must be a whole number that is not negative, found the text "x""#,
    ),
    (
        r#"{"shapes": [{"kind": "point"}, {"kind": "circle"}, {"kind": "point"}]}"#,
        "line 1, column 51: shapes[1]: `radius` is missing",
    ),
    (
        r#"{"shapes": [{"kind": "circle"}, {"kind": "point"}]}"#,
        "line 1, column 32: shapes[0]: `radius` is missing",
    ),
    (
        r#"{"shapes": [{"kind": "point"}, {"kind": "circle"}]}"#,
        "line 1, column 50: shapes[1]: `radius` is missing",
    ),
    (
        r#"{"shapes": [{"kind": "point"}, 1]}"#,
        "line 1, column 32: shapes[1]: must be a group of keys and values, found 1",
    ),
    (r#"{"loads": ["idle", {"random": {}}]}"#, "line 1, column 32: loads[1].random: `depth` is missing"),
    (
        r#"{"loads": ["idle", {"random": {"depth": "x"}}]}"#,
        r#"line 1, column 43: loads[1].random.depth: must be a whole number that is not negative, found the text "x""#,
    ),
    (r#"{"loads": [{"scaled": "half"}]}"#, "line 1, column 28: loads[0].scaled: half is no scale"),
    (
        r#"{"loads": [{"busy": 1}]}"#,
        r#"line 1, column 18: loads[0].busy: must be one of `idle`, `random`, `scaled`, found "busy""#,
    ),
    (
        r#"{"loads": ["random"]}"#,
        "line 1, column 20: loads[0]: must be a group of keys and values, found unit variant",
    ),
    (r#"{"loads": [{"idle": 1}]}"#, "line 1, column 21: loads[0].idle: must be unit, found 1"),
    (r#"{"loads": [[]]}"#, "line 1, column 12: is not JSON: expected a value"),
    (
        r#"{"sizes": [1, "a", -1, 3]}"#,
        "line 1, column 23: sizes[2]: data did not match any variant of untagged enum Size",
    ),
    (
        r#"{"sizes": [1, {"a": [1]}, 2]}"#,
        "line 1, column 26: sizes[1]: data did not match any variant of untagged enum Size",
    ),
    (
        r#"{"sizes": [[1, 2]]}"#,
        "line 1, column 18: sizes[0]: data did not match any variant of untagged enum Size",
    ),
    (r#"{"flat": {"name": "a"}}"#, "line 1, column 22: flat: `count` is missing"),
    (
        r#"{"flat": {"name": "a", "count": -1}}"#,
        "line 1, column 35: flat: must be a whole number that is not negative, found -1",
    ),
    (r#"{"flat": {"count": 1}}"#, "line 1, column 21: flat: `name` is missing"),
    (r#"{"flat": {"name": "a", "count": 1, "count": 2}}"#, "line 1, column 46: flat: `count` is given twice"),
    (
        r#"{"flat": {"name": "a", "count": [1]}, "lists": []}"#,
        "line 1, column 36: flat: must be a whole number that is not negative, found a list",
    ),
    (r#"{"checked": [{"name": "a"}, {"name": "b"}]}"#, "line 1, column 42: checked[1]: b is not a"),
    (r#"{"checked": [{"name": "b"}, {"name": "a"}]}"#, "line 1, column 28: checked[0]: b is not a"),
    (r#"{"checked": [{"name": "b"}, ["a", 1]]}"#, "line 1, column 28: checked[0]: b is not a"),
    (r#"{"checked": [{"name": "b"}, []]}"#, "line 1, column 28: checked[0]: b is not a"),
    (
        r#"{"checked": [{"name": "a"}, []]}"#,
        "line 1, column 30: checked[1]: must be a group of keys and values, found a list",
    ),
    (
        r#"{"checked": [{"name": "a"}, {"name": "b", "nam": 1}]}"#,
        "line 1, column 47: checked[1].nam: `nam` is not known here; known are `name`, `count`",
    ),
];

#[test]
fn what_is_wrong_is_said_with_the_keys_that_lead_to_it() {
    for (text, expected) in REFUSED {
        assert_eq!(from_json::<Everything>(text).unwrap_err().to_string(), *expected, "{text}");
        // The same in lines.
        let lines = text.replace(',', "\n, ");
        let flaw = from_json::<Everything>(&lines).unwrap_err();
        let reason = expected.split_once("column ").and_then(|(_, rest)| rest.split_once(": "));
        assert!(
            flaw.at.is_none() || reason.is_some_and(|(_, reason)| reason == flaw.reason),
            "{lines}: {flaw}"
        );
    }
}

#[test]
fn a_document_that_is_refused_as_a_whole_has_no_place() {
    let said = |text| from_json::<Checked>(text).unwrap_err().to_string();
    assert_eq!(said("{\"name\": \"b\"}"), "b is not a");
    assert_eq!(said("{\"name\": 1}"), "line 1, column 10: name: must be a text in quotes, found 1");
}
