//! A list to draw neighbours from, or a piece of one.

use leadline_graph_store::format::{List, Vertex};

use super::hubs::{Hub, Piece};
use super::law::{heaviest, run};
use super::random::{below, unit};

/// What a block has of a list, and what is known of all of it.
pub(super) struct Candidates<'a> {
    pub(super) list: List<'a>,
    /// The weights here and before, added up; empty where all edges are alike.
    sums: &'a [f64],
    /// What there is before.
    before: Piece,
    /// Edges of the whole list.
    pub(super) degree: u64,
    /// What they weigh together, or how many they are.
    pub(super) weight: f64,
    /// The most that the edges to one neighbour weigh together, or how many they are; 0 where it does not
    /// matter.
    pub(super) heaviest: f64,
    weighted: bool,
    /// Whether this is the whole list.
    pub(super) whole: bool,
}

impl<'a> Candidates<'a> {
    /// A whole list, or the piece of a hub's that comes after `before`; `sums` and the heaviest neighbour
    /// only where it is drawn from, and they matter.
    pub(super) fn new(
        list: List<'a>,
        sums: &'a [f64],
        hub: Option<(&Hub, Piece)>,
        with_heaviest: bool,
        weighted: bool,
    ) -> Candidates<'a> {
        if let Some((hub, before)) = hub {
            let (degree, weight, heaviest) = (hub.degree, hub.weight, hub.heaviest);
            return Candidates { list, sums, before, degree, weight, heaviest, weighted, whole: false };
        }
        let degree = list.neighbours.len() as u64;
        let weight = match weighted {
            true => sums.last().copied().unwrap_or(0.0),
            false => degree as f64,
        };
        let heaviest = if with_heaviest { heaviest(&list, weighted) } else { 0.0 };
        Candidates { list, sums, before: Piece::default(), degree, weight, heaviest, weighted, whole: true }
    }

    /// Whether all edges lead to one neighbour, which is drawn whatever it weighs.
    pub(super) fn only_one(&self) -> bool {
        self.whole && self.list.neighbours.first() == self.list.neighbours.last()
    }

    /// The neighbour of a number drawn from all 64-bit ones, if it is in this piece.
    pub(super) fn neighbour(&self, random: u64) -> Vertex {
        let place = match self.weighted {
            true => {
                let target = unit(random) * self.weight;
                self.sums.partition_point(|sum| *sum <= target)
            }
            false => (below(random, self.degree) - self.before.before) as usize,
        };
        // Rounding may put the target of the last behind it.
        self.list.neighbours[place.min(self.list.neighbours.len() - 1)]
    }

    /// What the edges to a neighbour weigh together, or how many they are, if it is in this piece.
    pub(super) fn edges_to(&self, neighbour: Vertex) -> f64 {
        self.before.carried(neighbour) + run(&self.list, neighbour, self.weighted)
    }
}
