//! Graphs that change: after any history a store is the same graph as one made afresh.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use leadline_graph::algorithms::{PageRankOptions, Starts, WalkOptions};
use leadline_graph::format::{Layout, NO_VERTEX, StoreWriter, Vertex, Weights};
use leadline_graph::import::{ImportOptions, import_edges};
use leadline_graph::input::ArrayEdges;
use leadline_graph::{Graph, GraphUpdate, Options, UpdateOptions, VertexId, compact, verify};

/// What a graph should be: ids, and the weights of the copies of each edge.
#[derive(Debug, Clone)]
struct Model {
    strings: bool,
    directed: bool,
    weighted: bool,
    reverse: bool,
    compressed: bool,
    vertices: BTreeSet<VertexId>,
    edges: BTreeMap<(VertexId, VertexId), Vec<f64>>,
}

impl Model {
    fn id(&self, number: u64) -> VertexId {
        // Not in the order of numbers, and not next to each other.
        if self.strings {
            format!("v{}", number * 7919 % 10_007).as_str().into()
        } else {
            (number * 3 + 5).into()
        }
    }

    fn key(&self, a: &VertexId, b: &VertexId) -> (VertexId, VertexId) {
        if self.directed || a <= b { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) }
    }

    fn insert(&mut self, a: &VertexId, b: &VertexId, weight: f64) {
        self.vertices.extend([a.clone(), b.clone()]);
        let weight = if self.weighted { weight } else { 0.0 };
        self.edges.entry(self.key(a, b)).or_default().push(weight);
    }

    /// A store of it; `order` says by rank which vertex it is.
    fn write(&self, path: &Path, order: Option<&[u32]>, weights: Weights) {
        let ranks: HashMap<&VertexId, u32> = self.vertices.iter().zip(0..).collect();
        let vertex = |id: &VertexId| order.map_or(ranks[id], |order| order[ranks[id] as usize]);
        let mut entries = Vec::new();
        for ((a, b), weights) in &self.edges {
            for weight in weights {
                entries.push((vertex(a), vertex(b), *weight));
                if !self.directed && a != b {
                    entries.push((vertex(b), vertex(a), *weight));
                }
            }
        }
        let layout = Layout {
            block_bytes: 4096,
            compressed: self.compressed,
            directed: self.directed,
            weights: if self.weighted { weights } else { Weights::None },
            vertices: self.vertices.len() as u64,
        };
        let mut writer = StoreWriter::create(path, layout).unwrap();
        entries.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        entries.iter().for_each(|(a, b, weight)| writer.edge(*a, *b, *weight).unwrap());
        if self.reverse {
            writer.start_reverse().unwrap();
            entries.sort_by(|a, b| (a.1, a.0).cmp(&(b.1, b.0)).then(a.2.total_cmp(&b.2)));
            entries.iter().for_each(|(a, b, weight)| writer.edge(*b, *a, *weight).unwrap());
        }
        let number = |id: &VertexId| match id {
            VertexId::Number(number) => *number,
            VertexId::Text(_) => unreachable!(),
        };
        match self.strings {
            false => writer.number_ids(self.vertices.iter().map(|id| Ok(number(id)))).unwrap(),
            true => {
                let texts: Vec<String> = self.vertices.iter().map(text).collect();
                writer.string_ids(|| texts.iter().map(Ok)).unwrap();
            }
        }
        if let Some(order) = order {
            writer.order(order.iter().copied().map(Ok)).unwrap();
        }
        writer.finish().unwrap();
    }
}

fn text(id: &VertexId) -> String {
    match id {
        VertexId::Number(number) => number.to_string(),
        VertexId::Text(text) => text.to_string(),
    }
}

/// What algorithms say of each id.
#[derive(Debug, PartialEq)]
pub struct Results {
    edges: Vec<String>,
    whole: BTreeMap<String, Vec<String>>,
    /// Without weights and with them.
    ranks: BTreeMap<String, (f64, f64)>,
}

pub fn results(store: &Path, source: &str, memory: u64) -> Results {
    let options = Options { memory, threads: 2, depth: 8, ..Options::default() };
    let graph = Graph::open(store, options).unwrap();
    let mut ids = graph.ids();
    let mut names = vec![String::new(); graph.vertices() as usize];
    let mut by_rank = Vec::new();
    for rank in 0..graph.vertices() {
        let (id, vertex) = (ids.text(rank).unwrap(), ids.vertex(rank).unwrap());
        assert_eq!(ids.rank(&id).unwrap(), Some(rank));
        assert_eq!(graph.vertex(&id).unwrap(), vertex);
        names[vertex as usize] = id.clone();
        by_rank.push(id);
    }
    let source = graph.vertex(source).unwrap();
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut column = |values: Vec<String>| columns.push(values);
    let name = |vertex: &u32| names[*vertex as usize].clone();
    let show = |values: Vec<u32>| values.iter().map(u32::to_string).collect::<Vec<_>>();
    column(show(graph.bfs(&[source]).unwrap().levels.into_vec().unwrap()));
    column(graph.wcc().unwrap().components.into_vec().unwrap().iter().map(name).collect());
    if graph.header().has_reverse() {
        column(graph.scc().unwrap().components.into_vec().unwrap().iter().map(name).collect());
        column(graph.triangles(true).unwrap().counts.iter().map(u64::to_string).collect());
        column(show(graph.kcore().unwrap().cores));
        column(graph.cdlp(4).unwrap().labels.iter().map(|rank| by_rank[*rank as usize].clone()).collect());
        column(graph.lcc().unwrap().coefficients.iter().map(|value| format!("{value:.12}")).collect());
    }
    if graph.need_weights("").is_ok() {
        let distances = graph.sssp(&[source]).unwrap().distances.into_vec().unwrap();
        column(distances.iter().map(|distance| format!("{distance}")).collect());
    }
    let converged = PageRankOptions { tolerance: 1e-13, iterations: 100, ..Default::default() };
    let ranks = graph.pagerank(&converged).unwrap().ranks.into_vec().unwrap();
    let weighted = PageRankOptions { weighted: graph.need_weights("").is_ok(), ..converged };
    let by_weight = graph.pagerank(&weighted).unwrap().ranks.into_vec().unwrap();
    let whole = names
        .iter()
        .enumerate()
        .map(|(vertex, name)| (name.clone(), columns.iter().map(|column| column[vertex].clone()).collect()));
    let whole = whole.collect();
    let ranks = names.iter().cloned().zip(ranks.into_iter().zip(by_weight)).collect();
    let out = store.with_extension("csv");
    leadline_graph::export(store, &out, &Default::default(), &mut |_| {}).unwrap();
    let lines = std::fs::read_to_string(&out).unwrap();
    let mut edges: Vec<String> = lines.lines().skip(1).map(str::to_owned).collect();
    if !graph.header().directed {
        edges = edges.iter().map(|line| sorted_ends(line)).collect();
    }
    check_paths(&graph, source, &names, &edges);
    edges.sort_unstable();
    Results { edges, whole, ranks }
}

/// What differs from run to run has to follow edges: walks, and the forest of a depth-first search.
fn check_paths(graph: &Graph, source: Vertex, names: &[String], edges: &[String]) {
    let mut all: BTreeSet<(&str, &str)> = BTreeSet::new();
    for edge in edges {
        let ends: Vec<&str> = edge.split(',').take(2).collect();
        all.insert((ends[0], ends[1]));
        if !graph.header().directed {
            all.insert((ends[1], ends[0]));
        }
    }
    let is_edge = |from: Vertex, to: Vertex| {
        all.contains(&(names[from as usize].as_str(), names[to as usize].as_str()))
    };
    let walks = WalkOptions { starts: Starts::EveryVertex(1), length: 5, ..WalkOptions::default() };
    let walked = graph.walks(&walks, |_, walk| {
        assert!(walk.windows(2).all(|step| is_edge(step[0], step[1])), "{walk:?}");
        let last = names[walk[walk.len() - 1] as usize].as_str();
        let goes_on = all.range((last, "")..).next().is_some_and(|(from, _)| *from == last);
        assert!(walk.len() == 6 || !goes_on, "{walk:?} ends early");
        Ok(())
    });
    assert_eq!(walked.unwrap().walks, graph.vertices());
    let forest = graph.dfs(&[source]).unwrap();
    let reached = graph.bfs(&[source]).unwrap().reached;
    assert_eq!(forest.reached, reached);
    let found = forest.parents.iter().zip(0..).filter(|(parent, _)| **parent != NO_VERTEX);
    assert!(found.clone().all(|(parent, vertex)| is_edge(*parent, vertex)));
    assert_eq!(found.count() as u64, reached - 1);
}

/// An undirected edge, the same from either end.
fn sorted_ends(line: &str) -> String {
    let mut fields: Vec<&str> = line.split(',').collect();
    fields[..2].sort_unstable();
    fields.join(",")
}

pub fn assert_same(found: &Results, expected: &Results, told: &str) {
    let differs = found.edges.iter().zip(&expected.edges).find(|(found, expected)| found != expected);
    assert_eq!((differs, found.edges.len()), (None, expected.edges.len()), "{told}");
    for (name, values) in &expected.whole {
        assert_eq!(found.whole.get(name), Some(values), "{told}, vertex {name}");
    }
    assert_eq!(found.whole.len(), expected.whole.len(), "{told}");
    for (name, (rank, by_weight)) in &expected.ranks {
        let found = found.ranks[name];
        let error = ((found.0 - rank).abs() / rank).max((found.1 - by_weight).abs() / by_weight);
        assert!(error < 1e-9, "{told}, rank of {name}: {found:?}, not {rank} and {by_weight}");
    }
}

/// Ends of edges of five shapes.
fn shape(number: usize, vertices: u64, edges: usize, rng: &mut fastrand::Rng) -> Vec<(u64, u64)> {
    let side = vertices.isqrt();
    let skewed = |rng: &mut fastrand::Rng| {
        (0..vertices.ilog2()).fold(0, |id, _| id * 2 + u64::from(rng.u32(..100) < 30))
    };
    match number {
        0 => (0..edges).map(|_| (skewed(rng), skewed(rng))).collect(),
        1 => (0..edges).map(|_| (rng.u64(..vertices), rng.u64(..vertices))).collect(),
        2 => (0..side * side).flat_map(|at| [(at, at + 1), (at, (at + side) % vertices)]).collect(),
        3 => (1..vertices).map(|at| (at - 1, at)).collect(),
        // A hub whose list has several blocks.
        _ => (0..edges)
            .map(|at| (if at % 8 == 0 { rng.u64(..vertices) } else { 7 }, rng.u64(..vertices)))
            .collect(),
    }
}

/// The same changes to the store and to the model.
fn change(
    model: &mut Model,
    update: &mut GraphUpdate,
    vertices: u64,
    of_vertices: bool,
    rng: &mut fastrand::Rng,
) {
    let some = |model: &Model, rng: &mut fastrand::Rng| model.id(rng.u64(..vertices));
    // Often an edge that there is.
    let edge = |model: &Model, rng: &mut fastrand::Rng| {
        let at = model.key(&some(model, rng), &some(model, rng));
        let known = if rng.bool() { model.edges.range(at.clone()..).next() } else { None };
        known.map_or(at, |(edge, _)| edge.clone())
    };
    let weight = f64::from(rng.u32(1..64)) / if rng.u8(..8) == 0 { 7.0 } else { 8.0 };
    match rng.u32(..if of_vertices { 100 } else { 90 }) {
        0..50 => {
            let (a, b) = (some(model, rng), some(model, rng));
            model.insert(&a, &b, weight);
            update.insert_edge(a, b, model.weighted.then_some(weight)).unwrap();
        }
        50..80 => {
            let (a, b) = edge(model, rng);
            model.edges.remove(&(a.clone(), b.clone()));
            if model.directed || rng.bool() { update.delete_edge(a, b) } else { update.delete_edge(b, a) }
                .unwrap();
        }
        80..90 if model.weighted => {
            let (a, b) = edge(model, rng);
            if let Some(weights) = model.edges.get_mut(&(a.clone(), b.clone())) {
                weights.fill(weight);
            }
            update.set_weight(a, b, weight).unwrap();
        }
        80..96 => {
            let id = some(model, rng);
            model.vertices.insert(id.clone());
            update.insert_vertex(id).unwrap();
        }
        _ => {
            let id = some(model, rng);
            model.vertices.remove(&id);
            model.edges.retain(|(a, b), _| *a != id && *b != id);
            update.delete_vertex(id).unwrap();
        }
    }
}

fn history(number: usize, commits: usize, changes: usize) {
    let mut rng = fastrand::Rng::with_seed(number as u64);
    let folder = tempfile::tempdir().unwrap();
    let vertices = 512;
    let mut model = Model {
        strings: number % 3 == 1,
        directed: number.is_multiple_of(2),
        weighted: number % 4 < 2,
        reverse: number.is_multiple_of(4),
        compressed: number % 5 < 3,
        vertices: BTreeSet::new(),
        edges: BTreeMap::new(),
    };
    for (a, b) in shape(number % 5, vertices, 3000, &mut rng) {
        let (a, b) = (model.id(a), model.id(b));
        model.insert(&a, &b, f64::from(rng.u32(1..64)) / 8.0);
    }
    let (store, fresh) = (folder.path().join("store"), folder.path().join("fresh"));
    let order = (number % 2 == 1).then(|| {
        let mut order: Vec<u32> = (0..model.vertices.len() as u32).collect();
        rng.shuffle(&mut order);
        order
    });
    model.write(&store, order.as_deref(), Weights::F32);
    for commit in 0..commits {
        let told = format!("history {number}, commit {commit}, {model:?}");
        let told = &told[..told.len().min(150)];
        // Of some histories the changes go to runs, which are merged as soon as there are two of a level.
        let in_runs = number.is_multiple_of(2);
        let (buffer, fanout) = if in_runs { (2000, 2) } else { (16 << 20, 4) };
        let options = UpdateOptions { buffer, fanout, ..UpdateOptions::default() };
        let mut update = GraphUpdate::open(&store, options).unwrap();
        // Where no vertex goes, edges are looked up one by one, each time with what was kept of the last
        // time.
        let of_vertices = commit % 2 == 0;
        for _ in 0..3 {
            let before = update.version();
            // Ids that were not there at first, too.
            (0..changes / 3)
                .for_each(|_| change(&mut model, &mut update, vertices + 40, of_vertices, &mut rng));
            let (report, changes) = (update.commit().unwrap(), changes as u64 / 3);
            assert_eq!((report.version, report.changes), (before + changes, changes));
            let edges = model.edges.values().map(|weights| weights.len() as u64).sum::<u64>();
            assert_eq!((report.vertices, report.edges), (model.vertices.len() as u64, edges), "{told}");
            if in_runs {
                update.maintain(&mut |_| {}).unwrap();
            }
        }
        drop(update);
        model.edges.retain(|_, weights| !weights.is_empty());
        let source = text(model.vertices.iter().nth(rng.usize(..model.vertices.len())).unwrap());
        model.write(&fresh, None, Weights::F64);
        let expected = results(&fresh, &source, 64 << 20);
        assert_same(&results(&store, &source, 64 << 20), &expected, told);
        verify(&store, &mut |_| {}).unwrap_or_else(|error| panic!("{told}: {error}"));
        if commit % 3 == 2 {
            let report = compact(&store, &Options::default(), &mut |_| {}).unwrap();
            assert!(report.compacted || in_runs);
            assert_same(&results(&store, &source, 64 << 20), &expected, &format!("{told}, compacted"));
            verify(&store, &mut |_| {}).unwrap();
        }
    }
}

#[test]
fn after_any_history_a_store_is_the_graph_that_an_import_would_make() {
    // More of them where somebody wants to know: 20 commits of 500 changes each.
    let thorough = std::env::var_os("LEADLINE_EXHAUSTIVE").is_some();
    let (histories, commits, changes) = if thorough { (20, 20, 500) } else { (5, 4, 120) };
    (0..histories).for_each(|number| history(number, commits, changes));
}

#[test]
fn an_id_that_readers_refuse_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("g");
    let edges = ArrayEdges::new(vec!["a".to_owned()], vec!["b".to_owned()]).unwrap();
    import_edges(Box::new(edges), &store, &ImportOptions::default(), &mut |_| {}).unwrap();
    let mut update = GraphUpdate::open(&store, UpdateOptions::default()).unwrap();
    let (longest, longer) = ("x".repeat(1 << 20), "x".repeat((1 << 20) + 1));
    let error = update.insert_edge("a", &*longer, None).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("an id of at most 1048576 bytes"), "{error}");
    update.insert_vertex(&*longest).unwrap();
    update.commit().unwrap();
    update.compact(None, &mut |_| {}).unwrap();
    assert!(Graph::open(&store, Options::default()).unwrap().vertex(&longest).is_ok());
}

#[test]
fn a_reader_sees_one_version_whatever_is_committed_and_compacted_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = fastrand::Rng::with_seed(11);
    let mut model = Model {
        strings: false,
        directed: true,
        weighted: false,
        reverse: true,
        compressed: true,
        vertices: BTreeSet::new(),
        edges: BTreeMap::new(),
    };
    for (a, b) in shape(0, 512, 3000, &mut rng) {
        let (a, b) = (model.id(a), model.id(b));
        model.insert(&a, &b, 0.0);
    }
    let store = folder.path().join("store");
    model.write(&store, None, Weights::None);
    let open = || Graph::open(&store, Options { memory: 8 << 20, threads: 2, ..Options::default() }).unwrap();
    let look = |graph: &Graph| {
        let ranks = graph.pagerank(&PageRankOptions::default()).unwrap().ranks.into_vec().unwrap();
        (graph.version(), graph.vertices(), graph.header().edges, ranks)
    };
    let mut seen = vec![(look(&open()), open())];
    for commit in 0..12 {
        let options = UpdateOptions { buffer: 1000, fanout: 2, ..UpdateOptions::default() };
        let mut update = GraphUpdate::open(&store, options).unwrap();
        (0..150).for_each(|_| change(&mut model, &mut update, 550, true, &mut rng));
        update.commit().unwrap();
        seen.push((look(&open()), open()));
        update.maintain(&mut |_| {}).unwrap();
        drop(update);
        if commit % 4 == 3 {
            compact(&store, &Options::default(), &mut |_| {}).unwrap();
        }
        // Graphs that were opened before, whose files are gone by now.
        for (found, graph) in &seen {
            assert!(&look(graph) == found, "version {} after commit {commit}", found.0);
        }
    }
    let versions: Vec<u64> = seen.iter().map(|(found, _)| found.0).collect();
    assert_eq!(versions, (0..13).map(|commit| commit * 150).collect::<Vec<u64>>());
}

#[test]
fn what_is_pending_is_committed_with_its_count_before_anything_else_makes_it_durable() {
    type Work = fn(&mut GraphUpdate);
    let flush: Work = |update| update.flush().unwrap();
    let compact: Work = |update| assert!(update.compact(None, &mut |_| {}).unwrap().compacted);
    let maintain: Work = |update| update.maintain(&mut |_| {}).unwrap();
    for (work, is_done) in [(flush, true), (compact, true), (maintain, true), (|_| {}, false)] {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("g");
        let edges = ArrayEdges::new(vec![1u64], vec![2u64]).unwrap();
        import_edges(Box::new(edges), &store, &ImportOptions::default(), &mut |_| {}).unwrap();
        // So little that most of them wait in runs.
        let run = Options { memory: 1 << 20, ..Options::default() };
        let mut update = GraphUpdate::open(&store, UpdateOptions::new(run)).unwrap();
        (0..20_000u64).for_each(|id| update.insert_edge(id, id + 1, None).unwrap());
        work(&mut update);
        assert_eq!(update.pending(), if is_done { 0 } else { 20_000 });
        let graph = Graph::open(&store, Options::default()).unwrap();
        let expected = if is_done { (20_000, 20_001) } else { (0, 1) };
        assert_eq!((graph.version(), graph.header().edges), expected);
        // The next commit is of its own changes only.
        update.insert_vertex(1 << 40).unwrap();
        let report = update.commit().unwrap();
        assert_eq!((report.changes, report.version), if is_done { (1, 20_001) } else { (20_001, 20_001) });
    }
}
