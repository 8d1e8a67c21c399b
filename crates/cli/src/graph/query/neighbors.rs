//! `leadline graph neighbors`: the neighbours, or the degrees, of some vertices.

use leadline_graph::Side;
use leadline_graph::output::grouped;
use serde_json::{Map, Value, json};

use super::answer::{Answer, AnswerArgs, Times};
use super::ids::{IdArgs, distinct};
use crate::failure::Failure;
use crate::paths::InputPath;

/// List the neighbours of some vertices
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph neighbors web.store 17
  # Of every vertex in a file, both ways
  leadline graph neighbors web.store --vertices ids.txt --direction both \\
    -o neighbors.parquet
  # How many there are
  leadline graph neighbors web.store 17 4 --degrees --json

A row for each edge, with its weight if the graph has weights, in the order of the vertices and then of the \
neighbours' ids: see `leadline docs graph-queries`.")]
pub(crate) struct Args {
    /// The store of the graph, from `leadline graph import`
    #[arg(value_name = "STORE")]
    store: InputPath,
    #[command(flatten)]
    ids: IdArgs,
    /// Edges that lead from each vertex (out), to it (in), or both; the same in an undirected graph
    #[arg(long, value_name = "DIRECTION", value_parser = |text: &str| text.parse::<Side>(), default_value = "out")]
    direction: Side,
    /// Count the neighbours of each vertex instead of listing them
    #[arg(long)]
    degrees: bool,
    #[command(flatten)]
    answer: AnswerArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (graph, file) = args.answer.open(&args.store)?;
    let mut times = Times::default();
    let vertices = times.ids(|| args.ids.vertices(&graph))?;
    let (found, stats, rows) = if args.degrees {
        let degrees = graph.degree(&vertices, args.direction)?;
        (degrees.degrees.iter().sum(), degrees.stats, ("degrees", times.rows(|| degrees.rows(&graph))?))
    } else {
        let neighbors = graph.neighbors(&vertices, args.direction)?;
        (neighbors.count() as u64, neighbors.stats, ("neighbors", times.rows(|| neighbors.rows(&graph))?))
    };
    let asked = vertices.len() as u64;
    let words = format!("{} vertices: {} neighbors", grouped(asked), grouped(found));
    let facts = facts(json!({
        "vertices": asked,
        "distinct_vertices": distinct(&vertices),
        "direction": args.direction.to_string(),
        "found": found,
    }));
    let question = "neighbors";
    args.answer.give(Answer { graph: &graph, question, facts, words, stats, times, rows, others: None }, file)
}

/// The members of an object.
pub(super) fn facts(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(facts) => facts,
        _ => Map::new(),
    }
}
