//! Leiden's refinement: every community is taken apart, and put together again along its edges only, so that
//! each part is connected.

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

use super::super::walk::random::{mix, unit};
use super::batches::batches;
use super::lists::{List, Lists, Stretch};
use super::near::{Summing, Sums};
use super::rounds::{Choosing, choose_all};
use super::state::State;
use crate::{Frontier, GraphError};

/// How readily a part is chosen that gains less than the best, in mean weights of an entry: the paper's
/// theta.
const THETA: f64 = 0.01;

/// Rounding, as a share of what is compared.
const ROUNDING: f64 = 1e-10;

/// Vertices whose lists a thread looks at in one go, before any merges.
const VERTICES: usize = 512;

/// Bytes per vertex, in addition to the state.
pub(super) const BYTES: u64 = 4 + 8 + 8;

/// Parts of communities that merge.
struct Refining<'a> {
    state: &'a State,
    /// By vertex, its part; numbered as one of its vertices.
    parts: Vec<u32>,
    /// By part: its degree.
    totals: Vec<f64>,
    /// By part: the weight of its edges to the rest of its community.
    leading_out: Vec<f64>,
    /// Vertices that nobody has merged with.
    alone: Frontier,
    theta: f64,
    seed: u64,
}

/// A merger of a vertex with a part.
struct Merger {
    part: u32,
    /// The weight of the edges between them.
    weight: f64,
}

/// By vertex, its part; numbered as one of its vertices.
///
/// # Errors
/// What `lists` fails with.
pub(super) fn refine(state: &State, lists: &mut impl Lists, seed: u64) -> Result<Vec<u32>, GraphError> {
    let mut all = Frontier::new(lists.vertices());
    all.fill();
    let mut refining = Refining::new(state, lists, seed)?;
    let order = mix(seed);
    let batches = batches(&all, &state.listed, lists.weighted());
    lists.each_batch(&all, &batches, &mut |view, batch| {
        choose_all(&mut refining, view, batch, order);
    })?;
    Ok(refining.parts)
}

/// Sums up what leads from vertices to others of their communities.
fn add_leading_out(community: &[u32], stretch: &Stretch<'_>, leading_out: &mut [f64]) {
    let first = stretch.range.start;
    let sum = |(part, sums): (usize, &mut [f64])| {
        for (at, sum) in (part * VERTICES..).zip(sums) {
            let vertex = first + at as Vertex;
            let own = community[vertex as usize];
            stretch.lists.list(at, vertex).each_other(community, |neighbour, weight| {
                *sum += if community[neighbour as usize] == own { weight } else { 0.0 };
            });
        }
    };
    let sums = &mut leading_out[first as usize..stretch.range.end as usize];
    match rayon::current_thread_index() {
        Some(_) => sums.par_chunks_mut(VERTICES).enumerate().for_each(sum),
        None => sums.chunks_mut(VERTICES).enumerate().for_each(sum),
    }
}

impl<'a> Refining<'a> {
    /// Every vertex a part.
    fn new(state: &'a State, lists: &mut impl Lists, seed: u64) -> Result<Refining<'a>, GraphError> {
        let vertices = lists.vertices();
        let mut leading_out = vec![0.0; vertices as usize];
        lists.each_stretch(&mut |stretch| {
            add_leading_out(&state.community, &stretch, &mut leading_out);
            Ok(())
        })?;
        let listed: u64 = state.listed.iter().map(|listed| u64::from(*listed)).sum();
        let mut alone = Frontier::new(vertices);
        alone.fill();
        Ok(Refining {
            state,
            parts: (0..vertices as u32).collect(),
            totals: state.degree.clone(),
            leading_out,
            alone,
            theta: THETA * state.twice / listed.max(1) as f64,
            seed,
        })
    }
}

impl Refining<'_> {
    /// Whether a part of a community is tied to its rest at least as well as chance would have it.
    #[inline]
    fn is_tied(&self, part: u32, community: u32) -> bool {
        let (total, out) = (self.totals[part as usize], self.leading_out[part as usize]);
        let rest = self.state.total[community as usize] - total;
        out >= self.state.expected(total, rest) - ROUNDING * total
    }

    /// What a vertex gains by a merger.
    #[inline]
    fn gain(&self, vertex: Vertex, part: u32, weight: f64) -> f64 {
        weight - self.state.expected(self.state.degree[vertex as usize], self.totals[part as usize])
    }

    /// Whether a vertex may merge with a part of its community.
    #[inline]
    fn may(&self, vertex: Vertex, part: u32, weight: f64) -> bool {
        let least = -ROUNDING * self.state.degree[vertex as usize];
        self.is_tied(part, self.state.community[vertex as usize]) && self.gain(vertex, part, weight) >= least
    }

    /// One of the parts that a vertex may merge with, the likelier the more is gained.
    fn drawn(&self, vertex: Vertex, sums: &impl Sums) -> Option<Merger> {
        let candidates = || sums.all().filter(|(part, weight)| self.may(vertex, *part, *weight));
        let gain = |(part, weight): (u32, f64)| self.gain(vertex, part, weight);
        let most = candidates().map(gain).fold(f64::NEG_INFINITY, f64::max);
        let share = |candidate: (u32, f64)| ((gain(candidate) - most) / self.theta).exp();
        let mut left = unit(mix(self.seed ^ mix(u64::from(vertex)))) * candidates().map(share).sum::<f64>();
        // Rounding may leave some of it for after the last.
        let mut last = None;
        for candidate in candidates() {
            last = Some(Merger { part: candidate.0, weight: candidate.1 });
            left -= share(candidate);
            if left < 0.0 {
                break;
            }
        }
        last
    }
}

impl Choosing for Refining<'_> {
    type Choice = Merger;

    fn summing(&self) -> &Summing {
        &self.state.summing
    }

    #[inline]
    fn choose(
        &self,
        list: List<'_>,
        sums: &mut impl Sums,
        mut seen: impl FnMut(Vertex, u32),
    ) -> Option<Merger> {
        let (vertex, community) = (list.vertex, self.state.community.as_slice());
        let own = community[vertex as usize];
        if !self.alone.contains(vertex) || !self.is_tied(vertex, own) {
            return None;
        }
        list.each_other(community, |neighbour, weight| {
            if community[neighbour as usize] == own {
                let part = self.parts[neighbour as usize];
                seen(neighbour, part);
                sums.add(part, weight);
            }
        });
        let drawn = self.drawn(vertex, sums);
        sums.clear();
        drawn
    }

    #[inline]
    fn has(&self, vertex: Vertex) -> u32 {
        self.parts[vertex as usize]
    }

    fn sum_again(&self, list: List<'_>, choice: &mut Merger) {
        let community = self.state.community.as_slice();
        let own = community[list.vertex as usize];
        choice.weight = 0.0;
        list.each_other(community, |neighbour, weight| {
            if community[neighbour as usize] == own && self.parts[neighbour as usize] == choice.part {
                choice.weight += weight;
            }
        });
    }

    #[inline]
    fn holds(&self, vertex: Vertex, choice: &Merger) -> bool {
        // Without an edge the whole would not be connected; and nobody must have merged with the vertex.
        choice.weight > 0.0 && self.alone.contains(vertex) && self.may(vertex, choice.part, choice.weight)
    }

    fn make(&mut self, vertex: Vertex, choice: &Merger) {
        let (at, place) = (vertex as usize, choice.part as usize);
        self.leading_out[place] += self.leading_out[at] - 2.0 * choice.weight;
        self.totals[place] += self.state.degree[at];
        (self.totals[at], self.leading_out[at], self.parts[at]) = (0.0, 0.0, choice.part);
        self.alone.remove(vertex);
        self.alone.remove(choice.part);
    }

    fn follow(&self, _: List<'_>, _: impl Fn(Vertex) -> bool) {}

    fn end(&self, _: Vertex) {}
}

#[cfg(test)]
mod tests {
    use super::super::checked::{choose_checked, lists};
    use super::super::state::Terms;
    use super::*;

    #[test]
    fn each_merger_is_along_edges_that_are_there_when_it_is_made() {
        let mut lists = lists();
        let refuse = |_, _| unreachable!("no weight is refused");
        let terms = Terms { resolution: 1.0, threads: 1, longest: 1 << 10, refuse: &refuse };
        // Large communities, so that there is much to choose.
        let communities: Vec<u32> = (0..lists.ends.len() as u32).map(|vertex| vertex / 500).collect();
        let state = State::new(&mut lists, Some(communities), &terms).unwrap();
        let mut refining = Refining::new(&state, &mut lists, 1).unwrap();
        let tally = choose_checked(&mut refining, &lists, &state.listed, |refining, list, choice| {
            let community = |vertex: Vertex| state.community[vertex as usize];
            let mut sum = 0.0;
            list.each(|neighbour, weight| {
                let is_own = community(neighbour) == community(list.vertex) && neighbour != list.vertex;
                let counts = is_own && refining.parts[neighbour as usize] == choice.part;
                sum += if counts { weight } else { 0.0 };
            });
            assert_eq!(choice.weight, sum, "of {}", list.vertex);
            assert!(sum > 0.0 && refining.parts.iter().filter(|part| **part == list.vertex).count() == 1);
            assert!(refining.may(list.vertex, choice.part, sum));
        });
        let (again, failed) = (tally.again.into_inner(), tally.failed.into_inner());
        assert!(tally.made > 1000 && again > 100 && failed > 10, "{} {again} {failed}", tally.made);
    }
}
