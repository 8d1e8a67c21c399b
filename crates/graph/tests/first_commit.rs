//! The first commit turns a store from a file into a folder: at every moment there is one of both, and
//! nothing else turns it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_graph::{Graph, GraphError, GraphUpdate, Options, UpdateOptions, compact, summarise, verify};
use leadline_testing::exhaustive;
use tempfile::TempDir;

use crate::made::Shape;

/// A folder with a store that is a file: vertices 0 to 9, edges from each to the next.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let edges: Vec<(u32, u32, f64)> = (0..9).map(|at| (at, at + 1, 0.0)).collect();
    Shape::new(10, true).writer(&folder.path().join("g"), &edges).finish().unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Adds an edge; whether its commit was acknowledged. Another writer at the same time is a reason to refuse.
fn add(store: &Path, vertex: u64) -> bool {
    let added = GraphUpdate::open(store, UpdateOptions::default()).and_then(|mut update| {
        update.insert_edge(vertex, vertex + 1, None)?;
        update.commit()
    });
    match added {
        Ok(_) => true,
        Err(error @ GraphError::Path { .. }) => {
            assert!(error.to_string().contains("is being changed by another process"), "{error}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn of_first_commits_at_once_none_that_was_acknowledged_is_lost() {
    let rounds = if exhaustive() { 2000 } else { 200 };
    let mut together = 0;
    for round in 0..rounds {
        let folder = folder();
        let store = folder.path().join("g");
        let writers = 2 + round % 7;
        let (start, over) = (Barrier::new(writers + 1), AtomicBool::new(false));
        let acknowledged: BTreeSet<u64> = std::thread::scope(|scope| {
            let (store, start, over) = (&store, &start, &over);
            let writers: Vec<_> = (0..writers as u64)
                .map(|writer| {
                    scope.spawn(move || {
                        start.wait();
                        add(store, 100 * (writer + 1)).then_some(100 * (writer + 1))
                    })
                })
                .collect();
            let reader = scope.spawn(move || {
                start.wait();
                while !over.load(Ordering::Relaxed) {
                    // The file, or the folder with some of the commits.
                    let found = summarise(store).unwrap_or_else(|error| panic!("while it turns: {error}"));
                    assert_eq!(found.version, found.edges - 9);
                }
            });
            let done = writers.into_iter().filter_map(|writer| writer.join().unwrap()).collect();
            over.store(true, Ordering::Relaxed);
            reader.join().unwrap();
            done
        });
        assert!(!acknowledged.is_empty(), "somebody comes first");
        together += usize::from(acknowledged.len() < writers);
        let found = verify(&store, &mut |_| {}).unwrap();
        assert_eq!(found.entries, 9 + acknowledged.len() as u64);
        let graph = Graph::open(&store, Options::default()).unwrap();
        for id in &acknowledged {
            graph.vertex(&id.to_string()).unwrap_or_else(|error| panic!("{id} was acknowledged: {error}"));
        }
        assert_eq!(names(folder.path()), ["g"]);
    }
    assert!(together > 0, "no two writers met in {rounds} rounds");
}

#[test]
fn what_comes_to_nothing_leaves_the_file_as_it_was() {
    let folder = folder();
    let store = folder.path().join("g");
    let before = fs::read(&store).unwrap();
    let open = |options| GraphUpdate::open(&store, options).unwrap();
    drop(open(UpdateOptions::default()));
    // Dropped before it is committed.
    let mut update = open(UpdateOptions::default());
    update.insert_edge(1, 2, None).unwrap();
    drop(update);
    // Refused when it is committed.
    let mut update = open(UpdateOptions { strict: true, ..UpdateOptions::default() });
    update.delete_edge(5, 1).unwrap();
    assert!(matches!(update.commit(), Err(GraphError::Missing { .. })));
    update.insert_edge("text", "other", None).unwrap_err();
    // What there is nothing to do for.
    assert_eq!(update.commit().unwrap().version, 0);
    update.maintain(&mut |_| {}).unwrap();
    update.flush().unwrap();
    assert!(!update.compact(None, &mut |_| {}).unwrap().compacted);
    assert_eq!(update.space().unwrap().base_bytes, before.len() as u64);
    drop(update);
    assert!(!compact(&store, &Options::default(), &mut |_| {}).unwrap().compacted);
    // So many changes that they are put aside before the commit that does not come.
    let mut update = open(UpdateOptions::new(Options::default().with_memory(1 << 16)));
    (0..20_000).for_each(|at| update.insert_edge(at, at + 1, None).unwrap());
    assert_eq!(names(folder.path()).len(), 2, "the directory in the making");
    drop(update);
    assert_eq!((fs::read(&store).unwrap() == before, names(folder.path())), (true, vec!["g".to_owned()]));
    // And then one that is committed.
    let mut update = open(UpdateOptions::new(Options::default().with_memory(1 << 16)));
    (0..20_000).for_each(|at| update.insert_edge(at, at + 1, None).unwrap());
    assert_eq!(summarise(&store).unwrap().version, 0, "until then");
    assert_eq!(update.commit().unwrap().edges, 20_009);
    update.maintain(&mut |_| {}).unwrap();
    update.insert_edge(7, 3, None).unwrap();
    assert_eq!(update.commit().unwrap().version, 20_001);
    drop(update);
    assert_eq!(verify(&store, &mut |_| {}).unwrap().entries, 20_010);
    assert_eq!(names(folder.path()), ["g"]);
}

#[test]
fn a_second_name_of_the_file_stays_the_store_that_it_was() {
    let folder = folder();
    let (store, backup) = (folder.path().join("g"), folder.path().join("backup"));
    fs::hard_link(&store, &backup).unwrap();
    let before = fs::read(&backup).unwrap();
    assert!(add(&store, 100));
    assert!(fs::read(&backup).unwrap() == before, "what a backup shares with the store was changed");
    assert_eq!(summarise(&backup).unwrap().edges, 9);
    assert_eq!(summarise(&store).unwrap().edges, 10);
}

#[test]
fn a_link_to_the_file_leads_to_the_folder() {
    let folder = folder();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("g", &link).unwrap();
    assert!(add(&link, 100) && add(&link, 200));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(summarise(folder.path().join("g")).unwrap().version, 2);
    assert_eq!(names(folder.path()), ["g", "link"]);
}

#[test]
fn a_store_whose_folder_did_not_come_to_take_its_place_is_found_again() {
    // Where the file system cannot exchange names, a crash between two steps leaves this.
    let crashed = || {
        let folder = folder();
        fs::rename(folder.path().join("g"), folder.path().join(".leadline-g.aside")).unwrap();
        fs::create_dir(folder.path().join(".leadline-killed.folder")).unwrap();
        folder
    };
    let readers: [fn(&Path); 4] = [
        |store| assert_eq!(summarise(store).unwrap().edges, 9),
        |store| assert_eq!(verify(store, &mut |_| {}).unwrap().entries, 9),
        |store| assert_eq!(Graph::open(store, Options::default()).unwrap().version(), 0),
        |store| assert!(add(store, 100)),
    ];
    for reader in readers {
        let folder = crashed();
        reader(&folder.path().join("g"));
        assert!(add(&folder.path().join("g"), 200));
        assert_eq!(names(folder.path()), ["g"]);
    }
}
