//! Payment (TPC-C clause 2.5).

use std::io::Write;

use fastrand::Rng;

use super::{Who, another_warehouse, any_district};
use crate::StoreError;
use crate::database::{CUSTOMERS, DISTRICTS_TABLE, Database, HISTORY, Lock, WAREHOUSES};
use crate::key::Key;
use crate::random::padded;
use crate::rows::{Customer, History};
use crate::scale::Scale;

/// A payment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct PaymentInput {
    pub warehouse: u32,
    pub district: u8,
    pub customer_warehouse: u32,
    pub customer_district: u8,
    pub customer: Who,
    /// Cents, 100 to 500,000.
    pub amount: i64,
}

impl PaymentInput {
    /// A random payment; 15 in a hundred by a customer of another warehouse.
    pub fn draw(rng: &mut Rng, scale: Scale, warehouse: u32) -> Self {
        let district = any_district(rng);
        let (customer_warehouse, customer_district) = if rng.u8(1..=100) <= 15 {
            (another_warehouse(rng, scale, warehouse), any_district(rng))
        } else {
            (warehouse, district)
        };
        PaymentInput {
            warehouse,
            district,
            customer_warehouse,
            customer_district,
            customer: Who::draw(rng, scale),
            amount: rng.i64(100..=500_000),
        }
    }

    /// Books the payment.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run(&self, db: &Database) -> Result<(), StoreError> {
        let _held = db.locks.take([
            Lock::Warehouse(self.warehouse),
            Lock::District(self.warehouse, self.district),
            Lock::District(self.customer_warehouse, self.customer_district),
        ]);
        let mut rows = db.begin();
        let warehouse = Key::new().u32(self.warehouse);
        let district = warehouse.u8(self.district);
        let warehouse = rows.update(&WAREHOUSES, &warehouse, |warehouse| warehouse.ytd += self.amount)?;
        let district = rows.update(&DISTRICTS_TABLE, &district, |district| district.ytd += self.amount)?;
        let customer = self.customer.find(&rows, self.customer_warehouse, self.customer_district)?;
        let customer = rows.update(&CUSTOMERS, &customer, |customer| self.book(customer))?;
        let mut data = [0; 24];
        data[..10].copy_from_slice(&warehouse.name);
        data[14..].copy_from_slice(&district.name);
        let history = History {
            customer: customer.id,
            customer_district: self.customer_district,
            customer_warehouse: self.customer_warehouse,
            district: self.district,
            warehouse: self.warehouse,
            date: db.next_date()?,
            amount: self.amount,
            data,
        };
        rows.put(&HISTORY, &history);
        rows.commit()
    }

    fn book(&self, customer: &mut Customer) {
        customer.balance -= self.amount;
        customer.ytd_payment += self.amount;
        customer.payments = customer.payments.saturating_add(1);
        if customer.credit == *b"BC" {
            // The payment is put before what is known of a customer with bad credit; the end is cut off.
            let mut data = Vec::with_capacity(600);
            let Customer { id, district, warehouse, .. } = *customer;
            let (d_id, w_id, amount) = (self.district, self.warehouse, self.amount);
            let _ = write!(data, "{id} {district} {warehouse} {d_id} {w_id} {amount} ");
            data.extend_from_slice(&customer.data);
            customer.data = padded(&data);
        }
    }
}
