//! Sharded stores, made small: what is in them, what is refused, and what is left behind.

use crate::listed;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;

use leadline_graph_store::GraphError;
use leadline_graph_store::format::{Block, Direction, Scratch};
use leadline_graph_store::import::{ImportOptions, Merge, import_edges};
use leadline_graph_store::inspect::{summarise, verify};
use leadline_graph_store::tiles::{ShardedIds, Shards, is_sharded};
use leadline_graph_store::updates::Snapshot;
use listed::{Edges, import};

const MEMORY: u64 = 64 << 20;

fn random(seed: u64, vertices: u64, edges: usize, spread: impl Fn(u64) -> u64) -> Edges {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut edges =
        Edges::of((0..edges).map(|_| (spread(random.u64(..vertices)), spread(random.u64(..vertices) / 3))));
    edges.vertices = (0..vertices).step_by(7).map(&spread).collect();
    edges
}

/// Turns numbers from 0 on into ids.
type Spread = fn(u64) -> u64;

/// Shards of that many vertices.
fn in_shards(vertices: u64) -> ImportOptions {
    ImportOptions { memory: MEMORY, shard_vertices: vertices, ..ImportOptions::default() }
}

fn ids_of(edges: &Edges) -> Vec<u64> {
    let ends = edges.edges.iter().flat_map(|(from, to)| [*from, *to]);
    let ids: BTreeSet<u64> = edges.vertices.iter().copied().chain(ends).collect();
    ids.into_iter().collect()
}

#[test]
fn a_graph_of_more_vertices_than_a_store_holds_becomes_a_sharded_store() {
    let spreads: [(&str, Spread); 4] = [
        ("dense", |id| id),
        ("below 2^32", |id| 3 * id + id / 100 * 1000),
        ("far", |id| (1 << 33) + 5 * id),
        ("sparse", |id| id.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    ];
    for (name, spread) in spreads {
        for (shard, reverse, undirected) in [(1700, false, false), (900, true, false), (1100, false, true)] {
            let folder = tempfile::tempdir().unwrap();
            let store = folder.path().join("store");
            let edges = random(3, 4000, 9000, spread);
            let options = ImportOptions { reverse, undirected, ..in_shards(shard) };
            let report = import(edges.clone(), &store, &options);
            assert!(report.sharded && is_sharded(&store), "{name}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
            let found = verify(&store, &mut |_| {}).unwrap();
            let ids = ids_of(&edges);
            let shards = Shards::read(&store).unwrap();
            assert_eq!((report.vertices, found.vertices), (ids.len() as u64, ids.len() as u64));
            assert_eq!((report.edges, shards.edges()), (9000, 9000));
            assert_eq!(shards.count(), (ids.len() as u64).div_ceil(shard), "{name}");
            assert_eq!(found.reverse, reverse);
            assert_eq!(report.store_bytes + fs::metadata(store.join("shards")).unwrap().len(), found.bytes);
            let mut read = ShardedIds::open(&store, &shards).unwrap();
            assert_eq!(read.are_dense(), ids.len() as u64 == ids[ids.len() - 1] + 1, "{name}");
            for rank in (0..ids.len()).step_by(97) {
                assert_eq!(read.id(rank as u64).unwrap(), ids[rank], "{name}");
                assert_eq!(read.rank(ids[rank]).unwrap(), Some(rank as u64), "{name}");
            }
            assert_eq!(read.rank(u64::MAX - 1).unwrap(), None);
        }
    }
}

#[test]
fn the_files_do_not_depend_on_the_memory_or_on_how_ids_were_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut edges = random(5, 300_000, 900_000, |id| 7 * id + (1 << 32));
    let options = ImportOptions { reverse: true, dedupe: Some(Merge::Min), ..in_shards(120_000) };
    // With little memory the ids do not fit as bits, and are sorted.
    for (name, memory) in [("small", 16 << 20), ("large", 1 << 30)] {
        let report =
            import(edges.clone(), &folder.path().join(name), &ImportOptions { memory, ..options.clone() });
        assert_eq!(report.bytes_spilled > 0, name == "small");
        edges.edges.reverse();
    }
    let [small, large] = ["small", "large"].map(|name| {
        let entries = fs::read_dir(folder.path().join(name)).unwrap();
        let mut files: Vec<_> = entries
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    });
    assert!(small.len() > 10 && small == large);
}

#[test]
fn ids_beyond_32_bits_of_few_vertices_are_an_ordinary_store_as_ever() {
    let folder = tempfile::tempdir().unwrap();
    let edges = random(9, 5000, 20_000, |id| 3 * id + (1 << 34));
    let mut files = Vec::new();
    // One id more is too far away for bits.
    for far in [None, Some(u64::MAX)] {
        let store = folder.path().join("store");
        let mut edges = edges.clone();
        edges.vertices.extend(far);
        import(edges, &store, &ImportOptions { memory: MEMORY, reverse: true, ..ImportOptions::default() });
        verify(&store, &mut |_| {}).unwrap();
        files.push(summarise(&store).unwrap());
    }
    assert_eq!(files[0].header.vertices + 1, files[1].header.vertices);
    assert_eq!((files[0].ids, files[0].edges), ("numbers", files[1].edges));
}

/// The edges of all tiles of a direction, ascending, by their ids: source, target and weight.
fn listed_edges(store: &Path, direction: Direction) -> Vec<(u64, u64, f64)> {
    let shards = Shards::read(store).unwrap();
    let mut ids = ShardedIds::open(store, &shards).unwrap();
    let mut edges = Vec::new();
    for tile in shards.tiles(direction) {
        let path = shards.tile_path(store, direction, tile);
        let Snapshot { file, header, forward, .. } = Snapshot::of_tile(&path, &shards, tile).unwrap();
        let [from, to] = [tile.from, tile.to].map(|shard| u64::from(shard) * shards.shard_vertices);
        let (mut bytes, mut scratch) = (vec![0; header.block_bytes as usize], Scratch::default());
        for number in 0..forward.blocks() {
            let at = header.blocks(Direction::Forward).offset + u64::from(number * header.block_bytes);
            file.read_exact_at(&mut bytes, at).unwrap();
            let block = Block::new(&bytes, number, header.decoder(), header.weights);
            for vertex in block.vertices() {
                let list = block.list(vertex, &mut scratch);
                for (neighbour, weight) in list.neighbours.iter().zip(list.weights) {
                    edges.push((from + u64::from(vertex), to + u64::from(*neighbour), *weight));
                }
            }
        }
    }
    let mut id = |rank: u64| ids.id(rank).unwrap();
    let mut edges: Vec<_> = edges.into_iter().map(|(from, to, weight)| (id(from), id(to), weight)).collect();
    edges.sort_by(|one, other| one.partial_cmp(other).unwrap());
    edges
}

#[test]
fn weights_are_in_the_tiles_with_their_edges() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    // Of 32 bits each, and some that take 64.
    for (kept, weigh) in [("f32", (|at| at as f64 / 4.0) as fn(usize) -> f64), ("f64", |at| at as f64 / 3.0)]
    {
        let mut input = random(6, 2000, 8000, |id| 3 * id + (1 << 33));
        (input.declared.weighted, input.weights) = (true, (0..8000).map(|at| weigh(at % 500)).collect());
        let ends = input.edges.iter().zip(&input.weights);
        let mut expected: Vec<_> = ends.map(|((from, to), weight)| (*from, *to, *weight)).collect();
        expected.sort_by(|one, other| one.partial_cmp(other).unwrap());
        let mut least = expected.clone();
        least.dedup_by_key(|(from, to, _)| (*from, *to));
        assert!(least.len() < expected.len());
        let turned = |edges: &[(u64, u64, f64)]| {
            let mut turned: Vec<_> = edges.iter().map(|(from, to, weight)| (*to, *from, *weight)).collect();
            turned.sort_by(|one, other| one.partial_cmp(other).unwrap());
            turned
        };
        for (dedupe, expected) in [(None, &expected), (Some(Merge::Min), &least)] {
            let options = ImportOptions { reverse: true, dedupe, ..in_shards(700) };
            let report = import(input.clone(), &store, &options);
            assert!(report.sharded && report.edges == expected.len() as u64);
            verify(&store, &mut |_| {}).unwrap();
            assert_eq!(Shards::read(&store).unwrap().weights, kept);
            assert!(listed_edges(&store, Direction::Forward) == *expected, "{kept}, {dedupe:?}");
            assert!(listed_edges(&store, Direction::Reverse) == turned(expected), "{kept}, {dedupe:?}");
            fs::remove_dir_all(&store).unwrap();
        }
        let report = import(input, &store, &ImportOptions { undirected: true, ..in_shards(700) });
        assert!(report.sharded);
        let both = listed_edges(&store, Direction::Forward);
        assert!(both == turned(&both) && both.len() > 8000, "an edge weighs as much at both ends");
        fs::remove_dir_all(&store).unwrap();
    }
}

fn entries(store: &Path, direction: Direction) -> u64 {
    Shards::read(store).unwrap().tiles(direction).iter().map(|tile| tile.entries).sum()
}

#[test]
fn duplicates_and_self_loops_are_counted_over_all_tiles() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let edges = Edges::of([(0, 9), (0, 9), (9, 0), (4, 4), (4, 4), (7, 1), (2, 3), (5, 6), (8, 8)]);
    for (undirected, dedupe, drop_self_loops, counts) in [
        (false, None, false, [9, 3, 9]),
        (false, Some(Merge::Min), false, [7, 2, 7]),
        (true, None, false, [9, 3, 15]),
        (true, Some(Merge::Min), true, [4, 0, 8]),
    ] {
        let options = ImportOptions { undirected, dedupe, drop_self_loops, ..in_shards(4) };
        let report = import(edges.clone(), &store, &options);
        verify(&store, &mut |_| {}).unwrap();
        let shards = Shards::read(&store).unwrap();
        assert_eq!([report.edges, shards.self_loops, entries(&store, Direction::Forward)], counts);
        assert_eq!(report.edges + report.duplicates_dropped + report.self_loops_dropped, 9);
        fs::remove_dir_all(&store).unwrap();
    }
}

#[test]
fn what_a_sharded_store_cannot_be_is_refused_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let refused = |edges: Edges, options: &ImportOptions| {
        import_edges(Box::new(edges), &store, options, &mut |_| {}).unwrap_err()
    };
    let edges = random(1, 100, 300, |id| id);
    let error = refused(edges.clone(), &ImportOptions { renumber: true, ..in_shards(10) });
    assert!(error.to_string().contains("renumbered holds at most 10"), "{error}");
    let mut strings = edges.clone();
    strings.strings = Some((0..100).map(|id| format!("v{id}")).collect());
    let error = refused(strings, &in_shards(10));
    assert!(error.to_string().contains("strings holds at most 10"), "{error}");
    let error = refused(edges.clone(), &in_shards(1));
    assert!(error.to_string().contains("a sharded store holds at most 64"), "{error}");
    let stopped = in_shards(30);
    stopped.stop.store(true, Ordering::Relaxed);
    assert!(matches!(refused(edges.clone(), &stopped), GraphError::Interrupted));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // In place of a store that is a file, but never of one that is sharded.
    import(edges.clone(), &store, &ImportOptions { memory: MEMORY, ..ImportOptions::default() });
    import(edges.clone(), &store, &in_shards(30));
    let error = refused(edges, &in_shards(30));
    assert!(error.to_string().contains("which no import replaces"), "{error}");
    verify(&store, &mut |_| {}).unwrap();
    let error = summarise(&store).unwrap_err();
    assert!(error.to_string().contains("only graph info, verify, bfs and wcc run on it"), "{error}");
    let error = summarise(store.join("tile-0-0")).unwrap_err();
    assert!(error.to_string().contains("part of a sharded graph store"), "{error}");
}

#[test]
fn verify_names_the_file_that_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    import(random(4, 3000, 9000, |id| 2 * id), &store, &ImportOptions { reverse: true, ..in_shards(700) });
    let names: Vec<String> = fs::read_dir(&store)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["shards", "ids", "tile-1-0", "reverse-0-1"] {
        assert!(names.iter().any(|known| known == name), "{name} of {names:?}");
    }
    for name in names {
        let path = store.join(&name);
        let whole = fs::read(&path).unwrap();
        let expected = if name == "shards" { "its manifest".to_owned() } else { format!("store/{name}:") };
        for at in [5, whole.len() / 2, whole.len() - 1] {
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.write_all_at(&[whole[at] ^ 4], at as u64).unwrap();
            let error = verify(&store, &mut |_| {}).unwrap_err().to_string();
            assert!(error.contains(&expected), "{name}, byte {at}: {error}");
            file.write_all_at(&[whole[at]], at as u64).unwrap();
        }
        fs::remove_file(&path).unwrap();
        assert!(verify(&store, &mut |_| {}).is_err(), "without {name}");
        fs::write(&path, &whole).unwrap();
    }
    // Another tile in its place.
    let whole = fs::read(store.join("tile-1-0")).unwrap();
    fs::copy(store.join("tile-0-0"), store.join("tile-1-0")).unwrap();
    let error = verify(&store, &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("tile-1-0: is damaged: it is a tile of another store"), "{error}");
    fs::write(store.join("tile-1-0"), whole).unwrap();
    verify(&store, &mut |_| {}).unwrap();
}

/// A number in a manifest, and the checksum of what it says then.
fn forge(store: &Path, key: &str, value: u64) {
    let path = store.join("shards");
    let text = fs::read_to_string(&path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let (before, after) = rest.split_once(&format!("\"{key}\": ")).unwrap();
    let rest = format!("{before}\"{key}\": {value}{}", &after[after.find(',').unwrap()..]);
    let sum = xxhash_rust::xxh3::xxh3_64_with_seed(rest.as_bytes(), 0);
    fs::write(&path, format!("{}{sum:016x}\n{rest}", &first[..first.len() - 16])).unwrap();
}

#[test]
fn a_manifest_that_says_what_is_not_so_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    import(random(4, 3000, 9000, |id| id), &store, &in_shards(700));
    let whole = fs::read(store.join("shards")).unwrap();
    for (key, value, said) in [
        // More would not be counted in 64 bits with the entries.
        ("self_loops", u64::MAX, "not one that an import writes"),
        ("self_loops", 9001, "not one that an import writes"),
        ("shard_vertices", 0, "not one that an import writes"),
        ("vertices", 3001 * 64, "not one that an import writes"),
        // Vertices of the last shard, whose lists are there.
        ("vertices", 2500, "vertices that its shards do not have"),
        ("block_bytes", 8192, "a tile of another store"),
        ("shard_vertices", 601, "a tile of another store"),
    ] {
        forge(&store, key, value);
        let error = verify(&store, &mut |_| {}).unwrap_err().to_string();
        assert!(error.contains(said), "{key} {value}: {error}");
        fs::write(store.join("shards"), &whole).unwrap();
    }
    verify(&store, &mut |_| {}).unwrap();
}

#[test]
fn vertices_without_edges_cost_next_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let mut edges = Edges::of([(0, 1), (399_999, 399_998), (200_000, 0), (7, 399_999)]);
    edges.declared.vertices = Some(400_000);
    let report = import(edges, &store, &in_shards(100_000));
    assert_eq!((report.vertices, report.edges), (400_000, 4));
    verify(&store, &mut |_| {}).unwrap();
    // Four tiles of a header, one to two blocks and a directory each.
    assert!(report.store_bytes <= 4 * 4 * 4096, "{} bytes", report.store_bytes);
}
