//! A walker on lists in memory, who goes on until memory must be waited for and has it fetched meanwhile.

use leadline_graph_store::format::{NO_VERTEX, Vertex};
use rayon::prelude::*;

use super::law::Law;
use super::random::{Attempt, Chance, Purpose, below, unit};
use crate::Graph;
use crate::engine::Csr;

/// Entries that are looked through one after the other: they lie in a cache line or two.
const LINE: u32 = 16;

/// After that many neighbours that were not taken, and as many as there are in the list, it is found out what
/// each of them weighs.
const PATIENCE: u32 = 64;

/// What all walkers walk on.
pub(super) struct World<'a> {
    lists: &'a Csr,
    law: Law,
    length: u32,
    /// By vertex, the most edges to one of its neighbours, where that matters and there are parallel edges.
    heaviest: Vec<u32>,
    /// Whether each edge is listed at both ends.
    is_symmetric: bool,
}

impl<'a> World<'a> {
    pub(super) fn new(graph: &Graph, lists: &'a Csr, law: Law, length: u32) -> World<'a> {
        let mut heaviest = Vec::new();
        let vertices = 0..graph.vertices() as Vertex;
        let has_parallel = |vertex| lists.list(vertex).windows(2).any(|pair| pair[0] == pair[1]);
        if law.excess > 0.0 && vertices.clone().into_par_iter().any(has_parallel) {
            let most = |vertex| lists.list(vertex).chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0);
            vertices.into_par_iter().map(|vertex| most(vertex) as u32).collect_into_vec(&mut heaviest);
        }
        World { lists, law, length, heaviest, is_symmetric: !graph.header().directed }
    }

    /// The list of a vertex.
    #[inline]
    fn span(&self, vertex: Vertex) -> Span {
        let (start, end) = self.lists.place(vertex);
        Span { start, count: end - start }
    }

    /// The most edges from a vertex, which has some, to one neighbour.
    fn heaviest(&self, vertex: Vertex) -> f64 {
        self.heaviest.get(vertex as usize).map_or(1.0, |most| f64::from(*most))
    }

    /// How many edges there are from a vertex to another one.
    fn edges(&self, from: Vertex, to: Vertex) -> f64 {
        let list = self.lists.list(from);
        let start = list.partition_point(|other| *other < to);
        list[start..].iter().take_while(|other| **other == to).count() as f64
    }
}

/// A list: where it begins, and how long it is.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    count: u32,
}

/// What a walker does next, for which memory is on its way.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// Finds the list of the vertex where it stands.
    Enter,
    /// Looks which neighbour was drawn.
    Look(u32),
    /// Finds the list of the neighbour that was drawn, to look there for the edge if it is shorter.
    Measure(Vertex),
    /// Looks for a vertex in a part of a list, from which the edge is sought; the neighbour that was drawn.
    Search(Span, Vertex, Vertex),
    /// Nothing: no edge leads on.
    End,
}

/// A walker under way.
#[derive(Debug)]
pub(super) struct Lane {
    /// Its place among those that were taken with it.
    pub(super) walker: usize,
    /// Edges followed.
    pub(super) step: u32,
    next: Next,
    chance: Chance,
    at: Vertex,
    /// The vertex before; at first [`NO_VERTEX`].
    before: Vertex,
    /// The lists of the two.
    list: Span,
    list_before: Span,
    /// Neighbours of this step that were drawn and not taken.
    tries: u32,
    /// How many edges lead to the vertex before, once it was looked.
    edges_back: Option<f64>,
}

impl Lane {
    pub(super) fn new(world: &World<'_>, walker: usize, chance: Chance, at: Vertex) -> Lane {
        world.lists.prefetch_place(at);
        let list = Span { start: 0, count: 0 };
        let (before, list_before, next) = (NO_VERTEX, list, Next::Enter);
        Lane { walker, step: 0, next, chance, at, before, list, list_before, tries: 0, edges_back: None }
    }

    /// Whether it goes no further.
    #[inline]
    pub(super) fn has_ended(&self, world: &World<'_>) -> bool {
        self.step == world.length || matches!(self.next, Next::End)
    }

    /// Goes on until memory must be waited for. The vertex where it arrives, if it makes a step; entries that
    /// it looked at are added to `looked`.
    #[inline]
    pub(super) fn go_on(&mut self, world: &World<'_>, looked: &mut u64) -> Option<Vertex> {
        match self.next {
            Next::Enter => {
                self.list = world.span(self.at);
                match self.list.count {
                    0 => self.next = Next::End,
                    _ => return self.draw(world),
                }
            }
            Next::Look(place) => {
                *looked += 1;
                return self.look(world, world.lists.entry(place));
            }
            Next::Measure(drawn) => {
                let of_drawn = world.span(drawn);
                match of_drawn.count < self.list_before.count {
                    true => self.search(world, of_drawn, self.before, drawn),
                    false => self.search(world, self.list_before, drawn, drawn),
                }
            }
            Next::Search(span, sought, drawn) => {
                *looked += u64::from(span.count.min(LINE));
                return self.seek(world, span, sought, drawn);
            }
            Next::End => {}
        }
        None
    }

    /// Draws neighbours until memory must be waited for.
    fn draw(&mut self, world: &World<'_>) -> Option<Vertex> {
        if self.tries >= self.list.count.max(PATIENCE) {
            return Some(self.draw_on(world));
        }
        loop {
            let attempt = self.attempt();
            match self.goes_back(world, attempt) {
                Some(true) => return self.take(world, self.before),
                Some(false) => {
                    self.tries += 1;
                    continue;
                }
                None => {}
            }
            let place = self.list.start + self.drawn(attempt);
            world.lists.prefetch_entry(place);
            self.next = Next::Look(place);
            return None;
        }
    }

    /// Draws until a neighbour is taken, where most weigh very little.
    #[cold]
    fn draw_on(&mut self, world: &World<'_>) -> Vertex {
        let [list, list_before] =
            [self.list, self.list_before].map(|list| world.lists.entries_at(list.start, list.count));
        let law = &world.law;
        let weight = |drawn: &Vertex| match *drawn {
            drawn if drawn == self.before => law.back,
            drawn if list_before.binary_search(&drawn).is_ok() => law.near,
            _ => law.far,
        };
        let weights: Vec<f64> = list.iter().map(weight).collect();
        // One that is alone is taken whatever it weighs.
        let is_alone = list.first() == list.last();
        loop {
            let attempt = self.attempt();
            let drawn = match self.goes_back(world, attempt) {
                Some(is_hit) => is_hit.then_some(self.before),
                None => {
                    let place = self.drawn(attempt) as usize;
                    let is_taken = self.level(world, attempt) < weights[place];
                    (is_taken || is_alone).then(|| list[place])
                }
            };
            if let Some(to) = drawn {
                self.take(world, to);
                return to;
            }
            self.tries += 1;
        }
    }

    /// Whether a try that falls in the area above the list's hits an edge back there; none where it falls in
    /// the list.
    fn goes_back(&mut self, world: &World<'_>, attempt: Attempt) -> Option<bool> {
        if world.law.excess == 0.0 || self.before == NO_VERTEX || self.list.count == 1 {
            return None;
        }
        let edges_back = self.edges_back.unwrap_or_else(|| world.heaviest(self.at));
        let draw = unit(attempt.number(Purpose::Back));
        let weight = world.law.above(draw, self.list.count.into(), edges_back)?;
        let edges_back = world.edges(self.at, self.before);
        self.edges_back = Some(edges_back);
        Some(weight < edges_back)
    }

    /// Which place of the list a try draws.
    #[inline]
    fn drawn(&self, attempt: Attempt) -> u32 {
        below(attempt.number(Purpose::Neighbour), self.list.count.into()) as u32
    }

    /// Whether to take a neighbour: from 0 to the most that an edge weighs which does not lead back.
    #[inline]
    fn level(&self, world: &World<'_>, attempt: Attempt) -> f64 {
        unit(attempt.number(Purpose::Level)) * world.law.most
    }

    /// Whether to take the neighbour that was drawn.
    #[inline]
    fn look(&mut self, world: &World<'_>, drawn: Vertex) -> Option<Vertex> {
        let law = &world.law;
        // One that is alone is taken whatever it weighs.
        if law.is_plain() || self.before == NO_VERTEX || self.list.count == 1 {
            return self.take(world, drawn);
        }
        let level = self.level(world, self.attempt());
        if drawn == self.before {
            return self.decide(world, drawn, level < law.back);
        }
        if (level < law.near) == (level < law.far) {
            return self.decide(world, drawn, level < law.near);
        }
        if world.is_symmetric && self.list_before.count > LINE {
            world.lists.prefetch_place(drawn);
            self.next = Next::Measure(drawn);
        } else {
            self.search(world, self.list_before, drawn, drawn);
        }
        None
    }

    /// Looks for a vertex in a list.
    fn search(&mut self, world: &World<'_>, list: Span, sought: Vertex, drawn: Vertex) {
        let next = if list.count > LINE { list.start + list.count / 2 } else { list.start };
        world.lists.prefetch_entry(next);
        self.next = Next::Search(list, sought, drawn);
    }

    /// Halves the part of a list in which a vertex is, or says whether it is there.
    fn seek(&mut self, world: &World<'_>, span: Span, sought: Vertex, drawn: Vertex) -> Option<Vertex> {
        let Span { mut start, mut count } = span;
        if count > LINE {
            let half = count / 2;
            if world.lists.entry(start + half) <= sought {
                start += half;
                count -= half;
            } else {
                count = half;
            }
            self.search(world, Span { start, count }, sought, drawn);
            return None;
        }
        let is_near = world.lists.entries_at(start, count).contains(&sought);
        // It is asked only where one answer means to take it.
        self.decide(world, drawn, is_near == (world.law.near > world.law.far))
    }

    /// Takes the neighbour that was drawn, or draws on.
    #[inline]
    fn decide(&mut self, world: &World<'_>, drawn: Vertex, is_taken: bool) -> Option<Vertex> {
        if is_taken {
            return self.take(world, drawn);
        }
        self.tries += 1;
        self.draw(world)
    }

    /// Makes a step.
    #[inline]
    fn take(&mut self, world: &World<'_>, to: Vertex) -> Option<Vertex> {
        world.lists.prefetch_place(to);
        (self.before, self.list_before, self.at) = (self.at, self.list, to);
        self.step += 1;
        (self.tries, self.edges_back, self.next) = (0, None, Next::Enter);
        Some(to)
    }

    /// The chance of its next try.
    #[inline]
    fn attempt(&self) -> Attempt {
        self.chance.attempt(self.step, self.tries)
    }
}
