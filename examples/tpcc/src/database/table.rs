//! A table: rows in a heap, found by a primary key in a B+-tree.

use std::marker::PhantomData;

use crate::StoreError;
use crate::heap::{Heap, HeapState, RowId};
use crate::key::Key;
use crate::pages::Pages;
use crate::rows::{Keyed, Row};
use crate::tree::{Tree, TreeState};

/// No row of TPC-C is longer.
const LONGEST_ROW: usize = 1024;

/// A table without a primary key: HISTORY has none.
#[derive(Debug)]
pub struct Rows<R> {
    /// Its rows.
    pub heap: Heap,
    row: PhantomData<fn() -> R>,
}

impl<R: Row> Rows<R> {
    /// The table that the catalogue describes.
    pub fn open(heap: HeapState) -> Self {
        Rows { heap: Heap::open(heap, Some(R::BYTES)), row: PhantomData }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`StoreError`], here and below: a damaged page, or the pool's reason.
    pub fn insert<P: Pages>(&self, pages: &P, row: &R) -> Result<RowId, StoreError> {
        let mut bytes = [0; LONGEST_ROW];
        row.encode(&mut bytes[..R::BYTES]);
        self.heap.insert(pages, &bytes[..R::BYTES])
    }
}

/// A table with a primary key.
#[derive(Debug)]
pub struct Table<R> {
    /// Its rows.
    pub rows: Rows<R>,
    /// Where they are.
    pub primary: Tree,
}

impl<R: Keyed> Table<R> {
    /// The table that the catalogue describes.
    pub fn open(heap: HeapState, tree: TreeState) -> Self {
        Table { rows: Rows::open(heap), primary: Tree::open(R::KEY_BYTES, tree) }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`StoreError::Duplicate`] where its key has one already; see [`Rows::insert`].
    pub fn insert<P: Pages>(&self, pages: &P, row: &R) -> Result<RowId, StoreError> {
        let id = self.rows.insert(pages, row)?;
        self.primary.insert(pages, &row.key(), id)?;
        Ok(id)
    }

    /// Where the row with this key is, if there is one.
    ///
    /// # Errors
    /// See [`Rows::insert`].
    pub fn try_find<P: Pages>(&self, pages: &P, key: &Key) -> Result<Option<RowId>, StoreError> {
        self.primary.get(pages, key)
    }

    /// Where the row with this key is.
    ///
    /// # Errors
    /// [`StoreError::NoRow`] where there is none.
    pub fn find<P: Pages>(&self, pages: &P, key: &Key) -> Result<RowId, StoreError> {
        let missing = || StoreError::NoRow { table: R::TABLE, key: key.to_string() };
        self.try_find(pages, key)?.ok_or_else(missing)
    }

    /// The row with this key.
    ///
    /// # Errors
    /// As [`Table::find`].
    pub fn get<P: Pages>(&self, pages: &P, key: &Key) -> Result<R, StoreError> {
        self.read(pages, self.find(pages, key)?)
    }

    /// The row at `id`.
    ///
    /// # Errors
    /// See [`Rows::insert`].
    pub fn read<P: Pages>(&self, pages: &P, id: RowId) -> Result<R, StoreError> {
        self.rows.heap.read(pages, id, R::decode)
    }

    /// The rows at `ids`, in this order.
    ///
    /// # Errors
    /// See [`Rows::insert`].
    pub fn read_all<P: Pages>(&self, pages: &P, ids: &[RowId]) -> Result<Vec<R>, StoreError> {
        let mut rows = Vec::with_capacity(ids.len());
        self.rows.heap.read_all(pages, ids, |bytes| rows.push(R::decode(bytes)))?;
        Ok(rows)
    }

    /// Changes the row at `id`; its key must stay. Returns the row as it was.
    ///
    /// # Errors
    /// See [`Rows::insert`].
    pub fn update<P: Pages>(&self, pages: &P, id: RowId, change: impl Fn(&mut R)) -> Result<R, StoreError> {
        let mut before = None;
        self.update_all(pages, &[id], |row| {
            let old = R::decode(row);
            let mut new = R::decode(row);
            change(&mut new);
            new.encode(row);
            before = Some(old);
        })?;
        before.ok_or(StoreError::Damaged { page: id.page(), what: "a row was not visited" })
    }

    /// Changes the rows at `ids`, encoded; their keys must stay.
    ///
    /// # Errors
    /// See [`Rows::insert`].
    pub fn update_all<P: Pages>(
        &self,
        pages: &P,
        ids: &[RowId],
        change: impl FnMut(&mut [u8]),
    ) -> Result<(), StoreError> {
        self.rows.heap.update_all(pages, ids, change)
    }

    /// Deletes the row at `id`, which has this key.
    ///
    /// # Errors
    /// [`StoreError::NoRow`] where the index does not have the key.
    pub fn delete<P: Pages>(&self, pages: &P, id: RowId, key: &Key) -> Result<(), StoreError> {
        if !self.primary.delete(pages, key)? {
            return Err(StoreError::NoRow { table: R::TABLE, key: key.to_string() });
        }
        self.rows.heap.delete(pages, id)
    }
}
