//! Components in small parts are those found in memory, whatever the graph.

use std::path::Path;

use leadline_graph_store::format::{Layout, StoreWriter, Weights};

use super::*;
use crate::{Options, RunStats};

type Edges = Vec<(Vertex, Vertex)>;

/// Which lists a store has.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lists {
    Undirected,
    Forward,
    Both,
}

fn open(folder: &Path, vertices: u32, lists: Lists, edges: &Edges, order: Option<Vec<u32>>) -> Graph {
    let path = folder.join("g");
    let layout = Layout {
        block_bytes: 4096,
        compressed: true,
        directed: lists != Lists::Undirected,
        weights: Weights::None,
        vertices: vertices.into(),
    };
    let mut writer = StoreWriter::create(&path, layout).unwrap();
    let put = |writer: &mut StoreWriter, mut edges: Edges| {
        edges.sort_unstable();
        edges.iter().for_each(|(from, to)| writer.edge(*from, *to, 0.0).unwrap());
    };
    let back = || edges.iter().filter(|(a, b)| a != b || lists == Lists::Both).map(|(a, b)| (*b, *a));
    match lists {
        Lists::Undirected => put(&mut writer, edges.iter().copied().chain(back()).collect()),
        Lists::Forward => put(&mut writer, edges.clone()),
        Lists::Both => {
            put(&mut writer, edges.clone());
            writer.start_reverse().unwrap();
            put(&mut writer, back().collect());
        }
    }
    if let Some(order) = order {
        writer.order(order.into_iter().map(Ok)).unwrap();
    }
    writer.finish().unwrap();
    Graph::open(&path, Options { memory: 32 << 20, threads: 2, depth: 4, ..Options::default() }).unwrap()
}

/// As few pairs at a time as can be, in parts of that many vertices.
fn in_parts(graph: &Graph, part_vertices: u64) -> Result<(Vec<Vertex>, u64, RunStats), GraphError> {
    let ranges = crate::algorithms::parts::ranges(graph.vertices(), part_vertices);
    let found = most_values(graph);
    let portions = Portions { sizes: Sizes { chunk: CUT, most: most_pairs(&ranges, found) }, found };
    let ((components, count), stats) =
        Engine::run(graph, "", 0, |engine| components_by(engine, &ranges, portions))?;
    Ok((components.into_vec()?, count, stats))
}

fn check(vertices: u32, edges: &Edges, what: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    for lists in [Lists::Undirected, Lists::Forward, Lists::Both] {
        for is_renumbered in [false, true] {
            let order = is_renumbered.then(|| {
                let mut order: Vec<u32> = (0..vertices).collect();
                random.shuffle(&mut order);
                order
            });
            let graph = open(folder.path(), vertices, lists, edges, order);
            let right = graph.wcc().unwrap();
            let part_vertices = CUT * random.u64(1..=3);
            let (components, count, stats) = in_parts(&graph, part_vertices).unwrap();
            let told = || format!("{what}, {lists:?}, {is_renumbered}, parts of {part_vertices}");
            assert!(components == right.components.in_memory().unwrap(), "{}", told());
            assert_eq!(count, right.count, "{}", told());
            let ranges = crate::algorithms::parts::ranges(vertices.into(), part_vertices);
            let [least, most] = spilled_bytes(&graph, &EqualPartitions { ranges, bytes: 0 });
            assert!((least..=most).contains(&stats.spilled_bytes), "{}: {stats:?}, {least}, {most}", told());
        }
    }
}

#[test]
fn components_of_graphs_of_known_shapes() {
    let n = 6 * CUT as u32 + 17;
    check(0, &vec![], "nothing");
    check(1, &vec![], "a vertex");
    check(1, &vec![(0, 0)], "a vertex with an edge to itself");
    check(n, &vec![], "vertices alone");
    check(n, &vec![(0, n - 1)], "an edge between the ends");
    check(n, &(1..n).map(|vertex| (vertex - 1, vertex)).collect(), "a chain");
    check(n, &(0..n - 1).rev().map(|vertex| (vertex + 1, vertex)).collect(), "a chain backwards");
    check(n, &(2000..n).map(|vertex| (vertex, vertex - 2000)).collect(), "long steps");
    let zigzag = |vertex: u32| if vertex.is_multiple_of(2) { vertex / 2 } else { n - 1 - vertex / 2 };
    check(n, &(1..n).map(|vertex| (zigzag(vertex - 1), zigzag(vertex))).collect(), "a zigzag");
    for centre in [0, n / 2, n - 1] {
        check(n, &(0..n).map(|ray| (centre, ray)).collect(), "a star");
        check(n, &(0..n).step_by(3).map(|ray| (ray, centre)).collect(), "a star backwards, some alone");
    }
}

#[test]
fn components_of_random_graphs() {
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let n = random.u32(1..6 * CUT as u32);
        // As many classes of vertices, which no edge leads out of; in some graphs, all but a few edges are of
        // vertices with low numbers.
        let classes = [1, 1, 2, 50, n.div_ceil(10)][random.usize(..5)];
        let is_skewed = random.bool();
        let count = [n / 4, n / 2, n, 3 * n, 20 * n][random.usize(..5)];
        let edges = (0..count)
            .map(|_| {
                let (from, share) = (random.u32(..n), random.f64());
                let share = if is_skewed { share.powi(4) } else { share };
                let steps = (n - 1 - from % classes) / classes + 1;
                (from, from % classes + (share * f64::from(steps)) as u32 * classes)
            })
            .collect();
        check(n, &edges, &format!("seed {seed}: {n} vertices, {count} edges, {classes} classes"));
    }
}

#[test]
fn a_part_whose_pairs_outnumber_its_vertices_is_joined_at_once() {
    // Classes of vertices, none of which is large, and edges from high to low ones only.
    let (n, classes) = (16 * CUT as u32, 256);
    let mut random = fastrand::Rng::with_seed(2);
    let edges: Edges = (0..20 * n)
        .map(|_| {
            let (class, steps) = (random.u32(..classes), n / classes);
            (
                class + classes * (steps / 2 + random.u32(..steps / 2)),
                class + classes * random.u32(..steps / 2),
            )
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let graph = open(folder.path(), n, Lists::Undirected, &edges, None);
    // There is room for a pair per vertex, and for those of a block.
    let (components, count, _) = in_parts(&graph, CUT).unwrap();
    assert_eq!(count, graph.wcc().unwrap().count);
    assert!((0..n).zip(components).all(|(vertex, component)| component == vertex % classes));
}
