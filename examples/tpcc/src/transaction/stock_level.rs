//! Stock-Level (TPC-C clause 2.8). It may read what others commit meanwhile, so stock is read without its
//! locks.

use fastrand::Rng;

use super::any_district;
use crate::StoreError;
use crate::database::{Database, Lock};
use crate::key::Key;
use crate::pages::Pages;
use crate::rows::{Keyed, OrderLine};

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
    pub fn run<P: Pages>(&self, db: &Database, pages: &P) -> Result<usize, StoreError> {
        let items = self.items_ordered_lately(db, pages)?;
        let mut short = 0;
        for item in items {
            let stock = db.stock.get(pages, &Key::new().u32(self.warehouse).u32(item))?;
            short += usize::from(stock.quantity < self.threshold);
        }
        Ok(short)
    }

    fn items_ordered_lately<P: Pages>(&self, db: &Database, pages: &P) -> Result<Vec<u32>, StoreError> {
        let _held = db.locks.take([Lock::District(self.warehouse, self.district)]);
        let district = Key::new().u32(self.warehouse).u8(self.district);
        let next = db.districts.get(pages, &district)?.next_order;
        let first = district.u32(next.saturating_sub(ORDERS)).first(OrderLine::KEY_BYTES);
        let last = district.u32(next.saturating_sub(1)).last(OrderLine::KEY_BYTES);
        let rows: Vec<_> =
            db.order_lines.primary.range(pages, &first, &last, usize::MAX)?.iter().map(|x| x.1).collect();
        let mut items: Vec<u32> =
            db.order_lines.read_all(pages, &rows)?.iter().map(|line| line.item).collect();
        items.sort_unstable();
        items.dedup();
        Ok(items)
    }
}
