//! What an import promises: the cap, the result, and that nothing is left behind.

use crate::listed;

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::Ordering;

use leadline_graph_store::GraphError;
use leadline_graph_store::format::Direction;
use leadline_graph_store::import::{ImportOptions, ImportReport, Merge, import_edges};
use leadline_graph_store::input::{Declared, InputOptions};
use leadline_graph_store::inspect::{degree_distribution, summarise, verify};
use listed::{Edges, import, options};

/// Random edges between so many vertices, each id spread out.
fn random(edges: usize, vertices: u64, spread: impl Fn(u64) -> u64) -> Edges {
    let mut random = fastrand::Rng::with_seed(11);
    Edges::of((0..edges).map(|_| (spread(random.u64(..vertices)), spread(random.u64(..vertices)))))
}

/// Imports, and checks the store.
fn imported(edges: Edges, options: &ImportOptions) -> (ImportReport, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let report = import(edges, &store, options);
    verify(&store, &mut |_| {}).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    (report, fs::read(store).unwrap())
}

#[test]
fn the_store_does_not_depend_on_the_memory_and_the_cap_holds() {
    for (wide, reverse, dedupe, renumber, weighted) in [
        (false, true, false, false, true),
        (false, false, true, true, false),
        (true, true, true, false, false),
        (true, false, false, true, true),
    ] {
        let mut edges = random(1_500_000, 400_000, |id| if wide { id * 0x1_0000_0001 } else { 3 * id });
        edges.declared.weighted = weighted;
        edges.weights = (0..edges.edges.len()).map(|i| i as f64 / 7.0).collect();
        let small = ImportOptions { reverse, dedupe: dedupe.then_some(Merge::Min), renumber, ..options() };
        let large = ImportOptions { memory: 1 << 30, ..small.clone() };
        let (one, one_bytes) = imported(edges.clone(), &small);
        let (other, other_bytes) = imported(edges, &large);
        assert!(one_bytes == other_bytes);
        assert!(one.bytes_spilled > 0, "{one:?}");
        assert_eq!(other.bytes_spilled, 0);
        assert!(one.peak_memory_bytes <= small.memory, "{one:?}");
        assert_eq!((one.edges, one.vertices, one.edges_read), (other.edges, other.vertices, 1_500_000));
        assert_eq!(one.edges + one.duplicates_dropped, 1_500_000);
        assert_eq!(one.duplicates_dropped > 0, dedupe);
    }
}

#[test]
fn the_same_file_gives_the_same_bytes_with_any_threads_and_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(3);
    let text: String = (0..200_000)
        .map(|_| format!("{} {} {}\n", random.u32(..9000), random.u32(..9000), random.u8(..)))
        .collect();
    let edges = folder.path().join("edges.wel");
    fs::write(&edges, text).unwrap();
    let stored = |name: &str, threads: usize, memory: u64| {
        let store = folder.path().join(name);
        let input = InputOptions { weights: true, threads, ..InputOptions::default() };
        let reader = leadline_graph_store::input::open(&edges, input).unwrap();
        import_edges(reader, &store, &options().with_memory(memory), &mut |_| {}).unwrap();
        assert_eq!(summarise(&store).unwrap().header.import_time(), None);
        fs::read(&store).unwrap()
    };
    let first = stored("first", 1, 16 << 20);
    assert!(first == stored("again", 1, 16 << 20));
    assert!(first == stored("four", 4, 256 << 20));
}

#[test]
fn shapes_that_are_all_hub_or_all_chain_or_nothing_are_stored() {
    let star = Edges::of((1..=1_000_000).map(|leaf| (0, leaf)));
    let chain = Edges::of((0..300_000).map(|i| (i, i + 1)));
    let loops = Edges::of([(5, 5), (5, 5), (9, 9)]);
    let one = Edges { vertices: vec![7], ..Edges::default() };
    let declared = Declared { vertices: Some(100_000), first: 1, ..Declared::default() };
    let isolated = Edges { declared, ..Edges::of([(1, 100_000)]) };
    for block_bytes in [4096, 65536] {
        for compressed in [true, false] {
            for undirected in [true, false] {
                let options =
                    ImportOptions { block_bytes, compressed, undirected, reverse: true, ..options() };
                let counts = |edges: &Edges| {
                    let (report, _) = imported(edges.clone(), &options);
                    (report.vertices, report.edges)
                };
                assert_eq!(counts(&star), (1_000_001, 1_000_000));
                assert_eq!(counts(&chain), (300_001, 300_000));
                assert_eq!(counts(&loops), (2, 3));
                assert_eq!(counts(&one), (1, 0));
                assert_eq!(counts(&isolated), (100_000, 1));
                assert_eq!(counts(&Edges::default()), (0, 0));
            }
        }
    }
}

#[test]
fn degrees_are_counted_by_powers_of_two() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    // 0 has 100,000 neighbours over many blocks, 1 to 3 have 3 each, the others none.
    let hub = (1..=100_000).map(|leaf| (0, leaf));
    let small = (1..4).flat_map(|vertex| (0..3).map(move |to| (vertex, to)));
    import(Edges::of(hub.chain(small)), &store, &ImportOptions { reverse: true, ..options() });
    let degrees = degree_distribution(&store, Direction::Forward, &mut |_| {}).unwrap();
    assert_eq!((degrees.vertices, degrees.entries, degrees.isolated), (100_001, 100_009, 99_997));
    assert_eq!((degrees.median, degrees.max), (0, 100_000));
    assert!((degrees.mean - 100_009.0 / 100_001.0).abs() < 1e-12);
    assert_eq!(degrees.buckets.len(), 17);
    let filled: Vec<_> = degrees.buckets.iter().filter(|bucket| bucket.vertices > 0).collect();
    assert_eq!((filled[0].least, filled[0].most, filled[0].vertices), (2, 3, 3));
    assert_eq!((filled[1].least, filled[1].most, filled[1].vertices), (65_536, 131_071, 1));
    let incoming = degree_distribution(&store, Direction::Reverse, &mut |_| {}).unwrap();
    assert_eq!((incoming.max, incoming.isolated, incoming.median), (4, 0, 1));
}

#[test]
fn an_import_that_is_stopped_at_any_step_leaves_the_old_store_alone() {
    let edges = random(600_000, 100_000, |id| id * 0x1_0000_0001);
    let phases = ["read", "look up ids", "count degrees", "look up", "write", "write reverse"];
    for phase in phases {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        fs::write(&store, "old").unwrap();
        let options = ImportOptions { reverse: true, renumber: true, ..options() };
        let stopped = import_edges(Box::new(edges.clone()), &store, &options, &mut |progress| {
            if progress.phase == phase {
                options.stop.store(true, Ordering::Relaxed);
            }
        });
        assert!(matches!(stopped, Err(GraphError::Interrupted)), "{phase}: {stopped:?}");
        assert_eq!(fs::read(&store).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_cap_below_the_least_names_it() {
    let refused = import_edges(
        Box::new(Edges::default()),
        Path::new("store"),
        &ImportOptions { memory: 1 << 20, ..ImportOptions::default() },
        &mut |_| {},
    );
    let text = refused.unwrap_err().to_string();
    assert_eq!(text, "an import needs at least 16M; that is more than the 1M of memory it may take");
}

#[test]
fn what_is_wrong_with_the_options_shows_before_the_input_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (store, options, wrong) in [
        (
            folder.path().join("store"),
            ImportOptions { block_bytes: 5000, ..options() },
            "a block of 5000 bytes",
        ),
        (folder.path().to_owned(), options(), "is a directory"),
        (folder.path().join("none/store"), options(), "cannot be written"),
    ] {
        let mut read = false;
        let refused = import_edges(Box::new(Edges::of([(0, 1)])), &store, &options, &mut |_| read = true);
        assert!(refused.unwrap_err().to_string().contains(wrong), "{wrong}");
        assert!(!read);
    }
}

/// A store with every section, and its path.
fn full_store(folder: &Path) -> std::path::PathBuf {
    let store = folder.join("store");
    let mut edges = random(3000, 500, |id| id * 0x1_0000_0001);
    edges.declared.weighted = true;
    edges.weights = (0..3000).map(f64::from).collect();
    import(edges, &store, &ImportOptions { reverse: true, renumber: true, ..options() });
    store
}

#[test]
fn no_flipped_bit_goes_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let store = full_store(folder.path());
    verify(&store, &mut |_| {}).unwrap();
    let sound = fs::read(&store).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&store).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..10_000 {
        let at = random.usize(..sound.len());
        file.write_all_at(&[sound[at] ^ 1 << random.u32(..8)], at as u64).unwrap();
        assert!(verify(&store, &mut |_| {}).is_err(), "a flip in byte {at}");
        file.write_all_at(&sound[at..=at], at as u64).unwrap();
    }
    verify(&store, &mut |_| {}).unwrap();
}

#[test]
fn no_cut_goes_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let store = full_store(folder.path());
    let sound = fs::read(&store).unwrap();
    let mut random = fastrand::Rng::with_seed(6);
    let ends = (0..sound.len()).step_by(4096).chain((0..200).map(|_| random.usize(..sound.len())));
    for end in ends {
        fs::write(&store, &sound[..end]).unwrap();
        assert!(verify(&store, &mut |_| {}).is_err(), "cut at {end}");
    }
    fs::write(&store, [&sound[..], &[0; 4096]].concat()).unwrap();
    assert!(verify(&store, &mut |_| {}).is_err(), "more than there was");
}
