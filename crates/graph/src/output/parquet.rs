//! Apache Parquet: a row group for every batch of rows, compressed with Snappy, which every reader knows.

use std::sync::Arc;

use leadline_files::NewFile;
use leadline_graph_store::parquet_file::{plain, properties};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as Written};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::cells::{Cells, ColumnCells, RowWriter};
use super::names::NONE;
use crate::GraphError;

/// Writes row groups.
pub(super) struct Writer {
    out: SerializedFileWriter<NewFile>,
}

impl Writer {
    pub(super) fn new(file: NewFile, columns: &[ColumnCells]) -> Result<Writer, GraphError> {
        let path = file.path().to_owned();
        let properties = Arc::new(properties());
        let made = schema(columns).and_then(|schema| SerializedFileWriter::new(file, schema, properties));
        match made {
            Ok(out) => Ok(Writer { out }),
            Err(error) => Err(GraphError::write(&path, plain(error))),
        }
    }

    fn failed(&self, error: ParquetError) -> GraphError {
        self.out.inner().write_error(plain(error)).into()
    }

    fn group(&mut self, columns: &[ColumnCells]) -> Written<()> {
        let mut group = self.out.next_row_group()?;
        for column in columns {
            let Some(mut writer) = group.next_column()? else {
                return Err(ParquetError::General(format!("no place for column {}", column.name)));
            };
            put(&mut writer, column)?;
            writer.close()?;
        }
        group.close().map(drop)
    }
}

impl RowWriter for Writer {
    fn put(&mut self, columns: &[ColumnCells]) -> Result<(), GraphError> {
        self.group(columns).map_err(|error| self.failed(error))
    }

    fn finish(self: Box<Self>) -> Result<u64, GraphError> {
        let path = self.out.inner().path().to_owned();
        // Writes the metadata, too.
        let file = self.out.into_inner().map_err(|error| GraphError::write(&path, plain(error)))?;
        Ok(file.finish()?)
    }
}

fn schema(columns: &[ColumnCells]) -> Written<TypePtr> {
    let fields = columns.iter().map(|column| {
        let (physical, logical) = match column.cells {
            Cells::Integers(_) => (Physical::INT64, None),
            Cells::Doubles(_) => (Physical::DOUBLE, None),
            Cells::Ids(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Cells::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(column.name, physical);
        field.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
    });
    Type::group_type_builder("leadline").with_fields(fields.collect::<Written<_>>()?).build().map(Arc::new)
}

/// A column's rows; of optional ones first which are there, then those that are.
fn put(writer: &mut SerializedColumnWriter<'_>, column: &ColumnCells) -> Written<()> {
    match &column.cells {
        Cells::Integers(cells) => writer.typed::<Int64Type>().write_batch(cells, None, None)?,
        Cells::Doubles(cells) => writer.typed::<DoubleType>().write_batch(cells, None, None)?,
        Cells::Ids(cells) => {
            let there: Vec<i16> = cells.iter().map(|id| i16::from(*id != NONE)).collect();
            let keep = |id: &&u64| !column.optional || **id != NONE;
            // The bits are the same; that they have no sign is said in the schema.
            let ids: Vec<i64> = cells.iter().filter(keep).map(|id| *id as i64).collect();
            writer.typed::<Int64Type>().write_batch(&ids, column.optional.then_some(&there), None)?
        }
        Cells::Texts(cells) => {
            let there: Vec<i16> = cells.iter().map(|text| i16::from(text.is_some())).collect();
            let texts: Vec<ByteArray> =
                cells.iter().flatten().map(|text| ByteArray::from(text.as_str())).collect();
            writer.typed::<ByteArrayType>().write_batch(&texts, column.optional.then_some(&there), None)?
        }
    };
    Ok(())
}
