//! Edges as the rows of a Parquet file: columns `source`, `target` and perhaps `weight`.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{BUFFER, EdgeWriter, Id, weighted};
use crate::GraphError;
use crate::inspect::StoreFile;

/// Rows of a group.
const ROWS: usize = 1 << 19;

/// A group ends before its strings take more bytes than this.
const MOST_TEXT: usize = 16 << 20;

pub(super) struct Table<'a> {
    path: &'a Path,
    /// None once it is finished.
    file: Option<SerializedFileWriter<BufWriter<&'a File>>>,
    strings: bool,
    weighted: bool,
    numbers: [Vec<i64>; 2],
    texts: [Vec<ByteArray>; 2],
    weights: Vec<f64>,
    rows: usize,
    text_bytes: usize,
}

impl<'a> Table<'a> {
    pub(super) fn new(file: &'a File, path: &'a Path, store: &StoreFile) -> Result<Table<'a>, GraphError> {
        let (strings, weighted) = (store.ids().are_strings(), weighted(store));
        let id = if strings { "BYTE_ARRAY" } else { "INT64" };
        let kind = if strings { "UTF8" } else { "INTEGER(64,false)" };
        let weight = if weighted { "REQUIRED DOUBLE weight;" } else { "" };
        let schema = format!(
            "message edges {{ REQUIRED {id} source ({kind}); REQUIRED {id} target ({kind}); {weight} }}"
        );
        let failed = |error| failed(path, error);
        let schema = Arc::new(parse_message_type(&schema).map_err(failed)?);
        let properties = Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
        let out = BufWriter::with_capacity(BUFFER, file);
        let file = Some(SerializedFileWriter::new(out, schema, properties).map_err(failed)?);
        Ok(Table {
            path,
            file,
            strings,
            weighted,
            numbers: Default::default(),
            texts: Default::default(),
            weights: Vec::new(),
            rows: 0,
            text_bytes: 0,
        })
    }

    fn end_group(&mut self) -> Result<(), GraphError> {
        let path = self.path;
        self.write_group().map_err(|error| failed(path, error))
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let Some(file) = self.file.as_mut().filter(|_| self.rows > 0) else { return Ok(()) };
        let mut group = file.next_row_group()?;
        for side in 0..2 {
            if self.strings {
                put_column::<ByteArrayType>(&mut group, &self.texts[side])?;
                self.texts[side].clear();
            } else {
                put_column::<Int64Type>(&mut group, &self.numbers[side])?;
                self.numbers[side].clear();
            }
        }
        if self.weighted {
            put_column::<DoubleType>(&mut group, &self.weights)?;
            self.weights.clear();
        }
        group.close()?;
        (self.rows, self.text_bytes) = (0, 0);
        Ok(())
    }
}

fn put_column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<&File>>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}

fn failed(path: &Path, error: ParquetError) -> GraphError {
    match error {
        ParquetError::External(error) => GraphError::write(path, std::io::Error::other(error)),
        error => GraphError::write(path, std::io::Error::other(error.to_string())),
    }
}

impl EdgeWriter for Table<'_> {
    fn put(&mut self, source: Id<'_>, target: Id<'_>, weight: f64) -> Result<(), GraphError> {
        for (side, id) in [source, target].into_iter().enumerate() {
            match id {
                // Parquet's unsigned numbers are the same 64 bits.
                Id::Number(number) => self.numbers[side].push(number as i64),
                Id::Text(text) => {
                    self.text_bytes += text.len() + size_of::<ByteArray>();
                    self.texts[side].push(text.into());
                }
            }
        }
        if self.weighted {
            self.weights.push(weight);
        }
        self.rows += 1;
        if self.rows >= ROWS || self.text_bytes >= MOST_TEXT { self.end_group() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), GraphError> {
        self.end_group()?;
        let path = self.path;
        let Some(file) = self.file.take() else { return Ok(()) };
        let out = file.into_inner().map_err(|error| failed(path, error))?;
        out.into_inner().map(drop).map_err(|error| GraphError::write(path, error.into_error()))
    }
}
