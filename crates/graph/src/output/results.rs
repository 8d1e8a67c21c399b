//! What the table of a result is: its columns, and which vector is which.

use super::Output;
use super::columns::Rows;
use super::table::{Column, Kind};
use crate::{Graph, GraphError, PerVertex, VertexValue};

/// A result with a row per vertex.
pub trait VertexTable: Sized {
    /// Name and kind of each column behind `vertex`, in order: known before the work.
    const COLUMNS: &'static [(&'static str, Kind)];

    /// Whether the columns are in a temporary file where the cap has no room for them.
    const SPILLS: bool;

    /// Makes room for the table and writes it, as [`Output::write`] does; the bytes of the file.
    ///
    /// # Errors
    /// As there, and what the temporary file gives.
    fn write(&mut self, graph: &Graph, output: Output) -> Result<u64, GraphError> {
        self.make_room(graph)?;
        output.write(graph, &self.columns())
    }

    /// Moves columns that are in memory to a temporary file, if the cap has no room for them in addition to
    /// what writing takes.
    ///
    /// # Errors
    /// What the file gives.
    fn make_room(&mut self, graph: &Graph) -> Result<(), GraphError>;

    /// The columns, for [`Output::write`].
    fn columns(&self) -> Vec<Column<'_>>;

    /// The columns with their vectors, for [`Rows::collect`].
    fn into_columns(self) -> Vec<Column<'static>>;

    /// The table in memory.
    ///
    /// # Errors
    /// As [`Rows::collect`].
    fn into_rows(self, graph: &Graph) -> Result<Rows, GraphError> {
        Rows::collect(graph, self.into_columns())
    }
}

/// A column of a result.
pub(crate) trait Spill {
    /// Moves it to a temporary file, if it is of those that may be in one.
    fn spill(&mut self, graph: &Graph) -> Result<(), GraphError>;
}

impl<T> Spill for Vec<T> {
    fn spill(&mut self, _: &Graph) -> Result<(), GraphError> {
        Ok(())
    }
}

impl<T: VertexValue> Spill for PerVertex<T> {
    fn spill(&mut self, graph: &Graph) -> Result<(), GraphError> {
        self.move_to_file(graph)
    }
}

/// Which field of a result is which column, and of what kind.
macro_rules! vertex_table {
    ($result:ty { $($field:ident: $name:literal $kind:ident),+ }, spills: $spills:literal) => {
        impl $crate::output::VertexTable for $result {
            const COLUMNS: &'static [(&'static str, $crate::output::Kind)] =
                &[$(($name, $crate::output::Kind::$kind)),+];
            const SPILLS: bool = $spills;

            fn make_room(&mut self, graph: &$crate::Graph) -> Result<(), $crate::GraphError> {
                if $crate::output::has_no_room(graph, Self::COLUMNS)? {
                    $($crate::output::Spill::spill(&mut self.$field, graph)?;)+
                }
                Ok(())
            }

            fn columns(&self) -> Vec<$crate::output::Column<'_>> {
                vec![$($crate::output::Column {
                    name: $name,
                    values: $crate::output::Values::$kind((&self.$field).into()),
                }),+]
            }

            fn into_columns(self) -> Vec<$crate::output::Column<'static>> {
                vec![$($crate::output::Column {
                    name: $name,
                    values: $crate::output::Values::$kind(self.$field.into()),
                }),+]
            }
        }
    };
}
pub(crate) use vertex_table;

/// Whether the cap has no room for what writing such columns takes in addition to them; lets go of the blocks
/// that the last run cached then.
pub(crate) fn has_no_room(graph: &Graph, columns: &[(&str, Kind)]) -> Result<bool, GraphError> {
    let lacks = Output::least_memory(graph, columns, false) > graph.options().memory;
    if lacks {
        graph.forget_cache()?;
    }
    Ok(lacks)
}
