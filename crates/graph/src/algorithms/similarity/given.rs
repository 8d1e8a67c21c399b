//! The pairs of vertices that are asked for: ids in two lists, or in a file.

use std::collections::HashMap;
use std::path::Path;

use leadline_graph_store::format::Vertex;
use leadline_graph_store::input::{self, Batch, Format, IdMode, InputOptions};

use crate::algorithm::Argument;
use crate::{Graph, GraphError};

/// The pairs of an argument, in its order; none where it is not given.
pub(super) fn pairs(graph: &Graph, given: Option<&Argument>) -> Result<Vec<(Vertex, Vertex)>, GraphError> {
    match given {
        Some(Argument::Path(path)) => of_file(path, graph),
        Some(Argument::Pairs(vertices, others)) => of_lists(graph, vertices, others),
        _ => Ok(Vec::new()),
    }
}

/// By their ids, each of which is looked up once.
fn of_lists(
    graph: &Graph,
    vertices: &[String],
    others: &[String],
) -> Result<Vec<(Vertex, Vertex)>, GraphError> {
    let mut known: HashMap<&str, Vertex> = HashMap::new();
    for id in vertices.iter().chain(others) {
        if !known.contains_key(id.as_str()) {
            known.insert(id, graph.vertex(id)?);
        }
    }
    Ok(vertices.iter().zip(others).map(|(a, b)| (known[a.as_str()], known[b.as_str()])).collect())
}

fn of_file(path: &Path, graph: &Graph) -> Result<Vec<(Vertex, Vertex)>, GraphError> {
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
