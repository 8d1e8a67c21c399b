//! The steps of an import, from the input to the finished store.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::gather::{Counts, Edges, gather};
use super::id_set::IdSet;
use super::lists::{Lists, Written};
use super::plan::{ImportPlan, Reservation};
use super::sort::{Merge, Numbers, Record, SortedRecords, Sorter, Weight};
use super::translate;
use super::{ImportReport, Rules, Steps};
use crate::format::{FinishedStore, Layout, StoreWriter, Weights};
use crate::input::{EdgeReader, InputSummary};
use crate::{GraphError, InputOption, Progress};

/// An import that was asked for.
pub(crate) struct Job<'a> {
    pub(crate) store: &'a Path,
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

/// What the store will hold.
struct Graph<W> {
    vertices: u64,
    edges: SortedRecords<u64, W>,
    /// Says the ranks of the ids that the edges still have.
    seen: Option<Arc<IdSet>>,
    ids: Ids,
    /// By rank: the vertex, where they differ.
    order: Option<Numbers>,
}

impl Job<'_> {
    /// What is wrong with the options shows before the input is read.
    pub(crate) fn check(&self) -> Result<(), GraphError> {
        StoreWriter::create(self.store, self.layout(0, Weights::None)).map(drop)
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
        let mut graph = match gathered.edges {
            Edges::Narrow(edges, seen) => self.narrow(edges, seen, strings, &mut steps)?,
            Edges::Wide(..) if strings.is_some() => {
                let text =
                    format!("more different ids than {} of memory take; give it more", self.plan.total());
                return Err(GraphError::Option { text, option: InputOption::Memory });
            }
            Edges::Wide(edges, ids) => self.wide(edges, ids, &mut steps)?,
        };
        if self.rules.renumber {
            let Graph { vertices, edges, seen, ids, .. } = graph;
            let (edges, order) =
                translate::renumber(edges, seen.as_deref(), vertices, self.folder, &self.plan, &mut steps)?;
            graph = Graph { vertices, edges, seen: None, ids, order: Some(order) };
        }
        let weights = match (W::BYTES, gathered.counts.single) {
            (0, _) => Weights::None,
            // A sum may need more digits than what was added.
            (_, true) if self.rules.dedupe != Some(Merge::Sum) => Weights::F32,
            _ => Weights::F64,
        };
        let report = self.write(graph, weights, gathered.counts, &mut steps)?;
        input.notes.extend(self.note(&report));
        Ok(ImportReport { input, ..report })
    }

    /// Ids are numbers that lie close together, or stand for strings.
    fn narrow<W: Weight>(
        &self,
        edges: SortedRecords<u64, W>,
        mut seen: IdSet,
        strings: Option<Vec<String>>,
        steps: &mut Steps<'_>,
    ) -> Result<Graph<W>, GraphError> {
        if let Some(texts) = strings {
            drop(seen);
            return self.strings(edges, texts, steps);
        }
        let vertices = seen.count();
        translate::check_vertices(vertices)?;
        if seen.is_dense() {
            return Ok(Graph { vertices, edges, seen: None, ids: Ids::Dense, order: None });
        }
        let seen = Arc::new(seen);
        let ids = Ids::IdSet(Arc::clone(&seen));
        Ok(Graph { vertices, edges, seen: Some(seen), ids, order: None })
    }

    /// Ids are numbers of any size.
    fn wide<W: Weight>(
        &self,
        edges: SortedRecords<u128, W>,
        ids: SortedRecords<u64, ()>,
        steps: &mut Steps<'_>,
    ) -> Result<Graph<W>, GraphError> {
        let numbers = translate::distinct(&ids, self.folder, &self.plan)?;
        let spilled = ids.spilled;
        drop(ids);
        let vertices = numbers.count();
        translate::check_vertices(vertices)?;
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
    ) -> Result<Graph<W>, GraphError> {
        let bytes: usize = texts.iter().map(|text| text.len() + size_of::<String>() + 16).sum();
        let taken = self.plan.take((bytes + 4 * texts.len()) as u64);
        let mut sorted: Vec<u32> = (0..texts.len() as u32).collect();
        sorted.sort_unstable_by(|a, b| texts[*a as usize].cmp(&texts[*b as usize]));
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

    fn write<W: Weight>(
        &self,
        graph: Graph<W>,
        weights: Weights,
        counts: Counts,
        steps: &mut Steps<'_>,
    ) -> Result<ImportReport, GraphError> {
        let mut writer = StoreWriter::create(self.store, self.layout(graph.vertices, weights))?;
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
        let written = writer.finish()?;
        Ok(self.report(written, counts, spilled, parallel))
    }

    /// All lists, and the reverse ones where they are wanted. Returns the bytes that all sorts spilled, and
    /// how often an edge is next to one with the same ends.
    fn lists<W: Weight>(
        &self,
        writer: &mut StoreWriter,
        edges: SortedRecords<u64, W>,
        seen: Option<&IdSet>,
        steps: &mut Steps<'_>,
    ) -> Result<(u64, u64), GraphError> {
        let plan = &self.plan;
        let reverse = if self.rules.reverse && !self.rules.undirected {
            let forecast =
                edges.forecast(|key| translate::turned(seen.map_or(key, |seen| seen.rank_both(key))))?;
            let sorter = Sorter::<u64, W>::new(self.folder, plan.sort_beside(), None, plan)?;
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
    fn side<W: Weight>(
        &self,
        writer: &mut StoreWriter,
        edges: &SortedRecords<u64, W>,
        steps: &Steps<'_>,
        each: impl Fn(usize, &mut Vec<Record<u64, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<u64, GraphError> {
        let mut taken = self.plan.take(writer.memory_bytes());
        let (lists, mut written) = (Lists::new(writer.layout(), &self.plan), Written::default());
        edges.in_order_by(
            |thread, records| {
                each(thread, records)?;
                lists.encode(thread, records);
                Ok(())
            },
            |thread, records| {
                steps.add(records.len());
                lists.write(thread, records, writer, &mut written)?;
                taken.set(writer.memory_bytes());
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

    fn report(
        &self,
        written: FinishedStore,
        counts: Counts,
        bytes_spilled: u64,
        parallel: u64,
    ) -> ImportReport {
        let FinishedStore { header, file_bytes } = written;
        let edges = header.graph_edges();
        ImportReport {
            input: InputSummary::default(),
            seconds: self.begun.elapsed().as_secs_f64(),
            input_bytes: counts.input_bytes,
            edges_read: counts.read,
            duplicates_dropped: (counts.read - counts.loops_dropped).saturating_sub(edges),
            self_loops_dropped: counts.loops_dropped,
            parallel_edges: parallel,
            vertices: header.vertices,
            edges,
            store_bytes: file_bytes,
            bytes_per_edge: if edges == 0 { 0.0 } else { file_bytes as f64 / edges as f64 },
            bytes_spilled,
            peak_memory_bytes: self.plan.account.peak(),
        }
    }
}
