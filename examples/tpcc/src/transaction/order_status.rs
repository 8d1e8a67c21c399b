//! Order-Status (TPC-C clause 2.6).

use fastrand::Rng;

use super::{Who, any_district};
use crate::StoreError;
use crate::database::{Database, Lock};
use crate::key::Key;
use crate::pages::Pages;
use crate::rows::{Keyed, ORDER_OF_CUSTOMER_KEY_BYTES, Order, OrderLine, customer_prefix};
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
    pub fn run<P: Pages>(
        &self,
        db: &Database,
        pages: &P,
    ) -> Result<Option<(Order, Vec<OrderLine>)>, StoreError> {
        let _held = db.locks.take([Lock::District(self.warehouse, self.district)]);
        let row = self.customer.find(db, pages, self.warehouse, self.district)?;
        let customer = db.customers.read(pages, row)?;
        let prefix = customer_prefix(self.warehouse, self.district, customer.id);
        let (first, last) =
            (prefix.first(ORDER_OF_CUSTOMER_KEY_BYTES), prefix.last(ORDER_OF_CUSTOMER_KEY_BYTES));
        let latest = db.orders_by_customer.range(pages, &first, &last, 1)?;
        let Some((_, row)) = latest.first() else { return Ok(None) };
        let order = db.orders.read(pages, *row)?;
        let prefix = Key::new().u32(self.warehouse).u8(self.district).u32(order.id);
        let (first, last) = (prefix.first(OrderLine::KEY_BYTES), prefix.last(OrderLine::KEY_BYTES));
        let rows: Vec<_> =
            db.order_lines.primary.range(pages, &first, &last, usize::MAX)?.iter().map(|x| x.1).collect();
        let lines = db.order_lines.read_all(pages, &rows)?;
        Ok(Some((order, lines)))
    }
}
