//! The communities of a level, and what decides about moves.

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

use super::lists::{Lists, Stretch};
use super::near::{Near, Summing};
use crate::{Frontier, GraphError};

/// Vertices that a thread adds up the lists of at a time.
const VERTICES: usize = 512;

/// Communities of a level, and what decides about moves.
pub(super) struct State {
    /// By vertex.
    pub(super) community: Vec<u32>,
    /// By community: vertices in it.
    pub(super) size: Vec<u32>,
    /// By vertex: the sum of the weights in its list.
    pub(super) degree: Vec<f64>,
    /// By vertex: entries in its list.
    pub(super) listed: Vec<u32>,
    /// By community: the sum of its vertices' degrees.
    pub(super) total: Vec<f64>,
    /// Communities without vertices, and one that was.
    pub(super) empty: Frontier,
    pub(super) last_empty: u32,
    pub(super) summing: Summing,
    /// The sum of all degrees.
    pub(super) twice: f64,
    /// What chance alone would put between parts, as a share of the product of their degrees.
    pub(super) by_chance: f64,
    /// The modularity of vertices that are all alone.
    pub(super) alone: f64,
}

/// What is added up of the lists.
struct Degrees {
    /// By vertex: the sum of the weights in its list, its entries, and the weight of edges to itself.
    degree: Vec<f64>,
    listed: Vec<u32>,
    inside: Vec<f64>,
}

/// How a level is looked at.
pub(super) struct Terms<'a> {
    pub(super) resolution: f64,
    /// Threads, and the longest list that each sums in a table of its own.
    pub(super) threads: usize,
    pub(super) longest: usize,
    /// What is made of an edge with a weight that has no place in modularity.
    pub(super) refuse: &'a (dyn Fn(Vertex, Vertex) -> GraphError + Send + Sync),
}

/// Some vertices of a stretch, and what is added up of their lists.
struct Part<'a> {
    /// The place of the first one.
    first: usize,
    degree: &'a mut [f64],
    listed: &'a mut [u32],
    inside: &'a mut [f64],
}

impl Part<'_> {
    /// Adds up the lists; the first edge with a weight that has no place in modularity, if there is one.
    fn add(&mut self, stretch: &Stretch<'_>) -> Option<(Vertex, Vertex)> {
        let mut refused = None;
        for at in 0..self.degree.len() {
            let place = self.first + at;
            let vertex = stretch.range.start + place as Vertex;
            let list = stretch.lists.list(place, vertex);
            self.listed[at] = u32::try_from(list.len()).unwrap_or(u32::MAX);
            let (mut sum, mut inside) = (0.0, 0.0);
            list.each(|neighbour, weight| {
                if !(weight.is_finite() && weight >= 0.0) {
                    refused.get_or_insert((vertex, neighbour));
                }
                sum += weight;
                inside += if neighbour == vertex { weight } else { 0.0 };
            });
            (self.degree[at], self.inside[at]) = (sum, inside);
        }
        refused
    }
}

impl Degrees {
    fn new(vertices: usize) -> Degrees {
        Degrees { degree: vec![0.0; vertices], listed: vec![0; vertices], inside: vec![0.0; vertices] }
    }

    /// Adds up some lists.
    ///
    /// # Errors
    /// What is made of the first edge that is refused.
    fn add(&mut self, stretch: &Stretch<'_>, terms: &Terms<'_>) -> Result<(), GraphError> {
        let range = stretch.range.start as usize..stretch.range.end as usize;
        let mut listed = self.listed[range.clone()].chunks_mut(VERTICES);
        let mut inside = self.inside[range.clone()].chunks_mut(VERTICES);
        let mut parts = Vec::new();
        for (at, degree) in self.degree[range].chunks_mut(VERTICES).enumerate() {
            let (listed, inside) = (listed.next().unwrap_or_default(), inside.next().unwrap_or_default());
            parts.push(Part { first: at * VERTICES, degree, listed, inside });
        }
        let first = match rayon::current_thread_index() {
            Some(_) => parts.par_iter_mut().filter_map(|part| part.add(stretch)).min(),
            None => parts.iter_mut().filter_map(|part| part.add(stretch)).min(),
        };
        first.map_or(Ok(()), |(vertex, neighbour)| Err((terms.refuse)(vertex, neighbour)))
    }
}

impl State {
    /// Bytes per vertex.
    pub(super) const BYTES: u64 = 4 + 4 + 8 + 4 + 8 + Near::BYTES;

    /// Bytes per vertex that are left when a level's communities are known.
    pub(super) const BYTES_LEFT: u64 = State::BYTES - 4 - Near::BYTES;

    /// Vertices with their degrees, in these communities, or each alone.
    ///
    /// # Errors
    /// What `lists` fails with, and what `terms` make of an edge.
    pub(super) fn new(
        lists: &mut impl Lists,
        communities: Option<Vec<u32>>,
        terms: &Terms<'_>,
    ) -> Result<State, GraphError> {
        let vertices = lists.vertices();
        let mut degrees = Degrees::new(vertices as usize);
        lists.each_stretch(&mut |stretch| degrees.add(&stretch, terms))?;
        let Degrees { degree, listed, inside } = degrees;
        let inside: f64 = inside.into_iter().sum();
        let twice: f64 = degree.iter().sum();
        let community = communities.unwrap_or_else(|| (0..vertices as u32).collect());
        let (mut size, mut total) = (vec![0; degree.len()], vec![0.0; degree.len()]);
        for (community, degree) in community.iter().zip(&degree) {
            size[*community as usize] += 1;
            total[*community as usize] += degree;
        }
        let empty = Frontier::new(vertices);
        (0..)
            .zip(&size)
            .filter(|(_, size)| **size == 0)
            .for_each(|(community, _)| _ = empty.insert(community));
        let expected = |degree: &f64| (degree / twice).powi(2);
        let alone = match twice > 0.0 {
            true => inside / twice - terms.resolution * degree.iter().map(expected).sum::<f64>(),
            false => 0.0,
        };
        let summing = Summing::new(degree.len(), terms.threads, terms.longest);
        let by_chance = terms.resolution / twice;
        let last_empty = 0;
        Ok(State {
            community,
            size,
            degree,
            listed,
            total,
            empty,
            last_empty,
            summing,
            twice,
            by_chance,
            alone,
        })
    }

    /// The weight that chance alone would put between parts of these degrees.
    #[inline]
    pub(super) fn expected(&self, degree: f64, other: f64) -> f64 {
        self.by_chance * degree * other
    }

    /// What is left of it for aggregating.
    pub(super) fn into_summing(self) -> Summing {
        self.summing
    }
}
