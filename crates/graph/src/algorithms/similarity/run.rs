//! Similarity as an algorithm that is asked for: what it needs, costs, and looks like.

use leadline_graph_store::format::{Direction, Vertex};

use super::{Measure, MostSimilar, PairsPlan, Similarities, TopOptions, TopPlan, given};
use crate::algorithm::{
    Algorithm, AlgorithmOption, Call, Definition, Destination, Job, Needs, OptionKind, Ran, TableShape,
    least_memory_of,
};
use crate::estimate::Blocks;
use crate::output::{PairOutput, PairRows, grouped, outcome};
use crate::{Graph, GraphError};

/// What it is called, and what its value is called in a result.
pub(super) const NAME: &str = "similarity";

/// What that of given pairs is called.
pub(super) const PAIRS: &str = "similarity of pairs";

outcome!(
    Similarities,
    found: { "pairs": found.values.len(), "mean_similarity": found.mean() },
    format!("{} pairs; mean similarity {:.6}", grouped(found.values.len() as u64), found.mean())
);

impl Similarities {
    /// The mean similarity; 0 where there are no pairs.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }
}

outcome!(
    MostSimilar,
    found: { "vertices": found.vertices, "pairs": found.pairs, "batches": found.batches },
    {
        let [pairs, vertices, batches] = [found.pairs, found.vertices, found.batches].map(grouped);
        format!("{pairs} similar ones of {vertices} vertices, in {batches} batches")
    },
    iterations: found.batches
);

pub(crate) static DEFINITION: Definition = Definition {
    name: "similarity",
    about: "Similarity of vertices, by the neighbours they share",
    examples: "\
Examples:
  # Given pairs
  leadline graph similarity web.store --pairs pairs.txt -o similarity.csv
  # The ten most similar vertices of each
  leadline graph similarity web.store --top 10 --measure overlap \\
    -o similar.parquet
  # Without vertices that more than 10,000 edges lead to
  leadline graph similarity web.store --top 10 --skip-above 10000 -o similar.csv",
    options: &[
        AlgorithmOption::new(
            "measure",
            "MEASURE",
            OptionKind::Text(|name| name.parse::<Measure>().map(drop)),
            "Shared neighbours divided by all neighbours of both (jaccard), or by the smaller number (overlap)",
        )
        .or("jaccard"),
        AlgorithmOption::new(
            "pairs",
            "FILE",
            OptionKind::Pairs,
            "File of pairs of ids: one pair per line, separated by blanks, or another format of edges by its \
             ending",
        ),
        AlgorithmOption::new(
            "top",
            "K",
            OptionKind::U32(1, u32::MAX),
            "For each vertex the K most similar ones, best first",
        ),
        AlgorithmOption::new(
            "skip-above",
            "DEGREE",
            OptionKind::U32(0, u32::MAX),
            "With --top: ignore shared neighbours that more edges than this lead to [default: none]",
        )
        .not_with(&["pairs"]),
    ],
    one_of: &["pairs", "top"],
    make,
};

fn make(call: &mut Call<'_>) -> Result<Box<dyn Algorithm>, GraphError> {
    let graph = call.graph();
    let measure = call.parsed("measure")?.unwrap_or_default();
    let file = || PairOutput::bytes(graph);
    if let Some(most) = call.number("top") {
        let mut options = TopOptions { measure, most, skip_above: call.number("skip-above"), sink_bytes: 0 };
        options.sink_bytes = call.to().sink_bytes(file, || PairRows::bytes(graph, options.most_pairs(graph)));
        return Ok(Box::new(MostSimilarRun { options }));
    }
    let pairs = given::pairs(graph, call.argument("pairs"))?;
    let sink_bytes = call.to().sink_bytes(file, || PairRows::bytes(graph, pairs.len() as u64));
    Ok(Box::new(SimilaritiesRun { pairs, measure, sink_bytes }))
}

/// [`Graph::similarities`].
#[derive(Debug, Clone, Default)]
pub struct SimilaritiesRun {
    /// The pairs.
    pub pairs: Vec<(Vertex, Vertex)>,
    /// How similarity is measured.
    pub measure: Measure,
    /// Bytes of what takes the result.
    pub sink_bytes: u64,
}

impl SimilaritiesRun {
    fn plan(&self, graph: &Graph, memory: u64, sink_bytes: u64) -> PairsPlan {
        PairsPlan::new(graph, memory, self.pairs.len() as u64, sink_bytes)
    }
}

impl Algorithm for SimilaritiesRun {
    fn name(&self) -> &'static str {
        PAIRS
    }

    fn table(&self) -> Option<TableShape> {
        None
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        self.plan(graph, memory, self.sink_bytes).bytes
    }

    /// Pairs are written after they are made, within the same memory.
    fn least_memory_with_result(&self, graph: &Graph) -> [u64; 2] {
        [PairOutput::bytes(graph), PairRows::bytes(graph, self.pairs.len() as u64)]
            .map(|sink_bytes| least_memory_of(graph, self.plan(graph, 0, sink_bytes).bytes))
    }

    /// The blocks of all pairs to measure lists, and for each batch those that are held and those that are
    /// streamed. Where the pairs are is not known.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let pairs = self.pairs.len() as u64;
        let plan = self.plan(blocks.graph, blocks.memory(), self.sink_bytes);
        // Lists are not cut: two batches that follow one another are more than there is room for.
        let batches = if plan.held == plan.all { 1 } else { 2 * plan.all / plan.held.max(1) + 1 };
        let most = if pairs == 0 { 0 } else { blocks.again(blocks.forward, 1 + 2 * batches) };
        [blocks.forward.min(pairs).min(1), most]
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        let SimilaritiesRun { pairs, measure, sink_bytes } = self;
        let try_file = |path: &_| PairOutput::create(path, graph, NAME).map(drop);
        job.stream(try_file, || {
            // Before the work: a long run is not to end at that.
            let rows = match job.to {
                Destination::Rows => Some(PairRows::new(graph, NAME, pairs.len() as u64)?),
                _ => None,
            };
            let found = graph.similarities(pairs, *measure, *sink_bytes)?;
            let mut valued = pairs.iter().zip(&found.values);
            if let Destination::File(path) = &job.to {
                let mut output = PairOutput::create(path, graph, NAME)?;
                valued.try_for_each(|((a, b), value)| output.put(*a, *b, *value))?;
                output.finish()?;
                return Ok((found, None));
            }
            let rows = rows.map(|mut rows| {
                valued.for_each(|((a, b), value)| rows.put(*a, *b, *value));
                rows.finish()
            });
            Ok((found, rows.transpose()?))
        })
    }
}

/// [`Graph::most_similar`].
#[derive(Debug, Clone)]
pub struct MostSimilarRun {
    /// Which are looked for.
    pub options: TopOptions,
}

impl Algorithm for MostSimilarRun {
    fn name(&self) -> &'static str {
        NAME
    }

    fn needs(&self) -> Needs {
        Needs::REVERSE
    }

    fn table(&self) -> Option<TableShape> {
        None
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        TopPlan::new(graph, memory, &self.options).bytes
    }

    /// Pairs are written while they are made, within the same memory.
    fn least_memory_with_result(&self, graph: &Graph) -> [u64; 2] {
        let rows = PairRows::bytes(graph, self.options.most_pairs(graph));
        [PairOutput::bytes(graph), rows].map(|sink_bytes| {
            let options = TopOptions { sink_bytes, ..self.options.clone() };
            least_memory_of(graph, TopPlan::new(graph, 0, &options).bytes)
        })
    }

    /// A pass over what leads to vertices and one over what leads from them; then for each batch what leads
    /// from its vertices, and what leads to their neighbours. How many batches there are depends on how many
    /// share neighbours; at most there is one for each vertex.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let mut passes = blocks.passes();
        passes.pass(Direction::Reverse);
        passes.pass(Direction::Forward);
        let most = blocks.again(blocks.all(), 2 + 2 * blocks.graph.vertices());
        [passes.read, most.max(passes.read)]
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        let options = &self.options;
        let try_file = |path: &_| PairOutput::create(path, graph, NAME).map(drop);
        job.stream(try_file, || match &job.to {
            Destination::Nowhere => Ok((graph.most_similar(options, |_, _| Ok(()))?, None)),
            Destination::File(path) => {
                let mut output = PairOutput::create(path, graph, NAME)?;
                let found = graph.most_similar(options, |vertex, similar| {
                    similar.iter().try_for_each(|(other, value)| output.put(vertex, *other, *value))
                })?;
                output.finish()?;
                Ok((found, None))
            }
            Destination::Rows => {
                let mut rows = PairRows::new(graph, NAME, options.most_pairs(graph))?;
                let found = graph.most_similar(options, |vertex, similar| {
                    similar.iter().for_each(|(other, value)| rows.put(vertex, *other, *value));
                    Ok(())
                })?;
                Ok((found, Some(rows.finish()?)))
            }
        })
    }
}
