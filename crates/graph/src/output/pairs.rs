//! Pairs of vertices with a value as files: a row for each.

use std::path::Path;

use leadline_graph_store::format::Vertex;

use super::cells::{Cells, ColumnCells, RowWriter};
use super::names::Names;
use super::{BUFFER, FORMAT_BYTES, Format, Kind, Output, ROWS, TEXT_BYTES, binary, csv, parquet};
use crate::{Graph, GraphError};

/// A file of pairs in the making: `vertex`, `other` and a value. It takes its name only when it is whole.
pub struct PairOutput<'g> {
    rows: Box<dyn RowWriter>,
    filled: [ColumnCells; 3],
    names: Names<'g>,
    text_bytes: usize,
}

impl<'g> PairOutput<'g> {
    /// A file for pairs, whose value has a name: `.csv`, `.parquet` or `.bin`.
    ///
    /// # Errors
    /// As [`Output::create`]; [`GraphError::Damaged`] (the ids).
    pub fn create(path: &Path, graph: &'g Graph, value: &'static str) -> Result<PairOutput<'g>, GraphError> {
        let output = Output::create(path, graph)?;
        output.check_columns(&[("other", Kind::Vertices), (value, Kind::Doubles)])?;
        let Output { file, format } = output;
        let ids = || match graph.ids().are_strings() {
            true => Cells::Texts(Vec::new()),
            false => Cells::Ids(Vec::new()),
        };
        let filled = [("vertex", ids()), ("other", ids()), (value, Cells::Doubles(Vec::new()))]
            .map(|(name, cells)| ColumnCells { name, optional: false, cells });
        let rows: Box<dyn RowWriter> = match format {
            Format::Parquet => Box::new(parquet::Writer::new(file, &filled)?),
            Format::Binary => Box::new(binary::Writer::new(file)),
            Format::Csv | Format::Text | Format::Graphalytics => Box::new(csv::Writer::new(file, &filled)?),
        };
        Ok(PairOutput { rows, filled, names: Names::new(graph)?, text_bytes: 0 })
    }

    /// Most bytes that it takes in memory.
    pub fn bytes(graph: &Graph) -> u64 {
        let of_ids =
            if graph.ids().are_strings() { ROWS * size_of::<String>() + TEXT_BYTES } else { ROWS * 8 };
        // A place and a rank for each row, while their ids are read.
        let named = ROWS * 8;
        Names::bytes(graph) + (2 * (ROWS * 8 + 2 * of_ids) + named) as u64 + FORMAT_BYTES + BUFFER as u64
    }

    /// Appends a pair.
    ///
    /// # Errors
    /// [`GraphError::Write`], [`GraphError::Damaged`] (the ids).
    pub fn put(&mut self, vertex: Vertex, other: Vertex, value: f64) -> Result<(), GraphError> {
        for (column, vertex) in [vertex, other].into_iter().enumerate() {
            let rank = self.names.rank(vertex);
            self.text_bytes += self.filled[column].cells.push_id(Some(rank), &mut self.names)?;
        }
        if let Cells::Doubles(values) = &mut self.filled[2].cells {
            values.push(value);
        }
        if self.filled[2].cells.len() == ROWS || self.text_bytes >= TEXT_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Brings the file to the disk and gives it its name. Returns its bytes.
    ///
    /// # Errors
    /// [`GraphError::Write`]; no file is left then, or still the old one.
    pub fn finish(mut self) -> Result<u64, GraphError> {
        self.flush()?;
        self.rows.finish()
    }

    fn flush(&mut self) -> Result<(), GraphError> {
        for column in &mut self.filled[..2] {
            column.cells.name(&mut self.names)?;
        }
        if self.filled[2].cells.len() > 0 {
            self.rows.put(&self.filled)?;
        }
        self.filled.iter_mut().for_each(|column| column.cells.clear());
        self.text_bytes = 0;
        Ok(())
    }
}
