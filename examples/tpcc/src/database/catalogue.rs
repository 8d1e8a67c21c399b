//! The catalogue: page 1, where everything else is found from.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..16 | `LEADLINE-TPCC/1` and a zero |
//! | 16..24 | 1 if all pages are as the catalogue says, 0 while the database is in use |
//! | 24..64 | warehouses, customers a district, items, pages, transactions run, 8 bytes each |
//! | 64.. | heaps, 40 bytes each, then trees, 24 bytes each, in the order of [`Catalogue`] |

use crate::StoreError;
use crate::bytes::{get_u64, put_u64};
use crate::heap::HeapState;
use crate::pages::{FIRST_PAGE, Pages};
use crate::scale::Scale;
use crate::tree::TreeState;

const MAGIC: &[u8; 16] = b"LEADLINE-TPCC/1\0";
const CLEAN: usize = 16;
const NUMBERS: usize = 24;
const HEAPS: usize = 64;
const HEAP_BYTES: usize = 40;
const TREES: usize = HEAPS + HEAP_BYTES * Catalogue::HEAPS;
const TREE_BYTES: usize = 24;

/// What is kept of a database beside its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// Whether nobody has changed the database since this was written.
    pub clean: bool,
    /// Its size.
    pub scale: Scale,
    /// Pages handed out, with the header.
    pub pages: u64,
    /// Transactions run so far: the date of the next.
    pub date: u64,
    /// Warehouse, district, customer, history, new order, order, order line, item, stock.
    pub heaps: [HeapState; Catalogue::HEAPS],
    /// As the heaps without history, then customers by name, orders by customer.
    pub trees: [TreeState; Catalogue::TREES],
}

impl Catalogue {
    /// Heap files.
    pub const HEAPS: usize = 9;
    /// B+-trees.
    pub const TREES: usize = 10;

    /// That of an empty database.
    pub fn empty(scale: Scale) -> Catalogue {
        Catalogue {
            clean: false,
            scale,
            pages: FIRST_PAGE + 1,
            date: 1,
            heaps: Default::default(),
            trees: Default::default(),
        }
    }

    /// Reads it from its page.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where it is none, or says what cannot be.
    pub fn read<P: Pages>(pages: &P) -> Result<Catalogue, StoreError> {
        let bytes = pages.read(FIRST_PAGE)?;
        let damaged = |what| StoreError::Damaged { page: FIRST_PAGE, what };
        if !bytes.starts_with(MAGIC) {
            return Err(damaged("is not a catalogue of a TPC-C database"));
        }
        let number = |index: usize| get_u64(&bytes, NUMBERS + 8 * index);
        let small = |index| u32::try_from(number(index)).unwrap_or(u32::MAX);
        let scale = Scale { warehouses: small(0), customers: small(1), items: small(2) };
        if !scale.is_sound() {
            return Err(damaged("has a number of warehouses, customers or items that cannot be"));
        }
        Ok(Catalogue {
            clean: get_u64(&bytes, CLEAN) == 1,
            scale,
            pages: number(3),
            date: number(4),
            heaps: std::array::from_fn(|i| heap_at(&bytes, HEAPS + HEAP_BYTES * i)),
            trees: std::array::from_fn(|i| tree_at(&bytes, TREES + TREE_BYTES * i)),
        })
    }

    /// Writes it to its page.
    ///
    /// # Errors
    /// The pool's reason.
    pub fn write<P: Pages>(&self, pages: &P) -> Result<(), StoreError> {
        let mut bytes = pages.write(FIRST_PAGE)?;
        bytes[..MAGIC.len()].copy_from_slice(MAGIC);
        put_u64(&mut bytes, CLEAN, u64::from(self.clean));
        let Scale { warehouses, customers, items } = self.scale;
        let numbers = [warehouses.into(), customers.into(), items.into(), self.pages, self.date];
        put_all(&mut bytes, NUMBERS, &numbers);
        for (i, heap) in self.heaps.iter().enumerate() {
            let numbers = [heap.first, heap.last, heap.current, heap.free, heap.rows];
            put_all(&mut bytes, HEAPS + HEAP_BYTES * i, &numbers);
        }
        for (i, tree) in self.trees.iter().enumerate() {
            put_all(&mut bytes, TREES + TREE_BYTES * i, &[tree.root, tree.height, tree.free]);
        }
        Ok(())
    }
}

fn heap_at(bytes: &[u8], at: usize) -> HeapState {
    let number = |index: usize| get_u64(bytes, at + 8 * index);
    HeapState { first: number(0), last: number(1), current: number(2), free: number(3), rows: number(4) }
}

fn tree_at(bytes: &[u8], at: usize) -> TreeState {
    let number = |index: usize| get_u64(bytes, at + 8 * index);
    TreeState { root: number(0), height: number(1), free: number(2) }
}

fn put_all(bytes: &mut [u8], at: usize, numbers: &[u64]) {
    for (i, number) in numbers.iter().enumerate() {
        put_u64(bytes, at + 8 * i, *number);
    }
}
