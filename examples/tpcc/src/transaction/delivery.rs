//! Delivery (TPC-C clause 2.7). A district is a transaction of its own, as clause 2.7.2.2 allows.

use fastrand::Rng;

use crate::StoreError;
use crate::database::{CUSTOMERS, Database, Lock, NEW_ORDERS, ORDER_LINES, ORDERS, Transaction};
use crate::key::Key;
use crate::rows::{Keyed, customer_prefix};
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
    pub fn run(&self, db: &Database) -> Result<u32, StoreError> {
        let mut delivered = 0;
        for district in 1..=DISTRICTS {
            let _held = db.locks.take([Lock::District(self.warehouse, district)]);
            delivered += u32::from(self.deliver(db, district)?);
        }
        Ok(delivered)
    }

    fn deliver(&self, db: &Database, district: u8) -> Result<bool, StoreError> {
        let mut rows = db.begin();
        let prefix = Key::new().u32(self.warehouse).u8(district);
        let oldest = rows.rows(&NEW_ORDERS, &prefix, 1)?;
        let Some(new_order) = oldest.first() else { return Ok(false) };
        // NEW-ORDER and ORDER have the same key.
        let key = new_order.key();
        rows.remove(&NEW_ORDERS, &key);
        let order = rows.update(&ORDERS, &key, |order| order.carrier = self.carrier)?;
        let amount = deliver_lines(&mut rows, &key, db.next_date()?)?;
        rows.update(&CUSTOMERS, &customer_prefix(self.warehouse, district, order.customer), |customer| {
            customer.balance += amount;
            customer.deliveries = customer.deliveries.saturating_add(1);
        })?;
        rows.commit()?;
        Ok(true)
    }
}

/// Sets the date of all lines of an order, and returns the sum of their amounts.
fn deliver_lines(rows: &mut Transaction<'_>, order: &Key, date: u64) -> Result<i64, StoreError> {
    let mut amount = 0;
    for mut line in rows.rows(&ORDER_LINES, order, usize::MAX)? {
        line.delivered = date;
        amount += line.amount;
        rows.put(&ORDER_LINES, &line);
    }
    Ok(amount)
}
