//! Hubs, whose lists are in several blocks.

use leadline_graph_store::format::Vertex;

/// Calls `each` with every hub and what its pieces add up to: in one order, whatever the threads did, so that
/// it is the same sum every time.
pub(super) fn each_hub(pieces: impl Iterator<Item = (Vertex, f64)>, mut each: impl FnMut(Vertex, f64)) {
    let mut pieces: Vec<(Vertex, f64)> = pieces.collect();
    pieces.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    for hub in pieces.chunk_by(|a, b| a.0 == b.0) {
        each(hub[0].0, hub.iter().map(|piece| piece.1).sum());
    }
}
