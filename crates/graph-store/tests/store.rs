//! From a store to a list of edges and back.

use crate::listed;

use std::fs;

use leadline_files::{Compression, Decompressor};
use leadline_graph_store::export::{ExportOptions, export};
use leadline_graph_store::import::{ImportOptions, Merge, import as import_file};
use leadline_graph_store::input::InputOptions;
use leadline_graph_store::inspect::verify;
use listed::{Edges, import};

/// Memory for any reader.
fn options() -> ImportOptions {
    ImportOptions { memory: 64 << 20, ..ImportOptions::default() }
}

fn weighted(mut edges: Edges) -> Edges {
    let mut random = fastrand::Rng::with_seed(3);
    edges.declared.weighted = true;
    edges.weights = edges.edges.iter().map(|_| random.f64() * 1e3 - 500.0).collect();
    edges
}

/// Exports a store to each format, imports that, and compares.
#[track_caller]
fn there_and_back(edges: Edges, changes: &ImportOptions, formats: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let weights = edges.declared.weighted;
    let report = import(edges, &first, changes);
    for format in formats {
        let path = folder.path().join(format!("edges.{format}"));
        let exported = export(&first, &path, &ExportOptions::default(), &mut |_| {}).unwrap();
        assert_eq!(exported.edges, report.edges, "{format}");
        assert_eq!(exported.bytes, fs::metadata(&path).unwrap().len());
        let text = Decompressor::new(fs::File::open(&path).unwrap()).unwrap();
        assert_eq!(text.compression(), Compression::of_ending(&path), "{format}");
        let input = InputOptions { weights, ..InputOptions::default() };
        import_file(&path, input, &second, changes, &mut |_| {}).unwrap();
        verify(&second, &mut |_| {}).unwrap();
        assert!(fs::read(&first).unwrap()[4096..] == fs::read(&second).unwrap()[4096..], "{format}");
    }
}

/// A ring with chords: every vertex has an edge, so that none is lost in a list of edges.
fn ring(vertices: u64, spread: impl Fn(u64) -> u64) -> Edges {
    let mut random = fastrand::Rng::with_seed(4);
    let ring = (0..vertices).map(|i| (i, (i + 1) % vertices));
    let chords: Vec<_> =
        (0..3 * vertices).map(|_| (random.u64(..vertices), random.u64(..vertices))).collect();
    Edges::of(ring.chain(chords).map(|(a, b)| (spread(a), spread(b))))
}

#[test]
fn what_an_ending_says_is_compressed_is() {
    there_and_back(ring(500, |id| id), &options(), &["csv.gz", "el.bz2", "tsv.zst", "txt.xz"]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    import(ring(5, |id| id), &store, &options());
    let path = folder.path().join("edges.parquet.gz");
    let error = export(&store, &path, &ExportOptions::default(), &mut |_| {}).unwrap_err().to_string();
    assert!(
        error.ends_with("edges.parquet.gz: Parquet compresses within itself; name it .parquet"),
        "{error}"
    );
    assert!(!path.exists());
}

#[test]
fn numbers_come_back_from_every_format() {
    let plain = ["csv", "tsv", "el", "txt", "parquet"];
    there_and_back(ring(5000, |id| id), &options(), &plain);
    there_and_back(ring(5000, |id| u64::MAX - id * id), &options(), &plain);
    there_and_back(
        ring(2000, |id| 5 * id),
        &ImportOptions { renumber: true, reverse: true, ..options() },
        &plain,
    );
    there_and_back(ring(2000, |id| id + 1), &ImportOptions { undirected: true, ..options() }, &plain);
}

#[test]
fn weights_come_back_to_the_bit() {
    let options = ImportOptions { dedupe: Some(Merge::Min), ..options() };
    there_and_back(weighted(ring(3000, |id| id)), &options, &["csv", "tsv", "wel", "parquet"]);
}

#[test]
fn strings_come_back_even_with_separators_in_them() {
    let mut edges = ring(3000, |id| id);
    edges.strings = Some((0..3000).map(|i| format!("{} \"{}\", x", i * 7919 % 3000, i % 10)).collect());
    there_and_back(edges.clone(), &options(), &["csv", "tsv", "parquet"]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    import(edges, &store, &options());
    let refused = export(&store, &folder.path().join("x.el"), &ExportOptions::default(), &mut |_| {});
    assert!(refused.unwrap_err().to_string().contains("cannot stand between blanks"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn ids_that_do_not_fit_in_memory_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    import(ring(200_000, |id| 3 * id + 1), &store, &options());
    let text = |name: &str, memory| {
        let path = folder.path().join(name);
        export(&store, &path, &ExportOptions { memory, ..ExportOptions::default() }, &mut |_| {}).unwrap();
        fs::read(path).unwrap()
    };
    assert!(text("one.csv", 1 << 20) == text("other.csv", 1 << 30));
}
