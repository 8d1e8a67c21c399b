//! What files look like, as people have them.

use leadline_text::{Comment, Delimiter, Dialect, Hint, LineEnd, Sample, TextOptions, Undecided};

const TAB: Delimiter = Delimiter::Byte(b'\t');
const COMMA: Delimiter = Delimiter::Byte(b',');

fn known(name: &str) -> bool {
    ["source", "target", "src", "dst", "u", "v"].contains(&name.to_lowercase().as_str())
}

/// Of files of edges with this ending.
fn hint(ending: &str) -> Hint {
    let (delimiter, delimiter_is_certain) = match ending {
        "csv" => (COMMA, true),
        "tsv" => (TAB, true),
        _ => (Delimiter::Blanks, false),
    };
    Hint { delimiter, delimiter_is_certain, known, ..Hint::default() }
}

fn detect(ending: &str, text: &str) -> Result<Dialect, Undecided> {
    with(ending, text, &TextOptions::default())
}

fn with(ending: &str, text: &str, options: &TextOptions) -> Result<Dialect, Undecided> {
    Dialect::detect(&Sample::new(text.as_bytes(), true)?, &hint(ending), options)
}

fn read(ending: &str, text: &str) -> (Delimiter, usize, bool) {
    let dialect = detect(ending, text).unwrap_or_else(|error| panic!("{text:?} as {ending}: {error}"));
    (dialect.delimiter, dialect.columns, dialect.header.is_some())
}

/// What decides.
fn undecided(ending: &str, text: &str) -> &'static str {
    let error = detect(ending, text).map(|dialect| format!("{dialect:?}")).expect_err(text);
    error.decided_by.as_ref().map_or("nothing", |(option, values)| {
        assert_eq!(values.len(), 2, "{error}");
        option.name()
    })
}

#[test]
fn columns_are_told_by_what_separates_them_in_every_line() {
    assert_eq!(read("txt", "1 2\n3   4\n5\t6\n"), (Delimiter::Blanks, 2, false));
    assert_eq!(read("txt", "1, 2\n3, 4\n"), (COMMA, 2, false));
    assert_eq!(read("txt", "ann, bob\nbob, carl\n"), (COMMA, 2, false));
    assert_eq!(read("txt", "1,2\n3,4\n"), (COMMA, 2, false));
    assert_eq!(read("csv", "1;2\n3;4\n"), (Delimiter::Byte(b';'), 2, false));
    assert_eq!(read("csv", "1|2\n3|4\n"), (Delimiter::Byte(b'|'), 2, false));
    assert_eq!(read("csv", "1\t2\n3\t4\n"), (TAB, 2, false));
    assert_eq!(read("csv", "1 2\n3 4\n"), (Delimiter::Blanks, 2, false));
    assert_eq!(read("csv", "1;2;0,5\n3;4;1,5\n"), (Delimiter::Byte(b';'), 3, false));
    assert_eq!(read("csv", "New York,Los Angeles\nLos Angeles,Reno\n"), (COMMA, 2, false));
    assert_eq!(read("tsv", "New York\tParis\nParis\tRome\n"), (TAB, 2, false));
    assert_eq!(read("txt", "1\t2\ta b\n3\t4\tc d\n"), (TAB, 3, false));
    assert_eq!(read("txt", "http://a/1 http://b/2\nhttp://b/2 http://a/1\n"), (Delimiter::Blanks, 2, false));
}

#[test]
fn two_readings_are_refused_with_what_decides() {
    assert_eq!(undecided("txt", "New York,Los Angeles\nLos Angeles,San Juan\n"), "delimiter");
    assert_eq!(undecided("txt", "New York\tLos Angeles\nLos Angeles\tSan Juan\n"), "delimiter");
    assert_eq!(undecided("csv", "ann,bob\ncarl,dora\n"), "header");
    assert_eq!(undecided("csv", "u,v\nv,w\n"), "header");
    assert_eq!(undecided("csv", "ann;bob;0,5\nbob;carl;1,5\n"), "delimiter");
    assert_eq!(undecided("csv", "#rust,#python\n#go,#rust\n"), "comment");
    assert_eq!(undecided("csv", "rust,python\n#go,rust\n"), "comment");
    assert_eq!(undecided("csv", "%a,%b\nb,c\nc,b\n"), "comment");
    let both = detect("txt", "New York,Reno Nevada\nReno Nevada,Rome Italy\n").unwrap_err();
    let text = both.text(|name, value| format!("--{name} {value}"));
    assert_eq!(
        text,
        "can be read as \"New\" and \"York,Reno\" and \"Nevada\" between blanks, or as \"New York\" and \
         \"Reno Nevada\" between comma; say --delimiter blanks or --delimiter ','"
    );
}

#[test]
fn what_stands_below_a_header_and_is_unlike_all_else_is_refused() {
    for text in [
        "source,target\n------,------\n1,2\n2,3\n",
        "source target\n====== ======\nann    bob\nbob    carl\n",
        "source,target\nint64,int64\n1,2\n2,3\n",
        "source,target\nFirst,Second\n1,2\n2,3\n",
    ] {
        for ending in ["csv", "txt"] {
            assert_eq!(detect(ending, text).unwrap_err().line, 2, "{text}");
        }
    }
    let said = TextOptions { header: Some(true), ..TextOptions::default() };
    assert_eq!(with("csv", "source,target\nbob,7\n1,2\n2,3\n", &said).unwrap().first, ["bob", "7"]);
}

#[test]
fn no_reading_is_refused_with_the_line() {
    for (text, line, ragged) in [
        ("0 2 1 2\n1 1 0\n", 2, true),
        ("1 2\n1 2 3\n", 2, true),
        ("1\n2\n", 1, false),
        ("# note\n12\n", 2, false),
        ("a,\"b\nc,d\n", 1, false),
    ] {
        let error = detect("txt", text).unwrap_err();
        assert_eq!((error.line, error.is_ragged), (line, ragged), "{text:?}: {error}");
    }
}

#[test]
fn a_header_is_told_by_known_names_or_by_numbers_below_names() {
    for (ending, text) in [
        ("csv", "id,name\n1,bob\n2,al\n"),
        ("csv", "person,film\nann,1999\n"),
        ("csv", "Source,Target\nann,bob\n"),
        ("csv", "\"Citing\",\"Cited\"\n1,2\n"),
        ("txt", "FromNodeId\tToNodeId\n1\t2\n"),
        ("txt", "protein1 protein2 combined_score\n9606.a 9606.b 490\n"),
        ("csv", ",a,b\n0,x,y\n1,y,z\n"),
        ("csv", "weight,source,target\n0.5,ann,bob\n"),
        ("csv", "source,target\n"),
    ] {
        assert!(read(ending, text).2, "{text:?}");
    }
    for (ending, text) in [
        ("csv", "1,2\n3,4\n"),
        ("csv", "ann,bob\nbob,carl\n"),
        ("csv", "ann,bob,friend\ncarl,dora,friend\n"),
        ("csv", "ann,1\nbob,2\n"),
        ("csv", "ann,bob,1e-9\n"),
        ("csv", "1,2,NA\n3,4,5\n"),
        ("csv", "7,8\n"),
    ] {
        assert!(!read(ending, text).2, "{text:?}");
    }
}

#[test]
fn what_is_said_decides() {
    let said = |options: TextOptions, text: &str| with("csv", text, &options).unwrap();
    let no_comments = TextOptions { comment: Some(Comment::None), ..TextOptions::default() };
    assert_eq!(said(no_comments, "#rust,#python\n#go,#rust\n").first, ["#rust", "#python"]);
    let header = TextOptions { header: Some(true), ..TextOptions::default() };
    assert_eq!(said(header, "ann,bob\ncarl,dora\n").first, ["carl", "dora"]);
    let header = TextOptions { header: Some(false), ..TextOptions::default() };
    assert_eq!(said(header, "source,target\ncarl,dora\n").first, ["source", "target"]);
    let skip = TextOptions { skip: 2, ..TextOptions::default() };
    let dialect = said(skip, "a title\n\n1,2\n");
    assert_eq!((dialect.first, dialect.lines_before), (vec!["1".to_owned(), "2".to_owned()], 2));
    let bars = TextOptions { delimiter: Some(Delimiter::Byte(b':')), ..TextOptions::default() };
    assert_eq!(said(bars, "1:2\n3:4\n").first, ["1", "2"]);
    let semicolon = TextOptions { comment: Some(Comment::Byte(b';')), ..TextOptions::default() };
    assert_eq!(said(semicolon, "; note\n1,2\n").lines_before, 1);
}

#[test]
fn line_ends_marks_and_comments_lose_nothing() {
    for (text, end) in [
        ("\u{feff}# a b\n1,2\n3,4\n", LineEnd::Lf),
        ("# a b\r\n1,2\r\n3,4\r\n", LineEnd::CrLf),
        ("# a b\r1,2\r3,4", LineEnd::Cr),
    ] {
        let dialect = detect("csv", text).unwrap();
        assert_eq!((dialect.line_end, dialect.looked_at, dialect.lines_before), (end, 2, 1), "{text:?}");
    }
    assert_eq!(detect("csv", "source,target\n#x,y\n1,2\n").unwrap().looked_at, 1);
    // Of names: a comment has a blank behind its mark, other columns, or known names.
    for text in ["# rust,python\na,b\nb,a\n", "#one\na,b\nb,a\n", "#source,target\na,b\nb,a\n"] {
        assert_eq!(detect("csv", text).unwrap().looked_at, 2, "{text:?}");
    }
    assert_eq!(detect("txt", "# Nodes: 0 Edges: 0\n").unwrap().columns, 0);
    assert_eq!(detect("txt", "").unwrap().columns, 0);
}
