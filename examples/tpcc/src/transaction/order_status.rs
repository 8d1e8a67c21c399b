//! Order-Status (TPC-C clause 2.6).

use fastrand::Rng;

use super::{Who, any_district};
use crate::StoreError;
use crate::database::{CUSTOMERS, Database, Lock, ORDER_LINES, ORDERS, ORDERS_BY_CUSTOMER};
use crate::key::Key;
use crate::rows::{Order, OrderLine, customer_prefix};
use crate::scale::Scale;

/// A customer's question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct OrderStatusInput {
    pub warehouse: u32,
    pub district: u8,
    pub customer: Who,
}

impl OrderStatusInput {
    /// Of a random customer.
    pub fn draw(rng: &mut Rng, scale: Scale, warehouse: u32) -> Self {
        let district = any_district(rng);
        OrderStatusInput { warehouse, district, customer: Who::draw(rng, scale) }
    }

    /// The customer's latest order with its lines; `None` where there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run(&self, db: &Database) -> Result<Option<(Order, Vec<OrderLine>)>, StoreError> {
        let _held = db.locks.take([Lock::District(self.warehouse, self.district)]);
        let rows = db.begin();
        let customer = self.customer.find(&rows, self.warehouse, self.district)?;
        let customer = rows.get(&CUSTOMERS, &customer)?;
        let prefix = customer_prefix(self.warehouse, self.district, customer.id);
        let latest = rows.keys(&ORDERS_BY_CUSTOMER, &prefix, 1)?;
        let Some(key) = latest.first() else { return Ok(None) };
        // It ends with the order's number, in descending order.
        let id = !key[prefix.len()..].iter().fold(0, |id, byte| id << 8 | u32::from(*byte));
        let key = Key::new().u32(self.warehouse).u8(self.district).u32(id);
        let order = rows.get(&ORDERS, &key)?;
        Ok(Some((order, rows.rows(&ORDER_LINES, &key, usize::MAX)?)))
    }
}
