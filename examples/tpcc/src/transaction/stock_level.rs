//! Stock-Level (TPC-C clause 2.8). It may read what others commit meanwhile, so stock is read without its
//! locks.

use fastrand::Rng;

use super::any_district;
use crate::StoreError;
use crate::database::{DISTRICTS_TABLE, Database, Lock, ORDER_LINES, STOCK};
use crate::key::Key;

/// Orders that are looked at.
const ORDERS: u32 = 20;

/// A district's question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct StockLevelInput {
    pub warehouse: u32,
    pub district: u8,
    /// Items in stock, 10 to 20, below which an item is short.
    pub threshold: i64,
}

impl StockLevelInput {
    /// Of a random district.
    pub fn draw(rng: &mut Rng, warehouse: u32) -> Self {
        StockLevelInput { warehouse, district: any_district(rng), threshold: rng.i64(10..=20) }
    }

    /// How many different items of the last 20 orders are short in the home warehouse.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run(&self, db: &Database) -> Result<usize, StoreError> {
        let items = self.items_ordered_lately(db)?;
        let keys: Vec<Key> = items.iter().map(|item| Key::new().u32(self.warehouse).u32(*item)).collect();
        let stock = db.begin().find_many(&STOCK, &keys)?;
        Ok(stock.into_iter().flatten().filter(|stock| stock.quantity < self.threshold).count())
    }

    fn items_ordered_lately(&self, db: &Database) -> Result<Vec<u32>, StoreError> {
        let _held = db.locks.take([Lock::District(self.warehouse, self.district)]);
        let rows = db.begin();
        let district = Key::new().u32(self.warehouse).u8(self.district);
        let next = rows.get(&DISTRICTS_TABLE, &district)?.next_order;
        let [first, last] = [ORDERS, 1].map(|before| district.u32(next.saturating_sub(before)));
        let lines = rows.rows_between(&ORDER_LINES, &first, &last, usize::MAX)?;
        let mut items: Vec<u32> = lines.iter().map(|line| line.item).collect();
        items.sort_unstable();
        items.dedup();
        Ok(items)
    }
}
