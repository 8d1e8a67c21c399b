//! Reads the input to its end: into a sort by source, and into what is known of the ids.
//!
//! Ids are taken to be numbers below 2^32 that lie close together, which most are. At the first that shows
//! otherwise, all that was read moves to wide records: by source if ids still lie close together (`Far`), and
//! else, by target, to records whose ids are found out by another sort.

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

/// The largest id of which a bit is kept.
const MOST_FAR: u64 = (1 << 40) - 1;

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
    /// The same, of ids that do not fit in 32 bits.
    Far(SortedRecords<u128, W>, IdSet),
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
    Far(Sorter<u128, W>, RwLock<IdSet>),
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
    let end = declared.first.saturating_add(declared.vertices.unwrap_or(0));
    let sample = reader.sample(Forecast::<u64>::KEYS)?;
    let largest = sample.iter().flat_map(|sample| &sample.pairs).map(|pair| pair.0.max(pair.1)).max();
    let largest = largest.unwrap_or(0).max(end.saturating_sub(1));
    let front = Front { reader, progress, ended: false, input_bytes: 0, first_edge: None, given: 0 };
    let (share, seen) = (plan.sort_alone(), IdSet::new(plan));
    let state = RwLock::new(match is_far(largest, rules) {
        true => {
            let sorter = Sorter::new(folder, share, rules.dedupe, plan)?.expecting(forecast(sample, rules));
            Sorters::Far(sorter, RwLock::new(seen.up_to(MOST_FAR)))
        }
        false => {
            let sorter = Sorter::new(folder, share, rules.dedupe, plan)?.expecting(forecast(sample, rules));
            Sorters::Narrow(sorter, RwLock::new(seen))
        }
    });
    let gather = Gather::<W> { front: Mutex::new(front), state, rules, folder, plan };
    for first in (declared.first..end).step_by(DECLARED) {
        plan.check_stop()?;
        let vertices = (first..end.min(first.saturating_add(DECLARED as u64))).collect();
        let batch = Batch { vertices, ..Batch::default() };
        gather.push(0, &batch, 0, &mut Counts { ..Counts::NONE })?;
    }
    let counts = threads(plan.workers, |thread| gather.read(thread))?;
    gather.finish(counts)
}

/// Whether an id is too large for narrow records, and ids may be that large. Vertices that get other numbers
/// must fit in narrow records.
fn is_far(id: u64, rules: Rules) -> bool {
    !rules.renumber && (1 << 32..=MOST_FAR).contains(&id)
}

/// What a sample of the whole input says of the records that it will be, if there is one.
fn forecast<K: Key>(sample: Option<Sample>, rules: Rules) -> Forecast<K> {
    let Some(Sample { edges, pairs }) = sample else { return Forecast::default() };
    let most = if K::BYTES == 8 { u64::from(u32::MAX) } else { u64::MAX };
    let key = |from: u64, to: u64| K::join(from.min(most), to.min(most));
    let there = pairs.iter().map(|(source, target)| key(*source, *target));
    let back = pairs.iter().map(|(source, target)| key(*target, *source));
    if rules.undirected {
        Forecast { keys: there.chain(back).collect(), records: 2 * edges }
    } else {
        Forecast { keys: there.collect(), records: edges }
    }
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
        while let Sorters::Narrow(_, seen) | Sorters::Far(_, seen) = &*state
            && let Err(id) = note(seen, batch)
        {
            drop(state);
            self.widen(id)?;
            state = self.state();
        }
        match &*state {
            Sorters::Narrow(sorter, _) => {
                rules.push_all(&mut sorter.lane(thread), edges.map(Ok))?;
            }
            Sorters::Far(sorter, _) => {
                rules.push_all(&mut sorter.lane(thread), edges.map(Ok))?;
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

    /// Moves all that was sorted to records that are wide enough for an id that could not be noted, unless
    /// another thread has. Nothing is sorted meanwhile, and what was noted and is not sorted yet will be
    /// noted again.
    #[cold]
    fn widen(&self, id: u64) -> Result<(), GraphError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let none = IdSet::new(self.plan);
        let take = |seen: &mut RwLock<IdSet>| {
            std::mem::replace(seen.get_mut().unwrap_or_else(PoisonError::into_inner), none)
        };
        match &mut *state {
            Sorters::Narrow(_, seen) if is_far(id, self.rules) => {
                let seen = take(seen).up_to(MOST_FAR);
                let sorter = Sorter::new(self.folder, self.plan.sort_beside(), self.rules.dedupe, self.plan)?;
                let before = std::mem::replace(&mut *state, Sorters::Far(sorter, RwLock::new(seen)));
                let (Sorters::Narrow(narrow, _), Sorters::Far(sorter, _)) = (before, &*state) else {
                    unreachable!("this thread alone has the sorters, which were narrow")
                };
                narrow.finish()?.visit_in_any_order(|thread, _, records| {
                    let mut lane = sorter.lane(thread);
                    records.iter().try_for_each(|Record { key, weight }| {
                        lane.push(Record::new(key.high(), key.low(), *weight))
                    })
                })
            }
            Sorters::Narrow(_, seen) | Sorters::Far(_, seen) => {
                let seen = take(seen);
                let share = self.plan.sort_beside() / 2;
                let edges = Sorter::new(self.folder, share, self.rules.dedupe, self.plan)?;
                let ids = Sorter::new(self.folder, share, Some(Merge::Min), self.plan)?;
                let mut lane = ids.lane(0);
                for id in seen.iter() {
                    lane.push(Record { key: id, weight: () })?;
                }
                drop(lane);
                let before = std::mem::replace(&mut *state, Sorters::Wide(edges, ids));
                // What was brought before would be lost without a word if it were otherwise.
                let Sorters::Wide(edges, _) = &*state else { unreachable!("they were just made so") };
                match before {
                    Sorters::Narrow(narrow, _) => self.turn(narrow, edges),
                    Sorters::Far(far, _) => self.turn(far, edges),
                    Sorters::Wide(..) => unreachable!("they had not been so"),
                }
            }
            Sorters::Wide(..) => Ok(()),
        }
    }

    /// Brings records by source to a sorter by target.
    fn turn<K: Key>(&self, from: Sorter<K, W>, to: &Sorter<u128, W>) -> Result<(), GraphError> {
        let rules = self.rules;
        from.finish()?.visit(|thread, _, records: &mut Vec<Record<K, W>>| {
            let mut lane = to.lane(thread);
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
            Sorters::Far(edges, seen) => {
                Edges::Far(edges.finish()?, seen.into_inner().unwrap_or_else(PoisonError::into_inner))
            }
            Sorters::Wide(edges, ids) => Edges::Wide(edges.finish()?, ids.finish()?),
        };
        Ok(InputEdges { edges, counts, first_edge })
    }
}

/// Notes the ids of a batch; fails with one that does not fit.
fn note(seen: &RwLock<IdSet>, batch: &Batch) -> Result<(), u64> {
    let alone = || seen.write().unwrap_or_else(PoisonError::into_inner);
    let add = |seen: &mut IdSet, id: u64| if seen.add(id) { Ok(()) } else { Err(id) };
    if !batch.vertices.is_empty() {
        let mut seen = alone();
        batch.vertices.iter().try_for_each(|id| add(&mut seen, *id))?;
    }
    let mut rest = batch.pairs.as_slice();
    loop {
        let missing = first_missing(&seen.read().unwrap_or_else(PoisonError::into_inner), rest);
        let Some(missing) = missing else { return Ok(()) };
        rest = &rest[missing..];
        let (mut seen, (source, target)) = (alone(), rest[0]);
        add(&mut seen, source)?;
        add(&mut seen, target)?;
    }
}

/// Notes both ids of edges up to the first that has one whose page is missing.
fn first_missing(seen: &IdSet, pairs: &[(u64, u64)]) -> Option<usize> {
    let mut last = None;
    pairs.iter().position(|&(source, target)| {
        // Edges of one source are often next to each other.
        let there = (last == Some(source) || seen.note(source)) && seen.note(target);
        last = Some(source);
        !there
    })
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
