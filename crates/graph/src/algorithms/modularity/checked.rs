//! For tests: whether choices that vertices make at the same time are checked before they are made true.

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::Vertex;

use super::batches::batches;
use super::lists::{List, MemoryLists, View};
use super::near::{Summing, Sums};
use super::rounds::{Choosing, choose_all};
use crate::Frontier;

/// Lists with more entries than one thread's batch has, of vertices that have much in common.
pub(super) fn lists() -> MemoryLists {
    const VERTICES: usize = 2000;
    let mut rng = fastrand::Rng::with_seed(1);
    let mut edges = vec![Vec::new(); VERTICES];
    for from in 0..VERTICES {
        for _ in 0..16 {
            // Most neighbours are near, in groups of 50.
            let to = if rng.u32(..8) == 0 { rng.usize(..VERTICES) } else { from / 50 * 50 + rng.usize(..50) };
            if from != to {
                edges[from].push(to as Vertex);
                edges[to].push(from as Vertex);
            }
        }
    }
    let mut lists = MemoryLists { loops: 2.0, ..MemoryLists::default() };
    for mut list in edges {
        list.sort_unstable();
        lists.neighbours.extend(list);
        lists.ends.push(lists.neighbours.len() as u64);
    }
    lists
}

/// How often what was chosen was summed up again, did not hold, and was made true.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) again: AtomicU32,
    pub(super) failed: AtomicU32,
    pub(super) made: u32,
}

/// Has all vertices choose once; asks `check` about each choice at the moment when it is made true.
pub(super) fn choose_checked<C: Choosing>(
    choosing: &mut C,
    lists: &MemoryLists,
    listed: &[u32],
    check: impl Fn(&C, List<'_>, &C::Choice) + Sync,
) -> Tally {
    let mut all = Frontier::new(listed.len() as u64);
    all.fill();
    let vertices: Vec<Vertex> = (0..listed.len() as Vertex).collect();
    let mut checked = Checked { choosing, lists, check, tally: Tally::default() };
    for batch in batches(&all, listed, false) {
        let vertices = &vertices[batch.range.start as usize..batch.range.end as usize];
        choose_all(&mut checked, View { lists, vertices, first: None }, &batch, 1);
    }
    checked.tally
}

struct Checked<'a, C, F> {
    choosing: &'a mut C,
    lists: &'a MemoryLists,
    check: F,
    tally: Tally,
}

impl<C: Choosing, F: Fn(&C, List<'_>, &C::Choice) + Sync> Choosing for Checked<'_, C, F> {
    type Choice = C::Choice;

    fn summing(&self) -> &Summing {
        self.choosing.summing()
    }

    fn choose(
        &self,
        list: List<'_>,
        sums: &mut impl Sums,
        seen: impl FnMut(Vertex, u32),
    ) -> Option<C::Choice> {
        self.choosing.choose(list, sums, seen)
    }

    fn has(&self, vertex: Vertex) -> u32 {
        self.choosing.has(vertex)
    }

    fn sum_again(&self, list: List<'_>, choice: &mut C::Choice) {
        self.tally.again.fetch_add(1, Ordering::Relaxed);
        self.choosing.sum_again(list, choice);
    }

    fn holds(&self, vertex: Vertex, choice: &C::Choice) -> bool {
        let holds = self.choosing.holds(vertex, choice);
        self.tally.failed.fetch_add(u32::from(!holds), Ordering::Relaxed);
        holds
    }

    fn make(&mut self, vertex: Vertex, choice: &C::Choice) {
        (self.check)(self.choosing, self.lists.list(vertex as usize, vertex), choice);
        self.tally.made += 1;
        self.choosing.make(vertex, choice);
    }

    fn follow(&self, list: List<'_>, chosen: impl Fn(Vertex) -> bool) {
        self.choosing.follow(list, chosen);
    }

    fn end(&self, vertex: Vertex) {
        self.choosing.end(vertex);
    }
}
