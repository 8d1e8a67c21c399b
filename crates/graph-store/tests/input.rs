//! Every format of edges: read back as it was written, and refused with file, line and remedy where it is
//! malformed.

mod sampling;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use leadline_graph_store::GraphError;
use leadline_graph_store::input::{Batch, Declared, Format, IdMode, InputOptions, open};
use parquet::data_type::{DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use tempfile::TempDir;

/// All that an input gives.
#[derive(Debug, Default, PartialEq)]
struct Found {
    declared: Declared,
    pairs: Vec<(u64, u64)>,
    weights: Vec<f64>,
    vertices: Vec<u64>,
    strings: Option<Vec<String>>,
}

fn read(path: &Path, options: InputOptions) -> Result<Found, GraphError> {
    let mut reader = open(path, options)?;
    let mut found = Found { declared: reader.declared(), ..Found::default() };
    let mut batch = Batch::default();
    while reader.next_batch(&mut batch)? {
        found.pairs.extend(&batch.pairs);
        found.weights.extend(&batch.weights);
        found.vertices.extend(&batch.vertices);
    }
    assert!(!reader.next_batch(&mut batch)?, "the end is the end");
    found.strings = reader.strings();
    Ok(found)
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn read_text(name: &str, text: impl AsRef<[u8]>, options: InputOptions) -> Result<Found, GraphError> {
    let folder = Folder::new();
    let path = folder.file(name, text);
    read(&path, options)
}

/// What is not said is told from the file; whatever columns there are.
fn plain() -> InputOptions {
    InputOptions { ignore_columns: true, ..InputOptions::default() }
}

fn weighted() -> InputOptions {
    InputOptions { weights: true, ..plain() }
}

/// The error without the folder in front of the file's name.
fn refusal(name: &str, text: impl AsRef<[u8]>, options: InputOptions) -> String {
    let error = read_text(name, text, options).unwrap_err();
    assert!(error.is_input(), "{error}");
    let error = error.to_string();
    assert!(!error.contains('\n'), "{error}");
    error[error.find(name).unwrap_or_else(|| panic!("{error}"))..].to_owned()
}

#[test]
fn columns_are_read_whatever_stands_around_them() {
    let pairs = vec![(12, 7), (0, u64::MAX), (7, 7)];
    for (name, text) in [
        ("a.txt", "# comment\n% another\n\n12 7\n  0\t18446744073709551615 \r\n7 7\n"),
        ("a.edges", "12 7\n0 18446744073709551615\n7 7"),
        ("a.el", "12 7\r\n0 18446744073709551615\r\n7 7\r\n"),
        ("a.wel", "12 7 1\n0 18446744073709551615 2\n7 7 3\n"),
        ("a.csv", "12,7\n0,18446744073709551615\n7,7\n"),
        ("a.csv", "\u{feff}source,target\n12,7\n0,18446744073709551615\n7,7\n"),
        ("a.csv", "left,right\r\n\"12\",\"7\"\r\n 0 , 18446744073709551615\r\n7,7\r\n"),
        ("a.tsv", "# by hand\nFrom\tTo\n12\t7\n0\t18446744073709551615\n7\t7\n"),
    ] {
        let found = read_text(name, text, plain()).unwrap();
        assert_eq!((found.pairs, found.strings), (pairs.clone(), None), "{name}: {text}");
    }
}

#[test]
fn weights_are_given_where_they_are_wanted() {
    for (name, text) in [
        ("a.txt", "1 2 0.5\n2 3 -1e-3\n"),
        ("a.wel", "1 2 0.5\n2 3 -0.001\n"),
        ("a.csv", "src,dst,weight\n1,2,.5\n2,3,-0.001\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 -1.0e-3\n"),
    ] {
        let found = read_text(name, text, weighted()).unwrap();
        assert_eq!((found.pairs, found.weights), (vec![(1, 2), (2, 3)], vec![0.5, -0.001]), "{name}");
        assert!(found.declared.weighted);
        assert_eq!(read_text(name, text, plain()).unwrap().weights, Vec::<f64>::new(), "{name}");
    }
}

#[test]
fn an_empty_file_is_a_graph_without_vertices() {
    for format in Format::all().filter(|format| !matches!(format, Format::Graphalytics | Format::Parquet)) {
        let name = format!("empty.{}", format.endings()[0]);
        let found = read_text(&name, "", plain()).unwrap();
        assert_eq!((found.pairs.len(), found.declared.vertices.unwrap_or(0)), (0, 0), "{name}");
    }
    assert_eq!(read_text("only.txt", "# nothing\n", weighted()).unwrap().pairs, vec![]);
}

#[test]
fn ids_that_are_names_are_numbered_in_the_order_they_come() {
    let names = vec!["ann".to_owned(), "bob, jr".to_owned(), "7".to_owned(), "said \"x\"".to_owned()];
    let text = "ann,\"bob, jr\"\n7,ann\n\"said \"\"x\"\"\",7\n";
    let found = read_text("a.csv", text, plain()).unwrap();
    assert_eq!((found.pairs, found.strings), (vec![(0, 1), (2, 0), (3, 2)], Some(names)));
    let text = "1 01\n1 x\n";
    let found = read_text("a.txt", text, InputOptions { ids: IdMode::Strings, ..plain() }).unwrap();
    let names = ["1", "01", "x"].map(str::to_owned).to_vec();
    assert_eq!((found.pairs, found.strings), (vec![(0, 1), (0, 2)], Some(names)));
}

#[test]
fn too_many_names_for_the_memory_are_an_error_with_a_remedy() {
    let text: String = (0..100_000).map(|i| format!("name{i} name{}\n", i + 1)).collect();
    let error = refusal("a.txt", text, InputOptions { memory: 1 << 20, ..plain() });
    assert!(
        error.starts_with("a.txt: line ") && error.contains("1M") && error.contains("give more memory"),
        "{error}"
    );
}

#[test]
fn what_a_format_says_of_the_whole_graph_is_declared() {
    let symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n% comment\n4 4 2\n2 1\n3 3\n";
    let found = read_text("a.mtx", symmetric, plain()).unwrap();
    let declared = Declared { vertices: Some(4), first: 1, undirected: true, ..Declared::default() };
    assert_eq!((found.declared, found.pairs), (declared, vec![(2, 1), (3, 3)]));
    let general = "%%matrixmarket MATRIX coordinate Integer general\n2 2 1\n1 2 -5\n";
    let found = read_text("a.mtx", general, weighted()).unwrap();
    assert_eq!((found.declared.undirected, found.weights), (false, vec![-5.0]));
    let snap = "# Undirected graph (each unordered pair of nodes is saved once): x.txt\n1\t2\n";
    assert!(read_text("a.txt", snap, plain()).unwrap().declared.undirected);
    assert!(!read_text("a.txt", "# Directed graph\n1\t2\n", plain()).unwrap().declared.undirected);
    for (name, text) in [("a.txt", snap), ("a.mtx", symmetric), ("a.graph", "2 1\n2\n1\n")] {
        let declared = read_text(name, text, InputOptions { directed: true, ..plain() }).unwrap().declared;
        assert!(!declared.undirected, "{name}");
    }
}

#[test]
fn metis_is_read_with_every_kind_of_weight() {
    let pairs = vec![(1, 2), (1, 3)];
    for (text, weights) in [
        ("% first\n4 2\n2 3\n1\n% between\n1\n\n", vec![]),
        ("4 2 1\n2 5 3 6\n1 5\n1 6\n\n", vec![5.0, 6.0]),
        ("4 2 11 2\n9 9 2 5 3 6\n9 9 1 5\n9 9 1 6\n9 9\n", vec![5.0, 6.0]),
        ("4 2 110 1\n8 9 2 3\n8 9 1\n8 9 1\n8 9", vec![]),
    ] {
        let options = if weights.is_empty() { plain() } else { weighted() };
        let found = read_text("a.graph", text, options).unwrap();
        assert_eq!((found.pairs, &found.weights), (pairs.clone(), &weights), "{text}");
        let declared = found.declared;
        assert_eq!((declared.vertices, declared.first, declared.undirected), (Some(4), 1, true));
    }
    // One line longer than any buffer.
    let last = 300_000;
    let hub: String = (2..=last).map(|v| format!("{v} ")).collect();
    let text = format!("{last} {}\n{hub}\n{}", last - 1, "1\n".repeat(last - 1));
    assert_eq!(read_text("star.metis", text, plain()).unwrap().pairs.len(), last - 1);
}

#[test]
fn graphalytics_finds_the_other_file_and_gives_its_vertices() {
    let folder = Folder::new();
    let vertices = folder.file("g.v", "10\n20\n30\n");
    let edges = folder.file("g.e", "10 20 0.5\n20 10 1.5\n");
    for path in [&vertices, &edges] {
        let found = read(path, weighted()).unwrap();
        assert_eq!((found.pairs, found.weights), (vec![(10, 20), (20, 10)], vec![0.5, 1.5]));
        assert_eq!((found.vertices, found.declared.undirected), (vec![10, 20, 30], false));
    }
    folder.file("g.properties", "graph.g.vertex-file = g.v\ngraph.g.directed = false\n");
    assert!(read(&edges, plain()).unwrap().declared.undirected);
    folder.file("g.v", "10\nx\n");
    let error = read(&edges, plain()).unwrap_err().to_string();
    assert!(error.ends_with("g.v: line 2: expected a vertex id, found \"x\""), "{error}");
}

#[test]
fn compression_is_seen_through() {
    let folder = Folder::new();
    let text: String = (0..50_000).map(|i| format!("{i} {}\n", i * 7)).collect();
    let expected: Vec<(u64, u64)> = (0..50_000).map(|i| (i, i * 7)).collect();
    let binary: Vec<u8> =
        expected.iter().flat_map(|(s, t)| [*s as u32, *t as u32]).flat_map(u32::to_le_bytes).collect();
    let gzip = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    xz.write_all(text.as_bytes()).unwrap();
    for (name, bytes) in [
        ("a.el.gz", gzip(text.as_bytes())),
        ("a.el.zst", zstd::encode_all(text.as_bytes(), 1).unwrap()),
        ("a.el.xz", xz.finish().unwrap()),
        ("a.u32.gz", gzip(&binary)),
        ("a.u32", binary),
    ] {
        let path = folder.file(name, bytes);
        assert_eq!(read(&path, plain()).unwrap().pairs, expected, "{name}");
    }
    // A source of 0x8b1f is how gzip begins.
    let path = folder.file("b.u32", [0x8b1fu32, 5].map(u32::to_le_bytes).concat());
    assert_eq!(read(&path, plain()).unwrap().pairs, vec![(0x8b1f, 5)]);
}

#[test]
fn malformed_lines_are_named_with_what_was_expected() {
    for (name, text, expected) in [
        ("a.txt", "1 2\n\n# c\n12\n", "line 4: expected at least 2 columns between blanks, tabs"),
        (
            "a.txt",
            "1 2\n1 x\n",
            "line 2: expected a target id, found \"x\"; where ids are names, read them as strings",
        ),
        ("a.txt", "1 2\n-1 2\n", "line 2: expected a source id of 0 or more, found \"-1\""),
        ("a.txt", "-1 2\n", "line 1: expected a source id of 0 or more, found \"-1\""),
        (
            "a.txt",
            "1 18446744073709551616\n",
            "expected a target id below 2^64, found \"18446744073709551616\"",
        ),
        ("a.txt", "1:2\n", "line 1: expected at least 2 columns between blanks, tabs"),
        ("a.el", "1 2 3\n", "line 1: expected 2 columns, found 3"),
        ("a.csv", "1,2\n,3\n", "line 2: expected a source id, found nothing"),
        ("a.csv", "1,2\n3,\n", "line 2: expected a target id, found nothing"),
        ("a.csv", "1,2\n\"3,4\n", "line 2: expected a quote's end on its line"),
        ("a.mtx", "1 2 3\n", "line 1: expected %%MatrixMarket matrix coordinate"),
        ("a.mtx", "%%MatrixMarket matrix array pattern general\n1 1\n", "line 1: expected %%MatrixMarket"),
        ("a.mtx", "%%MatrixMarket vector coordinate real general\n", "line 1: expected %%MatrixMarket"),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n%\n3 4 1\n",
            "line 3: expected a square matrix",
        ),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 4\n",
            "line 3: expected ids from 1 to 3",
        ),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n0 1\n",
            "line 3: expected ids from 1 to 3",
        ),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1\n",
            "found 1; it was cut off",
        ),
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1\n2 2\n", "found at least 2"),
        ("a.graph", "2\n", "line 1: expected the numbers of vertices and edges"),
        ("a.graph", "2 1 7\n", "line 1: expected a format of up to three digits 0 or 1"),
        ("a.graph", "2 1\n2\n3\n", "line 3: expected a neighbour from 1 to 2, found 3"),
        ("a.graph", "2 1\n2\n0\n", "line 3: expected a neighbour from 1 to 2, found 0"),
        ("a.graph", "% c\n2 1\n2\n", "expected 2 lines of neighbours, as its header says, found 1"),
        ("a.graph", "2 1\n2\n1\n1\n", "line 4: expected the end after the lines of 2 vertices, found \"1\""),
        ("a.graph", "2 2\n2\n1\n", "expected each of 2 edges twice, as its header says, found 2 neighbours"),
        (
            "a.graph",
            "2 1 1\n2\n1 5\n",
            "line 2: expected a weight after neighbour 2, found the end of the line",
        ),
        (
            "a.graph",
            "2 1 10\n5 2\n\n",
            "line 3: expected 1 numbers of the vertex before its neighbours, found 0",
        ),
        (
            "a.u32",
            "123456789",
            "expected pairs of 8 bytes, found 9 bytes, which is not a whole number of them",
        ),
        ("a.u64", "12345678", "expected pairs of 16 bytes, found 8 bytes"),
        ("a.parquet", "PAR1 and no more", "is not a sound Parquet file"),
        ("a.what", "1 2\n", "its name does not tell its format; name it, one of snap, csv"),
    ] {
        let error = refusal(name, text, plain());
        assert!(error.starts_with(&format!("{name}: ")) && error.contains(expected), "{text:?}: {error}");
    }
    let path = Path::new("/nonexistent/a.txt");
    assert!(
        open(path, plain()).err().unwrap().to_string().starts_with("/nonexistent/a.txt: cannot be opened")
    );
}

#[test]
fn weights_must_be_there_and_finite() {
    for (name, text, expected) in [
        ("a.wel", "1 2 3\n1 2\n", "line 2: expected 3 columns between blanks, as in line 1, found 2"),
        ("a.wel", "1 2 nan\n", "line 1: expected a finite number as weight, found \"nan\""),
        ("a.txt", "1 2 3\n1 2 -inf\n", "line 2: expected a finite number as weight, found \"-inf\""),
        ("a.csv", "1,2,1e999\n", "line 1: expected a finite number as weight"),
        ("a.graph", "2 1 1\n2 NaN\n1 1\n", "line 2: expected a finite number as weight, found \"NaN\""),
        ("a.el", "1 2\n", "has no weights as el; import it without weights"),
        ("a.txt", "1 2\n", "has no weights as snap; import it without weights"),
        ("a.u32", "", "has no weights as u32; import it without weights"),
    ] {
        let error = refusal(name, text, weighted());
        assert!(error.starts_with(&format!("{name}: ")) && error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn a_line_without_an_end_is_an_error_and_takes_no_memory() {
    let error = refusal("a.txt", vec![b'7'; 3 << 20], plain());
    assert!(error.contains("line 1: ") && error.contains("262144 bytes"), "{error}");
}

/// Enough lines for several pieces and threads, the last of them wrong.
#[test]
fn threads_keep_the_order_and_count_the_lines() {
    let folder = Folder::new();
    let mut text: String = (0..500_000u64).map(|i| format!("{i} {}\n", i * 3)).collect();
    assert!(text.len() > 4 << 20);
    let expected: Vec<(u64, u64)> = (0..500_000).map(|i| (i, i * 3)).collect();
    for threads in [1, 2, 3, 7] {
        let path = folder.file("a.el", &text);
        assert_eq!(
            read(&path, InputOptions { threads, ..plain() }).unwrap().pairs,
            expected,
            "{threads} threads"
        );
    }
    text.push_str("500001 oops\n1 2\n");
    let path = folder.file("a.el", &text);
    for threads in [1, 3] {
        let error = read(&path, InputOptions { threads, ..plain() }).unwrap_err().to_string();
        assert!(
            error.contains("a.el: line 500001: expected a target id, found \"oops\""),
            "{threads}: {error}"
        );
    }
}

const PARQUET: &str =
    "message m { optional binary note (UTF8); required int64 dst; required int32 src; optional double w; }";

fn parquet(schema: &str, edges: &[(u64, u64)], weights: &[f64], null: Option<usize>) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut out = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    for (edges, weights) in edges.chunks(1000).zip(weights.chunks(1000)) {
        let mut group = out.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let none = vec![0; edges.len()];
        column.typed::<parquet::data_type::ByteArrayType>().write_batch(&[], Some(&none), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let targets: Vec<i64> = edges.iter().map(|(_, target)| *target as i64).collect();
        column.typed::<Int64Type>().write_batch(&targets, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let sources: Vec<i32> = edges.iter().map(|(source, _)| *source as i32).collect();
        column.typed::<Int32Type>().write_batch(&sources, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let levels: Vec<i16> = (0..edges.len()).map(|at| i16::from(Some(at) != null)).collect();
        let there: Vec<f64> =
            (0..weights.len()).filter(|at| Some(*at) != null).map(|at| weights[at]).collect();
        column.typed::<DoubleType>().write_batch(&there, Some(&levels), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    out.into_inner().unwrap()
}

/// A file of edges and of weights.
pub fn write_parquet(path: &Path, edges: &[(u64, u64)]) {
    std::fs::write(path, parquet(PARQUET, edges, &vec![1.5; edges.len()], None)).unwrap();
}

/// A file whose first page of sources begins with other bytes.
fn parquet_with_page(header: &[u8]) -> Vec<u8> {
    let mut file = parquet(PARQUET, &[(1, 2); 50], &[1.5; 50], None);
    let reader = SerializedFileReader::new(bytes::Bytes::from(file.clone())).unwrap();
    let at = reader.metadata().row_group(0).column(2).byte_range().0 as usize;
    file[at..at + header.len()].copy_from_slice(header);
    file
}

// Found by fuzzing: a file of 700 bytes took minutes.
#[test]
fn a_list_in_a_page_header_of_parquet_that_claims_2_billion_numbers_ends_with_the_file() {
    // Thrift: field 15, a list of 2^31 - 1 doubles. The parquet crate skips fields that it does not know.
    let file = parquet_with_page(&[0xf9, 0xf7, 0xff, 0xff, 0xff, 0xff, 0x07]);
    let error = refusal("a.parquet", file, plain());
    assert!(error.contains("it ends within a header"), "{error}");
}

#[test]
fn parquet_finds_columns_by_name_and_refuses_what_is_missing() {
    let folder = Folder::new();
    let edges: Vec<(u64, u64)> = (0..2500).map(|i| (i, 1 << (i % 62))).collect();
    let weights: Vec<f64> = (0..2500).map(|i| f64::from(i) / 8.0).collect();
    let path = folder.file("a.parquet", parquet(PARQUET, &edges, &weights, None));
    let found = read(&path, weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (edges.clone(), weights.clone()));
    let found = read(&path, InputOptions { ids: IdMode::Strings, ..plain() }).unwrap();
    assert_eq!(found.strings.unwrap()[..4], ["0", "1", "2", "4"].map(str::to_owned));

    let path = folder.file("b.parquet", parquet(PARQUET, &edges, &weights, Some(7)));
    let error = read(&path, weighted()).unwrap_err().to_string();
    assert!(error.contains("b.parquet: row 8: expected a value in \"w\", found none"), "{error}");
    let path = folder.file("c.parquet", parquet(PARQUET, &[(1, 2), (3, u64::MAX)], &[1.0, f64::NAN], None));
    let error = read(&path, plain()).unwrap_err().to_string();
    assert!(error.contains("row 2: expected an id of 0 or more in \"dst\", found -1"), "{error}");
    let schema = PARQUET.replace("int64 dst", "int64 dst (INTEGER(64,false))");
    let path = folder.file("d.parquet", parquet(&schema, &[(1, 2), (3, u64::MAX)], &[1.0, f64::NAN], None));
    assert_eq!(read(&path, plain()).unwrap().pairs, vec![(1, 2), (3, u64::MAX)]);
    let error = read(&path, weighted()).unwrap_err().to_string();
    assert!(error.contains("row 2: expected a finite number as weight in \"w\", found NaN"), "{error}");
}

/// The bytes of a file of each format with these edges; ids from 1 to `vertices`.
fn written(format: Format, vertices: u64, edges: &[(u64, u64, f64)]) -> Vec<u8> {
    let lines = |between: &str, weighted: bool| {
        let line = |(s, t, w): &(u64, u64, f64)| match weighted {
            true => format!("{s}{between}{t}{between}{w}\n"),
            false => format!("{s}{between}{t}\n"),
        };
        edges.iter().map(line).collect::<String>()
    };
    match format {
        Format::Snap => format!("# head\n{}", lines("\t", true)).into_bytes(),
        Format::Csv => format!("source,target,weight\n{}", lines(",", true)).into_bytes(),
        Format::Tsv => lines("\t", true).into_bytes(),
        Format::El => lines(" ", false).into_bytes(),
        Format::Wel | Format::Graphalytics | Format::Ncol => lines(" ", true).into_bytes(),
        Format::Adjlist => lines(" ", false).into_bytes(),
        Format::GraphChi => lines(" 1 ", false).into_bytes(),
        Format::MultilineAdjlist => {
            let list = |(s, t, w): &(u64, u64, f64)| format!("{s} 1\n{t} {{'weight': {w}}}\n");
            edges.iter().map(list).collect::<String>().into_bytes()
        }
        Format::Dimacs => {
            let arc = |(s, t, w): &(u64, u64, f64)| format!("a {s} {t} {w}\n");
            let arcs: String = edges.iter().map(arc).collect();
            format!("c arcs\np sp {vertices} {}\n{arcs}", edges.len()).into_bytes()
        }
        Format::GraphMl | Format::Gexf => markup(format, edges).into_bytes(),
        Format::Gml => {
            let node = |vertex: u64| format!("node [ id {vertex} ]\n");
            let edge = |(s, t, w): &(u64, u64, f64)| format!("edge [ source {s} target {t} weight {w} ]\n");
            let nodes: String = (1..=vertices).map(node).collect();
            let edges: String = edges.iter().map(edge).collect();
            format!("graph [ directed 1\n{nodes}{edges}]\n").into_bytes()
        }
        Format::Pajek => format!("*Vertices {vertices}\n*Arcs\n{}", lines(" ", true)).into_bytes(),
        Format::Konect => format!("% asym weighted\n{}", lines("\t", true)).into_bytes(),
        Format::MatrixMarket => format!(
            "%%MatrixMarket matrix coordinate real general\n{vertices} {vertices} {}\n{}",
            edges.len(),
            lines(" ", true)
        )
        .into_bytes(),
        Format::Metis => {
            let edges = simple(edges);
            let mut text = format!("{vertices} {} 1\n", edges.len());
            for vertex in 1..=vertices {
                for (s, t, w) in &edges {
                    if *s == vertex {
                        text.push_str(&format!("{t} {w} "));
                    }
                    if *t == vertex {
                        text.push_str(&format!("{s} {w} "));
                    }
                }
                text.push('\n');
            }
            text.into_bytes()
        }
        Format::U32 => {
            edges.iter().flat_map(|(s, t, _)| [*s as u32, *t as u32]).flat_map(u32::to_le_bytes).collect()
        }
        Format::U64 => edges.iter().flat_map(|(s, t, _)| [*s, *t]).flat_map(u64::to_le_bytes).collect(),
        Format::Parquet => {
            let (pairs, weights): (Vec<_>, Vec<_>) = edges.iter().map(|(s, t, w)| ((*s, *t), *w)).unzip();
            parquet(PARQUET, &pairs, &weights, None)
        }
    }
}

/// Edges in XML.
fn markup(format: Format, edges: &[(u64, u64, f64)]) -> String {
    let (begin, end, weight) = match format {
        Format::Gexf => ("<gexf><graph defaultedgetype=\"directed\">", "</graph></gexf>", " weight=\""),
        _ => (
            "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\"/><graph edgedefault=\"directed\">",
            "</graph></graphml>",
            "><data key=\"w\">",
        ),
    };
    let rest = if format == Format::Gexf { "\"/>" } else { "</data></edge>" };
    let edge =
        |(s, t, w): &(u64, u64, f64)| format!("<edge source=\"{s}\" target=\"{t}\"{weight}{w}{rest}\n");
    let edges: String = edges.iter().map(edge).collect();
    format!("{begin}\n{edges}{end}\n")
}

/// Each edge once, from its lesser end, with the first of its weights.
fn simple(edges: &[(u64, u64, f64)]) -> Vec<(u64, u64, f64)> {
    let mut once = BTreeMap::new();
    for (s, t, w) in edges {
        once.entry((*s.min(t), *s.max(t))).or_insert(*w);
    }
    once.into_iter().map(|((s, t), w)| (s, t, w)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        rng_seed: prop::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn edges_are_read_back_from_every_format(
        edges in prop::collection::vec((1u64..200, 1u64..200, -1e6f64..1e6), 0..300),
        threads in 1usize..3,
    ) {
        let folder = Folder::new();
        folder.file("a.v", "1\n");
        for format in Format::all() {
            let path = folder.file(&format!("a.{}", format.endings()[0]), written(format, 200, &edges));
            let unweighted = [Format::El, Format::U32, Format::U64, Format::Adjlist, Format::GraphChi];
            let weighted = !unweighted.contains(&format);
            let found = read(&path, InputOptions { weights: weighted, threads, ..plain() }).unwrap();
            let weights = if weighted { found.weights } else { edges.iter().map(|edge| edge.2).collect() };
            let mut found: Vec<(u64, u64, f64)> =
                found.pairs.iter().zip(weights).map(|((s, t), w)| (*s, *t, w)).collect();
            let mut expected = edges.clone();
            if format == Format::Metis {
                expected = simple(&edges);
                found.sort_by_key(|(s, t, _)| (*s, *t));
            }
            prop_assert_eq!(found, expected, "{}", format);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in prop::collection::vec(
            prop_oneof![4 => prop::sample::select(b"0123456789 \n\t,\"%#-.e\r".to_vec()), 1 => any::<u8>()], 0..400
        ),
        weights: bool,
        strings: bool,
    ) {
        let folder = Folder::new();
        folder.file("a.v", &bytes);
        let ids = if strings { IdMode::Strings } else { IdMode::Auto };
        for format in Format::all() {
            for header in ["", "%%MatrixMarket matrix coordinate real general\n9 9 9\n", "9 9 111 1\n"] {
                let all = [header.as_bytes(), &bytes].concat();
                let path = folder.file(&format!("a.{}", format.endings()[0]), all);
                let _ = read(&path, InputOptions { weights, ids, ..plain() });
            }
        }
    }

    // The parquet crate panics on some; the user gets an error.
    #[test]
    fn a_damaged_parquet_file_never_panics(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let edges: Vec<(u64, u64)> = (0..50).map(|i| (i, i * i)).collect();
        let mut bytes = parquet(PARQUET, &edges, &[1.5; 50], None);
        for (place, byte) in places {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        let folder = Folder::new();
        let _ = read(&folder.file("a.parquet", bytes), weighted());
    }
}
