//! What the table of each algorithm's result is: its columns, and which vector is which.

use super::Output;
use super::rows::Rows;
use super::table::{Column, Kind, Values};
use crate::algorithms::{
    Bfs, Cdlp, Dfs, KCore, Lcc, Leiden, Louvain, PageRank, Parents, Scc, Sssp, Triangles, Wcc,
};
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

    /// Moves columns that are in memory to a temporary file, where the cap has no room for them beside what
    /// writing takes.
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
trait Spill {
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
macro_rules! table {
    ($result:ty { $($field:ident: $name:literal $kind:ident),+ }, spills: $spills:literal) => {
        impl VertexTable for $result {
            const COLUMNS: &'static [(&'static str, Kind)] = &[$(($name, Kind::$kind)),+];
            const SPILLS: bool = $spills;

            fn make_room(&mut self, graph: &Graph) -> Result<(), GraphError> {
                if Output::least_memory(graph, Self::COLUMNS, false) > graph.options().memory {
                    graph.forget_cache()?;
                    $(self.$field.spill(graph)?;)+
                }
                Ok(())
            }

            fn columns(&self) -> Vec<Column<'_>> {
                vec![$(Column { name: $name, values: Values::$kind((&self.$field).into()) }),+]
            }

            fn into_columns(self) -> Vec<Column<'static>> {
                vec![$(Column { name: $name, values: Values::$kind(self.$field.into()) }),+]
            }
        }
    };
}

table!(Bfs { levels: "level" Integers }, spills: true);
table!(Parents { parents: "parent" Vertices }, spills: false);
table!(Wcc { components: "component" Vertices }, spills: true);
table!(Scc { components: "component" Vertices }, spills: true);
table!(PageRank { ranks: "rank" Doubles }, spills: true);
table!(Sssp { distances: "distance" Doubles }, spills: true);
table!(Cdlp { labels: "label" Ranks }, spills: false);
table!(Louvain { communities: "community" Ranks }, spills: false);
table!(Leiden { communities: "community" Ranks }, spills: false);
table!(Lcc { coefficients: "coefficient" Doubles }, spills: false);
table!(Triangles { counts: "triangles" Counts }, spills: false);
table!(KCore { cores: "core" Integers }, spills: false);
table!(Dfs { parents: "parent" Vertices, roots: "root" Vertices, order: "order" Integers }, spills: false);

/// A search with its parents.
impl VertexTable for (Bfs, Parents) {
    const COLUMNS: &'static [(&'static str, Kind)] = &[Bfs::COLUMNS[0], Parents::COLUMNS[0]];
    const SPILLS: bool = false;

    fn make_room(&mut self, _: &Graph) -> Result<(), GraphError> {
        Ok(())
    }

    fn columns(&self) -> Vec<Column<'_>> {
        [self.0.columns(), self.1.columns()].concat()
    }

    fn into_columns(self) -> Vec<Column<'static>> {
        [self.0.into_columns(), self.1.into_columns()].into_iter().flatten().collect()
    }
}
