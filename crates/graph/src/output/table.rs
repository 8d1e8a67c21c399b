//! A row per vertex: what its columns are, and how they are filled.

use std::borrow::Cow;

use leadline_files::NewFile;
use leadline_graph_store::format::{NO_VERTEX, Vertex};

use super::cells::{Cells, ColumnCells, RowWriter};
use super::names::Names;
use super::{BUFFER, FORMAT_BYTES, Format, ROWS, TEXT_BYTES, binary, csv, graphalytics, parquet};
use crate::{FileValues, Graph, GraphError, PerVertex, VertexValue};

/// A column after the vertex's id.
#[derive(Debug, Clone)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub values: Values<'a>,
}

/// What a column has for each vertex, by vertex.
#[derive(Debug, Clone)]
pub enum Values<'a> {
    /// A number below 2^32 - 1. That number itself stands for -1.
    Integers(Source<'a, u32>),
    /// A number below 2^63.
    Counts(Source<'a, u64>),
    /// A number with a point; infinite where it must be.
    Doubles(Source<'a, f64>),
    /// The id of another vertex; none for [`NO_VERTEX`].
    Vertices(Source<'a, Vertex>),
    /// The id of a place in the order of ids.
    Ranks(Source<'a, u32>),
}

/// Where a column's values are.
#[derive(Debug, Clone)]
pub enum Source<'a, T: Clone> {
    /// In memory.
    Memory(Cow<'a, [T]>),
    /// In a file, since the cap had no room for them.
    File(FileValues<T>),
}

impl<T: Clone> From<Vec<T>> for Source<'_, T> {
    fn from(values: Vec<T>) -> Self {
        Source::Memory(Cow::Owned(values))
    }
}

impl<'a, T: Clone> From<&'a Vec<T>> for Source<'a, T> {
    fn from(values: &'a Vec<T>) -> Self {
        Source::Memory(Cow::Borrowed(values))
    }
}

impl<T: Clone> From<PerVertex<T>> for Source<'_, T> {
    fn from(values: PerVertex<T>) -> Self {
        match values {
            PerVertex::Memory(values) => values.into(),
            PerVertex::File(values) => Source::File(values),
        }
    }
}

impl<'a, T: Clone> From<&'a PerVertex<T>> for Source<'a, T> {
    fn from(values: &'a PerVertex<T>) -> Self {
        match values {
            PerVertex::Memory(values) => values.into(),
            PerVertex::File(values) => Source::File(values.clone()),
        }
    }
}

impl<'a, T: VertexValue> Source<'a, T> {
    fn len(&self) -> usize {
        match self {
            Source::Memory(values) => values.len(),
            Source::File(values) => values.len(),
        }
    }

    /// All values in memory.
    pub(super) fn load(self) -> Result<Cow<'a, [T]>, GraphError> {
        match self {
            Source::Memory(values) => Ok(values),
            Source::File(values) => PerVertex::File(values).into_vec().map(Cow::Owned),
        }
    }

    /// The values of some vertices.
    fn of(&self, vertices: &[Vertex]) -> Result<Vec<T>, GraphError> {
        match self {
            Source::Memory(values) => Ok(vertices.iter().map(|vertex| values[*vertex as usize]).collect()),
            Source::File(values) => values.of(vertices),
        }
    }
}

/// What a column holds, as [`Values`] has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// [`Values::Integers`].
    Integers,
    /// [`Values::Counts`].
    Counts,
    /// [`Values::Doubles`].
    Doubles,
    /// [`Values::Vertices`].
    Vertices,
    /// [`Values::Ranks`].
    Ranks,
}

impl Kind {
    /// Bytes of a vertex's value in a result.
    pub(super) fn bytes(self) -> u64 {
        if matches!(self, Kind::Doubles | Kind::Counts) { 8 } else { 4 }
    }

    /// Whether cells are ids.
    pub(super) fn is_id(self) -> bool {
        matches!(self, Kind::Vertices | Kind::Ranks)
    }
}

/// The values of a column for some vertices, in memory.
enum Chosen {
    Integers(Vec<u32>),
    Counts(Vec<u64>),
    Doubles(Vec<f64>),
    Vertices(Vec<Vertex>),
    Ranks(Vec<u32>),
}

impl Values<'_> {
    /// The values of some vertices.
    fn of(&self, vertices: &[Vertex]) -> Result<Chosen, GraphError> {
        Ok(match self {
            Values::Integers(values) => Chosen::Integers(values.of(vertices)?),
            Values::Counts(values) => Chosen::Counts(values.of(vertices)?),
            Values::Doubles(values) => Chosen::Doubles(values.of(vertices)?),
            Values::Vertices(values) => Chosen::Vertices(values.of(vertices)?),
            Values::Ranks(values) => Chosen::Ranks(values.of(vertices)?),
        })
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Values::Integers(_) => Kind::Integers,
            Values::Counts(_) => Kind::Counts,
            Values::Doubles(_) => Kind::Doubles,
            Values::Vertices(_) => Kind::Vertices,
            Values::Ranks(_) => Kind::Ranks,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Values::Counts(values) => values.len(),
            Values::Doubles(values) => values.len(),
            Values::Integers(values) | Values::Vertices(values) | Values::Ranks(values) => values.len(),
        }
    }
}

/// An integer as it is written.
pub(super) fn integer(value: u32) -> i64 {
    if value == u32::MAX { -1 } else { value.into() }
}

/// Bytes of a result that has these columns.
pub(super) fn held(graph: &Graph, columns: &[(&str, Kind)]) -> u64 {
    graph.vertices() * columns.iter().map(|(_, kind)| kind.bytes()).sum::<u64>()
}

/// # Panics
/// Where a column has not a value for each vertex.
pub(super) fn check_lengths(graph: &Graph, columns: &[Column<'_>]) {
    for Column { name, values } in columns {
        assert_eq!(values.len() as u64, graph.vertices(), "a {name} for each vertex");
    }
}

/// Most bytes in memory while rows of these columns are written.
pub(super) fn bytes(graph: &Graph, columns: &[(&str, Kind)]) -> u64 {
    let of_ids = match graph.ids().are_strings() {
        true => (ROWS * size_of::<Option<String>>() + TEXT_BYTES) as u64,
        false => ROWS as u64 * 8,
    };
    let ids = columns.iter().filter(|(_, kind)| kind.is_id()).count() as u64;
    let cells = (1 + ids) * of_ids + (columns.len() as u64 - ids) * ROWS as u64 * 8;
    // Values, then cells, once as they are and once more in the format's pages; and for each row its vertex,
    // and a rank and a place of one column.
    let chosen = (columns.len() as u64 + 3) * (ROWS * 8) as u64;
    Names::bytes(graph) + 2 * cells + chosen + FORMAT_BYTES + BUFFER as u64
}

pub(super) fn write(
    file: NewFile,
    format: Format,
    graph: &Graph,
    columns: &[Column<'_>],
) -> Result<u64, GraphError> {
    check_lengths(graph, columns);
    let mut names = Names::new(graph)?;
    let mut filled = empty(names.are_strings(), columns);
    let mut rows: Box<dyn RowWriter> = match format {
        Format::Parquet => Box::new(parquet::Writer::new(file, &filled)?),
        Format::Binary => Box::new(binary::Writer::new(file)),
        Format::Graphalytics => Box::new(graphalytics::Writer::new(file)),
        Format::Csv | Format::Text => Box::new(csv::Writer::new(file, &filled)?),
    };
    let mut next = 0;
    while next < graph.vertices() {
        next = fill(graph, columns, &mut filled, &mut names, next)?;
        name(&mut filled, &mut names)?;
        rows.put(&filled)?;
        filled.iter_mut().for_each(|column| column.cells.clear());
        graph.check_stop()?;
    }
    rows.finish()
}

/// Appends rows from a rank on, as many as are written at a time; the rank of the row after them.
fn fill(
    graph: &Graph,
    columns: &[Column<'_>],
    filled: &mut [ColumnCells],
    names: &mut Names<'_>,
    first: u64,
) -> Result<u64, GraphError> {
    let ranks = first..(first + ROWS as u64).min(graph.vertices());
    let vertices = ranks.clone().map(|rank| names.vertex(rank)).collect::<Result<Vec<Vertex>, _>>()?;
    let values: Vec<Chosen> =
        columns.iter().map(|column| column.values.of(&vertices)).collect::<Result<_, _>>()?;
    let mut text_bytes = 0;
    for (rank, place) in ranks.zip(0..) {
        text_bytes += filled[0].cells.push_id(Some(rank), names)?;
        for (values, filled) in values.iter().zip(&mut filled[1..]) {
            text_bytes += push(&mut filled.cells, values, place, names)?;
        }
        if text_bytes >= TEXT_BYTES {
            return Ok(rank + 1);
        }
    }
    Ok(first + vertices.len() as u64)
}

/// Turns ranks into ids where they are numbers.
fn name(filled: &mut [ColumnCells], names: &mut Names<'_>) -> Result<(), GraphError> {
    filled.iter_mut().try_for_each(|column| column.cells.name(names))
}

/// The columns without rows, the id's first.
fn empty(strings: bool, columns: &[Column<'_>]) -> Vec<ColumnCells> {
    let ids = || if strings { Cells::Texts(Vec::new()) } else { Cells::Ids(Vec::new()) };
    let filled = |column: &Column<'_>| ColumnCells {
        name: column.name,
        optional: column.values.kind() == Kind::Vertices,
        cells: match column.values.kind() {
            Kind::Integers | Kind::Counts => Cells::Integers(Vec::new()),
            Kind::Doubles => Cells::Doubles(Vec::new()),
            Kind::Vertices | Kind::Ranks => ids(),
        },
    };
    let vertex = ColumnCells { name: "vertex", optional: false, cells: ids() };
    std::iter::once(vertex).chain(columns.iter().map(filled)).collect()
}

/// Appends the value at a place to its column; returns the bytes of text.
fn push(
    cells: &mut Cells,
    values: &Chosen,
    place: usize,
    names: &mut Names<'_>,
) -> Result<usize, GraphError> {
    match (cells, values) {
        (Cells::Integers(cells), Chosen::Integers(values)) => cells.push(integer(values[place])),
        (Cells::Integers(cells), Chosen::Counts(values)) => cells.push(values[place] as i64),
        (Cells::Doubles(cells), Chosen::Doubles(values)) => cells.push(values[place]),
        (cells, Chosen::Ranks(ranks)) => return cells.push_id(Some(u64::from(ranks[place])), names),
        (cells, Chosen::Vertices(others)) => {
            let other = Some(others[place]).filter(|other| *other != NO_VERTEX);
            return cells.push_id(other.map(|other| names.rank(other)), names);
        }
        _ => unreachable!("cells are made for their values"),
    }
    Ok(0)
}
