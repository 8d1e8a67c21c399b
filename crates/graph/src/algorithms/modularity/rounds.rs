//! A batch of vertices that choose for themselves, on all threads: how they choose at the same time, and
//! come out as if they had done so one after the other.
//!
//! A batch is taken in rounds. In each, some vertices that lie apart choose by what there was before the
//! round; then the choices are made true one after the other, where they still hold: that is checked in a
//! few steps, and who cannot keep to a choice chooses again. What follows from that is done on all threads
//! again. Which vertices a round has is decided by chance, and by nothing else, so the number of threads and
//! who was first change nothing.

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

use super::super::walk::random::mix;
use super::batches::{Batch, WINDOW};
use super::lists::{List, View};
use super::near::{Lent, Summing, Sums};

/// Rounds of a batch: more of them, and fewer neighbours choose at the same time.
const ROUNDS: usize = 8;

/// Batches with fewer entries are one thread's: each vertex sees what all before it have chosen.
const LEAST_ENTRIES: u64 = 1 << 15;

/// Entries of the lists that a thread takes at a time, at least.
const TASK_ENTRIES: usize = 1024;

/// A neighbour that chooses before in the same round, and what it had before.
pub(super) type Earlier = (Vertex, u32);

/// What vertices choose.
pub(super) trait Choosing: Sync {
    type Choice: Send + Sync;

    /// What sums are made with.
    fn summing(&self) -> &Summing;

    /// What a vertex would choose, if anything. `seen` is called with each neighbour whose choice may change
    /// that, and what it has.
    fn choose(
        &self,
        list: List<'_>,
        sums: &mut impl Sums,
        seen: impl FnMut(Vertex, u32),
    ) -> Option<Self::Choice>;

    /// What a neighbour has now, of what `seen` was called with.
    fn has(&self, vertex: Vertex) -> u32;

    /// Sums up again what a choice was made by, after neighbours have chosen.
    fn sum_again(&self, list: List<'_>, choice: &mut Self::Choice);

    /// Whether a choice is still good.
    fn holds(&self, vertex: Vertex, choice: &Self::Choice) -> bool;

    /// Makes it true.
    fn make(&mut self, vertex: Vertex, choice: &Self::Choice);

    /// What follows for the neighbours of a vertex that chose; `chosen` says of which of them it is known
    /// that their turn is over.
    fn follow(&self, list: List<'_>, chosen: impl Fn(Vertex) -> bool);

    /// Notes that a vertex's turn is over.
    fn end(&self, vertex: Vertex);
}

/// The choices of some vertices of a round.
struct Task<C> {
    /// Places of vertices in the batch.
    from: usize,
    to: usize,
    /// The places of those that chose, what they chose, and where their part of `earlier` ends.
    chosen: Vec<(u32, C, u32)>,
    earlier: Vec<Earlier>,
}

/// Has all vertices of a batch choose; whether any did.
pub(super) fn choose_all<C: Choosing>(choosing: &mut C, view: View<'_>, batch: &Batch, order: u64) -> bool {
    if batch.entries < LEAST_ENTRIES {
        return one_by_one(choosing, view, order);
    }
    let (places, ends) = rounds(view, order);
    let (mut start, mut any) = (0, false);
    let mut before: Vec<Task<C::Choice>> = Vec::new();
    for (number, end) in ends.into_iter().chain([places.len()]).enumerate() {
        let round = &places[start..end];
        let mut tasks = tasks(view, round);
        let own = |vertex: Vertex| batch.range.contains(&vertex).then(|| round_of(vertex, order));
        let chosen = |vertex: Vertex| own(vertex).is_some_and(|round| round < number);
        let same = |vertex: Vertex| own(vertex).is_some_and(|round| round == number);
        let shared = &*choosing;
        both(
            (&mut before, |task| {
                task.chosen.iter().for_each(|(at, ..)| shared.follow(view.list(*at as usize), chosen));
            }),
            (&mut tasks, |task| choose_task(shared, view, round, task, same)),
        );
        for task in &mut tasks {
            any |= make_task(choosing, view, task);
        }
        (start, before) = (end, tasks);
    }
    view.vertices.iter().for_each(|vertex| choosing.end(*vertex));
    any
}

/// In which round a vertex chooses.
#[inline]
fn round_of(vertex: Vertex, order: u64) -> usize {
    let value = u64::from(vertex) ^ order;
    let value = (value ^ (value >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    ((value ^ (value >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 60) as usize % ROUNDS
}

/// The places of a batch's vertices, round by round, and where each round ends.
fn rounds(view: View<'_>, order: u64) -> (Vec<u32>, [usize; ROUNDS]) {
    let mut starts = [0; ROUNDS];
    view.vertices.iter().for_each(|vertex| starts[round_of(*vertex, order)] += 1);
    let mut sum = 0;
    for start in &mut starts {
        (*start, sum) = (sum, sum + *start);
    }
    let mut places = vec![0; view.vertices.len()];
    let mut ends = starts;
    for (at, vertex) in (0..).zip(view.vertices) {
        let end = &mut ends[round_of(*vertex, order)];
        places[*end] = at;
        *end += 1;
    }
    (places, ends)
}

/// Shares out the vertices of a round.
fn tasks<C>(view: View<'_>, round: &[u32]) -> Vec<Task<C>> {
    let mut tasks = Vec::new();
    let (mut from, mut entries) = (0, 0);
    for (at, place) in round.iter().enumerate() {
        entries += 8 + view.list(*place as usize).len();
        if entries >= TASK_ENTRIES || at + 1 == round.len() {
            tasks.push(Task { from, to: at + 1, chosen: Vec::new(), earlier: Vec::new() });
            (from, entries) = (at + 1, 0);
        }
    }
    tasks
}

/// Does all tasks of two kinds, on all threads of the pool if the caller is one of them.
fn both<T: Send>(
    (ones, one): (&mut [T], impl Fn(&mut T) + Sync + Send),
    (others, other): (&mut [T], impl Fn(&mut T) + Sync + Send),
) {
    match rayon::current_thread_index() {
        Some(_) if rayon::current_num_threads() > 1 => {
            rayon::join(|| ones.par_iter_mut().for_each(one), || others.par_iter_mut().for_each(other));
        }
        _ => {
            ones.iter_mut().for_each(one);
            others.iter_mut().for_each(other);
        }
    }
}

fn choose_task<C: Choosing>(
    choosing: &C,
    view: View<'_>,
    round: &[u32],
    task: &mut Task<C::Choice>,
    same_round: impl Fn(Vertex) -> bool,
) {
    for at in &round[task.from..task.to] {
        let list = view.list(*at as usize);
        let before = task.earlier.len();
        let seen = |neighbour: Vertex, has: u32| {
            if neighbour < list.vertex && same_round(neighbour) {
                task.earlier.push((neighbour, has));
            }
        };
        match lent(choosing, list, seen) {
            Some(choice) => task.chosen.push((*at, choice, task.earlier.len() as u32)),
            None => task.earlier.truncate(before),
        }
    }
}

/// [`Choosing::choose`], with what the thread sums with.
fn lent<C: Choosing>(choosing: &C, list: List<'_>, seen: impl FnMut(Vertex, u32)) -> Option<C::Choice> {
    match choosing.summing().lend(list.len()) {
        Lent::Table(mut sums) => choosing.choose(list, &mut *sums, seen),
        Lent::Dense(mut sums) => choosing.choose(list, &mut *sums, seen),
    }
}

/// Makes choices true, and forgets those that are not kept; whether any was kept.
fn make_task<C: Choosing>(choosing: &mut C, view: View<'_>, task: &mut Task<C::Choice>) -> bool {
    let mut start = 0;
    task.chosen.retain_mut(|(at, choice, end)| {
        let list = view.list(*at as usize);
        let earlier = &task.earlier[start..*end as usize];
        start = *end as usize;
        if earlier.iter().any(|(neighbour, had)| choosing.has(*neighbour) != *had) {
            choosing.sum_again(list, choice);
        }
        if !choosing.holds(list.vertex, choice) {
            let Some(again) = lent(choosing, list, |_, _| {}) else { return false };
            *choice = again;
        }
        choosing.make(list.vertex, choice);
        true
    });
    !task.chosen.is_empty()
}

/// Has vertices choose one after the other, window by window, in an order that chance decides.
fn one_by_one<C: Choosing>(choosing: &mut C, view: View<'_>, order: u64) -> bool {
    let mut any = false;
    let mut places: Vec<usize> = Vec::with_capacity(WINDOW as usize);
    let mut first = 0;
    for window in view.vertices.chunk_by(|one, next| u64::from(*one) / WINDOW == u64::from(*next) / WINDOW) {
        places.clear();
        places.extend(first..first + window.len());
        places.sort_by_cached_key(|at| mix(order ^ u64::from(view.vertices[*at])));
        first += window.len();
        for at in &places {
            let list = view.list(*at);
            let choice = lent(choosing, list, |_, _| {});
            choosing.end(list.vertex);
            if let Some(choice) = choice {
                choosing.make(list.vertex, &choice);
                choosing.follow(list, |_| false);
                any = true;
            }
        }
    }
    any
}
