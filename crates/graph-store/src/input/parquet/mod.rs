//! Apache Parquet: a column of sources, one of targets, and one of weights where they are wanted.

mod bytes;
mod choose;
mod column;

use std::os::unix::fs::FileExt;
use std::path::Path;

use parquet::basic::{Compression, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use self::bytes::ParquetBytes;
use self::choose::{choose, choose_vertex, choose_weight, is_unsigned, is_weight};
use self::column::{Column, Values};
use crate::input::chunks::Wrong;
use crate::input::format::uncompressed;
use crate::input::guarded::guarded;
use crate::input::number::{shown, whole};
use crate::input::source::open_file;
use crate::input::strings::Strings;
use crate::input::{Batch, Declared, EdgeReader, Format, IdMode, InputOptions, InputSummary};
use crate::{GraphError, InputOption};

/// What the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::input) enum Rows {
    Edges,
    /// A column `vertex`.
    Vertices,
}

pub(in crate::input) struct Parquet {
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
    /// It has a column that is called as weights are, and which is not read.
    leaves_out_weights: bool,
    summary: InputSummary,
    ended: bool,
}

pub(in crate::input) fn open(path: &Path, what: Rows, options: &InputOptions) -> Result<Parquet, GraphError> {
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
    let mut magic = [0; 4];
    let begins = file.read_at(&mut magic, 0).is_ok();
    if begins && &magic == b"PARE" {
        return Err(wrong("is encrypted, which is not read; write it again without encryption".into()));
    }
    if begins && &magic != b"PAR1" {
        let found = shown(&magic);
        return Err(wrong(format!("expected Parquet, which begins with \"PAR1\", found {found}")));
    }
    let file = SerializedFileReader::new(ParquetBytes::new(file, file_bytes))
        .map_err(|error| failed(&name, &error))?;
    let metadata = file.metadata().file_metadata();
    let rows = u64::try_from(metadata.num_rows()).unwrap_or(0);
    let schema = metadata.schema_descr_ptr();
    let columns: Vec<&ColumnDescriptor> = schema.columns().iter().map(|column| column.as_ref()).collect();
    let (source, target, weight) = match what {
        Rows::Edges => {
            let (source, target) = choose(&columns, &options.columns).map_err(&wrong)?;
            let weight = choose_weight(&columns, source, target, &options.columns).map_err(&wrong)?;
            (source, Some(target), weight)
        }
        Rows::Vertices => (choose_vertex(&columns).map_err(&wrong)?, None, None),
    };
    let wanted = options.weights || options.columns.weight.is_some();
    let read: Vec<usize> = [Some(source), target, weight.filter(|_| wanted)].into_iter().flatten().collect();
    let name_of = |at: usize| columns[at].path().string();
    let groups = file.metadata().row_groups();
    let packed = |at: &usize| groups.iter().any(|group| group.column(*at).compression() == Compression::LZO);
    if let Some(at) = read.iter().find(|at| packed(at)) {
        let column = name_of(*at);
        let what =
            format!("its column \"{column}\" is compressed by LZO, which is not read; write it with Snappy");
        return Err(wrong(what));
    }
    let summary = InputSummary {
        ids: if columns[source].physical_type() == Physical::BYTE_ARRAY { "strings" } else { "numbers" },
        columns_ignored: (0..columns.len()).filter(|at| !read.contains(at)).map(name_of).collect(),
        columns_read: read.into_iter().map(name_of).collect(),
        ..InputSummary::of(Format::Parquet, "by its name")
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
        weight: weight.filter(|_| wanted).map(column),
        strings: strings.then(|| Strings::new(options.memory)),
        name,
        file,
        file_bytes,
        rows,
        read: 0,
        next_group: 0,
        leaves_out_weights: !wanted && columns.iter().any(is_weight),
        summary,
        ended: false,
    })
}

fn failed(name: &str, error: &dyn std::fmt::Display) -> GraphError {
    GraphError::malformed(name, format!("is not a sound Parquet file: {error}"))
}

impl Parquet {
    /// Refuses to leave out what somebody may want, unless `options` say that it is meant.
    pub(in crate::input) fn check_ignored(&self, options: &InputOptions) -> Result<(), GraphError> {
        if !self.leaves_out_weights || options.ignore_columns {
            return Ok(());
        }
        let text = format!("{}: its column of weights would be left out", self.name);
        Err(GraphError::Option { text, option: InputOption::IgnoredWeight })
    }

    /// The same, with what told its format.
    pub(in crate::input) fn told(self, told: InputSummary) -> Parquet {
        let summary = self.summary.told(told.format_told_by);
        Parquet { summary, ..self }
    }

    /// Rows, as the file says.
    pub(in crate::input) fn row_count(&self) -> u64 {
        self.rows
    }

    pub(in crate::input) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Which columns are read, in words.
    pub(in crate::input) fn columns(&self) -> String {
        let ids = [&self.source].into_iter().chain(&self.target);
        let ids = ids.map(|column| match column.text {
            true => format!("{} (strings)", column.name),
            false => format!("{} (numbers)", column.name),
        });
        let weight = self.weight.iter().map(|column| column.name.clone());
        ids.chain(weight).collect::<Vec<_>>().join(", ")
    }

    pub(in crate::input) fn is_weighted(&self) -> bool {
        self.weight.is_some()
    }

    /// Whether ids are strings in the file.
    pub(in crate::input) fn is_text(&self) -> bool {
        self.source.text
    }

    /// Numbers strings as another file's reader began to.
    pub(in crate::input) fn set_strings(&mut self, strings: Option<Strings>) {
        if strings.is_some() {
            self.strings = strings;
        }
    }

    pub(in crate::input) fn take_strings(&mut self) -> Option<Strings> {
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

    fn forget_strings(&mut self) {
        if let Some(strings) = &mut self.strings {
            strings.forget();
        }
    }

    fn vertex(&mut self, id: &[u8]) -> Result<u64, String> {
        match &mut self.strings {
            Some(strings) => strings.number(id).map_err(|wrong| wrong.text),
            None => whole(id, "a vertex id"),
        }
    }

    fn summary(&self) -> InputSummary {
        self.summary.clone()
    }

    fn memory_bytes(&self) -> u64 {
        // A page of each column, 1 MiB where writers leave it at their default, packed and unpacked, and a
        // batch.
        let columns = 1 + u64::from(self.target.is_some()) + u64::from(self.weight.is_some());
        columns * (2 << 20) + self.strings.as_ref().map_or(0, Strings::memory_bytes)
    }
}
