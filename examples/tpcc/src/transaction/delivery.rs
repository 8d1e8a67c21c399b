//! Delivery (TPC-C clause 2.7). A district is a transaction of its own, as clause 2.7.2.2 allows.

use fastrand::Rng;

use super::customer_key;
use crate::StoreError;
use crate::database::{Database, Lock};
use crate::heap::RowId;
use crate::key::Key;
use crate::pages::Pages;
use crate::rows::{Keyed, NewOrder, OrderLine, Row};
use crate::scale::DISTRICTS;

/// A carrier calls at a warehouse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DeliveryInput {
    pub warehouse: u32,
    /// 1 to 10.
    pub carrier: u8,
}

impl DeliveryInput {
    /// A random carrier.
    pub fn draw(rng: &mut Rng, warehouse: u32) -> Self {
        DeliveryInput { warehouse, carrier: rng.u8(1..=10) }
    }

    /// Delivers the oldest new order of every district, and returns how many there were.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run<P: Pages>(&self, db: &Database, pages: &P) -> Result<u32, StoreError> {
        let mut delivered = 0;
        for district in 1..=DISTRICTS {
            let _held = db.locks.take([Lock::District(self.warehouse, district)]);
            delivered += u32::from(self.deliver(db, pages, district)?);
        }
        Ok(delivered)
    }

    fn deliver<P: Pages>(&self, db: &Database, pages: &P, district: u8) -> Result<bool, StoreError> {
        let prefix = Key::new().u32(self.warehouse).u8(district);
        let (first, last) = (prefix.first(NewOrder::KEY_BYTES), prefix.last(NewOrder::KEY_BYTES));
        let oldest = db.new_orders.primary.range(pages, &first, &last, 1)?;
        let Some((key, row)) = oldest.first() else { return Ok(false) };
        db.new_orders.delete(pages, *row, key)?;
        // NEW-ORDER and ORDER have the same key.
        let row = db.orders.find(pages, key)?;
        let order = db.orders.update(pages, row, |order| order.carrier = self.carrier)?;
        let amount = self.deliver_lines(db, pages, key)?;
        let row = db.customers.find(pages, &customer_key(self.warehouse, district, order.customer))?;
        db.customers.update(pages, row, |customer| {
            customer.balance += amount;
            customer.deliveries = customer.deliveries.saturating_add(1);
        })?;
        Ok(true)
    }

    /// Sets the date of all lines of an order, and returns the sum of their amounts.
    fn deliver_lines<P: Pages>(&self, db: &Database, pages: &P, order: &Key) -> Result<i64, StoreError> {
        let (first, last) = (order.first(OrderLine::KEY_BYTES), order.last(OrderLine::KEY_BYTES));
        let lines = db.order_lines.primary.range(pages, &first, &last, usize::MAX)?;
        let rows: Vec<RowId> = lines.iter().map(|(_, row)| *row).collect();
        let (date, mut amount) = (db.next_date(), 0);
        db.order_lines.update_all(pages, &rows, |bytes| {
            let mut line = OrderLine::decode(bytes);
            line.delivered = date;
            amount += line.amount;
            line.encode(bytes);
        })?;
        Ok(amount)
    }
}
