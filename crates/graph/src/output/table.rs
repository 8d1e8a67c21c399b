//! A row per vertex: what its columns are, and how they are filled.

use leadline_files::NewFile;

use super::cells::{Cells, ColumnCells, RowWriter};
use super::names::Names;
use super::{BUFFER, FORMAT_BYTES, Format, ROWS, TEXT_BYTES, binary, csv, parquet};
use crate::format::{NO_VERTEX, Vertex};
use crate::{Graph, GraphError};

/// A column beside the vertex's id.
pub struct Column<'a> {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub values: Values<'a>,
}

/// What a column has for each vertex.
pub enum Values<'a> {
    /// A number.
    Integers(&'a dyn Fn(Vertex) -> i64),
    /// A number with a point; infinite where it must be.
    Doubles(&'a dyn Fn(Vertex) -> f64),
    /// The id of another vertex; none for [`NO_VERTEX`].
    Vertices(&'a dyn Fn(Vertex) -> Vertex),
    /// The id of a place in the order of ids.
    Ranks(&'a dyn Fn(Vertex) -> Vertex),
}

/// Most bytes in memory while rows of so many columns are written.
pub(super) fn bytes(graph: &Graph, numbers: u64, ids: u64) -> u64 {
    let of_ids = match graph.ids().are_strings() {
        true => (ROWS * size_of::<Option<String>>() + TEXT_BYTES) as u64,
        false => ROWS as u64 * 8,
    };
    let cells = (1 + ids) * of_ids + numbers * ROWS as u64 * 8;
    // Once as they are, once more in the format's pages.
    Names::bytes(graph) + 2 * cells + FORMAT_BYTES + BUFFER as u64
}

pub(super) fn write(
    file: NewFile,
    format: Format,
    graph: &Graph,
    columns: &[Column<'_>],
) -> Result<u64, GraphError> {
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
            rows.put(&filled)?;
            filled.iter_mut().for_each(|column| column.cells.clear());
            (count, text_bytes) = (0, 0);
            if graph.stopped() {
                return Err(GraphError::Interrupted);
            }
        }
    }
    if count > 0 {
        rows.put(&filled)?;
    }
    rows.finish()
}

/// The columns without rows, the id's first.
fn empty(strings: bool, columns: &[Column<'_>]) -> Vec<ColumnCells> {
    let ids = || if strings { Cells::Texts(Vec::new()) } else { Cells::Ids(Vec::new()) };
    let filled = |column: &Column<'_>| ColumnCells {
        name: column.name,
        optional: matches!(column.values, Values::Vertices(_)),
        cells: match column.values {
            Values::Integers(_) => Cells::Integers(Vec::new()),
            Values::Doubles(_) => Cells::Doubles(Vec::new()),
            Values::Vertices(_) | Values::Ranks(_) => ids(),
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
    match (cells, values) {
        (Cells::Integers(cells), Values::Integers(value)) => cells.push(value(vertex)),
        (Cells::Doubles(cells), Values::Doubles(value)) => cells.push(value(vertex)),
        (cells, Values::Ranks(rank)) => return cells.push_id(Some(u64::from(rank(vertex))), names),
        (cells, Values::Vertices(other)) => {
            let other = Some(other(vertex)).filter(|other| *other != NO_VERTEX);
            return cells.push_id(other.map(|other| names.rank(other)), names);
        }
        _ => unreachable!("cells are made for their values"),
    }
    Ok(0)
}
