//! New-Order (TPC-C clause 2.4).

use fastrand::Rng;

use super::{Outcome, another_warehouse, any_district};
use crate::StoreError;
use crate::database::{
    CUSTOMERS, DISTRICTS_TABLE, Database, ITEMS, Lock, NEW_ORDERS, ORDER_LINES, ORDERS, ORDERS_BY_CUSTOMER,
    STOCK, Transaction, WAREHOUSES,
};
use crate::key::Key;
use crate::random;
use crate::rows::{Item, NewOrder, Order, OrderLine, Stock, customer_prefix, order_of_customer_key};
use crate::scale::Scale;

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct NewOrderInput {
    pub warehouse: u32,
    pub district: u8,
    pub customer: u32,
    /// 5 to 15.
    pub lines: Vec<LineInput>,
}

/// A line of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct LineInput {
    /// One that does not exist where the order is to be rolled back.
    pub item: u32,
    pub supplier: u32,
    /// 1 to 10.
    pub quantity: u8,
}

impl NewOrderInput {
    /// A random order; one in a hundred has an item that does not exist, one line in a hundred another
    /// warehouse's.
    pub fn draw(rng: &mut Rng, scale: Scale, warehouse: u32) -> Self {
        let lines = rng.usize(5..=15);
        let mut lines: Vec<LineInput> = (0..lines)
            .map(|_| {
                let item = random::item(rng, scale.items);
                let remote = rng.u8(1..=100) == 1;
                let supplier = if remote { another_warehouse(rng, scale, warehouse) } else { warehouse };
                LineInput { item, supplier, quantity: rng.u8(1..=10) }
            })
            .collect();
        if rng.u8(1..=100) == 1
            && let Some(last) = lines.last_mut()
        {
            last.item = scale.items + 1;
        }
        let customer = random::customer(rng, scale.customers);
        NewOrderInput { warehouse, district: any_district(rng), customer, lines }
    }

    /// Enters the order, or does nothing where an item does not exist.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run(&self, db: &Database) -> Result<Outcome, StoreError> {
        let stock = self.lines.iter().map(|line| Lock::Stock(line.supplier, line.item));
        let _held = db.locks.take(stock.chain([Lock::District(self.warehouse, self.district)]));
        let mut rows = db.begin();
        // W_TAX never changes: the row is read without its lock.
        rows.get(&WAREHOUSES, &Key::new().u32(self.warehouse))?;
        rows.get(&CUSTOMERS, &customer_prefix(self.warehouse, self.district, self.customer))?;
        // All items and their stock are read at once, each.
        let items: Vec<Key> = self.lines.iter().map(|line| Key::new().u32(line.item)).collect();
        let items = rows.find_many(&ITEMS, &items)?;
        let order = self.enter(db, &mut rows)?;
        let stock: Vec<Key> = self.lines.iter().map(LineInput::stock).collect();
        let stock = rows.find_many(&STOCK, &stock)?;
        for (at, (item, stock)) in items.into_iter().zip(stock).enumerate() {
            let Some(item) = item else { return Ok(Outcome::RolledBack) };
            let key = self.lines[at].stock();
            // Of an item that is ordered twice, the stock is what the first of its lines left.
            let is_again = self.lines[..at].iter().any(|line| line.stock() == key);
            let stock = match stock {
                Some(stock) if !is_again => stock,
                _ => rows.get(&STOCK, &key)?,
            };
            self.enter_line(&mut rows, order, at, &item, stock);
        }
        rows.commit()?;
        Ok(Outcome::Committed)
    }

    /// Enters the order without its lines: its number.
    fn enter(&self, db: &Database, rows: &mut Transaction<'_>) -> Result<u32, StoreError> {
        let district = Key::new().u32(self.warehouse).u8(self.district);
        let id = rows.update(&DISTRICTS_TABLE, &district, |district| district.next_order += 1)?.next_order;
        let order = Order {
            warehouse: self.warehouse,
            district: self.district,
            id,
            customer: self.customer,
            entered: db.next_date()?,
            carrier: 0,
            lines: self.lines.len() as u8,
            all_local: u8::from(self.lines.iter().all(|line| line.supplier == self.warehouse)),
        };
        rows.put(&ORDERS, &order);
        rows.put_key(&ORDERS_BY_CUSTOMER, &order_of_customer_key(&order));
        let new_order = NewOrder { warehouse: self.warehouse, district: self.district, order: id };
        rows.put(&NEW_ORDERS, &new_order);
        Ok(id)
    }

    fn enter_line(&self, rows: &mut Transaction<'_>, order: u32, at: usize, item: &Item, mut stock: Stock) {
        let line = &self.lines[at];
        let info = 24 * (usize::from(self.district) - 1);
        let row = OrderLine {
            warehouse: self.warehouse,
            district: self.district,
            order,
            number: at as u8 + 1,
            item: line.item,
            supplier: line.supplier,
            delivered: 0,
            quantity: line.quantity,
            amount: item.price * i64::from(line.quantity),
            district_info: random::padded(&stock.districts[info..info + 24]),
        };
        rows.put(&ORDER_LINES, &row);
        take(&mut stock, line.quantity, line.supplier != self.warehouse);
        rows.put(&STOCK, &stock);
    }
}

impl LineInput {
    /// Key of the stock that it takes from.
    fn stock(&self) -> Key {
        Key::new().u32(self.supplier).u32(self.item)
    }
}

/// Takes items out of stock; below ten left, it is filled up by 91 (clause 2.4.2.2).
fn take(stock: &mut Stock, quantity: u8, remote: bool) {
    let quantity = i64::from(quantity);
    let refill = if stock.quantity >= quantity + 10 { 0 } else { 91 };
    stock.quantity += refill - quantity;
    stock.ytd += quantity as u64;
    stock.orders += 1;
    stock.remote_orders += u32::from(remote);
}
