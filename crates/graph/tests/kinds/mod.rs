//! Small random graphs of five shapes, directed and not, renumbered and not, and algorithms run on them with
//! little and with plenty of memory.

use leadline_graph::format::Weights;
use leadline_graph::{Graph, GraphError, Options};

use crate::algorithms::{PLENTY, options};
use crate::samples::Sample;

/// A shape's name, its vertices and its edges.
type Shape = (&'static str, u32, Vec<(u32, u32)>);

/// A graph of each shape. Some edges are repeated, and some vertices have edges to themselves.
fn shapes(rng: &mut fastrand::Rng) -> Vec<Shape> {
    // R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004).
    let mut rmat = |_| {
        let (mut row, mut column) = (0, 0);
        for _ in 0..8 {
            let x = rng.f64();
            row = row << 1 | u32::from(x >= 0.76);
            column = column << 1 | u32::from((0.57..0.76).contains(&x) || x >= 0.95);
        }
        (row, column)
    };
    let rmat: Vec<(u32, u32)> = (0..1500).map(&mut rmat).collect();
    let uniform = (0..700).map(|_| (rng.u32(..300), rng.u32(..300))).collect();
    let side = 16;
    let mut grid = Vec::new();
    for at in 0..side * side {
        let (right, down) = (at % side + 1 < side, at + side < side * side);
        // Diagonals, for triangles; either direction, for components that are neither one nor all.
        for (wanted, other) in [(right, at + 1), (down, at + side), (right && down, at + side + 1)] {
            if wanted {
                grid.push(if rng.bool() { (at, other) } else { (other, at) });
            }
        }
    }
    let chain = (1..400).map(|at| (at - 1, at)).chain((0..40).map(|at| (at * 10 + 2, at * 10))).collect();
    let mut star: Vec<(u32, u32)> = (1..2500).map(|ray| (0, ray)).collect();
    star.extend((0..600).map(|_| (rng.u32(..2500), rng.u32(..5))));
    let mut shapes = vec![
        ("R-MAT", 256, rmat),
        ("uniform", 320, uniform),
        ("grid", side * side, grid),
        ("chain", 400, chain),
        ("star", 2500, star),
    ];
    for (_, vertices, edges) in &mut shapes {
        let again: Vec<(u32, u32)> = (0..20).map(|_| edges[rng.usize(..edges.len())]).collect();
        edges.extend(again);
        edges.extend((0..5).map(|_| rng.u32(..*vertices)).map(|at| (at, at)));
    }
    shapes
}

/// Calls `check` with each graph and with what is true of it, and says on which it failed.
pub fn for_each(check: impl Fn(&Sample, &mut Graph)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut rng = fastrand::Rng::with_seed(21);
    for directed in [false, true] {
        for renumbered in [false, true] {
            for (name, vertices, edges) in shapes(&mut rng) {
                let edges = edges.into_iter().map(|(a, b)| (a, b, f64::from(rng.u32(..9)))).collect();
                let mut order: Vec<u32> = (0..vertices).collect();
                rng.shuffle(&mut order);
                let order = renumbered.then_some(order);
                let sample = Sample { vertices, directed, edges, order };
                sample.write(&path, 4096, rng.bool(), Weights::F32);
                let mut graph = Graph::open(&path, options(PLENTY)).unwrap();
                let run = std::panic::AssertUnwindSafe(|| check(&sample, &mut graph));
                if let Err(panic) = std::panic::catch_unwind(run) {
                    eprintln!("{name}, directed: {directed}, renumbered: {renumbered}");
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }
}

/// What is found with the least memory, with somewhat more and with plenty.
pub fn with_each_memory<T>(graph: &mut Graph, run: impl Fn(&Graph) -> Result<T, GraphError>) -> [T; 3] {
    graph.set_options(Options { memory: 1, ..options(0) });
    let Err(GraphError::Memory { needed, .. }) = run(graph) else { panic!("a byte was enough") };
    graph.set_options(options(needed - 1024));
    assert!(matches!(run(graph), Err(GraphError::Memory { .. })), "less than the least was enough");
    [needed, needed + (12 << 10), PLENTY].map(|memory| {
        graph.set_options(options(memory));
        run(graph).unwrap()
    })
}
