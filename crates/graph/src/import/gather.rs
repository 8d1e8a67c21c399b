//! Reads the input to its end: into a sort by source, and into what is known of the ids.
//!
//! Ids are taken to be numbers below 2^32 that lie close together, which most are. At the first that shows otherwise, all
//! that was read moves to wide records, whose ids are found out by another sort.

use std::path::Path;

use super::merge::Runs;
use super::plan::Plan;
use super::record::{Key, Record, Weight};
use super::seen::Seen;
use super::sorter::Sorter;
use super::{ImportProgress, Rules};
use crate::GraphError;
use crate::input::{Batch, EdgeReader};

/// What was read.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) edges: Edges,
    pub(crate) counts: Counts,
}

/// The edges, sorted by their ids.
#[derive(Debug)]
pub(crate) enum Edges {
    /// By source, in both directions where the graph is undirected, and the ids that occur.
    Narrow(Runs, Seen),
    /// By target (the high half), once each; and the ids that occur.
    Wide(Runs, Runs),
}

/// What was counted on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) read: u64,
    pub(crate) loops_dropped: u64,
    /// Every weight is exact in 32 bits.
    pub(crate) single: bool,
    pub(crate) input_bytes: u64,
}

#[derive(Debug)]
enum State<W> {
    Narrow(Sorter<u64, W>, Seen),
    Wide(Sorter<u128, W>, Sorter<u64, ()>),
}

struct Gather<'a, W> {
    state: Option<State<W>>,
    rules: Rules,
    folder: &'a Path,
    plan: &'a Plan,
    counts: Counts,
}

/// Reads all of an input.
pub(crate) fn gather<W: Weight>(
    reader: &mut dyn EdgeReader,
    rules: Rules,
    folder: &Path,
    plan: &Plan,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Gathered, GraphError> {
    let sorter = Sorter::new(folder, plan.chunks(), plan.kept(), rules.dedupe, plan)?;
    let counts = Counts { read: 0, loops_dropped: 0, single: true, input_bytes: 0 };
    let state = Some(State::Narrow(sorter, Seen::new(plan)));
    let mut gather = Gather::<W> { state, rules, folder, plan, counts };
    let declared = reader.declared();
    for id in declared.first..declared.first.saturating_add(declared.vertices.unwrap_or(0)) {
        if id % (1 << 20) == 0 {
            plan.check_stop()?;
        }
        gather.vertex(id)?;
    }
    let mut batch = Batch::default();
    let mut taken = plan.take(0);
    loop {
        plan.check_stop()?;
        let more = reader.next_batch(&mut batch).map_err(of_the_whole)?;
        let bytes = reader.memory_bytes();
        taken.set(bytes + batch.memory_bytes());
        check_reader(bytes, plan)?;
        for id in &batch.vertices {
            gather.vertex(*id)?;
        }
        assert!(W::BYTES == 0 || batch.weights.len() == batch.pairs.len(), "a weight for each edge");
        for (i, &(source, target)) in batch.pairs.iter().enumerate() {
            let weight = if W::BYTES == 0 { 0.0 } else { batch.weights[i] };
            gather.edge(source, target, weight)?;
        }
        let (done, total) = reader.progress();
        progress(ImportProgress { phase: "read", done, total });
        gather.counts.input_bytes = done;
        if !more {
            break;
        }
    }
    gather.finish()
}

/// A reader knows its share only.
fn of_the_whole(error: GraphError) -> GraphError {
    match error {
        GraphError::Memory { what, given, needed } => {
            GraphError::Memory { what, given: 4 * given, needed: 4 * needed }
        }
        error => error,
    }
}

/// The cap holds for the reader too: for its buffers, and for all strings that are ids.
fn check_reader(bytes: u64, plan: &Plan) -> Result<(), GraphError> {
    if bytes <= plan.reader() {
        return Ok(());
    }
    let what = "reading this input (ids that are strings stay in memory)".into();
    Err(GraphError::Memory { what, given: plan.total(), needed: 4 * bytes })
}

impl<W: Weight> Gather<'_, W> {
    /// A vertex that exists, with edges or without.
    #[inline]
    fn vertex(&mut self, id: u64) -> Result<(), GraphError> {
        let known = match &mut self.state {
            Some(State::Narrow(_, seen)) => seen.note(id),
            Some(State::Wide(_, ids)) => return ids.push(Record { key: id, weight: () }),
            None => true,
        };
        if known {
            return Ok(());
        }
        self.widen()?;
        self.vertex(id)
    }

    #[inline]
    fn edge(&mut self, source: u64, target: u64, weight: f64) -> Result<(), GraphError> {
        self.vertex(source)?;
        self.vertex(target)?;
        self.counts.read += 1;
        if source == target && self.rules.drop_self_loops {
            self.counts.loops_dropped += 1;
            return Ok(());
        }
        if W::BYTES > 0 {
            self.counts.single &= f64::from(weight as f32).to_bits() == weight.to_bits();
        }
        let weight = W::of(weight);
        match &mut self.state {
            Some(State::Narrow(edges, _)) => self.rules.push(edges, source, target, weight),
            Some(State::Wide(edges, _)) => push_wide(edges, self.rules, source, target, weight),
            None => Err(GraphError::Interrupted),
        }
    }

    /// Moves all that was read to wide records.
    #[cold]
    fn widen(&mut self) -> Result<(), GraphError> {
        let Some(State::Narrow(sorter, seen)) = self.state.take() else { return Ok(()) };
        let mut runs = sorter.finish()?;
        runs.reduce::<u64, W>(self.folder, self.plan.merge_beside(), self.plan)?;
        let (chunks, kept) = (self.plan.chunks(), self.plan.kept());
        let mut edges = Sorter::new(self.folder, chunks / 2, kept / 4, self.rules.dedupe, self.plan)?;
        let mut ids = Sorter::new(self.folder, chunks / 2, kept / 4, true, self.plan)?;
        for id in seen.iter() {
            ids.push(Record { key: id, weight: () })?;
        }
        let rules = self.rules;
        runs.merge(
            self.plan.merge_beside(),
            self.plan,
            |key| key,
            |batch: &[Record<u64, W>]| {
                for Record { key, weight } in batch {
                    // Of both directions, one is enough.
                    if !rules.undirected || key.high() <= key.low() {
                        push_wide(&mut edges, rules, key.high(), key.low(), *weight)?;
                    }
                }
                Ok(())
            },
        )?;
        self.state = Some(State::Wide(edges, ids));
        Ok(())
    }

    fn finish(self) -> Result<Gathered, GraphError> {
        let edges = match self.state {
            Some(State::Narrow(edges, seen)) => Edges::Narrow(edges.finish()?, seen),
            Some(State::Wide(edges, ids)) => Edges::Wide(edges.finish()?, ids.finish()?),
            None => return Err(GraphError::Interrupted),
        };
        Ok(Gathered { edges, counts: self.counts })
    }
}

#[inline]
fn push_wide<W: Weight>(
    edges: &mut Sorter<u128, W>,
    rules: Rules,
    source: u64,
    target: u64,
    weight: W,
) -> Result<(), GraphError> {
    // An undirected edge always the same way round, so that parallel ones meet, and in the order of the input.
    let (source, target) =
        if rules.undirected { (source.min(target), source.max(target)) } else { (source, target) };
    edges.push(Record::new(target, source, weight))
}
