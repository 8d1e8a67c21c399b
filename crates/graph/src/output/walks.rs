//! Walks as files: a line per walk, or a row per step.

use std::io::{self, Write};
use std::path::Path;

use leadline_files::NewFile;
use leadline_graph_store::format::Vertex;

use super::cells::{Cells, ColumnCells, RowWriter};
use super::names::Names;
use super::{BUFFER, FORMAT_BYTES, Format, ROWS, TEXT_BYTES, binary, csv, parquet};
use crate::{Graph, GraphError};

/// A file of walks in the making. It takes its name only when it is whole.
pub struct WalkOutput<'g> {
    sink: Sink,
    names: Names<'g>,
    text_bytes: usize,
}

enum Sink {
    /// The users' ids of a walk in a line, spaces between them.
    Lines(NewFile, Lines),
    /// Walk, step, vertex.
    Rows(Box<dyn RowWriter>, [ColumnCells; 3]),
}

/// Walks that are not yet written.
#[derive(Default)]
struct Lines {
    /// Of all vertices, one walk behind the other.
    ranks: Vec<u64>,
    /// Where each walk ends.
    ends: Vec<usize>,
}

impl<'g> WalkOutput<'g> {
    /// A file for walks: `.txt` (a line a walk, ids with spaces between them), or a row a step,
    /// `walk,step,vertex`, in
    /// `.csv`, `.parquet` or `.bin`.
    ///
    /// # Errors
    /// As [`super::Output::create`]; [`GraphError::Damaged`] (the ids).
    pub fn create(path: &Path, graph: &'g Graph) -> Result<WalkOutput<'g>, GraphError> {
        let refuse = |reason| Err(GraphError::path(path, reason));
        let format = Format::of_ending(path).filter(|format| *format != Format::Graphalytics);
        let Some(format) = format else {
            return refuse("its ending is no known format; name a .txt, .csv, .parquet or .bin");
        };
        let strings = graph.ids().are_strings();
        if strings && format == Format::Binary {
            return refuse("this graph's ids are strings, which .bin has no place for; name another format");
        }
        let file = NewFile::with_capacity(BUFFER, path)?;
        let ids = if strings { Cells::Texts(Vec::new()) } else { Cells::Ids(Vec::new()) };
        let filled = [("walk", Cells::Ids(Vec::new())), ("step", Cells::Ids(Vec::new())), ("vertex", ids)]
            .map(|(name, cells)| ColumnCells { name, optional: false, cells });
        let sink = match format {
            Format::Text => Sink::Lines(file, Lines::default()),
            Format::Csv | Format::Graphalytics => {
                Sink::Rows(Box::new(csv::Writer::new(file, &filled)?), filled)
            }
            Format::Binary => Sink::Rows(Box::new(binary::Writer::new(file)), filled),
            Format::Parquet => Sink::Rows(Box::new(parquet::Writer::new(file, &filled)?), filled),
        };
        Ok(WalkOutput { sink, names: Names::new(graph)?, text_bytes: 0 })
    }

    /// Most bytes that it takes in memory.
    pub fn bytes(graph: &Graph) -> u64 {
        let of_ids =
            if graph.ids().are_strings() { ROWS * size_of::<String>() + TEXT_BYTES } else { ROWS * 8 };
        // A place and a rank for each row, while their ids are read.
        let named = ROWS * 8;
        Names::bytes(graph) + (2 * (2 * ROWS * 8 + of_ids) + named) as u64 + FORMAT_BYTES + BUFFER as u64
    }

    /// Appends a walk.
    ///
    /// # Errors
    /// [`GraphError::Write`], [`GraphError::Damaged`] (the ids).
    pub fn put(&mut self, walk: u64, vertices: &[Vertex]) -> Result<(), GraphError> {
        let WalkOutput { sink, names, text_bytes } = self;
        match sink {
            Sink::Lines(file, lines) => {
                if lines.ranks.len() + vertices.len() > ROWS {
                    lines.write(file, names)?;
                }
                lines.ranks.extend(vertices.iter().map(|vertex| names.rank(*vertex)));
                lines.ends.push(lines.ranks.len());
                Ok(())
            }
            Sink::Rows(rows, filled) => {
                for (step, vertex) in vertices.iter().enumerate() {
                    let rank = names.rank(*vertex);
                    filled[0].cells.push_number(walk);
                    filled[1].cells.push_number(step as u64);
                    *text_bytes += filled[2].cells.push_id(Some(rank), names)?;
                    if filled[0].cells.len() == ROWS || *text_bytes >= TEXT_BYTES {
                        flush(&mut **rows, filled, names)?;
                        *text_bytes = 0;
                    }
                }
                Ok(())
            }
        }
    }

    /// Brings the file to the disk and gives it its name. Returns its bytes.
    ///
    /// # Errors
    /// [`GraphError::Write`]; no file is left then, or still the old one.
    pub fn finish(self) -> Result<u64, GraphError> {
        let WalkOutput { sink, mut names, .. } = self;
        match sink {
            Sink::Lines(mut file, mut lines) => {
                lines.write(&mut file, &mut names)?;
                Ok(file.finish()?)
            }
            Sink::Rows(mut rows, mut filled) => {
                flush(&mut *rows, &mut filled, &mut names)?;
                rows.finish()
            }
        }
    }
}

fn flush(
    rows: &mut dyn RowWriter,
    filled: &mut [ColumnCells; 3],
    names: &mut Names<'_>,
) -> Result<(), GraphError> {
    filled[2].cells.name(names)?;
    if filled[0].cells.len() > 0 {
        rows.put(filled)?;
    }
    filled.iter_mut().for_each(|column| column.cells.clear());
    Ok(())
}

impl Lines {
    fn write(&mut self, file: &mut NewFile, names: &mut Names<'_>) -> Result<(), GraphError> {
        let Lines { ranks, ends } = self;
        let strings = names.are_strings();
        if !strings {
            for some in ranks.chunks_mut(ROWS) {
                names.numbers(some)?;
            }
        }
        let mut start = 0;
        for end in ends.drain(..) {
            for (step, id) in ranks[start..end].iter().enumerate() {
                let space = if step == 0 { "" } else { " " };
                let written: io::Result<()> = match strings {
                    true => {
                        let text = names.text(*id)?;
                        write!(file, "{space}{text}")
                    }
                    false => write!(file, "{space}{id}"),
                };
                written.map_err(|error| file.write_error(error))?;
            }
            file.write_all(b"\n").map_err(|error| file.write_error(error))?;
            start = end;
        }
        ranks.clear();
        Ok(())
    }
}
