//! `leadline graph similarity`: who has the same neighbours.

use std::path::{Path, PathBuf};

use leadline_graph::algorithms::{Measure, MostSimilar, Similarities, TopOptions};
use leadline_graph::format::Vertex;
use leadline_graph::input::{self, Batch, Format, IdMode, InputOptions};
use leadline_graph::output::{Output, PairOutput};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;
use crate::paths::InputPath;

/// Similarity: how many of their neighbours two vertices share, for given pairs, or for each vertex those
/// that are most similar to it
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  leadline graph similarity web.graph --pairs pairs.txt -o similarity.csv\n  \
                        leadline graph similarity web.graph --measure overlap --top 10 -o similar.parquet\n  \
                        leadline graph similarity web.graph --top 10 --skip-above 10000 -o similar.csv"
)]
#[command(group = clap::ArgGroup::new("wanted").required(true).args(["pairs", "top"]))]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    /// Common neighbours by all of both (jaccard), or by those of the vertex with fewer (overlap)
    #[arg(long, value_name = "MEASURE", default_value = "jaccard", value_parser = str::parse::<Measure>)]
    measure: Measure,
    /// File of pairs of ids, one pair per line with blanks between them, or in another format of edges, told
    /// by its name
    #[arg(long, value_name = "FILE")]
    pairs: Option<InputPath>,
    /// For each vertex so many of those that share a neighbour with it, the most similar first
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// With --top: do not count vertices that more edges than this lead to as neighbours of any
    #[arg(long, value_name = "DEGREE", conflicts_with = "pairs")]
    skip_above: Option<u32>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let Args { common, measure, pairs, top, skip_above } = args;
    let writes = common.output().is_some();
    let sink_bytes = |graph: &Graph| if writes { PairOutput::bytes(graph) } else { 0 };
    if let Some(most) = top {
        return run::run(&common, |graph| {
            graph.need_reverse(Top::NAME)?;
            let sink_bytes = sink_bytes(graph);
            Ok(Top { options: TopOptions { measure, most, skip_above, sink_bytes }, path: None })
        });
    }
    run::run(&common, |graph| {
        // One of both is given.
        let pairs = pairs.as_deref().map_or(Ok(Vec::new()), |file| read_pairs(file, graph))?;
        Ok(Pairs { pairs, measure, sink_bytes: sink_bytes(graph), path: None })
    })
}

/// The pairs of a file, in its order.
fn read_pairs(path: &Path, graph: &Graph) -> Result<Vec<(Vertex, Vertex)>, GraphError> {
    let strings = graph.ids().are_strings();
    let options = InputOptions {
        // Lines of two ids, where the name tells nothing else.
        format: Some(Format::of(path).unwrap_or(Format::Snap)),
        ids: if strings { IdMode::Strings } else { IdMode::Numbers },
        directed: true,
        memory: graph.options().memory / 4,
        ..InputOptions::default()
    };
    let mut reader = input::open(path, options)?;
    let (mut batch, mut named) = (Batch::default(), Vec::new());
    while reader.next_batch(&mut batch)? {
        named.append(&mut batch.pairs);
    }
    named.append(&mut batch.pairs);
    // Each id is looked up once, however many pairs it is in.
    if let Some(texts) = reader.strings() {
        let vertices: Vec<Vertex> = texts.iter().map(|text| graph.vertex(text)).collect::<Result<_, _>>()?;
        return Ok(named.iter().map(|(a, b)| (vertices[*a as usize], vertices[*b as usize])).collect());
    }
    let mut ids: Vec<u64> = named.iter().flat_map(|(a, b)| [*a, *b]).collect();
    ids.sort_unstable();
    ids.dedup();
    let vertices: Vec<Vertex> =
        ids.iter().map(|id| graph.vertex(&id.to_string())).collect::<Result<_, _>>()?;
    let vertex = |id: &u64| vertices[ids.partition_point(|other| other < id)];
    Ok(named.iter().map(|(a, b)| (vertex(a), vertex(b))).collect())
}

/// Pairs that are given.
struct Pairs {
    pairs: Vec<(Vertex, Vertex)>,
    measure: Measure,
    sink_bytes: u64,
    path: Option<PathBuf>,
}

impl Task for Pairs {
    type Outcome = Similarities;
    const NAME: &'static str = "similarity of pairs";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Similarities { pairs: self.pairs.len() as u64, sink_bytes: self.sink_bytes }
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        PairOutput::create(path, graph, "similarity")?;
        self.path = Some(path.to_owned());
        Ok(None)
    }

    fn run(&mut self, graph: &Graph) -> Result<Similarities, GraphError> {
        let found = graph.similarities(&self.pairs, self.measure, self.sink_bytes)?;
        if let Some(path) = &self.path {
            let mut output = PairOutput::create(path, graph, "similarity")?;
            for ((a, b), value) in self.pairs.iter().zip(&found.values) {
                output.put(*a, *b, *value)?;
            }
            output.finish()?;
        }
        Ok(found)
    }

    fn words(&self, found: &Similarities) -> String {
        format!("{} pairs; mean similarity {:.6}", grouped(found.values.len() as u64), found.mean())
    }

    fn write(&self, _: &Graph, _: &mut Similarities, _: Output) -> Result<u64, GraphError> {
        unreachable!("pairs are written by the run: no file is kept for afterwards")
    }
}

/// The most similar ones of each vertex.
struct Top {
    options: TopOptions,
    path: Option<PathBuf>,
}

impl Task for Top {
    type Outcome = MostSimilar;
    const NAME: &'static str = "similarity";

    fn algorithm(&self) -> Algorithm {
        Algorithm::MostSimilar(self.options.clone())
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        PairOutput::create(path, graph, "similarity")?;
        self.path = Some(path.to_owned());
        Ok(None)
    }

    fn run(&mut self, graph: &Graph) -> Result<MostSimilar, GraphError> {
        let Some(path) = &self.path else { return graph.most_similar(&self.options, |_, _| Ok(())) };
        let mut output = PairOutput::create(path, graph, "similarity")?;
        let found = graph.most_similar(&self.options, |vertex, similar| {
            similar.iter().try_for_each(|(other, value)| output.put(vertex, *other, *value))
        })?;
        output.finish()?;
        Ok(found)
    }

    fn iterations(&self, found: &MostSimilar) -> u64 {
        found.batches
    }

    fn words(&self, found: &MostSimilar) -> String {
        let (pairs, vertices) = (grouped(found.pairs), grouped(found.vertices));
        format!("{pairs} similar ones of {vertices} vertices, in {} batches", grouped(found.batches))
    }

    fn write(&self, _: &Graph, _: &mut MostSimilar, _: Output) -> Result<u64, GraphError> {
        unreachable!("similar ones are written as they are found: no file is kept for afterwards")
    }
}
