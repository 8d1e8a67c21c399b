//! The edges of a file as changes.

use std::path::Path;

use super::{ChangeOptions, NextChanges};
use crate::input::{self, Batch, EdgeReader, Format, IdMode, InputOptions};
use crate::updates::{Change, VertexId};
use crate::{GraphError, InputOption};

/// Bytes that the names of a batch may take, however small the cap: those of a batch of a Parquet file, of
/// which there are most, take about 12 MB if they are short.
const OF_A_BATCH: u64 = 16 << 20;

/// The edges of a file, as additions or deletions.
pub(super) struct Edges {
    name: String,
    reader: Box<dyn EdgeReader>,
    batch: Batch,
    wanted: ChangeOptions,
    /// Each edge is two of the store's, there and back.
    both_ways: bool,
}

impl Edges {
    pub(super) fn open(
        path: &Path,
        format: Option<Format>,
        wanted: ChangeOptions,
    ) -> Result<Edges, GraphError> {
        let options = InputOptions {
            format,
            text: wanted.text,
            columns: wanted.columns.clone(),
            ignore_columns: wanted.ignore_columns,
            weights: wanted.weighted && !wanted.delete,
            ids: if wanted.strings { IdMode::Strings } else { IdMode::Numbers },
            directed: false,
            bipartite: false,
            vertices: None,
            memory: (wanted.memory / 8).max(OF_A_BATCH),
            threads: 1,
        };
        let name = path.display().to_string();
        let reader = input::open(path, options).map_err(|error| no_changes(error, &name))?;
        let both_ways = wanted.directed && reader.declared().undirected;
        Ok(Edges { name, reader, batch: Batch::default(), wanted, both_ways })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn progress(&self) -> (u64, Option<u64>) {
        self.reader.progress()
    }

    pub(super) fn next(&mut self) -> Result<NextChanges, GraphError> {
        let Edges { name, reader, batch, wanted, both_ways } = self;
        if !reader.next_batch(batch).map_err(|error| no_changes(error, name))? {
            return Ok(NextChanges::End);
        }
        if wanted.strings
            && let Some(sign) = batch.pairs.iter().find_map(|(source, _)| {
                reader.string(*source).filter(|source| Change::SIGNS.contains(source))
            })
        {
            let what = format!(
                "has an edge that begins in {sign:?}, which may be meant as a change; {} on each line of changes",
                Change::EXPECTED
            );
            return Err(GraphError::malformed(name, what));
        }
        let id = |number: u64| match wanted.strings {
            true => VertexId::from(reader.string(number).unwrap_or_default()),
            false => VertexId::from(number),
        };
        let edge = |at: usize, source: u64, target: u64| {
            let (source, target) = (id(source), id(target));
            let weight = batch.weights.get(at).copied();
            let change = match wanted.delete {
                true => Change::DeleteEdge { source, target },
                false => Change::InsertEdge { source, target, weight },
            };
            (None, change)
        };
        let vertex = |vertex: &u64| match wanted.delete {
            true => (None, Change::DeleteVertex(id(*vertex))),
            false => (None, Change::InsertVertex(id(*vertex))),
        };
        let edges = batch.pairs.iter().enumerate().flat_map(|(at, (source, target))| {
            let back = (*both_ways && source != target).then(|| edge(at, *target, *source));
            std::iter::once(edge(at, *source, *target)).chain(back)
        });
        let changes = edges.chain(batch.vertices.iter().map(vertex)).collect();
        // Each change has its own.
        reader.forget_strings();
        Ok(NextChanges::Some(changes))
    }
}

/// Why the edges of a file called `name` are no changes of a store: what it holds is what the store must
/// have, and no option changes that.
fn no_changes(error: GraphError, name: &str) -> GraphError {
    match error {
        GraphError::Option { option: InputOption::Weights, .. } => {
            let what = "has no weights, and the edges of the store have; add them, or write lines of \
                        changes, in which an edge without one has the weight 1";
            GraphError::malformed(name, what)
        }
        GraphError::Option { option: option @ InputOption::Ids, text } => {
            GraphError::Option { text: format!("{text}; ids must be of the store's kind"), option }
        }
        error => error,
    }
}
