//! Reads the input to its end: into a sort by source, and into what is known of the ids.
//!
//! Ids are taken to be numbers below 2^32 that lie close together, which most are. At the first that shows
//! otherwise, all that was read moves to wide records, whose ids are found out by another sort.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use super::Rules;
use super::id_set::IdSet;
use super::plan::ImportPlan;
use super::sort::{Forecast, Key, LaneWriter, Merge, Record, SortedRecords, Sorter, Weight};
use super::threads::threads;
use crate::input::{Batch, EdgeReader, FirstEdge, Sample};
use crate::{GraphError, Progress};

/// Declared vertices that are noted at a time.
const DECLARED: usize = 1 << 12;

/// What was read.
#[derive(Debug)]
pub(crate) struct InputEdges<W> {
    pub(crate) edges: Edges<W>,
    pub(crate) counts: Counts,
    pub(crate) first_edge: Option<FirstEdge>,
}

/// The edges, sorted by their ids.
#[derive(Debug)]
pub(crate) enum Edges<W> {
    /// By source, in both directions where the graph is undirected, and the ids that occur.
    Narrow(SortedRecords<u64, W>, IdSet),
    /// By target (the high half), once each; and the ids that occur.
    Wide(SortedRecords<u128, W>, SortedRecords<u64, ()>),
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

impl Counts {
    const NONE: Counts = Counts { read: 0, loops_dropped: 0, single: true, input_bytes: 0 };
}

/// Where edges go.
#[derive(Debug)]
enum Sorters<W> {
    /// And the ids that were seen.
    Narrow(Sorter<u64, W>, RwLock<IdSet>),
    Wide(Sorter<u128, W>, Sorter<u64, ()>),
}

/// What is done by one thread at a time: reading.
struct Front<'a> {
    reader: &'a mut dyn EdgeReader,
    progress: &'a mut (dyn FnMut(Progress) + Send),
    ended: bool,
    input_bytes: u64,
    first_edge: Option<FirstEdge>,
    /// Edges given out.
    given: u64,
}

struct Gather<'a, W> {
    front: Mutex<Front<'a>>,
    state: RwLock<Sorters<W>>,
    rules: Rules,
    folder: &'a Path,
    plan: &'a ImportPlan,
}

/// Reads all of an input.
pub(crate) fn gather<W: Weight>(
    reader: &mut dyn EdgeReader,
    rules: Rules,
    folder: &Path,
    plan: &ImportPlan,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<InputEdges<W>, GraphError> {
    let declared = reader.declared();
    let forecast = forecast(reader, rules)?;
    let front = Front { reader, progress, ended: false, input_bytes: 0, first_edge: None, given: 0 };
    let sorter = Sorter::new(folder, plan.sort_alone(), rules.dedupe, plan)?.expecting(forecast);
    let state = RwLock::new(Sorters::Narrow(sorter, RwLock::new(IdSet::new(plan))));
    let gather = Gather::<W> { front: Mutex::new(front), state, rules, folder, plan };
    let end = declared.first.saturating_add(declared.vertices.unwrap_or(0));
    for first in (declared.first..end).step_by(DECLARED) {
        plan.check_stop()?;
        let vertices = (first..end.min(first.saturating_add(DECLARED as u64))).collect();
        let batch = Batch { vertices, ..Batch::default() };
        gather.push(0, &batch, 0, &mut Counts { ..Counts::NONE })?;
    }
    let counts = threads(plan.workers, |thread| gather.read(thread))?;
    gather.finish(counts)
}

/// What a sample of the whole input says of the narrow records that it will be, if there is one.
fn forecast(reader: &mut dyn EdgeReader, rules: Rules) -> Result<Forecast<u64>, GraphError> {
    let Some(Sample { edges, pairs }) = reader.sample(Forecast::<u64>::KEYS)? else {
        return Ok(Forecast::default());
    };
    let narrow = |id: u64| id.min(u64::from(u32::MAX));
    let there = pairs.iter().map(|(source, target)| u64::join(narrow(*source), narrow(*target)));
    let back = pairs.iter().map(|(source, target)| u64::join(narrow(*target), narrow(*source)));
    Ok(if rules.undirected {
        Forecast { keys: there.chain(back).collect(), records: 2 * edges }
    } else {
        Forecast { keys: there.collect(), records: edges }
    })
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
fn check_reader(bytes: u64, plan: &ImportPlan) -> Result<(), GraphError> {
    if bytes <= plan.reader() {
        return Ok(());
    }
    let what = "reading this input (ids that are strings stay in memory)".into();
    Err(GraphError::Memory { what, given: plan.total(), needed: 4 * bytes })
}

impl<'a, W: Weight> Gather<'a, W> {
    fn front(&self) -> MutexGuard<'_, Front<'a>> {
        self.front.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> RwLockReadGuard<'_, Sorters<W>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread's part: reads when it is its turn, and sorts what it read while others read.
    fn read(&self, thread: usize) -> Result<Counts, GraphError> {
        let mut counts = Counts::NONE;
        let mut batch = Batch::default();
        let mut taken = self.plan.take(0);
        loop {
            let mut front = self.front();
            if front.ended {
                return Ok(counts);
            }
            // Until a batch is whole: others end too where this one fails.
            front.ended = true;
            self.plan.check_stop()?;
            let more = front.reader.next_batch(&mut batch).map_err(of_the_whole)?;
            let bytes = front.reader.memory_bytes();
            taken.set(bytes / self.plan.workers as u64 + batch.memory_bytes());
            check_reader(bytes, self.plan)?;
            let (done, total) = front.reader.progress();
            (front.progress)(Progress { phase: "read", done, total });
            front.input_bytes = done;
            if front.first_edge.is_none() {
                front.first_edge = FirstEdge::of(&*front.reader, &batch, 0);
            }
            front.ended = !more;
            let before = front.given;
            front.given += batch.pairs.len() as u64;
            drop(front);
            self.push(thread, &batch, before, &mut counts).inspect_err(|_| self.front().ended = true)?;
        }
    }

    /// Sorts a batch; `before` counts the edges that precede it in the input.
    fn push(&self, thread: usize, batch: &Batch, before: u64, counts: &mut Counts) -> Result<(), GraphError> {
        assert!(W::BYTES == 0 || batch.weights.len() == batch.pairs.len(), "a weight for each edge");
        counts.read += batch.pairs.len() as u64;
        let rules = self.rules;
        let edges = batch.pairs.iter().enumerate().filter_map(|(i, &(source, target))| {
            if source == target && rules.drop_self_loops {
                counts.loops_dropped += 1;
                return None;
            }
            let weight = if W::BYTES == 0 { 0.0 } else { batch.weights[i] };
            if W::BYTES > 0 {
                counts.single &= f64::from(weight as f32).to_bits() == weight.to_bits();
            }
            Some((source, target, W::of(weight, before + i as u64)))
        });
        let mut state = self.state();
        if let Sorters::Narrow(_, seen) = &*state
            && !note(seen, batch)
        {
            drop(state);
            self.widen()?;
            state = self.state();
        }
        match &*state {
            Sorters::Narrow(sorter, _) => {
                let mut lane = sorter.lane(thread);
                for (source, target, weight) in edges {
                    rules.push(&mut lane, source, target, weight)?;
                }
            }
            Sorters::Wide(sorter, ids) => {
                let mut lane = ids.lane(thread);
                let of_edges = batch.pairs.iter().flat_map(|(source, target)| [source, target]);
                for id in batch.vertices.iter().chain(of_edges) {
                    lane.push(Record { key: *id, weight: () })?;
                }
                drop(lane);
                let mut lane = sorter.lane(thread);
                for (source, target, weight) in edges {
                    push_wide(&mut lane, rules, source, target, weight)?;
                }
            }
        }
        Ok(())
    }

    /// Moves all that was sorted to wide records, unless another thread has. Nothing is sorted meanwhile, and
    /// what was noted and is not sorted yet will be noted again.
    #[cold]
    fn widen(&self) -> Result<(), GraphError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let Sorters::Narrow(_, seen) = &mut *state else { return Ok(()) };
        let seen =
            std::mem::replace(seen.get_mut().unwrap_or_else(PoisonError::into_inner), IdSet::new(self.plan));
        let share = self.plan.sort_beside() / 2;
        let edges = Sorter::new(self.folder, share, self.rules.dedupe, self.plan)?;
        let ids = Sorter::new(self.folder, share, Some(Merge::Min), self.plan)?;
        let mut lane = ids.lane(0);
        for id in seen.iter() {
            lane.push(Record { key: id, weight: () })?;
        }
        drop(lane);
        // What was brought in the narrow way would be lost without a word if either were otherwise.
        let (Sorters::Narrow(narrow, _), Sorters::Wide(edges, _)) =
            (std::mem::replace(&mut *state, Sorters::Wide(edges, ids)), &*state)
        else {
            unreachable!("this thread alone has the sorters, which were narrow, and made them wide")
        };
        let rules = self.rules;
        narrow.finish()?.visit(|thread, _, records: &mut Vec<Record<u64, W>>| {
            let mut lane = edges.lane(thread);
            for Record { key, weight } in records.iter() {
                // Of both directions, one is enough.
                if !rules.undirected || key.high() <= key.low() {
                    push_wide(&mut lane, rules, key.high(), key.low(), *weight)?;
                }
            }
            Ok(())
        })
    }

    fn finish(self, counts: Vec<Counts>) -> Result<InputEdges<W>, GraphError> {
        let Front { input_bytes, first_edge, .. } =
            self.front.into_inner().unwrap_or_else(PoisonError::into_inner);
        let counts = Counts {
            read: counts.iter().map(|counts| counts.read).sum(),
            loops_dropped: counts.iter().map(|counts| counts.loops_dropped).sum(),
            single: counts.iter().all(|counts| counts.single),
            input_bytes,
        };
        let edges = match self.state.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Sorters::Narrow(edges, seen) => {
                Edges::Narrow(edges.finish()?, seen.into_inner().unwrap_or_else(PoisonError::into_inner))
            }
            Sorters::Wide(edges, ids) => Edges::Wide(edges.finish()?, ids.finish()?),
        };
        Ok(InputEdges { edges, counts, first_edge })
    }
}

/// Notes the ids of a batch; false where they do not fit.
fn note(seen: &RwLock<IdSet>, batch: &Batch) -> bool {
    let shared = || seen.read().unwrap_or_else(PoisonError::into_inner);
    let mut known = shared();
    let of_edges = batch.pairs.iter().flat_map(|(source, target)| [source, target]);
    for id in batch.vertices.iter().chain(of_edges) {
        if !known.note(*id) {
            drop(known);
            if !seen.write().unwrap_or_else(PoisonError::into_inner).add(*id) {
                return false;
            }
            known = shared();
        }
    }
    true
}

#[inline]
fn push_wide<W: Weight>(
    edges: &mut LaneWriter<'_, u128, W>,
    rules: Rules,
    source: u64,
    target: u64,
    weight: W,
) -> Result<(), GraphError> {
    // An undirected edge always the same way round, so that parallel ones meet.
    let (source, target) =
        if rules.undirected { (source.min(target), source.max(target)) } else { (source, target) };
    edges.push(Record::new(target, source, weight))
}
