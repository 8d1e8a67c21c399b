//! The values of a column, a batch at a time.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};

/// Rows of a batch.
const ROWS: usize = 1 << 16;

/// One column, and the place in it.
pub(super) struct Column {
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) text: bool,
    pub(super) unsigned: bool,
    /// Definition level of a value that is there.
    pub(super) level: i16,
    pub(super) reader: Option<ColumnReader>,
    pub(super) levels: Vec<i16>,
}

/// The ids of one batch of a column.
pub(super) enum Values {
    Numbers(Vec<u64>),
    Strings(Vec<ByteArray>),
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Values::Numbers(all) => all.len(),
            Values::Strings(all) => all.len(),
        }
    }
}

impl Column {
    /// The next ids, nothing at the end of the row group. `row` is the number of rows before them.
    pub(super) fn ids(&mut self, row: u64) -> Result<Values, String> {
        let at = |index: usize| row + index as u64 + 1;
        let negative = |index: usize, value: i64| {
            format!("row {}: expected an id of 0 or more in \"{}\", found {value}", at(index), self.name)
        };
        let (level, levels, name) = (self.level, &mut self.levels, &self.name);
        Ok(match &mut self.reader {
            Some(ColumnReader::Int32ColumnReader(reader)) => {
                let values = read(reader, level, levels, name, row)?;
                let values = values.into_iter().enumerate().map(|(index, value)| match value {
                    value if self.unsigned => Ok(u64::from(value as u32)),
                    value => u64::try_from(value).map_err(|_| negative(index, i64::from(value))),
                });
                Values::Numbers(values.collect::<Result<_, _>>()?)
            }
            Some(ColumnReader::Int64ColumnReader(reader)) => {
                let values = read(reader, level, levels, name, row)?;
                let values = values.into_iter().enumerate().map(|(index, value)| match value {
                    value if self.unsigned => Ok(value as u64),
                    value => u64::try_from(value).map_err(|_| negative(index, value)),
                });
                Values::Numbers(values.collect::<Result<_, _>>()?)
            }
            Some(ColumnReader::ByteArrayColumnReader(reader)) => {
                Values::Strings(read(reader, level, levels, name, row)?)
            }
            _ => Values::Numbers(Vec::new()),
        })
    }

    /// The next weights.
    pub(super) fn weights(&mut self, row: u64) -> Result<Vec<f64>, String> {
        let (level, levels, name) = (self.level, &mut self.levels, &self.name);
        let unsigned = self.unsigned;
        let weights: Vec<f64> = match &mut self.reader {
            Some(ColumnReader::Int32ColumnReader(reader)) => read(reader, level, levels, name, row)?
                .into_iter()
                .map(|value| if unsigned { f64::from(value as u32) } else { f64::from(value) })
                .collect(),
            Some(ColumnReader::Int64ColumnReader(reader)) => read(reader, level, levels, name, row)?
                .into_iter()
                .map(|value| if unsigned { value as u64 as f64 } else { value as f64 })
                .collect(),
            Some(ColumnReader::FloatColumnReader(reader)) => {
                read(reader, level, levels, name, row)?.into_iter().map(f64::from).collect()
            }
            Some(ColumnReader::DoubleColumnReader(reader)) => read(reader, level, levels, name, row)?,
            _ => Vec::new(),
        };
        match weights.iter().position(|weight| !weight.is_finite()) {
            Some(at) => {
                let (row, found) = (row + at as u64 + 1, weights[at]);
                Err(format!("row {row}: expected a finite number as weight in \"{name}\", found {found}"))
            }
            None => Ok(weights),
        }
    }
}

/// Up to [`ROWS`] values, none of which may be missing.
fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    level: i16,
    levels: &mut Vec<i16>,
    name: &str,
    row: u64,
) -> Result<Vec<T::T>, String> {
    levels.clear();
    let mut values = Vec::new();
    let (records, found, _) =
        reader.read_records(ROWS, Some(levels), None, &mut values).map_err(|error| {
            format!("is not a sound Parquet file: column \"{name}\" behind row {row}: {error}")
        })?;
    if found < records {
        let missing = levels.iter().position(|found| *found < level).unwrap_or(0);
        return Err(format!("row {}: expected a value in \"{name}\", found none", row + missing as u64 + 1));
    }
    Ok(values)
}
