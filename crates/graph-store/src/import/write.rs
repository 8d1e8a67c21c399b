//! The steps of an import, from the input to the finished store.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rayon::slice::ParallelSliceMut as _;

use super::gather::{Counts, Edges, gather};
use super::id_set::IdSet;
use super::lists::{ListWriter, Lists, WrittenLists};
use super::plan::{ImportPlan, Reservation};
use super::sort::{Key, Merge, Numbers, Record, SortedRecords, Sorter, Weight};
use super::translate;
use super::{ImportReport, Rules, Steps};
use crate::format::{FinishedStore, Layout, StoreWriter, Weights};
use crate::input::{EdgeReader, InputSummary};
use crate::tiles::{Finished, TilesWriter};
use crate::updates::StorePlace;
use crate::{GraphError, InputOption, Progress};

/// An import that was asked for.
pub(crate) struct Job<'a> {
    pub(crate) place: &'a StorePlace,
    /// As the user named the store.
    pub(crate) path: &'a Path,
    /// More become a sharded store.
    pub(crate) most_vertices: u64,
    pub(crate) folder: &'a Path,
    pub(crate) rules: Rules,
    pub(crate) block_bytes: u32,
    pub(crate) compressed: bool,
    pub(crate) plan: ImportPlan,
    pub(crate) begun: Instant,
}

/// The users' ids, by rank.
enum Ids {
    Dense,
    IdSet(Arc<IdSet>),
    Numbers(Numbers),
    Strings(Strings),
}

/// Strings by the number that the reader gave them, and those numbers by rank.
struct Strings {
    texts: Vec<String>,
    sorted: Vec<u32>,
    #[allow(dead_code, reason = "held for its drop")]
    taken: Reservation,
}

/// A store that was written.
struct Written {
    vertices: u64,
    /// Undirected ones once.
    edges: u64,
    bytes: u64,
}

/// What the store will hold.
struct Graph<K, W> {
    vertices: u64,
    edges: SortedRecords<K, W>,
    /// Says the ranks of the ids that the edges still have.
    seen: Option<Arc<IdSet>>,
    ids: Ids,
    /// By rank: the vertex, where they differ.
    order: Option<Numbers>,
}

impl Job<'_> {
    /// What is wrong with the options shows before the input is read.
    pub(crate) fn check(&self) -> Result<(), GraphError> {
        StoreWriter::create(self.place.path(), self.layout(0, Weights::None)).map(drop)
    }

    fn layout(&self, vertices: u64, weights: Weights) -> Layout {
        let Job { block_bytes, compressed, .. } = *self;
        Layout { block_bytes, compressed, directed: !self.rules.undirected, weights, vertices }
    }

    pub(crate) fn run<W: Weight>(
        &self,
        mut reader: Box<dyn EdgeReader>,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<ImportReport, GraphError> {
        let gathered = gather::<W>(&mut *reader, self.rules, self.folder, &self.plan, progress)?;
        let mut input = reader.summary();
        input.first_edge = gathered.first_edge;
        let strings = reader.strings();
        drop(reader);
        let mut steps = Steps::new(progress);
        let (counts, steps) = (gathered.counts, &mut steps);
        let report = match gathered.edges {
            Edges::Narrow(edges, seen) => {
                let graph = self.narrow(edges, seen, strings, steps)?;
                self.renumber_and_write(graph, counts, steps)?
            }
            Edges::Far(edges, seen) if strings.is_none() => {
                self.write(Job::by_set(edges, seen), counts, steps)?
            }
            Edges::Far(..) => return Err(self.too_many_strings()),
            Edges::Wide(..) if strings.is_some() => return Err(self.too_many_strings()),
            Edges::Wide(edges, ids) => {
                let numbers = translate::distinct(&ids, self.folder, &self.plan)?;
                let spilled = ids.spilled;
                drop(ids);
                match numbers.count() <= self.most_vertices {
                    true => {
                        let graph = self.wide(edges, numbers, spilled, steps)?;
                        self.renumber_and_write(graph, counts, steps)?
                    }
                    false => {
                        self.check_order_of(numbers.count())?;
                        self.write::<u128, W>(self.wide(edges, numbers, spilled, steps)?, counts, steps)?
                    }
                }
            }
        };
        input.notes.extend(self.note(&report));
        Ok(ImportReport { input, ..report })
    }

    fn too_many_strings(&self) -> GraphError {
        let text = format!("more different ids than {} of memory take; give it more", self.plan.total());
        GraphError::Option { text, option: InputOption::Memory }
    }

    /// An error where a sharded store cannot be what was asked for.
    fn check_order_of(&self, vertices: u64) -> Result<(), GraphError> {
        if vertices <= self.most_vertices || !self.rules.renumber {
            return Ok(());
        }
        let (found, most) = (vertices, self.most_vertices);
        let what = "a store whose vertices are renumbered holds".to_owned();
        Err(GraphError::TooManyVertices { found, what, most })
    }

    fn renumber_and_write<W: Weight>(
        &self,
        graph: Graph<u64, W>,
        counts: Counts,
        steps: &mut Steps<'_>,
    ) -> Result<ImportReport, GraphError> {
        if !self.rules.renumber {
            return self.write(graph, counts, steps);
        }
        let Graph { vertices, edges, seen, ids, .. } = graph;
        self.check_order_of(vertices)?;
        let (edges, order) =
            translate::renumber(edges, seen.as_deref(), vertices, self.folder, &self.plan, steps)?;
        self.write(Graph { vertices, edges, seen: None, ids, order: Some(order) }, counts, steps)
    }

    /// Ids are numbers that lie close together, or stand for strings.
    fn narrow<W: Weight>(
        &self,
        edges: SortedRecords<u64, W>,
        seen: IdSet,
        strings: Option<Vec<String>>,
        steps: &mut Steps<'_>,
    ) -> Result<Graph<u64, W>, GraphError> {
        if let Some(texts) = strings {
            drop(seen);
            return self.strings(edges, texts, steps);
        }
        Ok(Job::by_set(edges, seen))
    }

    /// Ids are numbers that were noted.
    fn by_set<K: Key, W: Weight>(edges: SortedRecords<K, W>, mut seen: IdSet) -> Graph<K, W> {
        let vertices = seen.count();
        if seen.is_dense() {
            return Graph { vertices, edges, seen: None, ids: Ids::Dense, order: None };
        }
        let seen = Arc::new(seen);
        let ids = Ids::IdSet(Arc::clone(&seen));
        Graph { vertices, edges, seen: Some(seen), ids, order: None }
    }

    /// Ids are numbers of any size.
    fn wide<K: Key, W: Weight>(
        &self,
        edges: SortedRecords<u128, W>,
        numbers: Numbers,
        spilled: u64,
        steps: &mut Steps<'_>,
    ) -> Result<Graph<K, W>, GraphError> {
        let vertices = numbers.count();
        let mut edges = translate::to_ranks(edges, &numbers, self.rules, self.folder, &self.plan, steps)?;
        edges.spilled += spilled;
        Ok(Graph { vertices, edges, seen: None, ids: Ids::Numbers(numbers), order: None })
    }

    /// From numbers in the order in which strings occurred to their ranks.
    fn strings<W: Weight>(
        &self,
        edges: SortedRecords<u64, W>,
        texts: Vec<String>,
        steps: &mut Steps<'_>,
    ) -> Result<Graph<u64, W>, GraphError> {
        let (found, most) = (texts.len() as u64, self.most_vertices);
        if found > most {
            let what = "a store whose ids are strings holds".to_owned();
            return Err(GraphError::TooManyVertices { found, what, most });
        }
        let bytes: usize = texts.iter().map(|text| text.len() + size_of::<String>() + 16).sum();
        let taken = self.plan.take((bytes + 4 * texts.len()) as u64);
        let mut sorted: Vec<u32> = (0..texts.len() as u32).collect();
        sorted.par_sort_unstable_by(|a, b| texts[*a as usize].cmp(&texts[*b as usize]));
        let _taken = self.plan.take(4 * texts.len() as u64);
        let mut ranks = vec![0; texts.len()];
        for (rank, number) in sorted.iter().enumerate() {
            ranks[*number as usize] = rank as u32;
        }
        let edges = translate::look_up(edges, None, &ranks, self.folder, &self.plan, steps)?;
        let vertices = texts.len() as u64;
        let ids = Ids::Strings(Strings { texts, sorted, taken });
        Ok(Graph { vertices, edges, seen: None, ids, order: None })
    }

    fn write<K: Key, W: Weight>(
        &self,
        graph: Graph<K, W>,
        counts: Counts,
        steps: &mut Steps<'_>,
    ) -> Result<ImportReport, GraphError> {
        let weights = match (W::BYTES, counts.single) {
            (0, _) => Weights::None,
            // A sum may need more digits than what was added.
            (_, true) if self.rules.dedupe != Some(Merge::Sum) => Weights::F32,
            _ => Weights::F64,
        };
        let layout = self.layout(graph.vertices, weights);
        if graph.vertices > self.most_vertices {
            return self.write_shards(graph, layout, counts, steps);
        }
        let mut writer = StoreWriter::create(self.place.path(), layout)?;
        let (spilled, parallel) = self.lists(&mut writer, graph.edges, graph.seen.as_deref(), steps)?;
        match &graph.ids {
            Ids::Dense => {}
            Ids::IdSet(seen) => {
                writer.number_ids(seen.iter().map(|id| self.plan.check_stop().map(|()| id)))?
            }
            Ids::Numbers(ids) => writer.number_ids(ids.iter().map(|id| self.plan.check_stop().and(id)))?,
            Ids::Strings(Strings { texts, sorted, .. }) => {
                writer.string_ids(|| sorted.iter().map(|number| Ok(&texts[*number as usize])))?;
            }
        }
        if let Some(order) = graph.order {
            self.order(&mut writer, &order)?;
        }
        writer.set_rules(self.rules.of_changes);
        self.plan.check_stop()?;
        let FinishedStore { header, file_bytes } = writer.finish()?;
        let store = Written { vertices: header.vertices, edges: header.graph_edges(), bytes: file_bytes };
        Ok(self.report(store, counts, spilled, parallel))
    }

    /// The same of more vertices than one file holds.
    fn write_shards<K: Key, W: Weight>(
        &self,
        graph: Graph<K, W>,
        layout: Layout,
        counts: Counts,
        steps: &mut Steps<'_>,
    ) -> Result<ImportReport, GraphError> {
        let (most, rules, memory) = (self.most_vertices, self.rules.of_changes, self.plan.total() / 16);
        let folder = self.place.new_folder()?;
        let mut writer = TilesWriter::create(folder, self.path, layout, most, rules, memory)?;
        let (spilled, parallel) = self.lists(&mut writer, graph.edges, graph.seen.as_deref(), steps)?;
        match &graph.ids {
            Ids::Dense => {}
            Ids::IdSet(seen) => writer.ids(seen.iter().map(|id| self.plan.check_stop().map(|()| id)))?,
            Ids::Numbers(ids) => writer.ids(ids.iter().map(|id| self.plan.check_stop().and(id)))?,
            Ids::Strings(_) => unreachable!("there are not as many strings"),
        }
        self.plan.check_stop()?;
        let Finished { shards, bytes } = writer.finish()?;
        let store = Written { vertices: shards.vertices, edges: shards.edges(), bytes };
        Ok(ImportReport { sharded: true, ..self.report(store, counts, spilled, parallel) })
    }

    /// All lists, and the reverse ones where they are wanted. Returns the bytes that all sorts spilled, and
    /// how often an edge is next to one with the same ends.
    fn lists<K: Key, W: Weight>(
        &self,
        writer: &mut impl ListWriter,
        edges: SortedRecords<K, W>,
        seen: Option<&IdSet>,
        steps: &mut Steps<'_>,
    ) -> Result<(u64, u64), GraphError> {
        let plan = &self.plan;
        let reverse = if self.rules.reverse && !self.rules.undirected {
            let forecast =
                edges.forecast(|key| translate::turned(seen.map_or(key, |seen| seen.rank_both(key))))?;
            let sorter = Sorter::<K, W>::new(self.folder, plan.sort_beside(), None, plan)?;
            Some(sorter.expecting(forecast))
        } else {
            None
        };
        steps.begin("write", edges.records());
        let parallel = self.side(writer, &edges, steps, |thread, records| {
            translate::rank(seen, records);
            let Some(reverse) = &reverse else { return Ok(()) };
            let mut lane = reverse.lane(thread);
            records.iter().try_for_each(|Record { key, weight }| {
                lane.push(Record { key: translate::turned(*key), weight: *weight })
            })
        })?;
        let mut spilled = edges.spilled;
        drop(edges);
        if let Some(reverse) = reverse {
            let edges = reverse.finish()?;
            writer.start_reverse()?;
            steps.begin("write reverse", edges.records());
            self.side(writer, &edges, steps, translate::as_they_are)?;
            spilled += edges.spilled;
        }
        Ok((spilled, parallel))
    }

    /// The lists of one direction. Returns how often an edge has the same ends as the one before it.
    fn side<K: Key, W: Weight>(
        &self,
        writer: &mut impl ListWriter,
        edges: &SortedRecords<K, W>,
        steps: &Steps<'_>,
        each: impl Fn(usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<u64, GraphError> {
        let mut taken = self.plan.take(writer.bytes());
        let (lists, mut written) = (Lists::new(writer.coded(), &self.plan), WrittenLists::default());
        edges.in_order_by(
            |thread, records| {
                each(thread, records)?;
                lists.encode(thread, records);
                Ok(())
            },
            |thread, records| {
                steps.add(records.len());
                lists.write(thread, records, writer, &mut written)?;
                taken.set(writer.bytes());
                Ok(())
            },
        )?;
        Ok(written.parallel.edges(self.rules.undirected))
    }

    fn order(&self, writer: &mut StoreWriter, order: &Numbers) -> Result<(), GraphError> {
        let vertices = order.iter().map(|vertex| self.plan.check_stop().and(vertex));
        writer.order(vertices.map(|vertex| vertex.map(|vertex| vertex as u32)))
    }

    /// What its user should know of the edges.
    fn note(&self, report: &ImportReport) -> Option<String> {
        let (parallel, listed) = (report.parallel_edges, report.edges);
        match parallel {
            0 => None,
            _ if self.rules.undirected && 2 * parallel == listed => Some(
                "each edge is in the input twice, perhaps from either end; dedupe keeps one of them"
                    .to_owned(),
            ),
            _ => Some(format!(
                "{parallel} edges have the same ends as another and were kept; dedupe merges them"
            )),
        }
    }

    fn report(&self, written: Written, counts: Counts, bytes_spilled: u64, parallel: u64) -> ImportReport {
        let Written { vertices, edges, bytes } = written;
        ImportReport {
            input: InputSummary::default(),
            seconds: self.begun.elapsed().as_secs_f64(),
            input_bytes: counts.input_bytes,
            edges_read: counts.read,
            duplicates_dropped: (counts.read - counts.loops_dropped).saturating_sub(edges),
            self_loops_dropped: counts.loops_dropped,
            parallel_edges: parallel,
            sharded: false,
            vertices,
            edges,
            store_bytes: bytes,
            bytes_per_edge: if edges == 0 { 0.0 } else { bytes as f64 / edges as f64 },
            bytes_spilled,
            peak_memory_bytes: self.plan.account.peak(),
        }
    }
}
