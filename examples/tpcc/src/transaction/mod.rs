//! The five transactions (TPC-C clause 2), one file each: what is asked, and what is done.

mod delivery;
mod new_order;
mod order_status;
mod payment;
mod stock_level;

use fastrand::Rng;

pub use delivery::DeliveryInput;
pub use new_order::{LineInput, NewOrderInput};
pub use order_status::OrderStatusInput;
pub use payment::PaymentInput;
pub use stock_level::StockLevelInput;

use crate::StoreError;
use crate::database::{CUSTOMERS_BY_NAME, Database, Transaction};
use crate::key::Key;
use crate::random;
use crate::rows::{customer_prefix, name_prefix};
use crate::scale::{DISTRICTS, Scale};

/// Which transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A customer orders 5 to 15 items.
    NewOrder,
    /// A customer pays.
    Payment,
    /// What became of a customer's latest order.
    OrderStatus,
    /// The oldest new order of each district of a warehouse is delivered.
    Delivery,
    /// How many items ordered lately are short.
    StockLevel,
}

impl Kind {
    /// All, in the order of TPC-C.
    pub const ALL: [Kind; 5] =
        [Kind::NewOrder, Kind::Payment, Kind::OrderStatus, Kind::Delivery, Kind::StockLevel];

    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NewOrder => "new-order",
            Kind::Payment => "payment",
            Kind::OrderStatus => "order-status",
            Kind::Delivery => "delivery",
            Kind::StockLevel => "stock-level",
        }
    }

    /// The transaction of this name.
    pub fn parse(name: &str) -> Option<Kind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How a transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is done.
    Committed,
    /// A new order named an item that does not exist, as one in a hundred must: nothing of it is done.
    RolledBack,
}

/// What a terminal asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // as Kind
pub enum Input {
    NewOrder(NewOrderInput),
    Payment(PaymentInput),
    OrderStatus(OrderStatusInput),
    Delivery(DeliveryInput),
    StockLevel(StockLevelInput),
}

impl Input {
    /// A random one, from a random home warehouse.
    pub fn draw(kind: Kind, rng: &mut Rng, scale: Scale) -> Input {
        let warehouse = rng.u32(1..=scale.warehouses);
        match kind {
            Kind::NewOrder => Input::NewOrder(NewOrderInput::draw(rng, scale, warehouse)),
            Kind::Payment => Input::Payment(PaymentInput::draw(rng, scale, warehouse)),
            Kind::OrderStatus => Input::OrderStatus(OrderStatusInput::draw(rng, scale, warehouse)),
            Kind::Delivery => Input::Delivery(DeliveryInput::draw(rng, warehouse)),
            Kind::StockLevel => Input::StockLevel(StockLevelInput::draw(rng, warehouse)),
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run(&self, db: &Database) -> Result<Outcome, StoreError> {
        match self {
            Input::NewOrder(input) => return input.run(db),
            Input::Payment(input) => input.run(db)?,
            Input::OrderStatus(input) => drop(input.run(db)?),
            Input::Delivery(input) => drop(input.run(db)?),
            Input::StockLevel(input) => drop(input.run(db)?),
        }
        Ok(Outcome::Committed)
    }
}

/// How a customer is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// By C_ID.
    Id(u32),
    /// By C_LAST: the middle one of all who have it, by first name.
    LastName([u8; 16]),
}

impl Who {
    /// By name in 60 of 100 cases (clauses 2.5.1.2 and 2.6.1.2).
    fn draw(rng: &mut Rng, scale: Scale) -> Who {
        if rng.u8(1..=100) <= 60 {
            Who::LastName(random::name_of_some_customer(rng, scale.customers))
        } else {
            Who::Id(random::customer(rng, scale.customers))
        }
    }

    /// The customer's primary key.
    fn find(self, rows: &Transaction<'_>, warehouse: u32, district: u8) -> Result<Key, StoreError> {
        let last = match self {
            Who::Id(id) => return Ok(customer_prefix(warehouse, district, id)),
            Who::LastName(last) => last,
        };
        let prefix = name_prefix(warehouse, district, &last);
        let same = rows.keys(&CUSTOMERS_BY_NAME, &prefix, usize::MAX)?;
        // Position n/2 rounded up, counted from 1.
        let middle = same.get(same.len().saturating_sub(1) / 2);
        let missing = StoreError::NoRow { table: "Customer (by name)", key: prefix.to_string() };
        let key = middle.ok_or(missing)?;
        // It ends with the customer's number.
        let id = key[CUSTOMERS_BY_NAME.key_bytes - 4..].iter().fold(0, |id, byte| id << 8 | u32::from(*byte));
        Ok(customer_prefix(warehouse, district, id))
    }
}

fn any_district(rng: &mut Rng) -> u8 {
    rng.u8(1..=DISTRICTS)
}

/// Any warehouse but `home`; `home` where there is no other.
fn another_warehouse(rng: &mut Rng, scale: Scale, home: u32) -> u32 {
    if scale.warehouses == 1 {
        return home;
    }
    let other = rng.u32(1..scale.warehouses);
    if other >= home { other + 1 } else { other }
}
