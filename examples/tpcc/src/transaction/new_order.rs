//! New-Order (TPC-C clause 2.4).

use fastrand::Rng;

use super::{Outcome, another_warehouse, any_district, customer_key};
use crate::StoreError;
use crate::database::{Database, Lock};
use crate::heap::RowId;
use crate::key::Key;
use crate::pages::Pages;
use crate::random;
use crate::rows::{Item, Keyed, NewOrder, Order, OrderLine, Stock, order_of_customer_key};
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

/// What has been done, so that it can be undone.
struct Done {
    order: Order,
    order_row: RowId,
    new_order_row: RowId,
    lines: Vec<(RowId, Key)>,
    stock: Vec<(RowId, Stock)>,
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

    /// Enters the order, or does and undoes all up to the item that does not exist.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run<P: Pages>(&self, db: &Database, pages: &P) -> Result<Outcome, StoreError> {
        let stock = self.lines.iter().map(|line| Lock::Stock(line.supplier, line.item));
        let _held = db.locks.take(stock.chain([Lock::District(self.warehouse, self.district)]));
        // W_TAX never changes: the row is read without its lock.
        db.warehouses.get(pages, &Key::new().u32(self.warehouse))?;
        db.customers.get(pages, &customer_key(self.warehouse, self.district, self.customer))?;
        let mut done = self.enter(db, pages)?;
        for (number, line) in (1..).zip(&self.lines) {
            let Some(item) = db.items.try_find(pages, &Key::new().u32(line.item))? else {
                self.undo(db, pages, done)?;
                return Ok(Outcome::RolledBack);
            };
            let item = db.items.read(pages, item)?;
            self.enter_line(db, pages, &mut done, number, line, &item)?;
        }
        Ok(Outcome::Committed)
    }

    /// Takes a number for the order and enters it.
    fn enter<P: Pages>(&self, db: &Database, pages: &P) -> Result<Done, StoreError> {
        let district = self.district_row(db, pages)?;
        let id = db.districts.update(pages, district, |district| district.next_order += 1)?.next_order;
        let order = Order {
            warehouse: self.warehouse,
            district: self.district,
            id,
            customer: self.customer,
            entered: db.next_date(),
            carrier: 0,
            lines: self.lines.len() as u8,
            all_local: u8::from(self.lines.iter().all(|line| line.supplier == self.warehouse)),
        };
        let order_row = db.orders.insert(pages, &order)?;
        db.orders_by_customer.insert(pages, &order_of_customer_key(&order), order_row)?;
        let new_order_row = db.new_orders.insert(pages, &self.new_order(id))?;
        Ok(Done { order, order_row, new_order_row, lines: Vec::new(), stock: Vec::new() })
    }

    fn enter_line<P: Pages>(
        &self,
        db: &Database,
        pages: &P,
        done: &mut Done,
        number: u8,
        line: &LineInput,
        item: &Item,
    ) -> Result<(), StoreError> {
        let stock = db.stock.find(pages, &Key::new().u32(line.supplier).u32(line.item))?;
        let remote = line.supplier != self.warehouse;
        let before = db.stock.update(pages, stock, |stock| take(stock, line.quantity, remote))?;
        let info = 24 * (usize::from(self.district) - 1);
        let row = OrderLine {
            warehouse: self.warehouse,
            district: self.district,
            order: done.order.id,
            number,
            item: line.item,
            supplier: line.supplier,
            delivered: 0,
            quantity: line.quantity,
            amount: item.price * i64::from(line.quantity),
            district_info: random::padded(&before.districts[info..info + 24]),
        };
        done.stock.push((stock, before));
        done.lines.push((db.order_lines.insert(pages, &row)?, row.key()));
        Ok(())
    }

    /// Takes everything back, the last first.
    fn undo<P: Pages>(&self, db: &Database, pages: &P, done: Done) -> Result<(), StoreError> {
        for (row, key) in done.lines.iter().rev() {
            db.order_lines.delete(pages, *row, key)?;
        }
        for (row, before) in done.stock.iter().rev() {
            db.stock.update(pages, *row, |stock| *stock = before.clone())?;
        }
        db.new_orders.delete(pages, done.new_order_row, &self.new_order(done.order.id).key())?;
        db.orders_by_customer.delete(pages, &order_of_customer_key(&done.order))?;
        db.orders.delete(pages, done.order_row, &done.order.key())?;
        let district = self.district_row(db, pages)?;
        db.districts.update(pages, district, |district| district.next_order -= 1)?;
        Ok(())
    }

    fn district_row<P: Pages>(&self, db: &Database, pages: &P) -> Result<RowId, StoreError> {
        db.districts.find(pages, &Key::new().u32(self.warehouse).u8(self.district))
    }

    fn new_order(&self, order: u32) -> NewOrder {
        NewOrder { warehouse: self.warehouse, district: self.district, order }
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
