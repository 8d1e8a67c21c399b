//! Edges in memory, as an input.

use std::path::Path;

use leadline_graph_store::GraphError;
use leadline_graph_store::import::{ImportOptions, ImportReport, LEAST_MEMORY, import_edges};
use leadline_graph_store::input::{Batch, Declared, EdgeReader};

/// Hands out edges, and vertices without edges first.
#[derive(Debug, Clone, Default)]
pub struct Edges {
    pub declared: Declared,
    pub edges: Vec<(u64, u64)>,
    pub weights: Vec<f64>,
    pub vertices: Vec<u64>,
    pub strings: Option<Vec<String>>,
    pub at: usize,
}

impl Edges {
    pub fn of(edges: impl IntoIterator<Item = (u64, u64)>) -> Edges {
        Edges { edges: edges.into_iter().collect(), ..Edges::default() }
    }
}

impl EdgeReader for Edges {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        *batch = Batch { vertices: std::mem::take(&mut self.vertices), ..Batch::default() };
        let end = self.edges.len().min(self.at + 10_000);
        batch.pairs.extend_from_slice(&self.edges[self.at..end]);
        if self.declared.weighted {
            batch.weights.extend_from_slice(&self.weights[self.at..end]);
        }
        self.at = end;
        Ok(end < self.edges.len())
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.at as u64, Some(self.edges.len() as u64))
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        self.strings.take()
    }

    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// The least memory, and all else as it comes.
#[allow(dead_code, reason = "not every test file wants it")]
pub fn options() -> ImportOptions {
    ImportOptions { memory: LEAST_MEMORY, ..ImportOptions::default() }
}

pub fn import(edges: Edges, store: &Path, options: &ImportOptions) -> ImportReport {
    import_edges(Box::new(edges), store, options, &mut |_| {}).unwrap()
}
