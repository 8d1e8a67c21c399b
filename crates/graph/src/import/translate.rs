//! From the users' ids to ranks, and from ranks to an order by degree: by walking along sorted edges and a sorted table.

use std::path::Path;
use std::sync::Arc;

use super::merge::Runs;
use super::plan::Plan;
use super::record::{Key, Record, Weight};
use super::seen::Seen;
use super::sorter::Sorter;
use super::spill::{Numbers, NumbersIter};
use super::{Rules, Steps};
use crate::GraphError;
use crate::format::MAX_VERTICES;

/// Edges in order, by source and target or by their ids, which are looked up on the way.
#[derive(Debug)]
pub(crate) struct Sorted {
    pub(crate) runs: Runs,
    /// The keys of the runs are ids, of which these occur; they are ranks else.
    pub(crate) seen: Option<Arc<Seen>>,
}

impl Sorted {
    /// Hands all edges, as ranks, to `sink`.
    pub(crate) fn merge<W: Weight>(
        &self,
        memory: u64,
        plan: &Plan,
        sink: impl FnMut(&[Record<u64, W>]) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        match &self.seen {
            None => self.runs.merge(memory, plan, |key| key, sink),
            Some(seen) => {
                let rank = |key: u64| u64::join(seen.rank(key.high()), seen.rank(key.low()));
                self.runs.merge(memory, plan, rank, sink)
            }
        }
    }
}

/// The distinct ids, ascending.
pub(crate) fn distinct(mut ids: Runs, folder: &Path, plan: &Plan) -> Result<Numbers, GraphError> {
    ids.reduce::<u64, ()>(folder, plan.merge_beside(), plan)?;
    let mut numbers = Numbers::new(folder, plan)?;
    ids.merge(
        plan.merge_beside(),
        plan,
        |key| key,
        |batch: &[Record<u64, ()>]| batch.iter().try_for_each(|record| numbers.push(record.key)),
    )?;
    numbers.flush()?;
    Ok(numbers)
}

pub(crate) fn check_vertices(vertices: u64) -> Result<(), GraphError> {
    if vertices <= MAX_VERTICES {
        return Ok(());
    }
    let text = format!("{vertices} vertices: a store holds at most {MAX_VERTICES}; split the graph");
    Err(GraphError::Input(text))
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
                    return Err(GraphError::Input(format!("the id {id} was not there when ids were sorted")));
                }
            }
            self.next += 1;
        }
        Ok(self.next - 1)
    }
}

/// Edges by target and source, in ids of any size, to edges by source and target, in ranks.
pub(crate) fn to_ranks<W: Weight>(
    mut edges: Runs,
    ids: &Numbers,
    rules: Rules,
    folder: &Path,
    plan: &Plan,
    steps: &mut Steps<'_>,
) -> Result<Runs, GraphError> {
    edges.reduce::<u128, W>(folder, plan.merge_beside(), plan)?;
    steps.begin("look up ids", 2 * edges.records());
    let mut by_source = Sorter::<u128, W>::new(folder, plan.chunks(), plan.kept_beside(), false, plan)?;
    let mut ranks = Ranks::new(ids);
    edges.merge(
        plan.merge_beside(),
        plan,
        |key| key,
        |batch: &[Record<u128, W>]| {
            steps.add(batch.len());
            batch.iter().try_for_each(|Record { key, weight }| {
                by_source.push(Record::new(key.low(), ranks.rank(key.high())?, *weight))
            })
        },
    )?;
    let spilled = edges.spilled;
    drop(edges);
    let mut by_source = by_source.finish()?;
    by_source.reduce::<u128, W>(folder, plan.merge_beside(), plan)?;
    let mut sorter = Sorter::new(folder, plan.chunks(), plan.kept_beside(), rules.dedupe, plan)?;
    let mut ranks = Ranks::new(ids);
    by_source.merge(
        plan.merge_beside(),
        plan,
        |key| key,
        |batch: &[Record<u128, W>]| {
            steps.add(batch.len());
            batch.iter().try_for_each(|Record { key, weight }| {
                rules.push(&mut sorter, ranks.rank(key.high())?, key.low(), *weight)
            })
        },
    )?;
    let mut runs = sorter.finish()?;
    runs.add_spilled(spilled);
    runs.add_spilled(by_source.spilled);
    Ok(runs)
}

/// Sorts edges again with other vertices in place of the old, which are looked up in a table in memory.
pub(crate) fn look_up<W: Weight>(
    mut edges: Sorted,
    table: &[u32],
    folder: &Path,
    plan: &Plan,
    steps: &mut Steps<'_>,
) -> Result<Runs, GraphError> {
    edges.runs.reduce::<u64, W>(folder, plan.merge_beside(), plan)?;
    steps.begin("look up", edges.runs.records());
    let unique = edges.runs.unique;
    let mut sorter = Sorter::<u64, W>::new(folder, plan.chunks(), plan.kept_beside(), unique, plan)?;
    edges.merge(plan.merge_beside(), plan, |batch: &[Record<u64, W>]| {
        steps.add(batch.len());
        batch.iter().try_for_each(|Record { key, weight }| {
            let of = |rank: u64| u64::from(table[rank as usize]);
            sorter.push(Record::new(of(key.high()), of(key.low()), *weight))
        })
    })?;
    let mut runs = sorter.finish()?;
    runs.add_spilled(edges.runs.spilled);
    Ok(runs)
}

/// For each rank, the vertex that it becomes: by falling degree in powers of two, within one the lower rank first. So the
/// vertices that are asked for most lie together, and what the ids say of who is near whom is kept (degree-based
/// grouping: Faldu, Diamond, Grot, "A Closer Look at Lightweight Graph Reordering", IISWC 2019).
pub(crate) fn by_degree<W: Weight>(
    edges: &mut Sorted,
    vertices: u64,
    folder: &Path,
    plan: &Plan,
    steps: &mut Steps<'_>,
) -> Result<Numbers, GraphError> {
    edges.runs.reduce::<u64, W>(folder, plan.merge_beside(), plan)?;
    steps.begin("count degrees", edges.runs.records());
    let mut sorter = Sorter::<u64, ()>::new(folder, plan.chunks(), plan.kept_beside(), false, plan)?;
    let (mut rank, mut degree) = (0u64, 0u64);
    let mut end =
        |rank: u64, degree: u64| sorter.push(Record::new(u64::from(degree.leading_zeros()), rank, ()));
    edges.merge(plan.merge_beside(), plan, |batch: &[Record<u64, W>]| {
        steps.add(batch.len());
        for record in batch {
            while rank < record.key.high() {
                end(rank, degree)?;
                (rank, degree) = (rank + 1, 0);
            }
            degree += 1;
        }
        Ok(())
    })?;
    while rank < vertices {
        end(rank, degree)?;
        (rank, degree) = (rank + 1, 0);
    }
    let mut order = sorter.finish()?;
    order.reduce::<u64, ()>(folder, plan.merge_beside(), plan)?;
    let mut by_rank = Sorter::<u64, ()>::new(folder, plan.chunks(), plan.kept_beside(), false, plan)?;
    let mut vertex = 0;
    order.merge(
        plan.merge_beside(),
        plan,
        |key| key,
        |batch: &[Record<u64, ()>]| {
            batch.iter().try_for_each(|record| {
                vertex += 1;
                by_rank.push(Record::new(record.key.low(), vertex - 1, ()))
            })
        },
    )?;
    drop(order);
    let mut by_rank = by_rank.finish()?;
    by_rank.reduce::<u64, ()>(folder, plan.merge_beside(), plan)?;
    let mut table = Numbers::new(folder, plan)?;
    by_rank.merge(
        plan.merge_beside(),
        plan,
        |key| key,
        |batch: &[Record<u64, ()>]| batch.iter().try_for_each(|record| table.push(record.key.low())),
    )?;
    table.flush()?;
    Ok(table)
}

/// Sorts edges again with the vertices of a table, by rank, in place of the ranks.
pub(crate) fn renumber<W: Weight>(
    edges: Sorted,
    table: &Numbers,
    folder: &Path,
    plan: &Plan,
    steps: &mut Steps<'_>,
) -> Result<Runs, GraphError> {
    if table.count() * 4 <= plan.table() {
        let _taken = plan.take(table.count() * 4);
        let table: Vec<u32> =
            table.iter().map(|vertex| Ok(vertex? as u32)).collect::<Result<_, GraphError>>()?;
        return look_up::<W>(edges, &table, folder, plan, steps);
    }
    steps.begin("renumber", 2 * edges.runs.records());
    let by_target = swap_ends::<W>(&edges, table, folder, plan, steps)?;
    let spilled = edges.runs.spilled;
    drop(edges);
    let mut by_target = Sorted { runs: by_target, seen: None };
    by_target.runs.reduce::<u64, W>(folder, plan.merge_beside(), plan)?;
    let mut runs = swap_ends::<W>(&by_target, table, folder, plan, steps)?;
    runs.add_spilled(spilled);
    runs.add_spilled(by_target.runs.spilled);
    Ok(runs)
}

/// Looks up the high halves, and sorts by the low ones.
fn swap_ends<W: Weight>(
    edges: &Sorted,
    table: &Numbers,
    folder: &Path,
    plan: &Plan,
    steps: &mut Steps<'_>,
) -> Result<Runs, GraphError> {
    let mut sorter = Sorter::<u64, W>::new(folder, plan.chunks(), plan.kept_beside(), false, plan)?;
    let mut walk = table.iter();
    let (mut next, mut vertex) = (0, 0);
    edges.merge(plan.merge_beside(), plan, |batch: &[Record<u64, W>]| {
        steps.add(batch.len());
        for Record { key, weight } in batch {
            while next <= key.high() {
                vertex = walk.next().unwrap_or(Ok(0))?;
                next += 1;
            }
            sorter.push(Record::new(key.low(), vertex, *weight))?;
        }
        Ok(())
    })?;
    sorter.finish()
}
