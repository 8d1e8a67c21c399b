//! One warehouse: its stock, its districts, their customers and orders.

use fastrand::Rng;

use super::continued;
use crate::StoreError;
use crate::database::{
    CUSTOMERS, CUSTOMERS_BY_NAME, DISTRICTS_TABLE, Database, HISTORY, NEW_ORDERS, ORDER_LINES, ORDERS,
    ORDERS_BY_CUSTOMER, STOCK, Transaction, WAREHOUSES,
};
use crate::random::{self, padded, text};
use crate::rows::{
    Address, Customer, District, History, NewOrder, Order, OrderLine, Stock, Warehouse, name_key,
    order_of_customer_key,
};
use crate::scale::DISTRICTS;

/// Date of all that is loaded.
const LOADED: u64 = 1;
/// W_YTD, cents.
const WAREHOUSE_YTD: i64 = 30_000_000;

/// Loads warehouse `id`.
pub(super) fn load(db: &Database, rng: &mut Rng, id: u32) -> Result<(), StoreError> {
    let warehouse = Warehouse {
        id,
        name: text(rng, 6),
        address: address(rng),
        tax: rng.u16(0..=2000),
        ytd: WAREHOUSE_YTD,
    };
    let mut rows = db.begin();
    rows.put(&WAREHOUSES, &warehouse);
    for item in 1..=db.scale.items {
        rows.put(&STOCK, &stock(rng, id, item));
        rows = continued(db, rows)?;
    }
    for district in 1..=DISTRICTS {
        rows = load_district(db, rows, rng, id, district)?;
    }
    rows.commit()
}

fn load_district<'a>(
    db: &'a Database,
    mut rows: Transaction<'a>,
    rng: &mut Rng,
    warehouse: u32,
    id: u8,
) -> Result<Transaction<'a>, StoreError> {
    let district = District {
        warehouse,
        id,
        name: text(rng, 6),
        address: address(rng),
        tax: rng.u16(0..=2000),
        ytd: WAREHOUSE_YTD / i64::from(DISTRICTS),
        next_order: db.scale.customers + 1,
    };
    rows.put(&DISTRICTS_TABLE, &district);
    for customer in 1..=db.scale.customers {
        load_customer(&mut rows, rng, warehouse, id, customer);
        rows = continued(db, rows)?;
    }
    // Every customer has one order, in random order.
    let mut customers: Vec<u32> = (1..=db.scale.customers).collect();
    rng.shuffle(&mut customers);
    for (order, customer) in (1..).zip(customers) {
        load_order(db, &mut rows, rng, (warehouse, id, order), customer);
        rows = continued(db, rows)?;
    }
    Ok(rows)
}

fn load_customer(rows: &mut Transaction<'_>, rng: &mut Rng, warehouse: u32, district: u8, id: u32) {
    let customer = customer(rng, warehouse, district, id);
    rows.put(&CUSTOMERS, &customer);
    rows.put_key(&CUSTOMERS_BY_NAME, &name_key(&customer));
    let history = History {
        customer: id,
        customer_district: district,
        customer_warehouse: warehouse,
        district,
        warehouse,
        date: LOADED,
        amount: customer.ytd_payment,
        data: text(rng, 12),
    };
    rows.put(&HISTORY, &history);
}

fn load_order(
    db: &Database,
    rows: &mut Transaction<'_>,
    rng: &mut Rng,
    (warehouse, district, id): (u32, u8, u32),
    customer: u32,
) {
    let delivered = id < db.scale.first_undelivered();
    let order = Order {
        warehouse,
        district,
        id,
        customer,
        entered: LOADED,
        carrier: if delivered { rng.u8(1..=10) } else { 0 },
        lines: rng.u8(5..=15),
        all_local: 1,
    };
    rows.put(&ORDERS, &order);
    rows.put_key(&ORDERS_BY_CUSTOMER, &order_of_customer_key(&order));
    for number in 1..=order.lines {
        let line = OrderLine {
            warehouse,
            district,
            order: id,
            number,
            item: rng.u32(1..=db.scale.items),
            supplier: warehouse,
            delivered: if delivered { LOADED } else { 0 },
            quantity: 5,
            amount: if delivered { 0 } else { rng.i64(1..=999_999) },
            district_info: text(rng, 24),
        };
        rows.put(&ORDER_LINES, &line);
    }
    if !delivered {
        rows.put(&NEW_ORDERS, &NewOrder { warehouse, district, order: id });
    }
}

fn stock(rng: &mut Rng, warehouse: u32, item: u32) -> Stock {
    Stock {
        warehouse,
        item,
        quantity: rng.i64(10..=100),
        districts: text(rng, 240),
        ytd: 0,
        orders: 0,
        remote_orders: 0,
        data: random::data(rng),
    }
}

fn customer(rng: &mut Rng, warehouse: u32, district: u8, id: u32) -> Customer {
    Customer {
        warehouse,
        district,
        id,
        first: text(rng, 8),
        middle: *b"OE",
        last: random::name_to_load(rng, id),
        address: address(rng),
        phone: random::digits(rng),
        since: LOADED,
        credit: if rng.u8(0..10) == 0 { *b"BC" } else { *b"GC" },
        credit_limit: 5_000_000,
        discount: rng.u16(0..=5000),
        balance: -1000,
        ytd_payment: 1000,
        payments: 1,
        deliveries: 0,
        data: text(rng, 300),
    }
}

fn address(rng: &mut Rng) -> Address {
    let number: [u8; 4] = random::digits(rng);
    Address {
        street_1: text(rng, 10),
        street_2: text(rng, 10),
        city: text(rng, 10),
        state: text(rng, 2),
        zip: padded(&[&number[..], b"11111"].concat()),
    }
}
