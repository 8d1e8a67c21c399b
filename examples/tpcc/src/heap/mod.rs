//! A heap file: rows in the order in which they came, in slotted pages, found again by page and slot.
//!
//! Rows are inserted into one page until it is full, then into an emptied page if there is one, else into a
//! new one. Rows never move, so a [`RowId`] is good until its row is deleted.

mod slotted;

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::StoreError;
use crate::pages::Pages;

/// Where a row is: page times 65,536 plus slot, as indexes keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u64);

impl RowId {
    fn new(page: u64, slot: u16) -> RowId {
        RowId(page << 16 | u64::from(slot))
    }

    /// Its page.
    pub fn page(self) -> u64 {
        self.0 >> 16
    }

    /// Its slot in the page.
    pub fn slot(self) -> u16 {
        self.0 as u16
    }

    fn missing(self) -> StoreError {
        StoreError::Damaged { page: self.page(), what: "a row that an index names is not in it" }
    }
}

/// What the catalogue keeps of a heap. Pages are 0 where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeapState {
    /// First page.
    pub first: u64,
    /// Last page of the chain, to which a new one is appended.
    pub last: u64,
    /// Page that takes inserts.
    pub current: u64,
    /// First page of the free list.
    pub free: u64,
    /// Rows.
    pub rows: u64,
}

/// A heap file.
#[derive(Debug)]
pub struct Heap {
    state: Mutex<HeapState>,
    /// Length of all rows, where they have one.
    row_bytes: Option<usize>,
}

impl Heap {
    /// The heap that the catalogue describes; the default state is an empty one. `row_bytes` is the length of
    /// all rows, where they have one: a row of another length is damage then.
    pub fn open(state: HeapState, row_bytes: Option<usize>) -> Heap {
        Heap { state: Mutex::new(state), row_bytes }
    }

    /// For the catalogue.
    pub fn state(&self) -> HeapState {
        *self.lock()
    }

    /// Rows of `row_bytes` that fit a page of `page_len` bytes.
    pub fn rows_a_page(page_len: usize, row_bytes: usize) -> usize {
        slotted::rows_a_page(page_len, row_bytes)
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`StoreError`]; the heap is as it was then.
    ///
    /// # Panics
    /// With a row that is longer than a page takes.
    pub fn insert<P: Pages>(&self, pages: &P, row: &[u8]) -> Result<RowId, StoreError> {
        assert!(row.len() <= slotted::longest_row(pages.page_len()), "a row of {} bytes", row.len());
        let mut state = self.lock();
        if state.current != 0 {
            let mut page = pages.write(state.current)?;
            slotted::check(state.current, &page)?;
            if let Some(slot) = slotted::insert(&mut page, row) {
                state.rows += 1;
                return Ok(RowId::new(state.current, slot));
            }
        }
        let (number, mut page) = next_page(&mut state, pages)?;
        let slot = slotted::insert(&mut page, row)
            .ok_or(StoreError::Damaged { page: number, what: "is on the free list and full" })?;
        state.rows += 1;
        Ok(RowId::new(number, slot))
    }

    /// Reads a row.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where there is no such row, or the pool's reason.
    pub fn read<P: Pages, T>(
        &self,
        pages: &P,
        id: RowId,
        with: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, StoreError> {
        let page = pages.read(id.page())?;
        let row = self.find(&page, id)?;
        Ok(with(&page[row]))
    }

    /// Reads rows in turn. The page is kept as long as the next row is in it too, and counts as one access.
    ///
    /// # Errors
    /// As [`Heap::read`].
    pub fn read_all<P: Pages>(
        &self,
        pages: &P,
        ids: &[RowId],
        mut with: impl FnMut(&[u8]),
    ) -> Result<(), StoreError> {
        for same in ids.chunk_by(|a, b| a.page() == b.page()) {
            let page = pages.read(same[0].page())?;
            for &id in same {
                let row = self.find(&page, id)?;
                with(&page[row]);
            }
        }
        Ok(())
    }

    /// Changes rows in turn, each in its place. Pages are kept as in [`Heap::read_all`].
    ///
    /// # Errors
    /// As [`Heap::read`]; the rows before the missing one are changed then.
    pub fn update_all<P: Pages>(
        &self,
        pages: &P,
        ids: &[RowId],
        mut with: impl FnMut(&mut [u8]),
    ) -> Result<(), StoreError> {
        for same in ids.chunk_by(|a, b| a.page() == b.page()) {
            let mut page = pages.write(same[0].page())?;
            for &id in same {
                let row = self.find(&page, id)?;
                with(&mut page[row]);
            }
        }
        Ok(())
    }

    /// Deletes a row.
    ///
    /// # Errors
    /// As [`Heap::read`].
    pub fn delete<P: Pages>(&self, pages: &P, id: RowId) -> Result<(), StoreError> {
        let emptied = {
            let mut page = pages.write(id.page())?;
            slotted::check(id.page(), &page)?;
            if !slotted::delete(&mut page, id.slot()) {
                return Err(id.missing());
            }
            slotted::rows(&page) == 0
        };
        // The lock of the heap comes before that of a page, here as in an insert: so it is taken anew.
        let mut state = self.lock();
        state.rows = state.rows.saturating_sub(1);
        if emptied && id.page() != state.current {
            let mut page = pages.write(id.page())?;
            if slotted::rows(&page) == 0 && !slotted::is_on_free_list(&page) {
                slotted::put_on_free_list(&mut page, state.free);
                state.free = id.page();
            }
        }
        Ok(())
    }

    /// All rows, page after page; for checks and tests.
    ///
    /// # Errors
    /// As [`Heap::read`].
    pub fn scan<P: Pages>(&self, pages: &P, mut with: impl FnMut(RowId, &[u8])) -> Result<(), StoreError> {
        let mut number = self.state().first;
        while number != 0 {
            let page = pages.read(number)?;
            slotted::check(number, &page)?;
            for slot in 0..slotted::slots(&page) {
                if let Some(row) = slotted::row(&page, slot) {
                    with(RowId::new(number, slot), &page[row]);
                }
            }
            number = slotted::next(&page);
        }
        Ok(())
    }

    fn find(&self, page: &[u8], id: RowId) -> Result<Range<usize>, StoreError> {
        let row = slotted::row(page, id.slot()).ok_or_else(|| id.missing())?;
        if self.row_bytes.is_some_and(|bytes| bytes != row.len()) {
            return Err(StoreError::Damaged { page: id.page(), what: "a row has a wrong length" });
        }
        Ok(row)
    }

    fn lock(&self) -> MutexGuard<'_, HeapState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The page that takes inserts from now on: an emptied one, else a new one.
fn next_page<'a, P: Pages>(state: &mut HeapState, pages: &'a P) -> Result<(u64, P::Write<'a>), StoreError> {
    if state.free != 0 {
        let number = state.free;
        let mut page = pages.write(number)?;
        slotted::check(number, &page)?;
        state.free = slotted::next_free(&page);
        slotted::take_off_free_list(&mut page);
        state.current = number;
        return Ok((number, page));
    }
    let (number, page) = pages.new_page()?;
    if state.last == 0 {
        state.first = number;
    } else {
        slotted::set_next(&mut pages.write(state.last)?, number);
    }
    state.last = number;
    state.current = number;
    Ok((number, page))
}
