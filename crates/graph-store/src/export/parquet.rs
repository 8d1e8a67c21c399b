//! Edges or vertices as the rows of a Parquet file: columns of ids, and perhaps one of weights.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result as Written;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::{BUFFER, EdgeFile, EdgeWriter, Id};
use crate::GraphError;
use crate::format::header::IdKind;
use crate::inspect::StoreFile;
use crate::parquet_file::{plain, properties};

/// Most rows of a group, and fewest.
const MOST_ROWS: u64 = 1 << 19;
const LEAST_ROWS: u64 = 1 << 14;

/// A group ends before its strings take more bytes than the memory's share, and than this.
const MOST_TEXT: u64 = 16 << 20;
const LEAST_TEXT: u64 = 1 << 20;

/// A row in memory: two ids and a weight.
const ROW_BYTES: u64 = 24;

/// What the columns of all files of a store hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    strings: bool,
    /// No id is 2^63 or above: more programs read numbers with a sign.
    signed: bool,
    most_rows: usize,
    most_text: usize,
}

impl Shape {
    /// As the ids of a store need it. Rows take a quarter of the memory at most, before and after they are
    /// packed, unless that is less than 2 MiB.
    ///
    /// # Errors
    /// [`GraphError::Damaged`] (the ids).
    pub(super) fn of(store: &StoreFile, memory: u64) -> Result<Shape, GraphError> {
        let header = &store.header;
        let last = match (header.id_kind, header.vertices.checked_sub(1)) {
            (IdKind::Strings, _) | (_, None) => 0,
            (_, Some(last)) => store.ids().number(last)?,
        };
        Ok(Shape {
            strings: header.id_kind == IdKind::Strings,
            signed: i64::try_from(last).is_ok(),
            most_rows: (memory / 8 / ROW_BYTES).clamp(LEAST_ROWS, MOST_ROWS) as usize,
            most_text: (memory / 16).clamp(LEAST_TEXT, MOST_TEXT) as usize,
        })
    }

    fn schema(self, names: &[&str], weighted: bool) -> Written<Type> {
        let (physical, logical) = match self.strings {
            true => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            false => (Physical::INT64, (!self.signed).then(|| LogicalType::integer(64, false))),
        };
        let field = |name: &str, physical, logical| {
            let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
            field.with_logical_type(logical).build().map(Arc::new)
        };
        let ids = names.iter().map(|name| field(name, physical, logical.clone()));
        let weight = weighted.then(|| field("weight", Physical::DOUBLE, None));
        let fields = ids.chain(weight).collect::<Written<_>>()?;
        Type::group_type_builder("leadline").with_fields(fields).build()
    }
}

/// A file in the making.
pub(super) struct Table<W: Write + Send> {
    path: PathBuf,
    file: SerializedFileWriter<BufWriter<W>>,
    shape: Shape,
    weighted: bool,
    columns: Vec<Column>,
    weights: Vec<f64>,
    rows: usize,
    text_bytes: usize,
}

/// The ids of a column, of this row group.
#[derive(Default)]
struct Column {
    numbers: Vec<i64>,
    texts: Vec<ByteArray>,
}

impl<W: Write + Send> Table<W> {
    /// Begins a file with a column of ids for each of `names`; `path` is its name in errors.
    pub(super) fn new(
        file: W,
        path: &Path,
        shape: Shape,
        names: &[&str],
        weighted: bool,
    ) -> Result<Table<W>, GraphError> {
        let out = BufWriter::with_capacity(BUFFER, file);
        let made = shape
            .schema(names, weighted)
            .and_then(|schema| SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties())));
        Ok(Table {
            path: path.to_owned(),
            file: made.map_err(|error| GraphError::write(path, plain(error)))?,
            shape,
            weighted,
            columns: names.iter().map(|_| Column::default()).collect(),
            weights: Vec::new(),
            rows: 0,
            text_bytes: 0,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a row.
    pub(super) fn row(&mut self, ids: &[Id<'_>], weight: f64) -> Result<(), GraphError> {
        for (column, id) in self.columns.iter_mut().zip(ids) {
            match *id {
                // Parquet's unsigned numbers are the same 64 bits.
                Id::Number(number) => column.numbers.push(number as i64),
                Id::Text(text) => {
                    self.text_bytes += text.len() + size_of::<ByteArray>();
                    column.texts.push(text.into());
                }
            }
        }
        if self.weighted {
            self.weights.push(weight);
        }
        self.rows += 1;
        let full = self.rows >= self.shape.most_rows || self.text_bytes >= self.shape.most_text;
        if full { self.end_group() } else { Ok(()) }
    }

    /// Ends the file; what it was written to.
    pub(super) fn close(mut self) -> Result<W, GraphError> {
        self.end_group()?;
        let Table { path, file, .. } = self;
        let out = file.into_inner().map_err(|error| GraphError::write(&path, plain(error)))?;
        out.into_inner().map_err(|error| GraphError::write(&path, error.into_error()))
    }

    fn end_group(&mut self) -> Result<(), GraphError> {
        self.write_group().map_err(|error| GraphError::write(&self.path, plain(error)))
    }

    fn write_group(&mut self) -> Written<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            match self.shape.strings {
                true => put_column::<ByteArrayType, W>(&mut group, &column.texts)?,
                false => put_column::<Int64Type, W>(&mut group, &column.numbers)?,
            }
            column.numbers.clear();
            column.texts.clear();
        }
        if self.weighted {
            put_column::<DoubleType, W>(&mut group, &self.weights)?;
            self.weights.clear();
        }
        group.close()?;
        (self.rows, self.text_bytes) = (0, 0);
        Ok(())
    }
}

fn put_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<W>>,
    values: &[T::T],
) -> Written<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}

impl<W: Write + Send> EdgeWriter for Table<W> {
    fn put(&mut self, source: Id<'_>, target: Id<'_>, weight: f64) -> Result<(), GraphError> {
        self.row(&[source, target], weight)
    }
}

impl<W: Write + Send> EdgeFile for Table<W> {
    fn finish(self: Box<Self>) -> Result<(), GraphError> {
        self.close().map(drop)
    }
}
