//! Moving vertices, one at a time, to the community of neighbours where modularity gains most, until no move
//! gains anything.

use leadline_graph_store::format::Vertex;

use super::super::walk::random::mix;
use super::lists::{Entry, List, Lists};
use crate::{Frontier, GraphError};

/// A move must gain more than this share of the vertex's degree: less is rounding.
const LEAST_GAIN: f64 = 1e-10;

/// Communities of a level, and what decides about moves.
pub(super) struct State {
    /// By vertex.
    pub(super) community: Vec<u32>,
    /// By community: vertices in it.
    pub(super) size: Vec<u32>,
    /// By vertex: the sum of the weights in its list.
    pub(super) degree: Vec<f64>,
    /// By community: the sum of its vertices' degrees.
    pub(super) total: Vec<f64>,
    /// Communities without vertices.
    empty: Vec<u32>,
    pub(super) near: Near,
    /// The sum of all degrees.
    pub(super) twice: f64,
    pub(super) resolution: f64,
    /// The modularity of vertices that are all alone.
    pub(super) alone: f64,
}

/// By label: the weight of the edges from one vertex, 0 where none lead there.
pub(super) struct Near {
    pub(super) weight: Vec<f64>,
    pub(super) labels: Vec<u32>,
}

impl Near {
    fn new(vertices: usize) -> Near {
        Near { weight: vec![0.0; vertices], labels: Vec::with_capacity(vertices) }
    }

    /// Adds an edge's weight to a label.
    #[inline]
    pub(super) fn add(&mut self, label: u32, weight: f64) {
        if weight > 0.0 {
            let place = &mut self.weight[label as usize];
            if *place == 0.0 {
                self.labels.push(label);
            }
            *place += weight;
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        for label in self.labels.drain(..) {
            self.weight[label as usize] = 0.0;
        }
    }
}

/// All entries of a list.
pub(super) fn entries<'a>(list: List<'a>) -> impl Iterator<Item = &'a Entry> {
    list.iter().flat_map(|piece| piece.iter())
}

impl State {
    /// Bytes per vertex.
    pub(super) const BYTES: u64 = 4 + 4 + 8 + 8 + 4 + 8 + 4;

    /// Vertices with their degrees, in these communities, or each alone.
    ///
    /// # Errors
    /// What `lists` fails with; what `refuse` makes of an edge with a weight that has no place in modularity.
    pub(super) fn new(
        lists: &mut impl Lists,
        communities: Option<Vec<u32>>,
        resolution: f64,
        refuse: impl Fn(Vertex, Vertex) -> GraphError + Send + Sync,
    ) -> Result<State, GraphError> {
        let vertices = lists.vertices();
        let (mut degree, mut inside) = (vec![0.0; vertices as usize], 0.0);
        let mut all = Frontier::new(vertices);
        all.fill();
        lists.visit(&all, 0, &mut |vertex, list| {
            let mut sum = 0.0;
            for (neighbour, weight) in entries(list) {
                if !(weight.is_finite() && *weight >= 0.0) {
                    return Err(refuse(vertex, *neighbour));
                }
                sum += weight;
                inside += if *neighbour == vertex { *weight } else { 0.0 };
            }
            degree[vertex as usize] = sum;
            Ok(())
        })?;
        let twice: f64 = degree.iter().sum();
        let community = communities.unwrap_or_else(|| (0..vertices as u32).collect());
        let (mut size, mut total) = (vec![0; degree.len()], vec![0.0; degree.len()]);
        for (community, degree) in community.iter().zip(&degree) {
            size[*community as usize] += 1;
            total[*community as usize] += degree;
        }
        let mut empty = Vec::with_capacity(degree.len());
        empty.extend((0..vertices as u32).rev().filter(|community| size[*community as usize] == 0));
        let expected = |degree: &f64| (degree / twice).powi(2);
        let alone = match twice > 0.0 {
            true => inside / twice - resolution * degree.iter().map(expected).sum::<f64>(),
            false => 0.0,
        };
        let near = Near::new(degree.len());
        Ok(State { community, size, degree, total, empty, near, twice, resolution, alone })
    }

    /// The weight that chance alone would put between parts of these degrees.
    #[inline]
    pub(super) fn expected(&self, degree: f64, other: f64) -> f64 {
        self.resolution * degree * other / self.twice
    }

    /// Moves vertices until no move gains anything; whether any moved.
    ///
    /// A vertex is looked at again when a neighbour has left for another community than its own (the queue of
    /// Leiden's "fast local move"): the vertices of a pass are known when it begins, and whose turn comes
    /// later in it waits for no other.
    pub(super) fn move_vertices(&mut self, lists: &mut impl Lists, seed: u64) -> Result<bool, GraphError> {
        let mut now = Frontier::new(lists.vertices());
        let mut next = Frontier::new(lists.vertices());
        now.fill();
        let (mut moved, mut pass) = (false, 0);
        while self.twice > 0.0 && !now.is_empty() {
            pass += 1;
            lists.visit(&now, mix(seed ^ pass), &mut |vertex, list| {
                now.remove(vertex);
                let Some(to) = self.better(vertex, list) else { return Ok(()) };
                self.put(vertex, to);
                moved = true;
                for (neighbour, _) in entries(list) {
                    let elsewhere = self.community[*neighbour as usize] != to;
                    if elsewhere && *neighbour != vertex && !now.contains(*neighbour) {
                        next.insert(*neighbour);
                    }
                }
                Ok(())
            })?;
            now.clear();
            std::mem::swap(&mut now, &mut next);
        }
        Ok(moved)
    }

    /// The community where a vertex gains most, if it is another than its own.
    fn better(&mut self, vertex: Vertex, list: List<'_>) -> Option<u32> {
        let own = self.community[vertex as usize];
        let degree = self.degree[vertex as usize];
        for (neighbour, weight) in entries(list).filter(|(neighbour, _)| *neighbour != vertex) {
            self.near.add(self.community[*neighbour as usize], *weight);
        }
        let gain =
            |community: u32, total: f64| self.near.weight[community as usize] - self.expected(degree, total);
        let (mut best, mut most) = (own, gain(own, self.total[own as usize] - degree) + LEAST_GAIN * degree);
        for community in self.near.labels.iter().filter(|community| **community != own) {
            let gain = gain(*community, self.total[*community as usize]);
            if gain > most {
                (best, most) = (*community, gain);
            }
        }
        // Alone it gains nothing, which may be more.
        if most < 0.0
            && self.size[own as usize] > 1
            && let Some(empty) = self.empty.last()
        {
            best = *empty;
        }
        self.near.clear();
        (best != own).then_some(best)
    }

    /// What is left of it for aggregating.
    pub(super) fn into_near(self) -> Near {
        self.near
    }

    /// Puts a vertex into a community.
    fn put(&mut self, vertex: Vertex, to: u32) {
        let (from, degree) = (self.community[vertex as usize] as usize, self.degree[vertex as usize]);
        if self.size[to as usize] == 0 {
            // The one that was offered.
            self.empty.pop();
        }
        self.size[from] -= 1;
        self.total[from] -= degree;
        if self.size[from] == 0 {
            // What rounding leaves must not stay.
            self.total[from] = 0.0;
            self.empty.push(from as u32);
        }
        self.size[to as usize] += 1;
        self.total[to as usize] += degree;
        self.community[vertex as usize] = to;
    }
}

/// Numbers labels again, from 0 in the order of the first vertex that has each; how many there are.
pub(super) fn renumber(labels: &mut [u32]) -> u32 {
    let mut numbers = vec![u32::MAX; labels.len()];
    let mut count = 0;
    for label in labels {
        let number = &mut numbers[*label as usize];
        if *number == u32::MAX {
            *number = count;
            count += 1;
        }
        *label = *number;
    }
    count
}
