//! One warehouse: its stock, its districts, their customers and orders.

use fastrand::Rng;

use crate::StoreError;
use crate::database::Database;
use crate::pages::Pages;
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
pub(super) fn load<P: Pages>(db: &Database, pages: &P, rng: &mut Rng, id: u32) -> Result<(), StoreError> {
    let warehouse = Warehouse {
        id,
        name: text(rng, 6),
        address: address(rng),
        tax: rng.u16(0..=2000),
        ytd: WAREHOUSE_YTD,
    };
    db.warehouses.insert(pages, &warehouse)?;
    for item in 1..=db.scale.items {
        db.stock.insert(pages, &stock(rng, id, item))?;
    }
    for district in 1..=DISTRICTS {
        load_district(db, pages, rng, id, district)?;
    }
    Ok(())
}

fn load_district<P: Pages>(
    db: &Database,
    pages: &P,
    rng: &mut Rng,
    warehouse: u32,
    id: u8,
) -> Result<(), StoreError> {
    let district = District {
        warehouse,
        id,
        name: text(rng, 6),
        address: address(rng),
        tax: rng.u16(0..=2000),
        ytd: WAREHOUSE_YTD / i64::from(DISTRICTS),
        next_order: db.scale.customers + 1,
    };
    db.districts.insert(pages, &district)?;
    for customer in 1..=db.scale.customers {
        load_customer(db, pages, rng, warehouse, id, customer)?;
    }
    // Every customer has one order, in random order.
    let mut customers: Vec<u32> = (1..=db.scale.customers).collect();
    rng.shuffle(&mut customers);
    for (order, customer) in (1..).zip(customers) {
        load_order(db, pages, rng, (warehouse, id, order), customer)?;
    }
    Ok(())
}

fn load_customer<P: Pages>(
    db: &Database,
    pages: &P,
    rng: &mut Rng,
    warehouse: u32,
    district: u8,
    id: u32,
) -> Result<(), StoreError> {
    let customer = customer(rng, warehouse, district, id);
    let row = db.customers.insert(pages, &customer)?;
    db.customers_by_name.insert(pages, &name_key(&customer), row)?;
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
    db.history.insert(pages, &history)?;
    Ok(())
}

fn load_order<P: Pages>(
    db: &Database,
    pages: &P,
    rng: &mut Rng,
    (warehouse, district, id): (u32, u8, u32),
    customer: u32,
) -> Result<(), StoreError> {
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
    let row = db.orders.insert(pages, &order)?;
    db.orders_by_customer.insert(pages, &order_of_customer_key(&order), row)?;
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
        db.order_lines.insert(pages, &line)?;
    }
    if !delivered {
        db.new_orders.insert(pages, &NewOrder { warehouse, district, order: id })?;
    }
    Ok(())
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
