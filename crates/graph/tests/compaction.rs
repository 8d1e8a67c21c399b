//! Compactions that are interrupted, and what the next one makes of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_graph::{CompactReport, GraphError, GraphUpdate, Leftovers, UpdateOptions, summarise, verify};
use tempfile::TempDir;

use crate::made::Shape;

/// Vertices of the stores: some hubs among them, whose lists take several blocks.
const VERTICES: u64 = 20_000;

fn options() -> UpdateOptions {
    UpdateOptions { note_every: 64 << 10, buffer: 20_000, fanout: 2, ..UpdateOptions::default() }
}

/// A store of some reads' worth of lists, with changes in a log and in runs.
fn changed(shape: Shape, folder: &Path) -> PathBuf {
    let store = folder.join("store");
    let mut rng = fastrand::Rng::with_seed(3);
    let vertices = VERTICES as u32;
    let mut edge = || {
        let hub = rng.u32(..4) * 5000;
        let from = if rng.u32(..8) == 0 { hub } else { rng.u32(..vertices) };
        (from, rng.u32(..vertices), f64::from(rng.u32(..9)))
    };
    let edges: Vec<_> = std::iter::repeat_with(&mut edge).take(150_000).collect();
    shape.writer(&store, &edges).finish().unwrap();
    let mut update = GraphUpdate::open(&store, options()).unwrap();
    let weighted = update.is_weighted();
    for _ in 0..3 {
        for (from, to, weight) in edges.iter().take(200) {
            update.delete_edge(u64::from(*from), u64::from(*to)).unwrap();
            let (new, weight) = (VERTICES + u64::from(*to % 300), weighted.then_some(*weight));
            update.insert_edge(u64::from(*from), new, weight).unwrap();
        }
        for _ in 0..2000 {
            let (from, to, weight) = edge();
            update.insert_edge(u64::from(from), u64::from(to), weighted.then_some(weight)).unwrap();
        }
        update.commit().unwrap();
        update.maintain(&mut |_| {}).unwrap();
    }
    update.insert_edge(7u64, 9u64, weighted.then_some(1.0)).unwrap();
    update.commit().unwrap();
    store
}

fn shapes() -> [Shape; 4] {
    let [directed, undirected] = [true, false].map(|directed| Shape::new(VERTICES, directed));
    [directed, directed.weighted().compressed(), undirected.blocks(8192), undirected.compressed()]
}

fn copy(store: &Path, to: &Path) -> PathBuf {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(store).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    to.to_owned()
}

/// The lists of a store, as they are in its directory.
fn lists(store: &Path) -> Vec<u8> {
    let files = fs::read_dir(store).unwrap().map(|entry| entry.unwrap().path());
    let base = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("base-");
    let bases: Vec<PathBuf> = files.filter(base).collect();
    let [only] = &bases[..] else { panic!("{bases:?}") };
    fs::read(only).unwrap()
}

fn compacted(store: &Path) -> CompactReport {
    GraphUpdate::open(store, options()).unwrap().compact(None, &mut |_| {}).unwrap()
}

/// Interrupts a compaction after a number of parts; false if it ended before that.
fn interrupted(store: &Path, parts: usize) -> bool {
    let (stop, mut seen) = (AtomicBool::new(false), 0);
    let mut update = GraphUpdate::open(store, options()).unwrap();
    let compacted = update.compact(Some(&stop), &mut |_| {
        seen += 1;
        stop.store(seen >= parts, Ordering::Relaxed);
    });
    match compacted {
        Ok(_) => false,
        Err(GraphError::Interrupted) => true,
        Err(error) => panic!("{error}"),
    }
}

/// A store whose compaction was interrupted, and one where it was not; both were the same.
fn both(shape: Shape) -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = changed(shape, folder.path());
    let other = copy(&store, &folder.path().join("other"));
    assert!(interrupted(&store, 1), "larger stores are compacted in more than one step");
    (folder, store, other)
}

#[test]
fn a_compaction_that_is_interrupted_makes_the_lists_of_one_that_is_not() {
    for shape in shapes() {
        let (_folder, store, other) = both(shape);
        // One part more each time, so that it comes to its end.
        let interruptions = (1..1000).take_while(|parts| interrupted(&store, *parts)).count();
        assert!(interruptions > 0, "{shape:?}");
        let report = compacted(&other);
        assert!((report.resumed_bytes, report.restarted) == (0, false));
        assert!(lists(&store) == lists(&other), "{shape:?}");
        verify(&store, &mut |_| {}).unwrap();
    }
}

#[test]
fn what_was_written_before_an_interruption_is_not_written_again() {
    for shape in shapes() {
        let (_folder, store, other) = both(shape);
        // Without changes, nothing of it is lost by looking.
        drop(GraphUpdate::open(&store, options()).unwrap());
        let mut update = GraphUpdate::open(&store, options()).unwrap();
        let report = update.resume_compaction(&mut |_| {}).unwrap().unwrap();
        assert!(report.resumed_bytes > 64 << 10 && !report.restarted, "{report:?}");
        assert!(update.resume_compaction(&mut |_| {}).unwrap().is_none(), "it has ended");
        compacted(&other);
        assert!(lists(&store) == lists(&other), "{shape:?}");
    }
}

#[test]
fn what_a_compaction_left_is_thrown_away_once_the_store_has_changed() {
    let (_folder, store, other) = both(shapes()[1]);
    for store in [&store, &other] {
        let mut update = GraphUpdate::open(store, options()).unwrap();
        update.insert_edge(1u64, 2u64, Some(3.0)).unwrap();
        update.commit().unwrap();
    }
    let (report, expected) = (compacted(&store), compacted(&other));
    assert_eq!((report.resumed_bytes, report.restarted, expected.restarted), (0, true, false));
    assert!(lists(&store) == lists(&other));
}

#[test]
fn what_a_compaction_left_is_thrown_away_where_it_is_damaged() {
    for (name, at) in [("base-", 4096 + 1000), ("base-begun", 60)] {
        let (_folder, store, other) = both(shapes()[0]);
        let manifest = fs::read_to_string(store.join("manifest")).unwrap();
        let files =
            fs::read_dir(&store).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let is_meant = |file: &String| {
            file.starts_with(name)
                && !manifest.contains(&format!("{file}\""))
                && (name == file || file != "base-begun")
        };
        let path = store.join(files.into_iter().find(is_meant).unwrap());
        let mut bytes = fs::read(&path).unwrap();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let report = compacted(&store);
        assert_eq!((report.resumed_bytes, report.restarted), (0, true), "{path:?}");
        compacted(&other);
        assert!(lists(&store) == lists(&other));
    }
}

fn leftovers(store: &Path) -> Option<Leftovers> {
    summarise(store).unwrap().leftovers
}

#[test]
fn what_a_compaction_left_is_listed_until_the_next_one_has_ended() {
    let (_folder, store, other) = both(shapes()[1]);
    assert_eq!(leftovers(&other), None);
    let left = leftovers(&store).unwrap();
    let names: Vec<&str> = left.files.iter().map(|file| file.name.as_str()).collect();
    assert!(names.len() == 2 && names.contains(&"base-begun"), "{names:?}");
    let sizes = names.iter().map(|name| fs::metadata(store.join(name)).unwrap().len());
    assert!(left.resumable && left.bytes == sizes.sum::<u64>() && left.bytes > 64 << 10, "{left:?}");
    // Once the store has changed, nothing goes on from them.
    let changed = copy(&store, &store.with_file_name("changed"));
    let mut update = GraphUpdate::open(&changed, options()).unwrap();
    update.insert_edge(1u64, 2u64, Some(3.0)).unwrap();
    update.commit().unwrap();
    drop(update);
    assert!(!leftovers(&changed).unwrap().resumable);
    for store in [store, changed] {
        compacted(&store);
        assert_eq!(leftovers(&store), None);
    }
}
