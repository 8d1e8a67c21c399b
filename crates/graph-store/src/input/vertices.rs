//! A list of vertices next to the edges: those without edges are vertices too.

use std::borrow::Cow;
use std::path::Path;

use leadline_text::{Comment, Delimiter, Fields, could_be_a_name, shown};

use super::chunks::{CHUNK, Chunks, Cut, Failure, Wrong};
use super::source::{Meter, Source};
use super::summary::InputSummary;
use super::{Batch, Declared, EdgeReader, Format, InputOptions, Sample};
use crate::{GraphError, InputOption};

/// What a column of vertices is called.
const IDS: [&str; 7] = ["id", "node", "nodeid", "vertex", "vertexid", "user", "userid"];
const NAMES: [&str; 2] = ["name", "label"];

/// Edges, and then the vertices of a list.
struct WithVertices {
    edges: Box<dyn EdgeReader>,
    list: List,
    /// The last edge was given.
    edges_ended: bool,
    ended: bool,
}

/// A vertex a line, or in a column.
struct List {
    chunks: Chunks,
    chunk: Vec<u8>,
    meter: Meter,
    lines: u64,
    /// What separates columns, where there are columns.
    delimiter: Option<Delimiter>,
    comment: Option<Comment>,
    /// The column, from 0; told by the first line.
    column: Option<usize>,
    header: Option<String>,
    found: u64,
}

/// Adds the vertices of the list at `path` to those of edges.
pub(super) fn with_list(
    edges: Box<dyn EdgeReader>,
    path: &Path,
    options: &InputOptions,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let mut chunks = Chunks::new(Source::text(path)?, Cut::Lines);
    let named = Path::new(chunks.inner_name().unwrap_or_default()).to_owned();
    let named = if named.as_os_str().is_empty() { path.to_owned() } else { named };
    let (bytes, _) = chunks.peek()?;
    if bytes.starts_with(b"PAR1") {
        let what = "is Parquet; a list of vertices is text, with one in a line or in a column";
        return Err(GraphError::path(path, what));
    }
    let delimiter = match Format::of(&named) {
        Ok(Format::Csv) => Some(options.text.delimiter.unwrap_or(Delimiter::Byte(b','))),
        Ok(Format::Tsv) => Some(Delimiter::Byte(b'\t')),
        _ => None,
    };
    let list = List {
        meter: chunks.meter(),
        chunks,
        chunk: Vec::new(),
        lines: 0,
        delimiter,
        comment: options.text.comment,
        column: None,
        header: None,
        found: 0,
    };
    Ok(Box::new(WithVertices { edges, list, edges_ended: false, ended: false }))
}

impl List {
    fn next(&mut self, edges: &mut dyn EdgeReader, vertices: &mut Vec<u64>) -> Result<bool, GraphError> {
        let mut chunk = std::mem::take(&mut self.chunk);
        let more = self.chunks.next(&mut chunk);
        if !more.map_err(|failure| failure.at(self.chunks.name(), self.lines))? {
            return Ok(false);
        }
        let numbers = edges.summary().ids == "numbers";
        for line in chunk.strip_suffix(b"\n").unwrap_or(&chunk).split(|byte| *byte == b'\n') {
            let vertex = self.vertex(line.trim_ascii(), numbers, edges);
            let failed = |what| Failure::Line { before: 0, what }.at(self.chunks.name(), self.lines);
            vertices.extend(vertex.map_err(failed)?);
            self.lines += 1;
        }
        self.chunk = chunk;
        Ok(true)
    }

    /// The vertex in a line, if there is one.
    fn vertex(
        &mut self,
        line: &[u8],
        numbers: bool,
        edges: &mut dyn EdgeReader,
    ) -> Result<Option<u64>, Wrong> {
        if line.is_empty() || self.is_comment(line, numbers)? {
            return Ok(None);
        }
        let fields = self.fields(line)?;
        let column = match self.column {
            Some(column) => column,
            None => {
                // Where a table has both, the ids.
                let place = |names: &[&str]| {
                    fields.iter().position(|field| is_name(&String::from_utf8_lossy(field), names))
                };
                let named = place(&IDS).or_else(|| place(&NAMES));
                self.column = Some(named.unwrap_or(0));
                if named.is_some() {
                    self.header = Some(String::from_utf8_lossy(&fields[named.unwrap_or(0)]).into_owned());
                    return Ok(None);
                }
                0
            }
        };
        let field = fields.get(column).filter(|field| !field.is_empty());
        let field =
            field.ok_or_else(|| format!("expected a vertex in column {}, found nothing", column + 1))?;
        self.found += 1;
        edges.vertex(field).map(Some).map_err(Wrong::from)
    }

    fn fields<'l>(&self, line: &'l [u8]) -> Result<Vec<Cow<'l, [u8]>>, String> {
        let Some(delimiter) = self.delimiter else { return Ok(vec![Cow::Borrowed(line)]) };
        let mut fields = Fields::new(line, delimiter);
        let mut all = Vec::new();
        while let Some(field) = fields.next_field()? {
            all.push(field);
        }
        Ok(all)
    }

    fn is_comment(&self, line: &[u8], numbers: bool) -> Result<bool, Wrong> {
        match self.comment {
            Some(Comment::None) => return Ok(false),
            Some(Comment::Byte(byte)) => return Ok(line[0] == byte),
            None if !Comment::USUAL.contains(&line[0]) => return Ok(false),
            None => {}
        }
        if !numbers && could_be_a_name(line) {
            let first = char::from(line[0]);
            let text = format!("{} may be a comment, or a name that begins with {first}", shown(line));
            return Err(Wrong { text, option: Some(InputOption::Comment) });
        }
        Ok(true)
    }
}

/// Whether a column of vertices is called so; Neo4j's `personId:ID(Person)` is.
fn is_name(name: &str, names: &[&str]) -> bool {
    let (name, kind) = name.split_once(':').unwrap_or((name, ""));
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    kind.starts_with("ID") || names.contains(&plain.as_str())
}

impl EdgeReader for WithVertices {
    fn declared(&self) -> Declared {
        self.edges.declared()
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        batch.clear();
        // After an error nothing more is read.
        if std::mem::replace(&mut self.ended, true) {
            return Ok(false);
        }
        if !self.edges_ended {
            if self.edges.next_batch(batch)? {
                self.ended = false;
                return Ok(true);
            }
            self.edges_ended = true;
        }
        self.ended = !self.list.next(&mut *self.edges, &mut batch.vertices)?;
        Ok(!self.ended)
    }

    fn sample(&mut self, most: usize) -> Result<Option<Sample>, GraphError> {
        self.edges.sample(most)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let ((edges, all_edges), (list, all_list)) = (self.edges.progress(), self.list.meter.progress());
        (edges + list, all_edges.zip(all_list).map(|(edges, list)| edges + list))
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        self.edges.strings()
    }

    fn string(&self, number: u64) -> Option<&str> {
        self.edges.string(number)
    }

    fn vertex(&mut self, id: &[u8]) -> Result<u64, String> {
        self.edges.vertex(id)
    }

    fn summary(&self) -> InputSummary {
        let mut summary = self.edges.summary();
        if self.edges_ended {
            let column = match &self.list.header {
                Some(name) => format!(", in its column \"{name}\""),
                None => String::new(),
            };
            summary.notes.push(format!(
                "{} lists {} vertices{column}",
                self.list.chunks.name(),
                self.list.found
            ));
        }
        summary
    }

    fn memory_bytes(&self) -> u64 {
        self.edges.memory_bytes() + 2 * CHUNK as u64
    }
}
