//! The walkers that are under way together.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use leadline_files::huge_vec;
use leadline_graph_store::format::{Block, Direction, Directory, NO_VERTEX, Scratch, Vertex};
use rayon::prelude::*;

use super::WalkOptions;
use super::candidates::Candidates;
use super::hubs::{Hub, Hubs};
use super::law::Law;
use super::queues::Queues;
use super::random::{Attempt, Chance, Purpose, below, unit};
use crate::prefetch::prefetch;
use crate::{Engine, Graph, GraphError, Which};

/// The tries of a walker that no edge leads on.
const ENDED: u32 = u32::MAX;

/// No weight: the bits of a number that is none.
const UNKNOWN: u64 = u64::MAX;

/// No block: the walker has arrived.
const NO_BLOCK: u32 = u32::MAX;

/// Walkers of a block that are sorted together. Their states fit in a processor's nearest cache.
const CHUNK: usize = 256;

/// Neighbours that a walker asks for at a time.
const ASKED: usize = 3;

/// A walker's state; touched by one thread at a time, the one that visits its block.
#[derive(Debug)]
struct Walker {
    /// The block it waits for, or [`NO_BLOCK`].
    block: AtomicU32,
    /// The vertex where it stands.
    at: AtomicU32,
    /// The one before; at first [`NO_VERTEX`].
    before: AtomicU32,
    /// Edges followed.
    step: AtomicU32,
    /// Neighbours of this step that were drawn, those that are asked for among them, or [`ENDED`].
    tries: AtomicU32,
    /// Neighbours, in the order in which they were drawn, of which it must be known whether the vertex before
    /// has an edge to them; [`NO_VERTEX`] behind the last. The first for which the answer is right is taken.
    asked: [AtomicU32; ASKED],
    /// The neighbour to take if none of these is, or [`NO_VERTEX`] to draw on.
    otherwise: AtomicU32,
    /// The bits of what the edges to the vertex before weigh together, once somebody looked; [`UNKNOWN`]
    /// until then.
    edges_back: AtomicU64,
}

impl Walker {
    /// The vertex whose list it needs: the one before where it asks for an edge from there.
    fn needs_list_of(&self) -> Vertex {
        if self.first_asked() == NO_VERTEX { self.at.load(Relaxed) } else { self.before.load(Relaxed) }
    }

    /// The neighbour that it asks for first, or [`NO_VERTEX`].
    fn first_asked(&self) -> Vertex {
        self.asked[0].load(Relaxed)
    }

    /// The neighbour that it asks for first is not taken.
    fn forget_asked(&self) {
        for (asked, next) in self.asked.iter().zip(&self.asked[1..]) {
            asked.store(next.load(Relaxed), Relaxed);
        }
        self.asked[ASKED - 1].store(NO_VERTEX, Relaxed);
    }

    /// The chance of its next try.
    fn attempt(&self, chance: Chance) -> Attempt {
        chance.attempt(self.step.load(Relaxed), self.tries.load(Relaxed))
    }

    /// A neighbour was drawn.
    fn drew(&self) {
        self.tries.store(self.tries.load(Relaxed) + 1, Relaxed);
    }

    /// Moves to a neighbour; the edges followed then.
    fn go(&self, to: Vertex) -> u32 {
        let step = self.step.load(Relaxed) + 1;
        self.step.store(step, Relaxed);
        self.before.store(self.at.load(Relaxed), Relaxed);
        self.at.store(to, Relaxed);
        self.tries.store(0, Relaxed);
        self.edges_back.store(UNKNOWN, Relaxed);
        self.asked.iter().for_each(|asked| asked.store(NO_VERTEX, Relaxed));
        self.otherwise.store(NO_VERTEX, Relaxed);
        step
    }
}

/// Walkers and the ways they came.
pub(super) struct Batch<'a> {
    graph: &'a Graph,
    options: &'a WalkOptions,
    law: Law,
    hubs: &'a Hubs,
    directory: &'a Directory,
    first: u64,
    walkers: Vec<Walker>,
    /// Vertices by step, then by walker: walkers that are equally far write to one part of it, which stays in
    /// the processor's cache.
    paths: Vec<AtomicU32>,
}

/// What a thread keeps in a sweep.
#[derive(Default)]
struct Local {
    /// Vertices whose lists walkers wait for, and the walkers.
    tasks: Vec<(Vertex, u32)>,
    /// The same for those that stay in the block.
    again: Vec<(Vertex, u32)>,
    scratch: Scratch,
    /// The weights of a list, added up.
    sums: Vec<f64>,
    edges: u64,
    /// Walkers that need no other block.
    arrived: usize,
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
    /// Bytes in memory of that many walkers.
    pub(super) fn bytes(walkers: u64, length: u32) -> u64 {
        let path = (u64::from(length) + 1) * 4;
        // At first there are the starts as well.
        walkers.saturating_mul(path + size_of::<Walker>() as u64 + Queues::BYTES_PER_WALKER + 4)
    }

    /// Bytes in memory in addition to the walkers.
    pub(super) fn fixed_bytes(directory: &Directory, threads: u64) -> u64 {
        let blocks = directory.blocks();
        Queues::fixed_bytes(blocks, threads) + threads * (2 * CHUNK * size_of::<(Vertex, u32)>()) as u64
    }

    pub(super) fn new(
        graph: &'a Graph,
        options: &'a WalkOptions,
        hubs: &'a Hubs,
        first: u64,
        starts: Vec<Vertex>,
    ) -> Batch<'a> {
        let mut paths = huge_vec(starts.len() * (options.length as usize + 1));
        paths.extend(starts.iter().map(|start| AtomicU32::new(*start)));
        paths.resize_with(starts.len() * (options.length as usize + 1), || NO_VERTEX.into());
        let walker = |start: &Vertex| Walker {
            block: NO_BLOCK.into(),
            at: (*start).into(),
            before: NO_VERTEX.into(),
            step: 0.into(),
            tries: 0.into(),
            asked: std::array::from_fn(|_| NO_VERTEX.into()),
            otherwise: NO_VERTEX.into(),
            edges_back: UNKNOWN.into(),
        };
        let mut walkers = huge_vec(starts.len());
        walkers.extend(starts.iter().map(walker));
        let directory = graph.directory(Direction::Forward);
        Batch { graph, options, law: Law::new(options), hubs, directory, first, walkers, paths }
    }

    /// Round by round, until all have arrived.
    pub(super) fn walk(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let begin = |(walker, state): (usize, &Walker)| {
            let wanted = self.wanted(state, self.chance(walker as u32));
            state.block.store(wanted.map_or(NO_BLOCK, |(_, block)| block), Relaxed);
            usize::from(wanted.is_some())
        };
        let mut waiting: usize = self.walkers.par_iter().enumerate().map(begin).sum();
        let mut queues = Queues::new(self.walkers.len(), self.directory.blocks(), engine.threads());
        let mut round = 0;
        while waiting > 0 {
            engine.expect(self.share(round)..self.share(round + 1));
            round += 1;
            queues.fill(waiting, |walker| self.waits_for(walker));
            let which = Which::Blocks(queues.blocks());
            let locals = engine.sweep(Direction::Forward, which, Local::default, |local, block| {
                self.visit(block, &queues, local);
            })?;
            engine.add_scanned_edges(locals.iter().map(|local| local.edges).sum());
            waiting -= locals.iter().map(|local| local.arrived).sum::<usize>();
        }
        Ok(())
    }

    /// About what share of all walks is done after that many rounds of these: most take a step in each.
    fn share(&self, rounds: u32) -> f64 {
        let steps = f64::from(rounds.min(self.options.length)) / f64::from(self.options.length);
        let done = self.first as f64 + self.walkers.len() as f64 * steps;
        done / self.graph.walk_count(self.options) as f64
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
            walk.extend((0..=step).map(|step| self.path(i as u32, step).load(Relaxed)));
            sink(self.first + i as u64, &walk)?;
            steps += u64::from(step);
        }
        Ok(steps)
    }

    /// The block that a walker waits for, and the vertex whose list it needs; none where it has arrived.
    fn waits_for(&self, walker: u32) -> Option<(u32, Vertex)> {
        let state = &self.walkers[walker as usize];
        let block = state.block.load(Relaxed);
        (block != NO_BLOCK).then(|| (block, state.needs_list_of()))
    }

    /// The vertex whose list a walker needs, and the block that has what it needs of it; none where the
    /// walker has arrived.
    fn wanted(&self, state: &Walker, chance: Chance) -> Option<(Vertex, u32)> {
        if state.step.load(Relaxed) == self.options.length || state.tries.load(Relaxed) == ENDED {
            return None;
        }
        let vertex = state.needs_list_of();
        let (block, hub) = self.hubs.locate(self.directory, vertex);
        let Some(hub) = hub else { return Some((vertex, block)) };
        let block = match state.first_asked() {
            NO_VERTEX => self.drawn_in(hub, state, chance),
            asked => self.hubs.block_of_neighbour(hub, asked),
        };
        Some((vertex, block))
    }

    /// The block with the piece of a hub's list in which the next draw falls.
    fn drawn_in(&self, hub: &Hub, state: &Walker, chance: Chance) -> u32 {
        let attempt = state.attempt(chance);
        if self.above(state, attempt, hub.weight, hub.heaviest).is_some() {
            self.hubs.block_of_neighbour(hub, state.before.load(Relaxed))
        } else if self.options.weighted {
            self.hubs.block_of_weight(hub, unit(attempt.number(Purpose::Neighbour)) * hub.weight)
        } else {
            self.hubs.block_of_number(hub, below(attempt.number(Purpose::Neighbour), hub.degree))
        }
    }

    /// Lets all walkers that wait for a block go on until they need another.
    fn visit(&self, block: &Block<'_>, queues: &Queues, local: &mut Local) {
        let mut waiting = queues.of(block.number());
        while !self.graph.stopped() {
            local.tasks.clear();
            local.tasks.append(&mut local.again);
            let room = CHUNK.saturating_sub(local.tasks.len());
            local.tasks.extend(waiting.by_ref().take(room).inspect(|(_, walker)| {
                let state = &self.walkers[*walker as usize];
                prefetch(state);
                prefetch(&state.edges_back);
            }));
            if local.tasks.is_empty() {
                return;
            }
            local.tasks.sort_unstable();
            self.serve(block, local);
        }
    }

    /// Serves walkers that wait for lists in a block, or for pieces of them.
    fn serve(&self, block: &Block<'_>, local: &mut Local) {
        for group in local.tasks.chunk_by(|one, next| one.0 == next.0) {
            let vertex = group[0].0;
            let list = block.list(vertex, &mut local.scratch);
            local.edges += list.neighbours.len() as u64;
            let hub = match block.is_piece(vertex) {
                true => self.hubs.locate(self.directory, vertex).1,
                false => None,
            };
            let piece = hub.map(|hub| (hub, self.hubs.piece(hub, block.number())));
            // To answer what is asked takes no more than the list.
            let draws =
                |(_, walker): &(Vertex, u32)| self.walkers[*walker as usize].first_asked() == NO_VERTEX;
            let is_drawn_from = group.iter().any(draws);
            if self.options.weighted && is_drawn_from {
                let mut sum = piece.map_or(0.0, |(_, piece)| piece.weight_before);
                local.sums.clear();
                local.sums.extend(list.weights.iter().map(|weight| {
                    sum += weight.max(0.0);
                    sum
                }));
            }
            let with_heaviest = is_drawn_from && self.law.excess > 0.0;
            let candidates = Candidates::new(list, &local.sums, piece, with_heaviest, self.options.weighted);
            for (_, walker) in group {
                let (state, chance) = (&self.walkers[*walker as usize], self.chance(*walker));
                let taken = if state.first_asked() == NO_VERTEX {
                    let draws_here =
                        || hub.is_none_or(|hub| self.drawn_in(hub, state, chance) == block.number());
                    self.choose(state, chance, &candidates, draws_here)
                } else {
                    let is_here = |asked| {
                        hub.is_none_or(|hub| self.hubs.block_of_neighbour(hub, asked) == block.number())
                    };
                    self.answer(state, &candidates, is_here)
                };
                if let Some(to) = taken {
                    self.path(*walker, state.go(to)).store(to, Relaxed);
                }
                match self.wanted(state, chance) {
                    Some((vertex, wanted)) if wanted == block.number() => local.again.push((vertex, *walker)),
                    Some((_, wanted)) => state.block.store(wanted, Relaxed),
                    None => {
                        state.block.store(NO_BLOCK, Relaxed);
                        local.arrived += 1;
                    }
                }
            }
        }
    }

    /// Draws neighbours until one is taken, which is returned, or must be asked for; then also those that are
    /// drawn if that one turns out not to be taken, so that all can be asked for at once. Of a hub's list as
    /// long as the walker `draws_here`, in this piece of it.
    fn choose(
        &self,
        state: &Walker,
        chance: Chance,
        candidates: &Candidates<'_>,
        draws_here: impl Fn() -> bool,
    ) -> Option<Vertex> {
        if candidates.degree == 0 || self.options.weighted && candidates.weight <= 0.0 {
            state.tries.store(ENDED, Relaxed);
            return None;
        }
        let mut asked = 0;
        loop {
            match self.verdict(state, state.attempt(chance), candidates) {
                Verdict::Take(neighbour) if asked == 0 => return Some(neighbour),
                Verdict::Take(neighbour) => {
                    state.otherwise.store(neighbour, Relaxed);
                    return None;
                }
                Verdict::Ask(neighbour) => {
                    state.asked[asked].store(neighbour, Relaxed);
                    asked += 1;
                }
                Verdict::Leave => {}
            }
            state.drew();
            if asked == ASKED || !draws_here() {
                return None;
            }
        }
    }

    /// One try.
    fn verdict(&self, state: &Walker, attempt: Attempt, candidates: &Candidates<'_>) -> Verdict {
        if candidates.only_one() {
            return Verdict::Take(candidates.list.neighbours[0]);
        }
        let before = state.before.load(Relaxed);
        if let Some(weight) = self.above(state, attempt, candidates.weight, candidates.heaviest) {
            let edges_back = candidates.edges_to(before);
            state.edges_back.store(edges_back.to_bits(), Relaxed);
            return if weight < edges_back { Verdict::Take(before) } else { Verdict::Leave };
        }
        let neighbour = candidates.neighbour(attempt.number(Purpose::Neighbour));
        if before == NO_VERTEX || self.law.is_plain() {
            return Verdict::Take(neighbour);
        }
        let level = self.level(attempt);
        let decided = |weight: f64| if level < weight { Verdict::Take(neighbour) } else { Verdict::Leave };
        if neighbour == before {
            decided(self.law.back)
        } else if (level < self.law.near) == (level < self.law.far) {
            decided(self.law.near)
        } else {
            Verdict::Ask(neighbour)
        }
    }

    /// Whether a try falls in the area above the list's, and which weight of edges back is just too little
    /// there.
    fn above(&self, state: &Walker, attempt: Attempt, weight: f64, heaviest: f64) -> Option<f64> {
        if self.law.excess == 0.0 || state.before.load(Relaxed) == NO_VERTEX {
            return None;
        }
        let edges_back = match state.edges_back.load(Relaxed) {
            UNKNOWN => heaviest,
            known => f64::from_bits(known),
        };
        self.law.above(unit(attempt.number(Purpose::Back)), weight, edges_back)
    }

    /// The list of the vertex before answers what a walker asked; of a hub's as far as it is here. The
    /// neighbour that is taken, if one is.
    fn answer(
        &self,
        state: &Walker,
        candidates: &Candidates<'_>,
        is_here: impl Fn(Vertex) -> bool,
    ) -> Option<Vertex> {
        loop {
            let asked = state.first_asked();
            if asked == NO_VERTEX {
                let otherwise = state.otherwise.load(Relaxed);
                return (otherwise != NO_VERTEX).then_some(otherwise);
            }
            if !is_here(asked) {
                return None;
            }
            // It is asked only where one answer means to take it.
            let is_near = candidates.list.neighbours.binary_search(&asked).is_ok();
            if is_near == (self.law.near > self.law.far) {
                return Some(asked);
            }
            state.forget_asked();
        }
    }

    /// Whether to take a neighbour: from 0 to the most that an edge weighs which does not lead back.
    fn level(&self, attempt: Attempt) -> f64 {
        unit(attempt.number(Purpose::Level)) * self.law.most
    }

    fn chance(&self, walker: u32) -> Chance {
        Chance::of(self.options.seed, self.first + u64::from(walker))
    }

    fn path(&self, walker: u32, step: u32) -> &AtomicU32 {
        &self.paths[step as usize * self.walkers.len() + walker as usize]
    }
}
