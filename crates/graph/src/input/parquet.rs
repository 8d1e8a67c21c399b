//! Apache Parquet: a column of sources, one of targets, and one of weights where they are wanted.

use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::chunks::Wrong;
use super::columns::{Role, role};
use super::format::uncompressed;
use super::guarded::guarded;
use super::parquet_bytes::ParquetBytes;
use super::source::open_file;
use super::strings::Strings;
use super::{Batch, Declared, EdgeReader, IdMode, InputOptions};
use crate::{GraphError, InputOption};

/// Rows of a batch.
const ROWS: usize = 1 << 16;

/// What the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Edges,
    /// A column `vertex`.
    Vertices,
}

pub(super) struct Parquet {
    name: String,
    file: SerializedFileReader<ParquetBytes>,
    file_bytes: u64,
    rows: u64,
    read: u64,
    next_group: usize,
    source: Column,
    /// None where the other column has vertices, and no edges.
    target: Option<Column>,
    weight: Option<Column>,
    strings: Option<Strings>,
    ended: bool,
}

/// One column, and the place in it.
struct Column {
    index: usize,
    name: String,
    text: bool,
    unsigned: bool,
    /// Definition level of a value that is there.
    level: i16,
    reader: Option<ColumnReader>,
    levels: Vec<i16>,
}

/// The ids of one batch of a column.
enum Values {
    Numbers(Vec<u64>),
    Strings(Vec<ByteArray>),
}

pub(super) fn open(path: &Path, what: Rows, options: &InputOptions) -> Result<Parquet, GraphError> {
    guarded(|| open_unguarded(path, what, options))
        .unwrap_or_else(|panic| Err(failed(&path.display().to_string(), &panic)))
}

fn open_unguarded(path: &Path, what: Rows, options: &InputOptions) -> Result<Parquet, GraphError> {
    let name = path.display().to_string();
    let wrong = |what: String| GraphError::malformed(&name, what);
    if uncompressed(path).1 {
        return Err(wrong(
            "expected Parquet itself, found it compressed as a whole; decompress it first".into(),
        ));
    }
    let file = open_file(path)?;
    let file_bytes = file.metadata().map_err(|error| GraphError::read(&name, error))?.len();
    let file = SerializedFileReader::new(ParquetBytes::new(file, file_bytes))
        .map_err(|error| failed(&name, &error))?;
    let metadata = file.metadata().file_metadata();
    let rows = u64::try_from(metadata.num_rows()).unwrap_or(0);
    let schema = metadata.schema_descr_ptr();
    let columns: Vec<&ColumnDescriptor> = schema.columns().iter().map(|column| column.as_ref()).collect();
    let (source, target, weight) = match what {
        Rows::Edges => {
            let (source, target) = choose(&columns).map_err(&wrong)?;
            (source, Some(target), choose_weight(&columns, source, target))
        }
        Rows::Vertices => (choose_vertex(&columns).map_err(&wrong)?, None, None),
    };
    let is_text = |index: usize| columns[index].physical_type() == Physical::BYTE_ARRAY;
    let strings = is_text(source) || options.ids == IdMode::Strings;
    if is_text(source) && options.ids == IdMode::Numbers {
        let column = columns[source].name();
        let text = format!("{name}: its column \"{column}\" holds strings; read ids as strings");
        return Err(GraphError::Option { text, option: InputOption::Ids });
    }
    let column = |index: usize| Column {
        index,
        name: columns[index].name().to_owned(),
        text: is_text(index),
        unsigned: is_unsigned(columns[index]),
        level: columns[index].max_def_level(),
        reader: None,
        levels: Vec::new(),
    };
    Ok(Parquet {
        source: column(source),
        target: target.map(column),
        weight: weight.filter(|_| options.weights).map(column),
        strings: strings.then(|| Strings::new(options.memory)),
        name,
        file,
        file_bytes,
        rows,
        read: 0,
        next_group: 0,
        ended: false,
    })
}

fn failed(name: &str, error: &dyn std::fmt::Display) -> GraphError {
    GraphError::malformed(name, format!("is not a sound Parquet file: {error}"))
}

/// Source and target: by name, else the first two columns of integers, else the first two of strings.
fn choose(columns: &[&ColumnDescriptor]) -> Result<(usize, usize), String> {
    let flat = |index: &usize| columns[*index].max_rep_level() == 0;
    let named = |wanted| {
        (0..columns.len()).filter(flat).find(|index| role(columns[*index].name().as_bytes()) == Some(wanted))
    };
    let of = |kinds: &[Physical]| {
        let mut fitting =
            (0..columns.len()).filter(flat).filter(|at| kinds.contains(&columns[*at].physical_type()));
        fitting.next().zip(fitting.next())
    };
    let integers = [Physical::INT32, Physical::INT64];
    let pair = named(Role::Source).zip(named(Role::Target));
    let pair = pair.or_else(|| of(&integers)).or_else(|| of(&[Physical::BYTE_ARRAY]));
    let Some((source, target)) = pair else {
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        return Err(format!(
            "expected a column \"source\" and one \"target\", or two of integers, found {}",
            names.join(", ")
        ));
    };
    let [first, second] = [source, target].map(|index| columns[index].physical_type());
    let fit = integers.contains(&first) && integers.contains(&second)
        || first == Physical::BYTE_ARRAY && second == Physical::BYTE_ARRAY;
    if !fit {
        let (source, target) = (columns[source].name(), columns[target].name());
        return Err(format!(
            "expected integers or strings in its columns \"{source}\" and \"{target}\", found {first} and {second}"
        ));
    }
    Ok((source, target))
}

/// The column of vertices.
fn choose_vertex(columns: &[&ColumnDescriptor]) -> Result<usize, String> {
    let kinds = [Physical::INT32, Physical::INT64, Physical::BYTE_ARRAY];
    let fits = |column: &&ColumnDescriptor| {
        column.name() == "vertex" && column.max_rep_level() == 0 && kinds.contains(&column.physical_type())
    };
    let found = columns.iter().position(fits);
    found.ok_or_else(|| "expected a column \"vertex\" of integers or strings".to_owned())
}

/// The column of weights: by name, else the first numbers behind source and target.
fn choose_weight(columns: &[&ColumnDescriptor], source: usize, target: usize) -> Option<usize> {
    let kinds = [Physical::INT32, Physical::INT64, Physical::FLOAT, Physical::DOUBLE];
    let fits = |at: &usize| {
        ![source, target].contains(at)
            && columns[*at].max_rep_level() == 0
            && kinds.contains(&columns[*at].physical_type())
    };
    let named = |at: &usize| role(columns[*at].name().as_bytes()) == Some(Role::Weight);
    let mut all = (0..columns.len()).filter(fits);
    all.clone().find(named).or_else(|| all.find(|at| *at > source.max(target)))
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    let converted = matches!(
        column.converted_type(),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
    );
    converted || matches!(column.logical_type_ref(), Some(LogicalType::Integer(kind)) if !kind.is_signed)
}

impl Parquet {
    /// Rows, as the file says.
    pub(super) fn row_count(&self) -> u64 {
        self.rows
    }

    pub(super) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Which columns are read, in words.
    pub(super) fn columns(&self) -> String {
        let ids = [&self.source].into_iter().chain(&self.target);
        let ids = ids.map(|column| match column.text {
            true => format!("{} (strings)", column.name),
            false => format!("{} (numbers)", column.name),
        });
        let weight = self.weight.iter().map(|column| column.name.clone());
        ids.chain(weight).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn is_weighted(&self) -> bool {
        self.weight.is_some()
    }

    /// Whether ids are strings in the file.
    pub(super) fn is_text(&self) -> bool {
        self.source.text
    }

    /// Numbers strings as another file's reader began to.
    pub(super) fn set_strings(&mut self, strings: Option<Strings>) {
        if strings.is_some() {
            self.strings = strings;
        }
    }

    pub(super) fn take_strings(&mut self) -> Option<Strings> {
        self.strings.take()
    }

    /// Opens the columns of the next row group; false where there is none.
    fn next_group(&mut self) -> Result<bool, GraphError> {
        if self.next_group >= self.file.num_row_groups() {
            return Ok(false);
        }
        let sound = |error: ParquetError| failed(&self.name, &error);
        let group = self.file.get_row_group(self.next_group).map_err(sound)?;
        for column in [&mut self.source].into_iter().chain(&mut self.target).chain(&mut self.weight) {
            column.reader = Some(group.get_column_reader(column.index).map_err(sound)?);
        }
        self.next_group += 1;
        Ok(true)
    }

    /// The next rows, of this row group or one behind it; false at the end.
    fn next_rows(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        loop {
            if self.source.reader.is_some() {
                let more = self.rows(batch);
                if more.map_err(|wrong| wrong.at(&self.name))? {
                    return Ok(true);
                }
            }
            if !self.next_group()? {
                return Ok(false);
            }
        }
    }

    /// The next rows of this row group; false where it has no more.
    fn rows(&mut self, batch: &mut Batch) -> Result<bool, Wrong> {
        let row = self.read;
        let sources = self.source.ids(row)?;
        let Some(target) = &mut self.target else {
            return self.vertices(row, sources, batch);
        };
        let targets = target.ids(row)?;
        if let Some(column) = &mut self.weight {
            batch.weights = column.weights(row)?;
        }
        let got = sources.len();
        if targets.len() != got || self.weight.is_some() && batch.weights.len() != got {
            return Err(format!(
                "expected as many values in each column, found other numbers of them at row {row}"
            )
            .into());
        }
        if let Some(strings) = &mut self.strings {
            for at in 0..got {
                let mut id = |values: &Values| {
                    number(strings, values, at).map_err(|wrong| in_row(row + at as u64 + 1, wrong))
                };
                batch.pairs.push((id(&sources)?, id(&targets)?));
            }
        } else if let (Values::Numbers(sources), Values::Numbers(targets)) = (sources, targets) {
            batch.pairs.extend(sources.into_iter().zip(targets));
        }
        self.read += got as u64;
        Ok(got > 0)
    }
}

impl Parquet {
    /// The next vertices of this row group; false where it has no more.
    fn vertices(&mut self, row: u64, values: Values, batch: &mut Batch) -> Result<bool, Wrong> {
        self.read += values.len() as u64;
        let there = values.len() > 0;
        match (&mut self.strings, values) {
            (None, Values::Numbers(numbers)) => batch.vertices = numbers,
            (None, Values::Strings(_)) => {}
            (Some(strings), values) => {
                for at in 0..values.len() {
                    let number = number(strings, &values, at);
                    batch.vertices.push(number.map_err(|wrong| in_row(row + at as u64 + 1, wrong))?);
                }
            }
        }
        Ok(there)
    }
}

/// The number of the string, or of the number as a string, at a place.
fn number(strings: &mut Strings, values: &Values, at: usize) -> Result<u64, Wrong> {
    match values {
        Values::Strings(all) => strings.number(all[at].data()),
        Values::Numbers(all) => strings.number(all[at].to_string().as_bytes()),
    }
}

fn in_row(row: u64, wrong: Wrong) -> Wrong {
    Wrong { text: format!("row {row}: {}", wrong.text), ..wrong }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Numbers(all) => all.len(),
            Values::Strings(all) => all.len(),
        }
    }
}

impl Column {
    /// The next ids, nothing at the end of the row group. `row` is the number of rows before them.
    fn ids(&mut self, row: u64) -> Result<Values, String> {
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
    fn weights(&mut self, row: u64) -> Result<Vec<f64>, String> {
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

impl EdgeReader for Parquet {
    fn declared(&self) -> Declared {
        Declared { weighted: self.weight.is_some(), ..Declared::default() }
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        batch.clear();
        if self.ended {
            return Ok(false);
        }
        // After an error, or a panic, nothing more is read.
        self.ended = true;
        let more = match guarded(|| self.next_rows(batch)) {
            Ok(more) => more?,
            Err(panic) => return Err(failed(&self.name, &panic)),
        };
        self.ended = !more;
        Ok(more)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        // What of the file was read is not to be known; rows tell well enough.
        let done = if self.rows == 0 { 1.0 } else { (self.read as f64 / self.rows as f64).min(1.0) };
        ((done * self.file_bytes as f64) as u64, Some(self.file_bytes))
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        self.strings.take().map(Strings::into_strings)
    }

    fn string(&self, number: u64) -> Option<&str> {
        self.strings.as_ref()?.string(number)
    }

    fn memory_bytes(&self) -> u64 {
        // A page of each column, 1 MiB where writers leave it at their default, packed and unpacked, and a
        // batch.
        let columns = 1 + u64::from(self.target.is_some()) + u64::from(self.weight.is_some());
        columns * (2 << 20) + self.strings.as_ref().map_or(0, Strings::memory_bytes)
    }
}
