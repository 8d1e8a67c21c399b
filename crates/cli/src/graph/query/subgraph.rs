//! `leadline graph subgraph`: the edges among some vertices.

use leadline_graph::output::grouped;
use serde_json::json;

use super::answer::{Answer, AnswerArgs, Times};
use super::ids::IdArgs;
use super::neighbors::facts;
use crate::failure::Failure;
use crate::paths::InputPath;

/// All edges among some vertices, with weights where the graph has them
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  leadline graph subgraph web.graph 17 4 99\n  \
                  leadline graph subgraph web.graph --vertices ids.txt -o part.parquet\n\
                  Rows are in the order of the vertices; an undirected edge is there once: \
                  `leadline docs graph-queries`")]
pub(crate) struct Args {
    /// The graph's store, made by leadline graph import
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
