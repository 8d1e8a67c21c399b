//! Tables.

use serde::Serialize;

/// A table, whose cells are ready text with their units.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Table {
    /// What is above it; empty for nothing.
    pub title: String,
    /// Its columns; without a name in any of them it has no head.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for every column.
    pub rows: Vec<Row>,
    /// Leading columns that tell rows apart, if more than one. A terminal in which the columns do not fit
    /// side by side shows several tables below one another, each with these columns.
    pub keys: usize,
    /// What a page says in place of rows where there are none.
    pub none: &'static str,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// What is above its cells.
    pub name: String,
    /// The same where there is more room, on a page; empty where the name says it.
    pub long: String,
    /// Whether its cells are words, which stand to the left; numbers stand to the right.
    pub words: bool,
    /// A terminal that is narrower leaves it out.
    pub from_width: usize,
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Row {
    /// The cells, as many as there are columns.
    pub cells: Vec<String>,
    /// Whether it is the reference row.
    pub marked: bool,
}

impl Column {
    /// Of numbers.
    pub fn numbers(name: impl Into<String>) -> Column {
        Column { name: name.into(), long: String::new(), words: false, from_width: 0 }
    }

    /// Of words.
    pub fn words(name: impl Into<String>) -> Column {
        Column { words: true, ..Column::numbers(name) }
    }

    /// With a longer name on a page.
    #[must_use]
    pub fn long(self, long: impl Into<String>) -> Column {
        Column { long: long.into(), ..self }
    }

    /// The narrowest terminal, in columns, in which it is shown.
    #[must_use]
    pub fn from_width(self, from_width: usize) -> Column {
        Column { from_width, ..self }
    }
}

impl Table {
    /// A table whose first column has words, the rows' names, and the remaining columns numbers.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Table {
        let mut columns: Vec<Column> = columns.into_iter().map(Column::numbers).collect();
        if let Some(first) = columns.first_mut() {
            first.words = true;
        }
        Table { columns, ..Table::default() }
    }

    /// A table of named quantities: no head, and words in both columns.
    pub fn of_facts<N: Into<String>>(facts: impl IntoIterator<Item = (N, String)>) -> Table {
        let columns = ["", ""].map(Column::words).to_vec();
        let row = |(name, value): (N, String)| Row { cells: vec![name.into(), value], marked: false };
        Table { columns, rows: facts.into_iter().map(row).collect(), ..Table::default() }
    }

    /// The same table whose rows have names above which nothing stands.
    pub fn named<S: Into<String>>(title: impl Into<String>, columns: impl IntoIterator<Item = S>) -> Table {
        let names = columns.into_iter().map(Into::into);
        Table { title: title.into(), ..Table::new(std::iter::once(String::new()).chain(names)) }
    }

    /// With words instead of numbers in a column.
    #[must_use]
    pub fn words(mut self, column: usize) -> Table {
        self.columns[column].words = true;
        self
    }

    /// Whose rows are told apart by several columns.
    #[must_use]
    pub fn keys(self, keys: usize) -> Table {
        Table { keys, ..self }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(Row { cells: cells.into_iter().map(Into::into).collect(), marked: false });
    }

    /// With rows.
    #[must_use]
    pub fn rows<S: Into<String>, R: IntoIterator<Item = S>>(
        mut self,
        rows: impl IntoIterator<Item = R>,
    ) -> Table {
        rows.into_iter().for_each(|cells| self.row(cells));
        self
    }
}
