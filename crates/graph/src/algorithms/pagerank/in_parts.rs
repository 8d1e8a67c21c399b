//! PageRank where the cap has no room for the state of all vertices. What vertices give, their degrees (or
//! the sums of their weights) and their ranks are columns of a file. In each iteration, part by part: what
//! the vertices at the other end of the edges give (or, where edges can only be followed forwards, are given)
//! is in memory while lists are read, so all blocks are read once for each part of those.

use std::ops::Range;
use std::sync::Arc;

use leadline_graph_store::format::{ALIGNMENT, Direction, Vertex};

use super::edges::Edges;
use super::hubs::each_hub;
use super::jumps::Jumps;
use super::shared::{Double, Shared};
use super::sums::Sums;
use super::{PageRankOptions, Ranked, ValueBytes, divisor};
use crate::algorithms::lists::{sweep_lists_of_range, sweep_range};
use crate::algorithms::parts::{PartitionBytes, Partitioning, places, ranges};
use crate::engine::{StateColumn, StateFile, Stored};
use crate::{Engine, FileValues, Graph, GraphError, PerVertex};

/// Vertices whose sums are made ranks at a time.
const SETTLED: u64 = 1 << 16;

/// What parts take: each iteration reads what vertices give once for each part of lists where sums are made
/// of it, and once for each part of sums where it is added to them.
pub(super) fn part_bytes(graph: &Graph, ValueBytes { give, total }: ValueBytes) -> PartitionBytes {
    let fixed = SETTLED * (2 * give + total + 8);
    match graph.header().has_reverse() {
        true => {
            PartitionBytes { list: 8, neighbour: give, again_by_lists: give, again_by_neighbours: 0, fixed }
        }
        false => {
            PartitionBytes { list: give, neighbour: 8, again_by_lists: 0, again_by_neighbours: give, fixed }
        }
    }
}

/// Bytes in the file.
fn file_bytes<E: Edges>(vertices: u64) -> u64 {
    2 * StateFile::column_bytes::<E::Give>(vertices)
        + StateFile::column_bytes::<E::Total>(vertices)
        + StateFile::column_bytes::<f64>(vertices)
}

/// As [`super::spilled_bytes`].
pub(super) fn spilled_bytes(graph: &Graph, value_bytes: ValueBytes, parts: &Partitioning) -> [u64; 3] {
    let vertices = graph.vertices();
    let [give, total, rank] = [value_bytes.give, value_bytes.total, f64::BYTES as u64]
        .map(|bytes| (bytes * vertices).next_multiple_of(ALIGNMENT));
    // Totals are stored; the first ranks are made as all others are.
    let settled = total + 2 * give;
    let times = if graph.header().has_reverse() { parts.lists.len() } else { parts.neighbours.len() } as u64;
    [2 * total + 2 * give + rank, settled, (times * give).saturating_add(rank)]
}

struct State<E: Edges> {
    vertices: u64,
    file: Arc<StateFile>,
    /// The weights of each vertex's edges together.
    totals: StateColumn<E::Total>,
    /// What each vertex gives along an edge of weight 1 in this iteration.
    contributions: StateColumn<E::Give>,
    /// In the next one.
    next: StateColumn<E::Give>,
    ranks: StateColumn<f64>,
    /// The rank of all vertices whose weights are 0 together.
    dangling: f64,
}

/// What came of a part or of an iteration.
#[derive(Debug, Default)]
struct Settled {
    dangling: f64,
    change: f64,
    highest: f64,
}

/// As [`super::iterate`].
pub(super) fn iterate<E: Edges>(
    engine: &mut Engine<'_>,
    options: &PageRankOptions,
    parts: &Partitioning,
) -> Result<Ranked, GraphError> {
    let graph = engine.graph();
    let vertices = graph.vertices();
    let file = Arc::new(StateFile::create(graph.temp_folder(), file_bytes::<E>(vertices))?);
    let (contributions, next) = (file.column(vertices), file.column(vertices));
    let (totals, ranks) = (file.column(vertices), file.column(vertices));
    let mut state = State::<E> { vertices, file, totals, contributions, next, ranks, dangling: 0.0 };
    engine.expect(0.0..options.share(1));
    let mut found = state.begin(engine, &parts.lists)?;
    let (mut done, mut change) = (0, f64::INFINITY);
    while done < options.iterations && change >= options.tolerance {
        engine.expect(options.share(done + 1)..options.share(done + 2));
        let jumps = Jumps::new(options, state.dangling, vertices);
        // Nobody asks for the ranks of an iteration that another one follows.
        let is_last = options.tolerance > 0.0 || done + 1 == options.iterations;
        found = match graph.header().has_reverse() {
            true => state.pull(engine, parts, &jumps, is_last)?,
            false => state.push(engine, parts, &jumps, is_last)?,
        };
        (state.contributions, state.next) = (state.next, state.contributions);
        state.dangling = found.dangling;
        change = found.change;
        engine.add_scanned_edges(graph.header().edges * parts.neighbours.len() as u64);
        done += 1;
    }
    engine.spilled(state.file.moved());
    let ranks = PerVertex::File(FileValues::new(state.file, state.ranks));
    Ok(Ranked { ranks, iterations: done, change, highest: found.highest })
}

impl<E: Edges> State<E> {
    /// Finds the totals; all ranks are alike.
    fn begin(&mut self, engine: &mut Engine<'_>, lists: &[Range<Vertex>]) -> Result<Settled, GraphError> {
        let mut all = Settled::default();
        for range in lists {
            let totals = E::totals(engine, range)?;
            self.file.store(self.totals, places(range), |place| totals[place])?;
            drop(totals);
            let (vertices, no_sums) = (self.vertices as f64, |_: Vertex| 0.0);
            all.add(self.apply_damping(
                engine,
                range,
                no_sums,
                |_, _| 1.0 / vertices,
                self.contributions,
                true,
            )?);
        }
        self.dangling = all.dangling;
        Ok(all)
    }

    /// Sums by reading incoming edges.
    fn pull(
        &self,
        engine: &mut Engine<'_>,
        parts: &Partitioning,
        jumps: &Jumps,
        is_last: bool,
    ) -> Result<Settled, GraphError> {
        let mut all = Settled::default();
        let mut held = Held::default();
        for (turn, range) in parts.lists.iter().enumerate() {
            let sums: Vec<Double> = range.clone().map(|_| Double::new(0.0)).collect();
            // By one thread at a time, for each vertex.
            let add = |vertex: Vertex, here: f64| {
                let place = &sums[(vertex - range.start) as usize];
                place.set(place.get() + here);
            };
            let mut order: Vec<&Range<Vertex>> = parts.neighbours.iter().collect();
            if turn % 2 == 1 {
                // The part that is still in memory comes first.
                order.reverse();
            }
            for neighbours in order {
                held.load(self, neighbours)?;
                let locals = sweep_lists_of_range(
                    engine,
                    Direction::Reverse,
                    range,
                    || (Sums::<E>::new(), Vec::new()),
                    |(sums, pieces), lists| {
                        sums.of(
                            lists,
                            |vertex| range.contains(&vertex),
                            &held.contributions,
                            |vertex| held.place(vertex),
                            |vertex, here| {
                                if lists.is_piece(vertex) {
                                    pieces.push((vertex, here));
                                } else {
                                    add(vertex, here);
                                }
                            },
                        );
                    },
                )?;
                let pieces = locals.into_iter().flat_map(|(_, pieces)| pieces);
                each_hub(pieces, add);
            }
            all.add(self.rank(engine, range, &sums, jumps, is_last)?);
        }
        Ok(all)
    }

    /// Sums by reading outgoing edges.
    fn push(
        &self,
        engine: &mut Engine<'_>,
        parts: &Partitioning,
        jumps: &Jumps,
        is_last: bool,
    ) -> Result<Settled, GraphError> {
        let mut all = Settled::default();
        let mut held = Held::default();
        for range in &parts.neighbours {
            let sums: Vec<Double> = range.clone().map(|_| Double::new(0.0)).collect();
            let add = |neighbour: Vertex, carried: f64| {
                if let Some(place) = sums.get(neighbour.wrapping_sub(range.start) as usize) {
                    place.add(carried);
                }
            };
            for lists in &parts.lists {
                held.load(self, lists)?;
                sweep_range(
                    engine,
                    Direction::Forward,
                    lists,
                    || (),
                    |(), block| {
                        for (vertex, list) in block.places().filter(|(vertex, _)| lists.contains(vertex)) {
                            let give = held.give(vertex);
                            E::scan(block, vertex, list, |edge| {
                                add(E::end(edge), E::carried(give, edge));
                            });
                        }
                    },
                )?;
            }
            all.add(self.rank(engine, range, &sums, jumps, is_last)?);
        }
        Ok(all)
    }

    /// The ranks of a range whose sums are complete.
    fn rank(
        &self,
        engine: &Engine<'_>,
        range: &Range<Vertex>,
        sums: &[Double],
        jumps: &Jumps,
        is_last: bool,
    ) -> Result<Settled, GraphError> {
        let sum = |vertex: Vertex| sums[(vertex - range.start) as usize].get();
        self.apply_damping(engine, range, sum, |sum, vertex| jumps.rank(sum, vertex), self.next, is_last)
    }

    /// From a range's sums to its ranks, and to what its vertices give.
    fn apply_damping(
        &self,
        engine: &Engine<'_>,
        range: &Range<Vertex>,
        sum: impl Fn(Vertex) -> f64,
        rank: impl Fn(f64, Vertex) -> f64,
        to: StateColumn<E::Give>,
        is_last: bool,
    ) -> Result<Settled, GraphError> {
        let mut all = Settled::default();
        for part in ranges(range.len() as u64, SETTLED) {
            engine.graph().check_stop()?;
            let part = range.start + part.start..range.start + part.end;
            let mut totals: Vec<E::Total> = Vec::with_capacity(part.len());
            self.file.load(self.totals, places(&part), |_, total| totals.push(total))?;
            let mut before = vec![0.0; part.len()];
            self.file
                .load(self.contributions, places(&part), |place, give: E::Give| before[place] = give.get())?;
            let ranks: Vec<f64> = part.clone().map(|vertex| rank(sum(vertex), vertex)).collect();
            for ((now, before), total) in ranks.iter().zip(before).zip(&totals) {
                let total: f64 = (*total).into();
                all.change += (now - before * divisor(total)).abs();
                all.highest = all.highest.max(*now);
                all.dangling += if total == 0.0 { *now } else { 0.0 };
            }
            let give = |place: usize| E::Give::new(ranks[place] / divisor(totals[place].into()));
            self.file.store(to, places(&part), give)?;
            if is_last {
                self.file.store(self.ranks, places(&part), |place| ranks[place])?;
            }
        }
        Ok(all)
    }
}

impl Settled {
    fn add(&mut self, part: Settled) {
        self.dangling += part.dangling;
        self.change += part.change;
        self.highest = self.highest.max(part.highest);
    }
}

/// What the vertices of a range give, in memory.
struct Held<Give> {
    range: Range<Vertex>,
    /// One more than there are vertices: what all others give, nothing.
    contributions: Vec<Give>,
}

impl<Give> Default for Held<Give> {
    fn default() -> Self {
        Held { range: 0..0, contributions: Vec::new() }
    }
}

impl<Give: Shared + Stored> Held<Give> {
    /// Loads a range, if it is not here.
    fn load<E: Edges<Give = Give>>(
        &mut self,
        state: &State<E>,
        range: &Range<Vertex>,
    ) -> Result<(), GraphError> {
        if self.range == *range {
            return Ok(());
        }
        if self.contributions.capacity() <= range.len() {
            // Never both at a time.
            self.contributions = Vec::new();
            self.contributions = leadline_files::huge_vec(range.len() + 1);
        }
        self.contributions.resize_with(range.len() + 1, || Give::new(0.0));
        self.range = range.clone();
        let contributions = &self.contributions;
        state.file.load(state.contributions, places(range), |place, give: Give| {
            contributions[place].set(give.get())
        })?;
        contributions[range.len()].set(0.0);
        Ok(())
    }

    /// What a vertex gives if it is of the range; 0 else.
    #[inline]
    fn give(&self, vertex: Vertex) -> f64 {
        self.contributions[self.place(vertex) as usize].get()
    }

    /// Where that is, found without a branch.
    #[inline]
    fn place(&self, vertex: Vertex) -> u32 {
        let none = self.contributions.len() as u32 - 1;
        vertex.wrapping_sub(self.range.start).min(none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::pagerank::edges::{Unweighted, Weighted};
    use crate::algorithms::pagerank::shared::Single;
    use crate::{Options, RunStats};
    use leadline_graph_store::format::{Layout, StoreWriter, Weights};

    const VERTICES: u32 = 5000;

    /// Each vertex has edges to some others; every seventh has none, and the first has thousands. Undirected,
    /// or edges lead forwards only.
    fn graph(folder: &std::path::Path, directed: bool) -> Graph {
        let mut random = fastrand::Rng::with_seed(3);
        let mut edges: Vec<(u32, u32)> = (1..VERTICES).map(|vertex| (0, vertex)).collect();
        for vertex in (0..VERTICES).filter(|vertex| !vertex.is_multiple_of(7)) {
            edges.extend((0..3).map(|_| (vertex, random.u32(0..VERTICES))));
        }
        if !directed {
            edges = edges.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).collect();
        }
        edges.sort_unstable();
        let path = folder.join(if directed { "directed" } else { "undirected" });
        let layout = Layout {
            block_bytes: 4096,
            compressed: true,
            directed,
            weights: Weights::F32,
            vertices: VERTICES.into(),
        };
        let mut writer = StoreWriter::create(&path, layout).unwrap();
        // The same both ways; some are 0, and so are all of every eleventh vertex.
        let weight = |from: u32, to: u32| match from.is_multiple_of(11) || to.is_multiple_of(11) {
            true => 0.0,
            false => f64::from((from ^ to) % 8),
        };
        edges.iter().for_each(|(from, to)| writer.edge(*from, *to, weight(*from, *to)).unwrap());
        writer.finish().unwrap();
        Graph::open(&path, Options { memory: 16 << 20, threads: 2, ..Options::default() }).unwrap()
    }

    fn in_parts<E: Edges>(
        graph: &Graph,
        options: &PageRankOptions,
        [lists, neighbours]: [u64; 2],
    ) -> (Ranked, Vec<f64>, RunStats) {
        let cut = |each| ranges(VERTICES.into(), each);
        let parts = Partitioning { lists: cut(lists), neighbours: cut(neighbours), bytes: 0 };
        let (ranked, stats) =
            Engine::run(graph, "", 0, |engine| iterate::<E>(engine, options, &parts)).unwrap();
        let ranks = ranked.ranks.clone().into_vec().unwrap();
        (ranked, ranks, stats)
    }

    #[test]
    fn ranks_in_parts_are_those_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let personal = PageRankOptions { personal: vec![3, 4999, 3], ..PageRankOptions::default() };
        let tolerant = PageRankOptions { tolerance: 1e-3, iterations: 100, ..PageRankOptions::default() };
        let none = PageRankOptions { iterations: 0, ..PageRankOptions::default() };
        let weighted = PageRankOptions { weighted: true, ..PageRankOptions::default() };
        for directed in [false, true] {
            let graph = graph(folder.path(), directed);
            for options in [&PageRankOptions::default(), &personal, &tolerant, &none, &weighted] {
                let right = graph.pagerank(options).unwrap();
                for parts in [[8192, 8192], [1024, 2048], [2048, 1024]] {
                    let (found, ranks, stats) = match options.weighted {
                        false => in_parts::<Unweighted<Double>>(&graph, options, parts),
                        true => in_parts::<Weighted>(&graph, options, parts),
                    };
                    assert_eq!(found.iterations, right.iterations, "{parts:?}");
                    let off = ranks.iter().zip(right.ranks.in_memory().unwrap());
                    let most = off.map(|(found, right)| (found / right - 1.0).abs()).fold(0.0, f64::max);
                    assert!(most < 1e-12, "{most} with {parts:?}, {options:?}");
                    assert!((found.highest / right.highest - 1.0).abs() < 1e-12);
                    assert!(found.change == right.change || (found.change / right.change - 1.0).abs() < 1e-9);
                    assert!(stats.spilled_bytes > 0);
                }
            }
        }
    }

    #[test]
    fn ranks_in_parts_and_single_precision_are_those_in_memory_to_seven_digits() {
        let folder = tempfile::tempdir().unwrap();
        let graph = graph(folder.path(), false);
        let right = graph.pagerank(&PageRankOptions::default()).unwrap();
        let (_, ranks, _) = in_parts::<Unweighted<Single>>(&graph, &PageRankOptions::default(), [1024, 2048]);
        let off = ranks.iter().zip(right.ranks.in_memory().unwrap());
        assert!(off.map(|(found, right)| (found / right - 1.0).abs()).fold(0.0, f64::max) < 4e-7);
    }
}
