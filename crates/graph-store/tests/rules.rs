//! What a store says of edges that updates add: its import's options, which others may not know.

use std::fs;
use std::path::{Path, PathBuf};

use leadline_graph_store::export::{FolderOptions, export_folder};
use leadline_graph_store::import::{ImportOptions, Merge, import, import_edges};
use leadline_graph_store::input::{ArrayEdges, InputOptions};
use leadline_graph_store::inspect::{summarise, verify};
use tempfile::tempdir;

fn options(dedupe: bool, drop_self_loops: bool) -> ImportOptions {
    ImportOptions::default().with_dedupe(dedupe.then_some(Merge::Min)).with_drop_self_loops(drop_self_loops)
}

/// A store of a triangle.
fn store(folder: &Path, options: &ImportOptions) -> PathBuf {
    let store = folder.join("store");
    let edges = ArrayEdges::new(vec![1u64, 2, 3], vec![2u64, 3, 1]).unwrap();
    import_edges(Box::new(edges), &store, options, &mut |_| {}).unwrap();
    store
}

#[test]
fn rules_are_four_bytes_of_the_header_that_are_0_without_them() {
    let folder = tempdir().unwrap();
    let without = fs::read(store(folder.path(), &options(false, false))).unwrap();
    assert_eq!(without[20..24], [0; 4]);
    for (dedupe, drop_self_loops, byte) in [(true, false, 1), (false, true, 2), (true, true, 3)] {
        let store = store(folder.path(), &options(dedupe, drop_self_loops));
        let mut with = fs::read(&store).unwrap();
        assert_eq!(with[20..24], [byte, 0, 0, 0]);
        // The rest is the same, for programs that do not look there, but for the checksum.
        with[20] = 0;
        with[4088..4096].copy_from_slice(&without[4088..4096]);
        assert!(with == without);
        let rules = summarise(&store).unwrap().header.rules;
        assert_eq!((rules.dedupe(), rules.drop_self_loops()), (dedupe, drop_self_loops));
        verify(&store, &mut |_| {}).unwrap();
    }
}

#[test]
fn an_exported_directory_becomes_a_store_of_the_same_rules() {
    let folder = tempdir().unwrap();
    for (dedupe, drop_self_loops) in [(false, false), (true, false), (false, true), (true, true)] {
        let store = store(folder.path(), &options(dedupe, drop_self_loops));
        let (out, again) = (folder.path().join("out"), folder.path().join("again"));
        export_folder(&store, &out, &FolderOptions::default(), &mut |_| {}).unwrap();
        let described = fs::read_to_string(out.join("graph.json")).unwrap();
        assert_eq!(described.contains("\"dedupe\": true"), dedupe, "{described}");
        assert_eq!(described.contains("\"drop_self_loops\": true"), drop_self_loops, "{described}");
        import(&out, InputOptions::default(), &again, &ImportOptions::default(), &mut |_| {}).unwrap();
        assert!(fs::read(&store).unwrap() == fs::read(&again).unwrap());
    }
}
