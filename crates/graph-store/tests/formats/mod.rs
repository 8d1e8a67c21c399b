//! Formats that say themselves what graph they hold: each read as it was meant, or refused.

mod changes;
mod gml;
mod lists;
mod markup;
mod matrices;
mod metis;
mod packed;
mod pajek;
mod unread;
mod vertices;

use std::path::{Path, PathBuf};

use leadline_graph_store::GraphError;
use leadline_graph_store::input::{Batch, Declared, InputOptions, InputSummary, open};
use tempfile::TempDir;

/// All that an input gives.
#[derive(Debug, Default)]
pub struct Found {
    pub declared: Declared,
    pub pairs: Vec<(u64, u64)>,
    pub weights: Vec<f64>,
    pub vertices: Vec<u64>,
    pub strings: Option<Vec<String>>,
    pub summary: InputSummary,
}

impl Found {
    /// Whether edges lead both ways, and the edges by the names of their ends.
    pub fn named(&self) -> (bool, Vec<(String, String)>) {
        let edges = self.pairs.iter().map(|(source, target)| (self.name(*source), self.name(*target)));
        (self.declared.undirected, edges.collect())
    }

    /// The names of vertices that were given without edges.
    pub fn vertex_names(&self) -> Vec<String> {
        self.vertices.iter().map(|vertex| self.name(*vertex)).collect()
    }

    fn name(&self, id: u64) -> String {
        self.strings.as_ref().map_or_else(|| id.to_string(), |strings| strings[id as usize].clone())
    }
}

/// Edges by the names of their ends.
pub fn edges(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(source, target)| ((*source).to_owned(), (*target).to_owned())).collect()
}

pub fn read(path: &Path, options: &InputOptions) -> Result<Found, GraphError> {
    let mut reader = open(path, options.clone())?;
    let mut found = Found { declared: reader.declared(), ..Found::default() };
    let mut batch = Batch::default();
    while reader.next_batch(&mut batch)? {
        found.pairs.extend(&batch.pairs);
        found.weights.extend(&batch.weights);
        found.vertices.extend(&batch.vertices);
    }
    assert!(!reader.next_batch(&mut batch)?, "the end is the end");
    found.summary = reader.summary();
    found.strings = reader.strings();
    Ok(found)
}

/// A file in a folder that is gone when this is.
pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

pub fn read_text(name: &str, text: impl AsRef<[u8]>, options: &InputOptions) -> Result<Found, GraphError> {
    let (_folder, path) = file(name, text);
    read(&path, options)
}

pub fn plain() -> InputOptions {
    InputOptions::default()
}

pub fn weighted() -> InputOptions {
    InputOptions { weights: true, ..plain() }
}

pub fn directed() -> InputOptions {
    InputOptions { directed: true, ..plain() }
}

/// The error without the folder in front of the file's name.
pub fn refusal(name: &str, text: impl AsRef<[u8]>, options: &InputOptions) -> String {
    let error = read_text(name, text, options).unwrap_err();
    assert!(error.is_input(), "{error}");
    let error = error.to_string();
    assert!(!error.contains('\n'), "{error}");
    error[error.find(name).unwrap_or_else(|| panic!("{error}"))..].to_owned()
}

/// Each of these texts is refused with this message, whose first part is the file's name.
pub fn refused(name: &str, options: &InputOptions, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let error = refusal(name, text, options);
        assert!(error.starts_with(&format!("{name}: ")) && error.contains(expected), "{text:?}: {error}");
    }
}
