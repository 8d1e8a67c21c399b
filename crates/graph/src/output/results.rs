//! What the table of each algorithm's result is: its columns, and which vector is which.

use std::borrow::Cow;

use super::rows::Rows;
use super::table::{Column, Kind, Values};
use crate::algorithms::{Bfs, Cdlp, Dfs, KCore, Lcc, PageRank, Parents, Sssp, Wcc};
use crate::{Graph, GraphError};

/// A result with a row per vertex.
pub trait VertexTable: Sized {
    /// Name and kind of each column behind `vertex`, in order: known before the work.
    const COLUMNS: &'static [(&'static str, Kind)];

    /// The columns, for [`Output::write`](super::Output::write).
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

/// Which field of a result is which column, and of what kind.
macro_rules! table {
    ($result:ty { $($field:ident: $name:literal $kind:ident),+ }) => {
        impl VertexTable for $result {
            const COLUMNS: &'static [(&'static str, Kind)] = &[$(($name, Kind::$kind)),+];

            fn columns(&self) -> Vec<Column<'_>> {
                vec![$(Column { name: $name, values: Values::$kind(Cow::Borrowed(&self.$field)) }),+]
            }

            fn into_columns(self) -> Vec<Column<'static>> {
                vec![$(Column { name: $name, values: Values::$kind(Cow::Owned(self.$field)) }),+]
            }
        }
    };
}

table!(Bfs { levels: "level" Integers });
table!(Parents { parents: "parent" Vertices });
table!(Wcc { components: "component" Vertices });
table!(PageRank { ranks: "rank" Doubles });
table!(Sssp { distances: "distance" Doubles });
table!(Cdlp { labels: "label" Ranks });
table!(Lcc { coefficients: "coefficient" Doubles });
table!(KCore { cores: "core" Integers });
table!(Dfs { parents: "parent" Vertices, roots: "root" Vertices, order: "order" Integers });

/// A search with its parents.
impl VertexTable for (Bfs, Parents) {
    const COLUMNS: &'static [(&'static str, Kind)] = &[Bfs::COLUMNS[0], Parents::COLUMNS[0]];

    fn columns(&self) -> Vec<Column<'_>> {
        [self.0.columns(), self.1.columns()].concat()
    }

    fn into_columns(self) -> Vec<Column<'static>> {
        [self.0.into_columns(), self.1.into_columns()].into_iter().flatten().collect()
    }
}
