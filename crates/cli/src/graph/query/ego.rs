//! `leadline graph ego`: what lies around a vertex.

use clap::ValueEnum;
use leadline_graph::Side;
use leadline_graph::output::grouped;
use serde_json::json;

use super::answer::{Answer, AnswerArgs, Times};
use super::neighbors::facts;
use crate::failure::Failure;
use crate::paths::InputPath;

/// List the edges within a few hops of a vertex
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph ego web.store 17 --hops 2 -o around17.csv
  # Which vertices, and how far they are
  leadline graph ego web.store 17 --hops 3 --show vertices
  # Edges and vertices
  leadline graph ego web.store 17 --json

An undirected edge is listed once: see `leadline docs graph-queries`.")]
pub(crate) struct Args {
    /// The store of the graph, from `leadline graph import`
    #[arg(value_name = "STORE")]
    store: InputPath,
    /// Id of the vertex
    #[arg(value_name = "VERTEX")]
    vertex: String,
    /// Most hops from it to another vertex
    #[arg(long, value_name = "N", default_value_t = 1)]
    hops: u32,
    /// Follow edges in their direction (out), against it (in), or both
    #[arg(long, value_name = "DIRECTION", value_parser = |text: &str| text.parse::<Side>(), default_value = "out")]
    direction: Side,
    /// Rows to list: the edges, or the vertices with their hops
    #[arg(long, value_name = "edges|vertices", hide_possible_values = true, value_enum, default_value_t = Show::Edges)]
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
