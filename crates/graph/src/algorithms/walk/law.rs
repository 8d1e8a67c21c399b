//! Node2vec's weights of the edges that lead on, and how one is drawn in proportion to them.
//!
//! A neighbour is drawn alike, or by the weights of the edges, and kept where a draw from 0 to `most` is
//! below its weight (rejection). An edge back may weigh more than `most`: what is above it is an area of its
//! own in addition to the list's, and a walker that hits it goes back. So a small p costs no tries, as it
//! would if `most` were 1/p (KnightKing's folding of outliers: Yang et al., SOSP 2019, section 4.3). What the
//! edges back weigh is known only where they stand, and a hub's list has more than one place; until somebody
//! looked there the area is as wide as the heaviest neighbour of the list would make it.

use leadline_graph_store::format::{List, Vertex};

use super::WalkOptions;

/// Weights by what an edge leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Law {
    /// To the vertex before.
    pub(super) back: f64,
    /// To one that has an edge from the vertex before.
    pub(super) near: f64,
    /// To any other.
    pub(super) far: f64,
    /// The larger one of `near` and `far`.
    pub(super) most: f64,
    /// What an edge back weighs above `most`; 0 or more.
    pub(super) excess: f64,
}

impl Law {
    pub(super) fn new(options: &WalkOptions) -> Law {
        let (back, near, far) = (1.0 / options.p, 1.0_f64, 1.0 / options.q);
        let most = near.max(far);
        Law { back, near, far, most, excess: (back - most).max(0.0) }
    }

    /// Whether all edges are alike.
    pub(super) fn is_plain(&self) -> bool {
        self.back == self.near && self.near == self.far
    }

    /// Where a draw from 0 to 1 falls: in the area above, as the weight of edges back that it takes to be hit
    /// there, or in the list (none). `weight` is that of all edges, `edges_back` that of those back, or a
    /// bound of it.
    #[inline]
    pub(super) fn above(&self, draw: f64, weight: f64, edges_back: f64) -> Option<f64> {
        let place = draw * (self.most * weight + self.excess * edges_back);
        (place < self.excess * edges_back).then(|| place / self.excess)
    }
}

/// What the edges to each neighbour weigh together, or how many they are.
pub(super) fn runs<'a>(list: &List<'a>, weighted: bool) -> impl Iterator<Item = (Vertex, f64)> + use<'a> {
    let (neighbours, weights) = (list.neighbours, list.weights);
    let mut at = 0;
    neighbours.chunk_by(|a, b| a == b).map(move |run| {
        let from = at;
        at += run.len();
        let weight = match weighted {
            true => weights[from..at].iter().map(|weight| weight.max(0.0)).sum(),
            false => run.len() as f64,
        };
        (run[0], weight)
    })
}

/// The most that the edges to one neighbour weigh together, or how many they are.
pub(super) fn heaviest(list: &List<'_>, weighted: bool) -> f64 {
    let neighbours = list.neighbours;
    // Few graphs have parallel edges: to compare each number with the next, without a branch, tells soonest.
    let pairs = neighbours.iter().zip(neighbours.get(1..).unwrap_or_default());
    if !weighted && !pairs.fold(false, |parallel, (one, next)| parallel | (one == next)) {
        return if neighbours.is_empty() { 0.0 } else { 1.0 };
    }
    runs(list, weighted).map(|run| run.1).fold(0.0, f64::max)
}

/// What the edges to one neighbour weigh together, or how many they are.
pub(super) fn run(list: &List<'_>, neighbour: Vertex, weighted: bool) -> f64 {
    let from = list.neighbours.partition_point(|other| *other < neighbour);
    let to = from + list.neighbours[from..].partition_point(|other| *other == neighbour);
    match weighted {
        true => list.weights[from..to].iter().map(|weight| weight.max(0.0)).sum(),
        false => (to - from) as f64,
    }
}
