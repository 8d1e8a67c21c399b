//! `leadline graph ego`: what lies around a vertex.

use clap::ValueEnum;
use leadline_graph::Side;
use leadline_graph::output::grouped;
use serde_json::json;

use super::answer::{Answer, AnswerArgs, Times};
use super::neighbors::facts;
use crate::failure::Failure;
use crate::paths::InputPath;

/// The neighbourhood of a vertex: all edges among the vertices that few hops lead to
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  leadline graph ego web.graph 17 --hops 2 -o around17.csv\n  \
                  leadline graph ego web.graph 17 --hops 3 --show vertices     which, and how far they are\n  \
                  leadline graph ego web.graph 17 --json                       both\n\
                  An undirected edge is there once: `leadline docs graph-queries`")]
pub(crate) struct Args {
    /// The graph's store, made by leadline graph import
    #[arg(value_name = "STORE")]
    store: InputPath,
    /// Id of the vertex in the middle
    #[arg(value_name = "VERTEX")]
    vertex: String,
    /// Most edges from it to another vertex
    #[arg(long, value_name = "N", default_value_t = 1)]
    hops: u32,
    /// Follow edges as they lead (out), against that (in), or both ways
    #[arg(long, value_name = "DIRECTION", value_parser = |text: &str| text.parse::<Side>(), default_value = "out")]
    direction: Side,
    /// Which rows: the edges, or the vertices with their hops
    #[arg(long, value_name = "ROWS", value_enum, default_value_t = Show::Edges)]
    show: Show,
    #[command(flatten)]
    answer: AnswerArgs,
}

/// Which rows of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    Edges,
    Vertices,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (graph, file) = args.answer.open(&args.store)?;
    let mut times = Times::default();
    let vertex = times.ids(|| graph.vertex(&args.vertex))?;
    let ego = graph.ego(vertex, args.hops, args.direction)?;
    let (vertices, edges) = (ego.vertices.len() as u64, ego.edges.len() as u64);
    let of_vertices = || Ok::<_, Failure>(("vertices", ego.vertex_rows(&graph)?));
    let of_edges = || Ok::<_, Failure>(("edges", ego.edge_rows(&graph)?));
    let wants_others = args.answer.wants_others();
    let (rows, others) = times.rows(|| {
        Ok::<_, Failure>(match args.show {
            Show::Edges => (of_edges()?, wants_others.then(of_vertices).transpose()?),
            Show::Vertices => (of_vertices()?, wants_others.then(of_edges).transpose()?),
        })
    })?;
    let words = format!(
        "{} hops around {}: {} vertices, {} edges",
        args.hops,
        args.vertex,
        grouped(vertices),
        grouped(edges)
    );
    let facts = facts(json!({
        "vertex": args.vertex,
        "hops": args.hops,
        "direction": args.direction.to_string(),
        "found_vertices": vertices,
        "found_edges": edges,
    }));
    let stats = ego.stats;
    args.answer
        .give(Answer { graph: &graph, question: "ego", facts, words, stats, times, rows, others }, file)
}
