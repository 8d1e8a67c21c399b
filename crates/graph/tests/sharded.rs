//! Searches and components on sharded stores are those of ordinary stores of the same edges.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_graph::algorithm::{Argument, Arguments, Destination, Job, Ran};
use leadline_graph::algorithms::{ALGORITHMS, run_sharded};
use leadline_graph::format::Direction;
use leadline_graph::import::{ImportOptions, Merge, import};
use leadline_graph::input::InputOptions;
use leadline_graph::sharded::ShardedGraph;
use leadline_graph::{Graph, GraphError, Options};

const MEMORY: u64 = 64 << 20;

/// Edges of a graph that has hubs over all shards, a long path, small components, self-loops, duplicates and
/// vertices without edges.
fn edges(seed: u64, vertices: u64, spread: impl Fn(u64) -> u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut lines = String::new();
    let mut edge = |from: u64, to: u64| {
        lines += &format!("{} {}\n", spread(from % vertices), spread(to % vertices));
    };
    for _ in 0..vertices / 2 {
        let from = random.u64(..vertices);
        // Mostly near, so that there are many components.
        let to = if random.u8(..) < 40 { random.u64(..vertices) } else { from + random.u64(..3) };
        edge(from, to);
    }
    let hubs: Vec<u64> = (0..3).map(|_| random.u64(..vertices)).collect();
    for hub in hubs {
        for _ in 0..vertices / 8 {
            edge(hub, random.u64(..vertices));
        }
    }
    for step in 0..200 {
        edge(step * 37 + seed, (step + 1) * 37 + seed);
    }
    for vertex in 0..vertices {
        if vertex % 11 == 0 {
            edge(vertex, vertex);
        }
    }
    lines
}

/// Imports text as an ordinary store, and as a sharded store with `shard_vertices` vertices per shard.
fn both(folder: &Path, text: &str, shard: u64, options: &ImportOptions) -> [std::path::PathBuf; 2] {
    let input = folder.join("edges.el");
    std::fs::write(&input, text).unwrap();
    ["one", "sharded"].map(|name| {
        let store = folder.join(name);
        let usual = options.shard_vertices;
        let shard_vertices = if name == "one" { usual } else { shard };
        let options = ImportOptions { memory: MEMORY, shard_vertices, ..options.clone() };
        import(&input, InputOptions::default(), &store, &options, &mut |_| {}).unwrap();
        store
    })
}

fn job(to: &Path) -> Job {
    Job { to: Destination::File(to.to_owned()), ..Job::default() }
}

/// The lines of the result of an algorithm on a store of either kind, without that of names, and what came of
/// it.
fn result(store: &Path, name: &str, sources: &[String], options: Options) -> (Vec<String>, Ran) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.csv");
    let definition = ALGORITHMS.into_iter().find(|definition| definition.name == name).unwrap();
    let mut arguments = Arguments::new();
    if !sources.is_empty() {
        arguments.insert("source", Argument::Ids(sources.to_vec()));
    }
    let ran = if store.is_dir() {
        let mut graph = ShardedGraph::open(store, options).unwrap();
        run_sharded(&mut graph, definition, &arguments, &job(&path)).unwrap()
    } else {
        let graph = Graph::open(store, options).unwrap();
        let to = job(&path);
        let (algorithm, _) = definition.algorithm(&graph, &arguments, &to.to, false).unwrap();
        algorithm.run(&graph, &to).unwrap()
    };
    let text = std::fs::read_to_string(path).unwrap();
    (text.lines().map(str::to_owned).collect(), ran)
}

#[test]
fn levels_and_components_are_those_of_an_ordinary_store() {
    let spreads: [fn(u64) -> u64; 3] =
        [|id| id, |id| 5 * id + (1 << 33), |id| id.wrapping_mul(0x9e37_79b9_7f4a_7c15)];
    let options = |undirected, reverse| ImportOptions { undirected, reverse, ..ImportOptions::default() };
    for (at, (vertices, shard)) in
        [(3000, 1100), (5000, 1001), (20_000, 9000), (997, 251)].into_iter().enumerate()
    {
        for (kind, options) in
            [options(true, false), options(false, false), options(false, true)].iter().enumerate()
        {
            let folder = tempfile::tempdir().unwrap();
            let text = edges((at * 3 + kind) as u64, vertices, spreads[(at + kind) % 3]);
            let stores = both(folder.path(), &text, shard, options);
            let source: Vec<String> = text.split_whitespace().take(1).map(str::to_owned).collect();
            for (name, sources) in [("bfs", &source[..]), ("wcc", &[])] {
                let [one, sharded] = [&stores[0], &stores[1]]
                    .map(|store| result(store, name, sources, Options::default().with_memory(MEMORY)));
                assert!(one.0.len() > 400);
                assert!(one.0 == sharded.0, "{name}, {vertices} vertices in {shard}, kind {kind}");
                assert_eq!((one.1.facts, one.1.words), (sharded.1.facts, sharded.1.words));
                assert!(sharded.1.runs[0].bytes_read > 0 && sharded.1.written.unwrap().bytes > 0);
            }
        }
    }
}

#[test]
fn little_memory_divides_the_vertices_and_the_cap_holds() {
    let folder = tempfile::tempdir().unwrap();
    let text = edges(8, 400_000, |id| 3 * id);
    for undirected in [true, false] {
        let options = ImportOptions { undirected, ..ImportOptions::default() };
        let stores = both(folder.path(), &text, 150_000, &options);
        let large = result(&stores[0], "wcc", &[], Options::default().with_memory(MEMORY));
        let options = |memory| Options { threads: 2, ..Options::default().with_memory(memory) };
        let mut graph = ShardedGraph::open(&stores[1], options(1 << 20)).unwrap();
        let GraphError::Memory { needed, .. } = graph.wcc(false).unwrap_err() else {
            panic!("it is too little")
        };
        let small = result(&stores[1], "wcc", &[], options(needed));
        assert!(large.0 == small.0);
        let run = small.1.runs[0];
        assert!(run.memory_bytes <= needed && run.spilled_bytes > 0, "{run:?}");
        assert_eq!(graph.wcc(false).map(|found| found.count).ok(), None);
        graph.set_options(options(needed));
        assert_eq!(graph.wcc(false).unwrap().count, large.1.facts["components"].as_u64().unwrap());
        std::fs::remove_dir_all(&stores[1]).unwrap();
    }
}

#[test]
fn components_of_a_directed_graph_in_many_parts_read_its_lists_few_times() {
    let folder = tempfile::tempdir().unwrap();
    let text = edges(9, 300_000, |id| id);
    let stores = both(folder.path(), &text, 160_000, &ImportOptions::default());
    let large = result(&stores[0], "wcc", &[], Options::default().with_memory(MEMORY));
    let options = |memory| Options { threads: 2, ..Options::default().with_memory(memory) };
    let mut graph = ShardedGraph::open(&stores[1], options(1 << 20)).unwrap();
    let Err(GraphError::Memory { needed, .. }) = graph.wcc(false) else { panic!("it is too little") };
    // Some forty parts, of 4096 vertices each, in each shard.
    let small = result(&stores[1], "wcc", &[], options(needed));
    assert!(large.0 == small.0);
    let all: u64 = graph
        .shards()
        .tiles(Direction::Forward)
        .iter()
        .map(|tile| {
            std::fs::metadata(graph.shards().tile_path(&stores[1], Direction::Forward, tile)).unwrap().len()
        })
        .sum();
    let run = small.1.runs[0];
    assert!(run.bytes_read < 3 * all, "{} of {all}", run.bytes_read);
}

#[test]
fn levels_of_a_search_of_very_many_levels_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..30_000u64).map(|vertex| format!("{vertex} {}\n", vertex + 1)).collect();
    let stores = both(folder.path(), &text, 20_000, &ImportOptions::default());
    let (lines, ran) = result(&stores[1], "bfs", &["100".to_owned()], Options::default().with_memory(MEMORY));
    assert_eq!((ran.facts["depth"].as_u64(), ran.facts["reached"].as_u64()), (Some(29_900), Some(29_901)));
    let expected = (0..=30_000i64).map(|vertex| format!("{vertex},{}", (vertex - 100).max(-1)));
    assert!(lines.into_iter().skip(1).eq(expected));
}

#[test]
fn results_of_every_format_are_those_of_an_ordinary_store() {
    let folder = tempfile::tempdir().unwrap();
    let options = ImportOptions { dedupe: Some(Merge::Min), undirected: true, ..ImportOptions::default() };
    let stores = both(folder.path(), &edges(2, 2000, |id| 2 * id + 7), 700, &options);
    let definition = ALGORITHMS.into_iter().find(|definition| definition.name == "wcc").unwrap();
    let arguments = Arguments::new();
    for ending in ["bin", "graphalytics", "csv", "parquet"] {
        let [one, other] = ["a", "b"].map(|name| folder.path().join(name).with_extension(ending));
        let graph = Graph::open(&stores[0], Options::default()).unwrap();
        let to = job(&one);
        definition.algorithm(&graph, &arguments, &to.to, false).unwrap().0.run(&graph, &to).unwrap();
        let mut graph = ShardedGraph::open(&stores[1], Options::default()).unwrap();
        run_sharded(&mut graph, definition, &arguments, &job(&other)).unwrap();
        assert!(std::fs::read(one).unwrap() == std::fs::read(other).unwrap(), "{ending}");
    }
    let mut graph = ShardedGraph::open(&stores[1], Options::default()).unwrap();
    let rows = Job { to: Destination::Rows, ..Job::default() };
    let ran = run_sharded(&mut graph, definition, &arguments, &rows).unwrap();
    assert_eq!(ran.rows.unwrap().count() as u64, graph.shards().vertices);
    let error =
        run_sharded(&mut graph, definition, &arguments, &job(&folder.path().join("x.doc"))).unwrap_err();
    assert!(error.to_string().contains("its ending is no known format"), "{error}");
}

#[test]
fn what_does_not_run_on_a_sharded_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [_, store] = both(folder.path(), &edges(1, 1000, |id| id), 300, &ImportOptions::default());
    let error = Graph::open(&store, Options::default()).unwrap_err();
    assert!(error.to_string().contains("only graph info, verify, bfs and wcc run on it"), "{error}");
    let mut graph = ShardedGraph::open(&store, Options::default()).unwrap();
    let mut refused = BTreeMap::new();
    for definition in ALGORITHMS {
        let error = run_sharded(&mut graph, definition, &Arguments::new(), &Job::default()).err();
        refused.extend(error.map(|error| (definition.name, error.to_string())));
    }
    assert_eq!(refused.len(), ALGORITHMS.len() - 2);
    assert!(refused["pagerank"].contains("only graph info, verify, bfs and wcc"), "{refused:?}");
    let parents = Arguments::from([("parents", Argument::Given)]);
    let error = run_sharded(&mut graph, ALGORITHMS[0], &parents, &Job::default()).unwrap_err();
    assert!(error.to_string().contains("bfs has no --parents; leave it out"), "{error}");
    assert!(matches!(graph.vertex("x").unwrap_err(), GraphError::NoVertex { .. }));
    let error = graph.vertex("70000").unwrap_err().to_string();
    assert!(error.contains("its ids go from 0 to 999"), "{error}");
    let stop = Arc::new(AtomicBool::new(true));
    graph.set_options(Options::default().with_stop(Arc::clone(&stop)));
    assert!(matches!(graph.wcc(false), Err(GraphError::Interrupted)));
    stop.store(false, Ordering::Relaxed);
    assert!(graph.wcc(true).unwrap().count > 0);
}
