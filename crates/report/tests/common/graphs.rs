//! A graph store made up.

use leadline_graph_store::inspect::{DegreeBin, GraphInfo};

/// A store of a graph with a heavy tail.
pub fn sample_graph() -> GraphInfo {
    let bin = |degree: u64, vertices: u64| DegreeBin { from: degree, to: degree, vertices };
    let mut degrees: Vec<DegreeBin> =
        (0..8).map(|degree| bin(degree, 40_000 / (degree + 1).pow(2))).collect();
    degrees.extend((4..20).map(|power| DegreeBin {
        from: 1 << power,
        to: (2 << power) - 1,
        vertices: 400_000 >> power,
    }));
    let vertices = degrees.iter().map(|bin| bin.vertices).sum();
    GraphInfo {
        store: "web.store".to_owned(),
        version: 0,
        space: None,
        leftovers: None,
        file_bytes: 123_456_789,
        vertices,
        edges: 61_728_394,
        self_loops: 12,
        directed: true,
        reverse: false,
        dedupe: false,
        drop_self_loops: false,
        compressed: true,
        weights: "none",
        ids: "numbers",
        renumbered: false,
        block_bytes: 4096,
        blocks: 30_000,
        block_fill: Some(0.987),
        bytes_per_edge: Some(2.0),
        median_degree: 1,
        max_degree: 900_000,
        import_seconds: Some(12.5),
        degrees,
    }
}

/// A store of a graph without vertices.
pub fn empty_graph() -> GraphInfo {
    GraphInfo {
        file_bytes: 4096,
        vertices: 0,
        edges: 0,
        self_loops: 0,
        blocks: 0,
        block_fill: None,
        bytes_per_edge: None,
        max_degree: 0,
        degrees: Vec::new(),
        ..sample_graph()
    }
}
