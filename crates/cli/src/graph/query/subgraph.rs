//! `leadline graph subgraph`: the edges among some vertices.

use leadline_graph::output::grouped;
use serde_json::json;

use super::answer::{Answer, AnswerArgs, Times};
use super::ids::IdArgs;
use super::neighbors::facts;
use crate::failure::Failure;
use crate::paths::InputPath;

/// List the edges among some vertices
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph subgraph web.store 17 4 99
  leadline graph subgraph web.store --vertices ids.txt -o part.parquet

A row for each edge, with its weight if the graph has weights, in the order of the vertices. An undirected \
edge is listed once: see `leadline docs graph-queries`.")]
pub(crate) struct Args {
    /// The store of the graph, from `leadline graph import`
    #[arg(value_name = "STORE")]
    store: InputPath,
    #[command(flatten)]
    ids: IdArgs,
    #[command(flatten)]
    answer: AnswerArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (graph, file) = args.answer.open(&args.store)?;
    let mut times = Times::default();
    let found = graph.subgraph(&times.ids(|| args.ids.vertices(&graph))?)?;
    let (vertices, edges) = (found.vertices.len() as u64, found.edges.len() as u64);
    let words = format!("{} vertices: {} edges among them", grouped(vertices), grouped(edges));
    let facts = facts(json!({ "found_vertices": vertices, "found_edges": edges }));
    let rows = ("edges", times.rows(|| found.edge_rows(&graph))?);
    let (stats, question) = (found.stats, "subgraph");
    args.answer.give(Answer { graph: &graph, question, facts, words, stats, times, rows, others: None }, file)
}
