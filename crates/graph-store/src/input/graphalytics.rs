//! LDBC Graphalytics (Iosup et al., VLDB 2016): vertices in NAME.v, edges in NAME.e, and NAME.properties
//! next to them.

use std::path::{Path, PathBuf};

use super::chunks::{CHUNK, Chunks, Cut, Failure};
use super::format::uncompressed;
use super::grammar::Grammar;
use super::number::whole;
use super::source::{Meter, Source};
use super::summary::InputSummary;
use super::text::{Opened, TextReader, first_edge};
use super::{Batch, Declared, EdgeReader, InputOptions};
use crate::GraphError;
use crate::graphalytics::properties;

struct Graphalytics {
    /// Until all were read.
    vertices: Option<Vertices>,
    meter: Meter,
    edges: TextReader,
    declared: Declared,
}

pub(super) fn open(
    path: &Path,
    options: &InputOptions,
    mut summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let (vertices, edges) = both(path)?;
    if vertices.is_none() {
        summary.notes.push("there is no .v next to it: its vertices are the ends of its edges".to_owned());
    }
    let mut chunks = Chunks::new(Source::text(&edges)?, Cut::Lines);
    let mut lines = 0;
    let first = first_edge(&mut chunks, &Grammar::blanks(2, false), &mut lines, |_| {})?;
    let columns =
        |line: &Vec<u8>| line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).count();
    let columns = first.as_ref().map_or(3, columns).clamp(2, 3);
    if let Some(line) = first {
        chunks.put_back(&line);
        lines -= 1;
    }
    let weighted = options.weights && columns == 3;
    let grammar = Grammar::numbers(columns, weighted);
    let undirected = !options.directed && says_undirected(&edges);
    let declared = Declared { undirected, weighted, ..Declared::default() };
    let opened =
        Opened { chunks, grammar, declared, lines, entries: None, counts: None, strings: None, summary };
    let edges = TextReader::new(opened, options)?;
    let Some(vertices) = vertices else { return Ok(Box::new(edges)) };
    let vertices =
        Vertices { chunks: Chunks::new(Source::text(&vertices)?, Cut::Lines), chunk: Vec::new(), lines: 0 };
    let meter = vertices.chunks.meter();
    Ok(Box::new(Graphalytics { vertices: Some(vertices), meter, edges, declared }))
}

/// The file of vertices, if there is one, and the file of edges, whichever of them was named.
fn both(path: &Path) -> Result<(Option<PathBuf>, PathBuf), GraphError> {
    let (plain, _) = uncompressed(path);
    let (is_edges, other) = match plain.extension().unwrap_or_default().to_str() {
        Some("e") => (true, plain.with_extension("v")),
        Some("v") => (false, plain.with_extension("e")),
        _ => {
            let what = "expected a name that ends with .e or .v, as Graphalytics has them";
            return Err(GraphError::path(path, what));
        }
    };
    let candidates = ["", ".gz", ".bz2", ".zst", ".xz"].map(|ending| {
        let mut name = other.clone().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    });
    let found = candidates.into_iter().find(|candidate| candidate.exists());
    match found {
        found if is_edges => Ok((found, path.to_owned())),
        Some(edges) => Ok((Some(path.to_owned()), edges)),
        None => {
            let what = format!("expected {} next to it, which is not there", other.display());
            Err(GraphError::path(path, what))
        }
    }
}

/// Whether the properties next to the edges say `graph.NAME.directed = false`.
fn says_undirected(edges: &Path) -> bool {
    let properties = uncompressed(edges).0.with_extension("properties");
    let text = leadline_files::read_text(properties, properties::MOST_BYTES).unwrap_or_default();
    properties::entries(&text).any(|(_, key, value)| key.ends_with(".directed") && value == "false")
}

/// Reads a vertex a line.
struct Vertices {
    chunks: Chunks,
    chunk: Vec<u8>,
    lines: u64,
}

impl Vertices {
    fn next(&mut self, vertices: &mut Vec<u64>) -> Result<bool, GraphError> {
        let name = self.chunks.name().to_owned();
        if !self.chunks.next(&mut self.chunk).map_err(|failure| failure.at(&name, self.lines))? {
            return Ok(false);
        }
        for line in self.chunk.strip_suffix(b"\n").unwrap_or(&self.chunk).split(|byte| *byte == b'\n') {
            let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
            if let Some(id) = fields.next().filter(|id| !id.starts_with(b"#")) {
                let id = whole(id, "a vertex id")
                    .map_err(|what| Failure::Line { before: 0, what: what.into() }.at(&name, self.lines))?;
                vertices.push(id);
            }
            self.lines += 1;
        }
        Ok(true)
    }
}

impl EdgeReader for Graphalytics {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        batch.clear();
        if let Some(vertices) = &mut self.vertices {
            match vertices.next(&mut batch.vertices) {
                Ok(true) => return Ok(true),
                Ok(false) => self.vertices = None,
                Err(error) => {
                    self.vertices = None;
                    return Err(error);
                }
            }
        }
        self.edges.next_batch(batch)
    }

    fn summary(&self) -> InputSummary {
        self.edges.summary()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let ((vertices, all_vertices), (edges, all_edges)) = (self.meter.progress(), self.edges.progress());
        (vertices + edges, all_vertices.zip(all_edges).map(|(vertices, edges)| vertices + edges))
    }

    fn memory_bytes(&self) -> u64 {
        self.edges.memory_bytes() + if self.vertices.is_some() { 2 * CHUNK as u64 } else { 0 }
    }
}
