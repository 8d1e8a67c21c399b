//! Reading runs along.

use super::{RunSide, Window};
use crate::GraphError;
use crate::updates::rows::{self, Row};

/// Rows one after the other, sorted.
pub(crate) trait SortedRows {
    /// The row that is next.
    ///
    /// # Errors
    /// Of reading a run.
    fn peek(&mut self) -> Result<Option<Row>, GraphError>;

    /// Goes on to the one after it.
    fn step(&mut self);
}

impl SortedRows for Box<dyn SortedRows + '_> {
    fn peek(&mut self) -> Result<Option<Row>, GraphError> {
        (**self).peek()
    }

    fn step(&mut self) {
        (**self).step();
    }
}

impl SortedRows for &[Row] {
    fn peek(&mut self) -> Result<Option<Row>, GraphError> {
        Ok(self.first().copied())
    }

    fn step(&mut self) {
        *self = &self[1..];
    }
}

/// Walks along all rows of a direction.
#[derive(Debug)]
pub(crate) struct Cursor<'r> {
    side: &'r RunSide,
    window: Window,
    block: usize,
    at: usize,
}

impl<'r> Cursor<'r> {
    pub(crate) fn new(side: &'r RunSide) -> Cursor<'r> {
        Cursor { side, window: Window::default(), block: 0, at: 0 }
    }
}

impl SortedRows for Cursor<'_> {
    fn peek(&mut self) -> Result<Option<Row>, GraphError> {
        while self.block < self.side.firsts.len() {
            self.side.load(self.block, &mut self.window)?;
            if let Some(row) = self.window.rows.get(self.at) {
                return Ok(Some(*row));
            }
            (self.block, self.at) = (self.block + 1, 0);
        }
        Ok(None)
    }

    fn step(&mut self) {
        self.at += 1;
    }
}

/// Merges the rows of some runs, the oldest first, and gives them to `each` in order.
///
/// # Errors
/// Of the runs, and of `each`.
pub(crate) fn merge(
    sides: &[&RunSide],
    mut each: impl FnMut(Row) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let cursors: Vec<Cursor<'_>> = sides.iter().map(|side| Cursor::new(side)).collect();
    merge_rows(cursors, |rows| rows.iter().try_for_each(|row| each(*row)))
}

/// Merges rows of several ages, the oldest first, and gives the rows of each edge to `each` in order.
///
/// # Errors
/// Of the rows, and of `each`.
pub(crate) fn merge_rows(
    mut cursors: Vec<impl SortedRows>,
    mut each: impl FnMut(&[Row]) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let (mut rows, mut starts) = (Vec::new(), Vec::new());
    let mut before = None;
    loop {
        let mut least = None;
        for cursor in &mut cursors {
            let key = cursor.peek()?.map(|row| row.key);
            least = [least, key].into_iter().flatten().min();
        }
        let Some(key) = least else { return Ok(()) };
        debug_assert!(
            before.replace(key).is_none_or(|before| before < key),
            "all rows of a key come at once"
        );
        rows.clear();
        starts.clear();
        for cursor in &mut cursors {
            starts.push(rows.len());
            while let Some(row) = cursor.peek()?.filter(|row| row.key == key) {
                rows.push(row);
                cursor.step();
            }
        }
        rows::compose(&mut rows, &starts);
        each(&rows)?;
    }
}
