//! A row per vertex: what its columns are, and how they are filled.

use std::borrow::Cow;

use leadline_files::NewFile;

use super::cells::{Cells, ColumnCells, RowWriter};
use super::names::Names;
use super::{BUFFER, FORMAT_BYTES, Format, ROWS, TEXT_BYTES, binary, csv, parquet};
use crate::format::{NO_VERTEX, Vertex};
use crate::{Graph, GraphError};

/// A column beside the vertex's id.
#[derive(Debug, Clone, PartialEq)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub values: Values<'a>,
}

/// What a column has for each vertex, by vertex.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// A number below 2^32 - 1. That number itself stands for -1.
    Integers(Cow<'a, [u32]>),
    /// A number with a point; infinite where it must be.
    Doubles(Cow<'a, [f64]>),
    /// The id of another vertex; none for [`NO_VERTEX`].
    Vertices(Cow<'a, [Vertex]>),
    /// The id of a place in the order of ids.
    Ranks(Cow<'a, [u32]>),
}

/// What a column holds, as [`Values`] has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// [`Values::Integers`].
    Integers,
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
        if self == Kind::Doubles { 8 } else { 4 }
    }

    /// Whether cells are ids.
    pub(super) fn is_id(self) -> bool {
        matches!(self, Kind::Vertices | Kind::Ranks)
    }
}

impl Values<'_> {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Values::Integers(_) => Kind::Integers,
            Values::Doubles(_) => Kind::Doubles,
            Values::Vertices(_) => Kind::Vertices,
            Values::Ranks(_) => Kind::Ranks,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
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
    // Once as they are, once more in the format's pages; and a rank and a place of each row of one column.
    Names::bytes(graph) + 2 * cells + (ROWS * 8) as u64 + FORMAT_BYTES + BUFFER as u64
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
        Format::Csv | Format::Text => Box::new(csv::Writer::new(file, &filled)?),
    };
    let (mut count, mut text_bytes) = (0, 0);
    for rank in 0..graph.vertices() {
        let vertex = names.vertex(rank)?;
        text_bytes += filled[0].cells.push_id(Some(rank), &mut names)?;
        for (column, filled) in columns.iter().zip(&mut filled[1..]) {
            text_bytes += push(&mut filled.cells, &column.values, vertex, &mut names)?;
        }
        count += 1;
        if count == ROWS || text_bytes >= TEXT_BYTES {
            name(&mut filled, &mut names)?;
            rows.put(&filled)?;
            filled.iter_mut().for_each(|column| column.cells.clear());
            (count, text_bytes) = (0, 0);
            graph.check_stop()?;
        }
    }
    if count > 0 {
        name(&mut filled, &mut names)?;
        rows.put(&filled)?;
    }
    rows.finish()
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
            Kind::Integers => Cells::Integers(Vec::new()),
            Kind::Doubles => Cells::Doubles(Vec::new()),
            Kind::Vertices | Kind::Ranks => ids(),
        },
    };
    let vertex = ColumnCells { name: "vertex", optional: false, cells: ids() };
    std::iter::once(vertex).chain(columns.iter().map(filled)).collect()
}

/// Appends a vertex's value to its column; returns the bytes of text.
fn push(
    cells: &mut Cells,
    values: &Values<'_>,
    vertex: Vertex,
    names: &mut Names<'_>,
) -> Result<usize, GraphError> {
    let at = vertex as usize;
    match (cells, values) {
        (Cells::Integers(cells), Values::Integers(values)) => cells.push(integer(values[at])),
        (Cells::Doubles(cells), Values::Doubles(values)) => cells.push(values[at]),
        (cells, Values::Ranks(ranks)) => return cells.push_id(Some(u64::from(ranks[at])), names),
        (cells, Values::Vertices(others)) => {
            let other = Some(others[at]).filter(|other| *other != NO_VERTEX);
            return cells.push_id(other.map(|other| names.rank(other)), names);
        }
        _ => unreachable!("cells are made for their values"),
    }
    Ok(0)
}
