//! Stores that were imported without parallel edges or self-loops: after any history of updates each is the
//! graph that an import of the same set of edges makes.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use leadline_graph::import::{ImportOptions, Merge, import_edges};
use leadline_graph::input::ArrayEdges;
use leadline_graph::{CommitReport, Graph, GraphUpdate, Options, UpdateOptions, compact, summarise, verify};
use tempfile::tempdir;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::updates::{assert_same, results};

/// A set of edges, and the weight of each.
struct Model {
    directed: bool,
    weighted: bool,
    reverse: bool,
    loops: bool,
    vertices: BTreeSet<u64>,
    edges: BTreeMap<(u64, u64), f64>,
}

impl Model {
    fn new(number: usize) -> Model {
        Model {
            directed: number.is_multiple_of(2),
            weighted: !number.is_multiple_of(3),
            reverse: number % 4 < 2,
            loops: number % 5 < 2,
            vertices: BTreeSet::new(),
            edges: BTreeMap::new(),
        }
    }

    fn key(&self, a: u64, b: u64) -> (u64, u64) {
        if self.directed { (a, b) } else { (a.min(b), a.max(b)) }
    }

    /// What a commit of the edge adds to `report`.
    fn insert(&mut self, a: u64, b: u64, weight: f64, report: &mut CommitReport) {
        self.vertices.extend([a, b]);
        let key = self.key(a, b);
        if a == b && !self.loops {
            report.self_loops_dropped += 1;
        } else if let Entry::Vacant(place) = self.edges.entry(key) {
            place.insert(weight);
        } else {
            report.duplicates_dropped += 1;
        }
    }

    /// Makes the same random change of both.
    fn change(
        &mut self,
        update: &mut GraphUpdate,
        ids: u64,
        rng: &mut fastrand::Rng,
        report: &mut CommitReport,
    ) {
        let (a, b, weight) = (rng.u64(..ids), rng.u64(..ids), f64::from(rng.u32(1..9)));
        report.changes += 1;
        match rng.u32(..100) {
            0..60 => {
                self.insert(a, b, weight, report);
                update.insert_edge(a, b, self.weighted.then_some(weight)).unwrap();
            }
            60..85 => {
                let key = self.key(a, b);
                report.missing += u64::from(self.edges.remove(&key).is_none());
                update.delete_edge(a, b).unwrap();
            }
            85..95 if self.weighted => {
                let key = self.key(a, b);
                match self.edges.get_mut(&key) {
                    Some(known) => *known = weight,
                    None => report.missing += 1,
                }
                update.set_weight(a, b, weight).unwrap();
            }
            85..97 => {
                self.vertices.insert(a);
                update.insert_vertex(a).unwrap();
            }
            _ => {
                report.missing += u64::from(!self.vertices.remove(&a));
                self.edges.retain(|(source, target), _| *source != a && *target != a);
                update.delete_vertex(a).unwrap();
            }
        }
    }

    /// A store of it, of edges that are listed several times, and with self-loops where there are to be none.
    fn import(&self, store: &Path) {
        let mut edges: Vec<(u64, u64, f64)> = Vec::new();
        for ((a, b), weight) in &self.edges {
            edges.extend([(*a, *b, *weight), (*a, *b, weight + 1.0)]);
            if !self.directed {
                edges.push((*b, *a, weight + 0.5));
            }
        }
        if !self.loops {
            edges.extend(self.vertices.iter().map(|id| (*id, *id, 1.0)));
        }
        let column = |of: fn(&(u64, u64, f64)) -> u64| edges.iter().map(of).collect::<Vec<u64>>();
        let mut input = ArrayEdges::new(column(|edge| edge.0), column(|edge| edge.1)).unwrap();
        if self.weighted {
            let weights = edges.iter().map(|edge| edge.2).collect::<Vec<f64>>();
            input = input.with_weights(weights).unwrap();
        }
        let input = input.with_vertices(self.vertices.iter().copied().collect::<Vec<u64>>()).unwrap();
        let options = ImportOptions::default()
            .with_undirected(!self.directed)
            .with_dedupe(Merge::Min)
            .with_drop_self_loops(!self.loops)
            .with_reverse(self.reverse && self.directed);
        import_edges(Box::new(input), store, &options, &mut |_| {}).unwrap();
    }
}

fn history(number: usize, commits: usize) {
    let mut rng = fastrand::Rng::with_seed(number as u64);
    let folder = tempdir().unwrap();
    let (store, fresh) = (folder.path().join("store"), folder.path().join("fresh"));
    let ids = [24, 60][number % 2];
    let mut model = Model::new(number);
    (0..150).for_each(|_| model.insert(rng.u64(..ids), rng.u64(..ids), 3.0, &mut CommitReport::default()));
    model.import(&store);
    for commit in 0..commits {
        let told = format!("history {number}, commit {commit}");
        // With so little memory many changes of a commit wait in runs for the rest of it.
        let (memory, changes) = if commit % 2 == 0 { (1 << 20, 1300) } else { (64 << 20, 60) };
        let run = Options { memory, threads: 2, ..Options::default() };
        let options = UpdateOptions { buffer: 2000, fanout: 2, ..UpdateOptions::new(run) };
        let mut update = GraphUpdate::open(&store, options).unwrap();
        let mut expected = CommitReport::default();
        (0..changes).for_each(|_| model.change(&mut update, ids + 9, &mut rng, &mut expected));
        let report = update.commit().unwrap();
        let (vertices, edges) = (model.vertices.len() as u64, model.edges.len() as u64);
        let version = report.version;
        assert_eq!(report, CommitReport { version, vertices, edges, ..expected }, "{told}");
        update.maintain(&mut |_| {}).unwrap();
        drop(update);
        model.import(&fresh);
        let source = rng.usize(..model.vertices.len());
        let source = model.vertices.iter().nth(source).unwrap().to_string();
        let expected = results(&fresh, &source, 64 << 20);
        assert_same(&results(&store, &source, 64 << 20), &expected, &told);
        verify(&store, &mut |_| {}).unwrap_or_else(|error| panic!("{told}: {error}"));
        if commit % 3 == 2 {
            compact(&store, &Options::default(), &mut |_| {}).unwrap();
            assert_same(&results(&store, &source, 64 << 20), &expected, &told);
        }
        assert_eq!(
            summarise(&store).unwrap().header.rules,
            summarise(&fresh).unwrap().header.rules,
            "{told}"
        );
    }
}

#[test]
fn after_any_history_a_simple_store_is_what_an_import_of_its_edges_makes() {
    let thorough = std::env::var_os("LEADLINE_EXHAUSTIVE").is_some();
    let (histories, commits) = if thorough { (60, 12) } else { (6, 4) };
    (0..histories).for_each(|number| history(number, commits));
}

/// Blocks that a writer looked at before are those of the store, whatever became of it meanwhile.
#[test]
fn a_writer_knows_its_edges_after_many_commits_and_compactions() {
    for number in 0..4 {
        let mut rng = fastrand::Rng::with_seed(number as u64);
        let folder = tempdir().unwrap();
        let store = folder.path().join("store");
        let (ids, mut model) = (4000, Model::new(number));
        (0..40_000)
            .for_each(|_| model.insert(rng.u64(..ids), rng.u64(..ids), 3.0, &mut CommitReport::default()));
        model.import(&store);
        // Memory for some of the blocks, and for all.
        let memory = [1 << 20, 64 << 20][number % 2];
        let run = Options { memory, threads: 1, ..Options::default() };
        let mut update = GraphUpdate::open(&store, UpdateOptions::new(run)).unwrap();
        for commit in 0..20 {
            let mut expected = CommitReport::default();
            (0..300).for_each(|_| model.change(&mut update, ids + 50, &mut rng, &mut expected));
            let report = update.commit().unwrap();
            let (vertices, edges) = (model.vertices.len() as u64, model.edges.len() as u64);
            let expected = CommitReport { version: report.version, vertices, edges, ..expected };
            assert_eq!(report, expected, "store {number}, commit {commit}");
            if commit % 6 == 5 {
                update.compact(None, &mut |_| {}).unwrap();
            }
        }
    }
}

/// A store of the edges 1 2 and 2 3, whose import had these options.
fn small(store: &Path, options: &ImportOptions) {
    let edges = ArrayEdges::new(vec![1u64, 2], vec![2u64, 3]).unwrap();
    let edges = edges.with_weights(vec![5.0, 6.0]).unwrap();
    import_edges(Box::new(edges), store, options, &mut |_| {}).unwrap();
}

#[test]
fn a_copy_is_added_where_the_import_kept_copies_or_somebody_asks_for_it() {
    let plain = ImportOptions::default();
    let simple = ImportOptions::default().with_dedupe(Merge::Max).with_drop_self_loops(true);
    for (options, multi, edges, dropped) in
        [(&plain, false, 6, (0, 0)), (&simple, false, 3, (2, 1)), (&simple, true, 5, (0, 1))]
    {
        let folder = tempdir().unwrap();
        let store = folder.path().join("g");
        small(&store, options);
        let mut update =
            GraphUpdate::open(&store, UpdateOptions { multi, ..UpdateOptions::default() }).unwrap();
        for (source, target, weight) in [(1u64, 2u64, 9.0), (4, 4, 1.0), (1, 3, 7.0), (1, 3, 8.0)] {
            update.insert_edge(source, target, Some(weight)).unwrap();
        }
        let report = update.commit().unwrap();
        assert_eq!((report.duplicates_dropped, report.self_loops_dropped), dropped);
        assert_eq!((report.edges, report.vertices), (edges, 4));
        let graph = Graph::open(&store, Options::default()).unwrap();
        let distances = graph.sssp(&[graph.vertex("1").unwrap()]).unwrap().distances.into_vec().unwrap();
        // The edge that is there keeps its weight, and of two that are added the first is taken.
        assert_eq!(distances[graph.vertex("2").unwrap() as usize], 5.0);
        assert_eq!(distances[graph.vertex("3").unwrap() as usize], 7.0);
    }
}

#[test]
fn a_missing_edge_is_an_error_where_somebody_is_strict_and_one_that_is_there_is_not() {
    let folder = tempdir().unwrap();
    let store = folder.path().join("g");
    small(&store, &ImportOptions::default().with_dedupe(Merge::Min));
    let mut update =
        GraphUpdate::open(&store, UpdateOptions { strict: true, ..UpdateOptions::default() }).unwrap();
    update.insert_edge(1, 2, None).unwrap();
    assert_eq!(update.commit().unwrap().duplicates_dropped, 1);
    // Deleted and added again within a commit, the edge is a new one.
    update.delete_edge(1, 2).unwrap();
    update.insert_edge(1, 2, Some(7.0)).unwrap();
    let report = update.commit().unwrap();
    assert_eq!((report.edges, report.duplicates_dropped), (2, 0));
    update.insert_edge(1, 2, None).unwrap();
    update.delete_edge(3, 2).unwrap();
    assert!(update.commit().unwrap_err().to_string().contains("the edge 3 2 to delete"));
}

#[test]
fn a_rule_that_is_not_known_leaves_a_store_readable_and_unchanged() {
    let folder = tempdir().unwrap();
    let store = folder.path().join("g");
    small(&store, &ImportOptions::default().with_dedupe(Merge::Min));
    let mut bytes = fs::read(&store).unwrap();
    bytes[20] = 1 | 4;
    let sum = xxh3_64_with_seed(&bytes[..4088], 0);
    bytes[4088..4096].copy_from_slice(&sum.to_le_bytes());
    fs::write(&store, &bytes).unwrap();
    assert_eq!(Graph::open(&store, Options::default()).unwrap().wcc().unwrap().count, 1);
    let refused = GraphUpdate::open(&store, UpdateOptions::default()).unwrap_err();
    assert!(refused.is_input() && refused.to_string().contains("a rule for changes"), "{refused}");
    assert!(fs::read(&store).unwrap() == bytes);
}

#[test]
fn the_files_of_a_changed_store_are_bound_to_its_base_whatever_its_rules() {
    // Version 0.1.0 makes a directory of a store without looking at its rules, and reads what this one makes.
    let manifest = |options: &ImportOptions| {
        let folder = tempdir().unwrap();
        let store = folder.path().join("g");
        small(&store, options);
        let mut update = GraphUpdate::open(&store, UpdateOptions::default()).unwrap();
        update.insert_edge(7, 8, None).unwrap();
        update.commit().unwrap();
        fs::read_to_string(store.join("manifest")).unwrap()
    };
    let simple = ImportOptions::default().with_dedupe(Merge::Min);
    assert_eq!(manifest(&simple), manifest(&ImportOptions::default()));
}
