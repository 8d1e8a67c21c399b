//! Files of edges as people have them: read as they were meant, or refused with what decides.

use leadline_graph_store::GraphError;
use leadline_graph_store::export::{ExportOptions, export};
use leadline_graph_store::import::{ImportOptions, Merge, import};
use leadline_graph_store::input::{
    Comment, EdgeColumns, FirstEdge, InputOptions, Preview, TextOptions, open,
};
use tempfile::tempdir;

fn preview(name: &str, text: &[u8], options: InputOptions) -> Result<Preview, GraphError> {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    Preview::of(open(&path, options)?, 100)
}

/// `1>2 2>3:0.5`
fn edges(preview: &Preview) -> String {
    let edge = |FirstEdge { source, target, weight }: &FirstEdge| {
        format!("{source}>{target}{}", weight.map_or(String::new(), |weight| format!(":{weight}")))
    };
    preview.edges.iter().map(edge).collect::<Vec<_>>().join(" ")
}

fn read_with(name: &str, text: &str, options: InputOptions) -> Preview {
    preview(name, text.as_bytes(), options).unwrap_or_else(|error| panic!("{text:?} as {name}: {error}"))
}

fn read(name: &str, text: &str) -> String {
    edges(&read_with(name, text, InputOptions::default()))
}

fn weighted() -> InputOptions {
    InputOptions { weights: true, ..InputOptions::default() }
}

fn refused(name: &str, text: &str, options: InputOptions, said: &str) {
    let error = preview(name, text.as_bytes(), options).map(|preview| edges(&preview)).expect_err(text);
    assert!(error.is_input(), "{error}");
    let error = error.to_string();
    assert!(error.contains(&format!("{name}: line ")) && error.contains(said), "{text:?} as {name}: {error}");
}

#[test]
fn a_header_is_no_edge() {
    for (name, text, expected) in [
        ("a.csv", "person,film\nann,1999\n", "ann>1999"),
        ("a.csv", "\"Source\",\"Destination\"\nann,bob\n", "ann>bob"),
        ("a.csv", "follower,followee\nann,bob\n", "ann>bob"),
        ("a.csv", "Citing,Cited\n1,2\n", "1>2"),
        ("a.txt", "FromNodeId\tToNodeId\n1\t2\n", "1>2"),
        ("a.csv", ",source,target\n0,1,2\n1,2,3\n", "1>2 2>3"),
        ("a.csv", "id,source,target\n7,1,2\n8,2,3\n", "1>2 2>3"),
        ("a.csv", "target,source\n1,2\n", "2>1"),
        ("a.csv", "Person.id|Person.id|creationDate\n1|2|2010-01-03\n", "1>2"),
    ] {
        assert_eq!(read(name, text), expected, "{text:?}");
    }
    let neo4j = ":START_ID(Person),weight:float,:END_ID(Person)\n1,0.5,2\n";
    assert_eq!(edges(&read_with("a.csv", neo4j, weighted())), "1>2:0.5");
    let string_db = "protein1 protein2 combined_score\n9606.a 9606.b 490\n";
    assert_eq!(edges(&read_with("a.txt", string_db, weighted())), "9606.a>9606.b:490");
    refused("a.csv", "id,name\n1,bob\n2,al\n", InputOptions::default(), "look like a list of vertices");
    refused("a.csv", "ann,bob\ncarl,dora\n", InputOptions::default(), "header yes or header no");
    let options =
        InputOptions { ids: leadline_graph_store::input::IdMode::Strings, ..InputOptions::default() };
    refused("a.csv", "head,kind,tail\n1,likes,2\n", options, "\"head\" to \"tail\"");
}

#[test]
fn delimiters_and_line_ends_are_those_of_the_file() {
    for (name, text) in [
        ("a.txt", "1, 2\n2, 3\n"),
        ("a.txt", "1,2\n2,3\n"),
        ("a.csv", "1;2\n2;3\n"),
        ("a.csv", "1|2\n2|3\n"),
        ("a.csv", "1\t2\n2\t3\n"),
        ("a.csv", "1,2\r2,3\r"),
        ("a.csv", "\u{feff}1,2\r\n2,3"),
    ] {
        assert_eq!(read(name, text), "1>2 2>3", "{text:?} as {name}");
    }
    assert_eq!(read("a.tsv", "New York\tReno\nReno\tRome\n"), "New York>Reno Reno>Rome");
    refused("a.txt", "New York\tReno\nReno\tSan Juan\n", InputOptions::default(), "between blanks, or as");
    refused("a.txt", "1 2\n2 3\n3 4 5\n", InputOptions::default(), "line 3: expected 2 columns");
    let utf_16 = preview("a.csv", b"\xff\xfe1\0,\x002\0", InputOptions::default()).unwrap_err();
    assert!(utf_16.to_string().contains("iconv -f UTF-16LE"), "{utf_16}");
}

#[test]
fn no_line_is_dropped_without_a_word() {
    let text = "#rust,#python\n#go,#rust\n";
    refused("a.csv", text, InputOptions::default(), "comment none or comment '#'");
    let text_options = TextOptions { comment: Some(Comment::None), ..TextOptions::default() };
    let options = InputOptions { text: text_options, ..InputOptions::default() };
    assert_eq!(edges(&read_with("a.csv", text, options)), "#rust>#python #go>#rust");
    // Behind the lines that are looked at too.
    let mut late: String = (0..2000).map(|at| format!("v{at},v{}\n", at + 1)).collect();
    late += "#go,v1\n";
    let error = preview("a.csv", late.as_bytes(), InputOptions::default()).unwrap_err();
    assert!(error.to_string().contains("line 2001: \"#go,v1\" may be a comment"), "{error}");

    let found = read_with("a.txt", "# a\n\n% b\nsource target\n1 2\n# c\n\n", InputOptions::default());
    let skipped = found.input.lines_skipped;
    assert_eq!((skipped.comments, skipped.blank, skipped.header, skipped.skipped), (3, 2, 1, 0));
    let text_options = TextOptions { skip: 2, ..TextOptions::default() };
    let options = InputOptions { text: text_options, ..InputOptions::default() };
    let found = read_with("a.csv", "a title\nanother\n1,2\n", options);
    assert_eq!((edges(&found), found.input.lines_skipped.skipped), ("1>2".to_owned(), 2));
}

#[test]
fn weights_are_the_column_that_holds_them() {
    let text = "source,target,timestamp,weight\n1,2,1234567,0.5\n";
    assert_eq!(edges(&read_with("a.csv", text, weighted())), "1>2:0.5");
    refused("a.csv", text, InputOptions::default(), "\"weight\", would be left out");
    let options = InputOptions { ignore_columns: true, ..InputOptions::default() };
    let found = read_with("a.csv", text, options);
    assert_eq!(
        (edges(&found), found.input.columns_ignored.join(" ")),
        ("1>2".to_owned(), "timestamp weight".into())
    );
    refused("a.csv", "0,1,\n1,2,3\n", weighted(), "line 1: expected a weight, found nothing");
    refused("a.txt", "1 2 5\n", InputOptions::default(), "column 3 would be left out");
    refused("a.txt", "0 2 1 2\n", InputOptions::default(), "the end of another edge");
    refused("a.txt", "1 2 5 7\n", weighted(), "columns 3 and 4 may each hold the weight");
    let columns = EdgeColumns { weight: Some("4".parse().unwrap()), ..EdgeColumns::default() };
    let options = InputOptions { columns, ..InputOptions::default() };
    assert_eq!(edges(&read_with("a.txt", "1 2 5 7\n", options)), "1>2:7");
    let columns = EdgeColumns {
        source: Some("b".parse().unwrap()),
        target: Some("1".parse().unwrap()),
        ..EdgeColumns::default()
    };
    let options = InputOptions { columns, ..InputOptions::default() };
    assert_eq!(edges(&read_with("a.csv", "a,b\n1,2\n", options)), "2>1");
    let attributes = "1 2 {'weight': 3.5}\n2 3 {'since': 'a b', 'weight': 1e3}\n";
    assert_eq!(edges(&read_with("a.txt", attributes, weighted())), "1>2:3.5 2>3:1000");
    assert_eq!(read("a.txt", "1 2 {}\n2 3 {}\n"), "1>2 2>3");
    refused("a.txt", attributes, InputOptions::default(), "would be left out");
}

#[test]
fn another_format_under_this_name_is_no_list_of_edges() {
    let matrix = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n";
    let found = read_with("a.txt", matrix, InputOptions::default());
    assert_eq!((edges(&found), found.input.format.as_str()), ("1>2 2>3".to_owned(), "mtx"));
    let options = InputOptions { format: Some("csv".parse().unwrap()), ..InputOptions::default() };
    let error = preview("a.txt", matrix.as_bytes(), options).unwrap_err().to_string();
    assert!(error.contains("is mtx by its content, not csv"), "{error}");
    for (text, said) in [
        ("<http://a> <http://b> <http://c> .\n", "a triple of RDF"),
        ("(1, 2) (3, 4) {}\n", "vertices that are tuples"),
        ("0 2 1 2\n1 1 0\n", "lists the neighbours of its first vertex"),
    ] {
        refused("a.txt", text, InputOptions::default(), said);
    }
}

#[test]
fn a_list_from_both_ends_is_noticed() {
    let folder = tempdir().unwrap();
    let [edges, store] = ["a.txt", "store"].map(|name| folder.path().join(name));
    let notes = |text: &str, options: ImportOptions| {
        std::fs::write(&edges, text).unwrap();
        let report = import(&edges, InputOptions::default(), &store, &options, &mut |_| {}).unwrap();
        (report.edges, report.parallel_edges, report.input.notes.join(" "))
    };
    let undirected = || ImportOptions::default().with_undirected(true);
    let both_ends = "1 2\n2 1\n2 3\n3 2\n";
    let (listed, parallel, note) = notes(both_ends, undirected());
    assert!((listed, parallel) == (4, 2) && note.contains("each edge is in the input twice"), "{note}");
    assert_eq!(notes(both_ends, undirected().with_dedupe(Merge::Min)), (2, 0, String::new()));
    assert_eq!(notes(both_ends, ImportOptions::default()), (4, 0, String::new()));
    let (listed, parallel, note) = notes("1 2\n2 1\n3 3\n3 3\n2 3\n", undirected());
    assert!((listed, parallel) == (5, 2) && note.starts_with("2 edges have the same ends"), "{note}");
}

#[test]
fn parallel_edges_merge_as_is_said() {
    let folder = tempdir().unwrap();
    let [edges, store] = ["a.wel", "store"].map(|name| folder.path().join(name));
    std::fs::write(&edges, "1 2 3\n1 2 1\n1 2 2.5\n").unwrap();
    for (merge, expected) in [(Merge::Min, 1.0), (Merge::Max, 3.0), (Merge::Sum, 6.5), (Merge::First, 3.0)] {
        let options = ImportOptions::default().with_dedupe(merge);
        import(&edges, weighted(), &store, &options, &mut |_| {}).unwrap();
        let out = folder.path().join("out.wel");
        export(&store, &out, &ExportOptions::default(), &mut |_| {}).unwrap();
        let text = std::fs::read_to_string(&out).unwrap();
        let weight: f64 = text.split_ascii_whitespace().last().unwrap().parse().unwrap();
        assert_eq!((weight, text.lines().count()), (expected, 1), "{merge}: {text}");
    }
}
