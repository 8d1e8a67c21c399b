//! Moving vertices to the community of neighbours where modularity gains most, until no move gains anything.

use leadline_graph_store::format::Vertex;

use super::super::walk::random::mix;
use super::batches::batches;
use super::lists::{List, Lists};
use super::near::{Summing, Sums};
use super::rounds::{Choosing, choose_all};
use super::state::State;
use crate::prefetch::prefetch;
use crate::{Frontier, GraphError};

/// A move must gain more than this share of the vertex's degree: less is rounding.
const LEAST_GAIN: f64 = 1e-10;

/// A community of one's own.
const ALONE: u32 = u32::MAX;

/// Where a vertex moves, and why.
pub(super) struct Move {
    /// The community, or [`ALONE`].
    to: u32,
    /// The weight of its edges to the rest of its community.
    stay: f64,
    /// And to that community.
    go: f64,
}

/// Vertices that move, in a pass.
struct Moving<'a> {
    state: &'a mut State,
    /// Those that are still to be looked at in the pass.
    now: &'a Frontier,
    /// Those that are in the next.
    next: &'a Frontier,
}

impl State {
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
            let order = mix(seed ^ pass);
            let batches = batches(&now, &self.listed, lists.weighted());
            lists.each_batch(&now, &batches, &mut |view, batch| {
                let mut moving = Moving { state: self, now: &now, next: &next };
                moved |= choose_all(&mut moving, view, batch, order);
            })?;
            now.clear();
            std::mem::swap(&mut now, &mut next);
        }
        Ok(moved)
    }

    /// Puts a vertex into a community.
    fn put(&mut self, vertex: Vertex, to: u32) {
        let (from, degree) = (self.community[vertex as usize] as usize, self.degree[vertex as usize]);
        if self.size[to as usize] == 0 {
            self.empty.remove(to);
        }
        self.size[from] -= 1;
        self.total[from] -= degree;
        if self.size[from] == 0 {
            // What rounding leaves must not stay.
            self.total[from] = 0.0;
            self.empty.insert(from as u32);
        }
        self.size[to as usize] += 1;
        self.total[to as usize] += degree;
        self.community[vertex as usize] = to;
    }

    /// A community without vertices: there is one while any has two.
    fn any_empty(&mut self) -> u32 {
        let found = self.empty.next(self.last_empty).or_else(|| self.empty.next(0));
        self.last_empty = found.unwrap_or(0);
        self.last_empty
    }
}

impl Moving<'_> {
    /// What staying gains, and a little more: a move must gain more than that.
    #[inline]
    fn staying(&self, vertex: Vertex, weight: f64) -> f64 {
        let (own, degree) = (self.state.community[vertex as usize], self.state.degree[vertex as usize]);
        weight - self.state.expected(degree, self.state.total[own as usize] - degree) + LEAST_GAIN * degree
    }

    /// What it would gain in another community.
    #[inline]
    fn going(&self, vertex: Vertex, to: u32, weight: f64) -> f64 {
        weight - self.state.expected(self.state.degree[vertex as usize], self.state.total[to as usize])
    }
}

impl Choosing for Moving<'_> {
    type Choice = Move;

    fn summing(&self) -> &Summing {
        &self.state.summing
    }

    #[inline]
    fn choose(
        &self,
        list: List<'_>,
        sums: &mut impl Sums,
        mut seen: impl FnMut(Vertex, u32),
    ) -> Option<Move> {
        let (vertex, community) = (list.vertex, self.state.community.as_slice());
        list.each_other(community, |neighbour, weight| {
            let of = community[neighbour as usize];
            prefetch(&self.state.total[of as usize]);
            seen(neighbour, of);
            sums.add(of, weight);
        });
        let own = community[vertex as usize];
        let stay = sums.of(own);
        let (mut best, mut most) = (Move { to: own, stay, go: 0.0 }, self.staying(vertex, stay));
        for (to, go) in sums.all().filter(|(to, _)| *to != own) {
            let gain = self.going(vertex, to, go);
            if gain > most {
                (best, most) = (Move { to, stay, go }, gain);
            }
        }
        // Alone it gains nothing, which may be more.
        if most < 0.0 && self.state.size[own as usize] > 1 {
            best = Move { to: ALONE, stay, go: 0.0 };
        }
        sums.clear();
        (best.to != own).then_some(best)
    }

    #[inline]
    fn has(&self, vertex: Vertex) -> u32 {
        self.state.community[vertex as usize]
    }

    fn sum_again(&self, list: List<'_>, choice: &mut Move) {
        let community = self.state.community.as_slice();
        let own = community[list.vertex as usize];
        (choice.stay, choice.go) = (0.0, 0.0);
        list.each_other(community, |neighbour, weight| {
            let of = community[neighbour as usize];
            if of == own {
                choice.stay += weight;
            } else if of == choice.to {
                choice.go += weight;
            }
        });
    }

    #[inline]
    fn holds(&self, vertex: Vertex, choice: &Move) -> bool {
        let staying = self.staying(vertex, choice.stay);
        match choice.to {
            ALONE => staying < 0.0 && self.state.size[self.has(vertex) as usize] > 1,
            // Somebody it has an edge to must still be there.
            to => choice.go > 0.0 && self.going(vertex, to, choice.go) > staying,
        }
    }

    fn make(&mut self, vertex: Vertex, choice: &Move) {
        let to = if choice.to == ALONE { self.state.any_empty() } else { choice.to };
        self.state.put(vertex, to);
    }

    fn follow(&self, list: List<'_>, chosen: impl Fn(Vertex) -> bool) {
        let community = self.state.community.as_slice();
        let to = community[list.vertex as usize];
        list.each_other(community, |neighbour, _| {
            let comes = || self.now.contains(neighbour) && !chosen(neighbour);
            if community[neighbour as usize] != to && !comes() {
                self.next.insert(neighbour);
            }
        });
    }

    fn end(&self, vertex: Vertex) {
        self.now.remove(vertex);
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

#[cfg(test)]
mod tests {
    use super::super::checked::{choose_checked, lists};
    use super::super::state::Terms;
    use super::*;

    /// The sum of the weights from a vertex to others in a community.
    fn weight_to(state: &State, list: List<'_>, community: u32) -> f64 {
        let mut sum = 0.0;
        list.each(|neighbour, weight| {
            let counts = neighbour != list.vertex && state.community[neighbour as usize] == community;
            sum += if counts { weight } else { 0.0 };
        });
        sum
    }

    #[test]
    fn each_move_gains_by_what_is_there_when_it_is_made() {
        let mut lists = lists();
        let refuse = |_, _| unreachable!("no weight is refused");
        let terms = Terms { resolution: 1.0, threads: 1, longest: 1 << 10, refuse: &refuse };
        let mut state = State::new(&mut lists, None, &terms).unwrap();
        let listed = state.listed.clone();
        let vertices = listed.len() as u64;
        let (mut now, next) = (Frontier::new(vertices), Frontier::new(vertices));
        now.fill();
        let mut moving = Moving { state: &mut state, now: &now, next: &next };
        let tally = choose_checked(&mut moving, &lists, &listed, |moving, list, choice| {
            let (state, own) = (&*moving.state, moving.state.community[list.vertex as usize]);
            let stay = weight_to(state, list, own);
            assert_eq!(choice.stay, stay, "of {}", list.vertex);
            let staying = moving.staying(list.vertex, stay);
            if choice.to == ALONE {
                assert!(staying < 0.0 && state.size[own as usize] > 1);
                return;
            }
            let go = weight_to(state, list, choice.to);
            assert_eq!(choice.go, go, "of {}", list.vertex);
            assert!(go > 0.0 && moving.going(list.vertex, choice.to, go) > staying);
        });
        let (again, failed) = (tally.again.into_inner(), tally.failed.into_inner());
        assert!(tally.made > 1000 && again > 100 && failed > 10, "{} {again} {failed}", tally.made);
    }
}
