//! The walkers that are under way together.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::WalkOptions;
use super::candidates::Candidates;
use super::hubs::Hubs;
use super::law::Law;
use super::random::{below, random, unit};
use crate::format::{Block, Direction, Directory, NO_VERTEX, Scratch, Vertex};
use crate::{Engine, Graph, GraphError, Which};

/// The tries of a walker that no edge leads on.
const ENDED: u32 = u32::MAX;

/// No weight: the bits of a number that is none.
const UNKNOWN: u64 = u64::MAX;

/// What a walker needs next, sorted by where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    block: u32,
    /// Whose list.
    vertex: Vertex,
    walker: u32,
}

/// A walker's state; touched by one thread at a time, the one that visits its block.
#[derive(Debug)]
struct Walker {
    /// Edges followed.
    step: AtomicU32,
    /// Neighbours of this step that were drawn and not taken, or [`ENDED`].
    tries: AtomicU32,
    /// A neighbour of which it must be known whether the vertex before has an edge to it; none:
    /// [`NO_VERTEX`].
    asked: AtomicU32,
    /// The bits of what the edges to the vertex before weigh together, once somebody looked; [`UNKNOWN`]
    /// until then.
    edges_back: AtomicU64,
}

/// Walkers and the ways they came.
pub(super) struct Batch<'a> {
    options: &'a WalkOptions,
    law: Law,
    hubs: &'a Hubs,
    directory: &'a Directory,
    first: u64,
    walkers: Vec<Walker>,
    /// By walker, `length` + 1 vertices.
    paths: Vec<AtomicU32>,
}

/// What a thread keeps in a sweep.
#[derive(Default)]
struct Local {
    scratch: Scratch,
    /// The weights of a list, added up.
    sums: Vec<f64>,
    edges: u64,
}

/// Whether the neighbour that was drawn is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Take(Vertex),
    Leave,
    /// That depends on an edge to it from the vertex before.
    Ask(Vertex),
}

impl<'a> Batch<'a> {
    /// Bytes in memory of so many walkers.
    pub(super) fn bytes(walkers: u64, length: u32) -> u64 {
        let path = (u64::from(length) + 1) * 4;
        // Tasks are put together from what the threads make; beside them are their blocks, and at first the
        // starts.
        walkers.saturating_mul(path + (size_of::<Walker>() + 2 * size_of::<Task>() + 8) as u64)
    }

    pub(super) fn new(
        graph: &'a Graph,
        options: &'a WalkOptions,
        hubs: &'a Hubs,
        first: u64,
        starts: Vec<Vertex>,
    ) -> Batch<'a> {
        let stride = options.length as usize + 1;
        let paths: Vec<AtomicU32> = (0..starts.len() * stride).map(|_| AtomicU32::new(NO_VERTEX)).collect();
        for (walker, start) in starts.iter().enumerate() {
            paths[walker * stride].store(*start, Relaxed);
        }
        let walker = || Walker {
            step: 0.into(),
            tries: 0.into(),
            asked: NO_VERTEX.into(),
            edges_back: UNKNOWN.into(),
        };
        let walkers = starts.iter().map(|_| walker()).collect();
        let directory = graph.directory(Direction::Forward);
        Batch { options, law: Law::new(options), hubs, directory, first, walkers, paths }
    }

    /// Round by round, until all have arrived.
    pub(super) fn walk(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let mut tasks: Vec<Task> = Vec::with_capacity(self.walkers.len());
        loop {
            tasks.clear();
            let all = (0..self.walkers.len() as u32).into_par_iter();
            tasks.par_extend(all.filter_map(|walker| self.task(walker)));
            if tasks.is_empty() {
                return Ok(());
            }
            tasks.par_sort_unstable();
            let mut blocks: Vec<u32> = tasks.iter().map(|task| task.block).collect();
            blocks.dedup();
            let tasks = &tasks;
            let which = Which::Blocks(&blocks);
            let locals = engine.sweep(Direction::Forward, which, Local::default, |local, block| {
                let start = tasks.partition_point(|task| task.block < block.number());
                let end = tasks.partition_point(|task| task.block <= block.number());
                for group in tasks[start..end].chunk_by(|a, b| a.vertex == b.vertex) {
                    self.serve(group, block, local);
                }
            })?;
            engine.looked_at(locals.iter().map(|local| local.edges).sum());
        }
    }

    /// Hands all walks on; the edges they followed.
    pub(super) fn give(
        &self,
        sink: &mut impl FnMut(u64, &[Vertex]) -> Result<(), GraphError>,
    ) -> Result<u64, GraphError> {
        let mut steps = 0;
        let mut walk = Vec::new();
        for (i, walker) in self.walkers.iter().enumerate() {
            let step = walker.step.load(Relaxed);
            walk.clear();
            walk.extend((0..=step).map(|step| self.vertex(i as u32, step)));
            sink(self.first + i as u64, &walk)?;
            steps += u64::from(step);
        }
        Ok(steps)
    }

    /// The list that a walker waits for; none where it has arrived.
    fn task(&self, walker: u32) -> Option<Task> {
        let state = &self.walkers[walker as usize];
        let (step, tries, asked) =
            (state.step.load(Relaxed), state.tries.load(Relaxed), state.asked.load(Relaxed));
        if step == self.options.length || tries == ENDED {
            return None;
        }
        let asks = asked != NO_VERTEX;
        let vertex = self.vertex(walker, if asks { step - 1 } else { step });
        let block = match self.hubs.get(vertex) {
            None => self.directory.block_of(vertex),
            Some(hub) if asks => self.hubs.block_of_neighbour(hub, asked),
            Some(hub) if self.above(walker, step, tries, hub.weight, hub.heaviest).is_some() => {
                self.hubs.block_of_neighbour(hub, self.vertex(walker, step - 1))
            }
            Some(hub) if self.options.weighted => {
                self.hubs.block_of_weight(hub, unit(self.draw(walker, step, tries)) * hub.weight)
            }
            Some(hub) => self.hubs.block_of_number(hub, below(self.draw(walker, step, tries), hub.degree)),
        };
        Some(Task { block, vertex, walker })
    }

    /// Serves all walkers that wait for the list, or piece of one, of one vertex.
    fn serve(&self, group: &[Task], block: &Block<'_>, local: &mut Local) {
        let vertex = group[0].vertex;
        let list = block.list(vertex, &mut local.scratch);
        local.edges += list.neighbours.len() as u64;
        let hub = self.hubs.get(vertex).map(|hub| (hub, self.hubs.piece(hub, block.number())));
        if self.options.weighted {
            let mut sum = hub.map_or(0.0, |(_, piece)| piece.weight_before);
            local.sums.clear();
            local.sums.extend(list.weights.iter().map(|weight| {
                sum += weight.max(0.0);
                sum
            }));
        }
        let candidates = Candidates::new(list, &local.sums, hub, &self.law, self.options.weighted);
        for task in group {
            let state = &self.walkers[task.walker as usize];
            match state.asked.load(Relaxed) {
                NO_VERTEX => self.choose(task.walker, state, block.number(), &candidates),
                asked => self.answer(
                    task.walker,
                    state,
                    asked,
                    candidates.list.neighbours.binary_search(&asked).is_ok(),
                ),
            }
        }
    }

    /// Draws neighbours until one is taken or must be asked for; of a hub's list as long as
    /// they are in this piece of it.
    fn choose(&self, walker: u32, state: &Walker, block: u32, candidates: &Candidates<'_>) {
        let step = state.step.load(Relaxed);
        if candidates.degree == 0 || self.options.weighted && candidates.weight <= 0.0 {
            return state.tries.store(ENDED, Relaxed);
        }
        loop {
            let tries = state.tries.load(Relaxed);
            match self.verdict(walker, step, tries, candidates) {
                Verdict::Take(neighbour) => return self.go(walker, state, neighbour),
                Verdict::Ask(neighbour) => return state.asked.store(neighbour, Relaxed),
                Verdict::Leave => state.tries.store(tries + 1, Relaxed),
            }
            if !candidates.whole && self.task(walker).is_none_or(|task| task.block != block) {
                return;
            }
        }
    }

    /// One try.
    fn verdict(&self, walker: u32, step: u32, tries: u32, candidates: &Candidates<'_>) -> Verdict {
        if candidates.only_one() {
            return Verdict::Take(candidates.list.neighbours[0]);
        }
        if let Some(weight) = self.above(walker, step, tries, candidates.weight, candidates.heaviest) {
            let before = self.vertex(walker, step - 1);
            let edges_back = candidates.edges_to(before);
            self.walkers[walker as usize].edges_back.store(edges_back.to_bits(), Relaxed);
            return if weight < edges_back { Verdict::Take(before) } else { Verdict::Leave };
        }
        let neighbour = candidates.neighbour(self.draw(walker, step, tries));
        if step == 0 || self.law.is_plain() {
            return Verdict::Take(neighbour);
        }
        let level = self.level(walker, step, tries);
        let decided = |weight: f64| if level < weight { Verdict::Take(neighbour) } else { Verdict::Leave };
        if neighbour == self.vertex(walker, step - 1) {
            decided(self.law.back)
        } else if (level < self.law.near) == (level < self.law.far) {
            decided(self.law.near)
        } else {
            Verdict::Ask(neighbour)
        }
    }

    /// Whether a try falls in the area above the list's, and which weight of edges back is just too little
    /// there.
    fn above(&self, walker: u32, step: u32, tries: u32, weight: f64, heaviest: f64) -> Option<f64> {
        if step == 0 || self.law.excess == 0.0 {
            return None;
        }
        let edges_back = match self.walkers[walker as usize].edges_back.load(Relaxed) {
            UNKNOWN => heaviest,
            known => f64::from_bits(known),
        };
        let draw = unit(random(self.options.seed, self.first + u64::from(walker), step, tries, 3));
        self.law.above(draw, weight, edges_back)
    }

    /// What a walker asked is known: whether an edge leads to the neighbour from the vertex before.
    fn answer(&self, walker: u32, state: &Walker, asked: Vertex, found: bool) {
        state.asked.store(NO_VERTEX, Relaxed);
        let (step, tries) = (state.step.load(Relaxed), state.tries.load(Relaxed));
        let weight = if found { self.law.near } else { self.law.far };
        if self.level(walker, step, tries) < weight {
            self.go(walker, state, asked);
        } else {
            state.tries.store(tries + 1, Relaxed);
        }
    }

    fn go(&self, walker: u32, state: &Walker, to: Vertex) {
        let step = state.step.load(Relaxed) + 1;
        self.path(walker, step).store(to, Relaxed);
        state.step.store(step, Relaxed);
        state.tries.store(0, Relaxed);
        state.edges_back.store(UNKNOWN, Relaxed);
    }

    /// Which neighbour.
    fn draw(&self, walker: u32, step: u32, tries: u32) -> u64 {
        random(self.options.seed, self.first + u64::from(walker), step, tries, 0)
    }

    /// Whether to take it: from 0 to the most that an edge weighs which does not lead back.
    fn level(&self, walker: u32, step: u32, tries: u32) -> f64 {
        unit(random(self.options.seed, self.first + u64::from(walker), step, tries, 1)) * self.law.most
    }

    fn vertex(&self, walker: u32, step: u32) -> Vertex {
        self.path(walker, step).load(Relaxed)
    }

    fn path(&self, walker: u32, step: u32) -> &AtomicU32 {
        &self.paths[walker as usize * (self.options.length as usize + 1) + step as usize]
    }
}
