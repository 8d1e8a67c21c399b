//! From the users' ids to ranks, and from ranks to an order by degree: by walking along sorted edges and a
//! sorted table.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use super::id_set::IdSet;
use super::plan::ImportPlan;
use super::sort::{Key, Numbers, NumbersIter, Record, SortedRecords, Sorter, Spill, Weight};
use super::{Rules, Steps};
use crate::GraphError;

/// Nothing to be done to records before they are handed on in order.
///
/// # Errors
/// None.
pub fn as_they_are<K, W>(_: usize, _: &mut Vec<Record<K, W>>) -> Result<(), GraphError> {
    Ok(())
}

/// The distinct ids, ascending.
pub(crate) fn distinct(
    ids: &SortedRecords<u64, ()>,
    folder: &Path,
    plan: &ImportPlan,
) -> Result<Numbers, GraphError> {
    let mut numbers = Numbers::new(folder, plan.buffer())?;
    ids.in_order(as_they_are, |records| records.iter().try_for_each(|record| numbers.push(record.key)))?;
    numbers.flush()?;
    Ok(numbers)
}

/// Sources and targets become ranks, if they are ids.
pub(crate) fn rank<K: Key, W>(seen: Option<&IdSet>, records: &mut [Record<K, W>]) {
    let Some(seen) = seen else { return };
    let (mut source, mut rank) = (u64::MAX, 0);
    for Record { key, .. } in records {
        if key.high() != source {
            (source, rank) = (key.high(), seen.rank(key.high()));
        }
        *key = K::join(rank, seen.rank(key.low()));
    }
}

/// Walks along ids in ascending order and says their ranks.
struct Ranks<'a> {
    ids: NumbersIter<'a>,
    id: Option<u64>,
    next: u64,
}

impl<'a> Ranks<'a> {
    fn new(ids: &'a Numbers) -> Ranks<'a> {
        Ranks { ids: ids.iter(), id: None, next: 0 }
    }

    #[inline]
    fn rank(&mut self, id: u64) -> Result<u64, GraphError> {
        while self.id != Some(id) {
            match self.ids.next() {
                Some(found) => self.id = Some(found?),
                None => {
                    let what = "was not there when ids were sorted; the edges have changed since";
                    return Err(GraphError::malformed(format_args!("the id {id}"), what));
                }
            }
            self.next += 1;
        }
        Ok(self.next - 1)
    }
}

/// Edges by target and source, in ids of any size, to edges by source and target, in ranks.
pub(crate) fn to_ranks<K: Key, W: Weight>(
    edges: SortedRecords<u128, W>,
    ids: &Numbers,
    rules: Rules,
    folder: &Path,
    plan: &ImportPlan,
    steps: &mut Steps<'_>,
) -> Result<SortedRecords<K, W>, GraphError> {
    steps.begin("look up ids", 2 * edges.records());
    let sorter = Sorter::<u128, W>::new(folder, plan.sort_beside(), None, plan)?;
    let sorter = sorter.expecting(edges.forecast(turned)?);
    let mut ranks = Ranks::new(ids);
    edges.in_order(as_they_are, |records| {
        steps.add(records.len());
        let mut lane = sorter.lane(0);
        records.iter().try_for_each(|Record { key, weight }| {
            lane.push(Record::new(key.low(), ranks.rank(key.high())?, *weight))
        })
    })?;
    let by_source = sorter.finish_after(edges)?;
    let sorter = Sorter::<K, W>::new(folder, plan.sort_beside(), rules.dedupe, plan)?;
    let mut ranks = Ranks::new(ids);
    by_source.in_order(as_they_are, |records| {
        steps.add(records.len());
        let ranked = records
            .iter()
            .map(|Record { key, weight }| ranks.rank(key.high()).map(|rank| (rank, key.low(), *weight)));
        rules.push_all(&mut sorter.lane(0), ranked)
    })?;
    sorter.finish_after(by_source)
}

/// Both ends of an edge the other way round.
pub(crate) fn turned<K: Key>(key: K) -> K {
    K::join(key.low(), key.high())
}

/// Sorts edges again with other vertices in place of the old, which are looked up in a table in memory by
/// their ranks.
pub(crate) fn look_up<W: Weight>(
    edges: SortedRecords<u64, W>,
    seen: Option<&IdSet>,
    table: &[u32],
    folder: &Path,
    plan: &ImportPlan,
    steps: &mut Steps<'_>,
) -> Result<SortedRecords<u64, W>, GraphError> {
    steps.begin("look up", edges.records());
    let other = |key: u64| {
        let (source, target) = (table[key.high() as usize], table[key.low() as usize]);
        u64::join(u64::from(source), u64::from(target))
    };
    let forecast = edges.forecast(|key| other(seen.map_or(key, |seen| seen.rank_both(key))))?;
    let sorter = Sorter::<u64, W>::new(folder, plan.sort_beside(), edges.unique(), plan)?;
    let sorter = sorter.expecting(forecast);
    edges.visit_in_any_order(|thread, _, records| {
        steps.add(records.len());
        rank(seen, records);
        // In a loop of its own, so that many lookups are under way at once.
        for Record { key, .. } in records.iter_mut() {
            *key = other(*key);
        }
        sorter.lane(thread).push_all(records)
    })?;
    sorter.finish_after(edges)
}

/// Numbers vertices by falling degree in powers of two, and within one by rank: hubs, which are visited most,
/// lie close together, and what lies close by id stays close (Faldu, Diamond, Grot, "A Closer Look at
/// Lightweight Graph Reordering", IISWC 2019). Returns the edges so renumbered, and by rank the vertex. Edges
/// are in ids where `seen` says their ranks.
pub(crate) fn renumber<W: Weight>(
    edges: SortedRecords<u64, W>,
    seen: Option<&IdSet>,
    vertices: u64,
    folder: &Path,
    plan: &ImportPlan,
    steps: &mut Steps<'_>,
) -> Result<(SortedRecords<u64, W>, Numbers), GraphError> {
    steps.begin("count degrees", edges.records());
    if vertices * 4 > plan.table() {
        return renumber_outside(edges, seen, vertices, folder, plan, steps);
    }
    let _taken = plan.take(vertices * 4);
    let degrees: Vec<AtomicU32> = (0..vertices).map(|_| AtomicU32::new(0)).collect();
    let count = |records: &mut [Record<u64, W>]| {
        steps.add(records.len());
        rank(seen, records);
        for list in records.chunk_by(|a, b| a.key.high() == b.key.high()) {
            // A hub may lie in several parts, and beyond 2^32 - 1 all degrees are of one power.
            let degree = &degrees[list[0].key.high() as usize];
            let more = u32::try_from(list.len()).unwrap_or(u32::MAX);
            let _ = degree.update(Ordering::Relaxed, Ordering::Relaxed, |before| before.saturating_add(more));
        }
        Ok(())
    };
    let (edges, seen) = if edges.unique().is_some() {
        // Sorted to count them, and therefore kept without those that there are twice.
        (edges.settled(Spill::new(folder)?, |_, records| count(records))?, None)
    } else {
        edges.visit_in_any_order(|_, _, records| count(records))?;
        (edges, seen)
    };
    let mut table: Vec<u32> = degrees.into_iter().map(AtomicU32::into_inner).collect();
    let mut starts = [0u32; 33];
    for degree in &table {
        starts[degree.leading_zeros() as usize] += 1;
    }
    let mut start = 0;
    for count in &mut starts {
        start += std::mem::replace(count, start);
    }
    let mut order = Numbers::new(folder, plan.buffer())?;
    for place in &mut table {
        let next = &mut starts[place.leading_zeros() as usize];
        *place = *next;
        *next += 1;
        order.push(u64::from(*place))?;
    }
    order.flush()?;
    Ok((look_up(edges, seen, &table, folder, plan, steps)?, order))
}

/// As [`renumber`], where no number for each vertex fits in memory: by sorting.
fn renumber_outside<W: Weight>(
    edges: SortedRecords<u64, W>,
    seen: Option<&IdSet>,
    vertices: u64,
    folder: &Path,
    plan: &ImportPlan,
    steps: &mut Steps<'_>,
) -> Result<(SortedRecords<u64, W>, Numbers), GraphError> {
    let sorter = || Sorter::<u64, ()>::new(folder, plan.sort_beside(), None, plan);
    let order = sorter()?;
    let (mut next, mut degree) = (0u64, 0u64);
    let end = |rank: u64, degree: u64| {
        order.lane(0).push(Record::new(u64::from(degree.leading_zeros().max(32)), rank, ()))
    };
    let edges = edges.settled(Spill::new(folder)?, |_, records| {
        rank(seen, records);
        Ok(())
    })?;
    edges.in_order(as_they_are, |records| {
        steps.add(records.len());
        for record in records {
            while next < record.key.high() {
                end(next, degree)?;
                (next, degree) = (next + 1, 0);
            }
            degree += 1;
        }
        Ok(())
    })?;
    while next < vertices {
        end(next, degree)?;
        (next, degree) = (next + 1, 0);
    }
    let order = order.finish()?;
    let by_rank = sorter()?;
    let mut vertex = 0;
    order.in_order(as_they_are, |records| {
        let mut lane = by_rank.lane(0);
        records.iter().try_for_each(|record| {
            vertex += 1;
            lane.push(Record::new(record.key.low(), vertex - 1, ()))
        })
    })?;
    drop(order);
    let mut table = Numbers::new(folder, plan.buffer())?;
    by_rank.finish()?.in_order(as_they_are, |records| {
        records.iter().try_for_each(|record| table.push(record.key.low()))
    })?;
    table.flush()?;
    steps.begin("renumber", 2 * edges.records());
    let by_target = swap_ends::<W>(edges, &table, folder, plan, steps)?;
    Ok((swap_ends::<W>(by_target, &table, folder, plan, steps)?, table))
}

/// Looks up the high halves, and sorts by the low ones.
fn swap_ends<W: Weight>(
    edges: SortedRecords<u64, W>,
    table: &Numbers,
    folder: &Path,
    plan: &ImportPlan,
    steps: &Steps<'_>,
) -> Result<SortedRecords<u64, W>, GraphError> {
    let sorter = Sorter::<u64, W>::new(folder, plan.sort_beside(), None, plan)?;
    let sorter = sorter.expecting(edges.forecast(turned)?);
    let mut walk = table.iter();
    let (mut next, mut vertex) = (0, 0);
    edges.in_order(as_they_are, |records| {
        steps.add(records.len());
        let mut lane = sorter.lane(0);
        for Record { key, weight } in records {
            while next <= key.high() {
                vertex = walk.next().unwrap_or(Ok(0))?;
                next += 1;
            }
            lane.push(Record::new(key.low(), vertex, *weight))?;
        }
        Ok(())
    })?;
    sorter.finish_after(edges)
}
