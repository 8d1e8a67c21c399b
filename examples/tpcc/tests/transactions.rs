//! What each transaction does to the tables.

use std::collections::BTreeSet;
use std::sync::Arc;

use fastrand::Rng;
use leadline_index::{Durability, Index, Options};
use leadline_tpcc::database::{
    CUSTOMERS, CUSTOMERS_BY_NAME, DISTRICTS_TABLE, Database, HISTORY, ITEMS, NEW_ORDERS, ORDER_LINES, ORDERS,
    STOCK, Table, WAREHOUSES,
};
use leadline_tpcc::key::Key;
use leadline_tpcc::rows::{Customer, District, Keyed, Order, OrderLine, Stock};
use leadline_tpcc::transaction::{
    DeliveryInput, LineInput, NewOrderInput, OrderStatusInput, Outcome, PaymentInput, StockLevelInput, Who,
};
use leadline_tpcc::{DISTRICTS, Scale, check, last_name, load};
use tempfile::TempDir;

fn loaded(warehouses: u32) -> (TempDir, Database) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().cache_bytes(8 << 20).durability(Durability::Never);
    let index = Arc::new(Index::open_with(folder.path(), &options).unwrap());
    let db = load(index, Scale::reduced(warehouses, 0.01).unwrap(), 7, |_| {}).unwrap();
    (folder, db)
}

/// Rows of a table.
fn count<R: Keyed>(db: &Database, table: &Table<R>) -> usize {
    db.begin().rows(table, &Key::new(), usize::MAX).unwrap().len()
}

fn district(db: &Database, id: u8) -> District {
    db.begin().get(&DISTRICTS_TABLE, &Key::new().u32(1).u8(id)).unwrap()
}

fn customer(db: &Database, warehouse: u32, district: u8, id: u32) -> Customer {
    db.begin().get(&CUSTOMERS, &Key::new().u32(warehouse).u8(district).u32(id)).unwrap()
}

fn stock(db: &Database, warehouse: u32, item: u32) -> Stock {
    db.begin().get(&STOCK, &Key::new().u32(warehouse).u32(item)).unwrap()
}

fn order(db: &Database, district: u8, id: u32) -> Order {
    db.begin().get(&ORDERS, &Key::new().u32(1).u8(district).u32(id)).unwrap()
}

fn line(db: &Database, district: u8, id: u32, number: u8) -> OrderLine {
    db.begin().get(&ORDER_LINES, &Key::new().u32(1).u8(district).u32(id).u8(number)).unwrap()
}

fn three_lines(last_item: u32) -> NewOrderInput {
    let line = |item, supplier, quantity| LineInput { item, supplier, quantity };
    // The same item twice: its stock is taken from twice.
    let lines = vec![line(5, 1, 10), line(5, 1, 10), line(9, 2, 3), line(last_item, 1, 1)];
    NewOrderInput { warehouse: 1, district: 3, customer: 4, lines }
}

#[test]
fn a_new_order_takes_a_number_and_stock() {
    let (_folder, db) = loaded(2);
    let (before, remote) = (stock(&db, 1, 5), stock(&db, 2, 9));
    let id = district(&db, 3).next_order;
    assert_eq!(three_lines(77).run(&db).unwrap(), Outcome::Committed);
    assert_eq!(district(&db, 3).next_order, id + 1);
    let entered = order(&db, 3, id);
    assert_eq!((entered.customer, entered.lines, entered.all_local, entered.carrier), (4, 4, 0, 0));
    let after = stock(&db, 1, 5);
    assert_eq!((after.ytd, after.orders, after.remote_orders), (20, 2, 0));
    // Filled up by 91 whenever it would fall below ten.
    assert_eq!((before.quantity - 20 - after.quantity).rem_euclid(91), 0);
    assert!(after.quantity >= 10);
    let after = stock(&db, 2, 9);
    assert_eq!((after.ytd, after.orders, after.remote_orders), (3, 1, 1));
    let price = db.begin().get(&ITEMS, &Key::new().u32(9)).unwrap().price;
    let third = line(&db, 3, id, 3);
    assert_eq!((third.item, third.supplier, third.amount, third.delivered), (9, 2, 3 * price, 0));
    assert_eq!(third.district_info, remote.districts[48..72]);
    assert_eq!(check(&db).unwrap(), []);
}

#[test]
fn a_rolled_back_order_leaves_everything_as_it_was() {
    let (_folder, db) = loaded(2);
    let state = || {
        let stocks: Vec<Stock> = (1..=20).map(|item| stock(&db, 1, item)).collect();
        let counts = [count(&db, &ORDERS), count(&db, &ORDER_LINES), count(&db, &NEW_ORDERS)];
        (district(&db, 3), stocks, stock(&db, 2, 9), counts)
    };
    let before = state();
    let no_item = db.scale.items + 1;
    assert_eq!(three_lines(no_item).run(&db).unwrap(), Outcome::RolledBack);
    assert_eq!(state(), before);
    assert_eq!(check(&db).unwrap(), []);
    // The number is given to the next order.
    three_lines(77).run(&db).unwrap();
    assert_eq!(order(&db, 3, before.0.next_order).customer, 4);
}

#[test]
fn a_payment_is_booked_in_four_tables() {
    let (_folder, db) = loaded(2);
    let before = customer(&db, 2, 5, 8);
    let (ytd, histories) = (district(&db, 3).ytd, count(&db, &HISTORY));
    let payment = PaymentInput {
        warehouse: 1,
        district: 3,
        customer_warehouse: 2,
        customer_district: 5,
        customer: Who::Id(8),
        amount: 12_345,
    };
    payment.run(&db).unwrap();
    let after = customer(&db, 2, 5, 8);
    assert_eq!(after.balance, before.balance - 12_345);
    assert_eq!(after.ytd_payment, before.ytd_payment + 12_345);
    assert_eq!(after.payments, before.payments + 1);
    assert_eq!(district(&db, 3).ytd, ytd + 12_345);
    assert_eq!(db.begin().get(&WAREHOUSES, &Key::new().u32(1)).unwrap().ytd, 30_000_000 + 12_345);
    assert_eq!(count(&db, &HISTORY), histories + 1);
}

#[test]
fn bad_credit_is_remembered_before_what_is_known() {
    let (_folder, db) = loaded(1);
    let bad = (1..=db.scale.customers)
        .find(|id| customer(&db, 1, 1, *id).credit == *b"BC")
        .expect("one in ten of 30");
    let before = customer(&db, 1, 1, bad);
    let payment = PaymentInput {
        warehouse: 1,
        district: 1,
        customer_warehouse: 1,
        customer_district: 1,
        customer: Who::Id(bad),
        amount: 500,
    };
    payment.run(&db).unwrap();
    let after = customer(&db, 1, 1, bad).data;
    let said = format!("{bad} 1 1 1 1 500 ");
    assert!(after.starts_with(said.as_bytes()));
    assert_eq!(after[said.len()..], before.data[..500 - said.len()]);
}

#[test]
fn the_middle_customer_of_a_name_is_meant() {
    let (_folder, db) = loaded(1);
    // Two more with the name of customer 1, first names before and after.
    for (id, first) in [(31, *b"0000000000000000"), (32, *b"zzzzzzzzzzzzzzzz")] {
        let mut other = customer(&db, 1, 1, 1);
        (other.id, other.first) = (id, first);
        let mut rows = db.begin();
        rows.put(&CUSTOMERS, &other);
        rows.put_key(&CUSTOMERS_BY_NAME, &leadline_tpcc::rows::name_key(&other));
        rows.commit().unwrap();
    }
    let status = OrderStatusInput { warehouse: 1, district: 1, customer: Who::LastName(last_name(0)) };
    assert_eq!(status.run(&db).unwrap().unwrap().0.customer, 1);
}

#[test]
fn order_status_finds_the_latest_order_with_its_lines() {
    let (_folder, db) = loaded(2);
    let status = OrderStatusInput { warehouse: 1, district: 3, customer: Who::Id(4) };
    let (loaded_order, lines) = status.run(&db).unwrap().unwrap();
    assert_eq!((loaded_order.customer, lines.len()), (4, usize::from(loaded_order.lines)));
    let id = district(&db, 3).next_order;
    three_lines(77).run(&db).unwrap();
    let (latest, lines) = status.run(&db).unwrap().unwrap();
    assert_eq!(latest.id, id);
    assert_eq!(lines.iter().map(|line| line.item).collect::<Vec<_>>(), [5, 5, 9, 77]);
}

#[test]
fn a_delivery_takes_the_oldest_order_of_each_district() {
    let (_folder, db) = loaded(1);
    let oldest = db.scale.first_undelivered();
    let due: Vec<(u32, i64, i64)> = (1..=DISTRICTS)
        .map(|d| {
            let order = order(&db, d, oldest);
            let amount = (1..=order.lines).map(|n| line(&db, d, oldest, n).amount).sum();
            (order.customer, amount, customer(&db, 1, d, order.customer).balance)
        })
        .collect();
    let delivered = DeliveryInput { warehouse: 1, carrier: 6 }.run(&db).unwrap();
    assert_eq!(delivered, u32::from(DISTRICTS));
    for (d, (who, amount, balance)) in (1..=DISTRICTS).zip(due) {
        assert_eq!(order(&db, d, oldest).carrier, 6);
        assert!(line(&db, d, oldest, 1).delivered > 0);
        let who = customer(&db, 1, d, who);
        assert_eq!((who.balance, who.deliveries), (balance + amount, 1));
        let key = Key::new().u32(1).u8(d).u32(oldest);
        assert_eq!(db.begin().find(&NEW_ORDERS, &key).unwrap(), None);
    }
    assert_eq!(check(&db).unwrap(), []);
}

#[test]
fn deliveries_end_when_all_is_delivered() {
    let (_folder, db) = loaded(1);
    let waiting = db.scale.customers + 1 - db.scale.first_undelivered();
    for _ in 0..waiting {
        DeliveryInput { warehouse: 1, carrier: 1 }.run(&db).unwrap();
    }
    assert_eq!(count(&db, &NEW_ORDERS), 0);
    assert_eq!(DeliveryInput { warehouse: 1, carrier: 1 }.run(&db).unwrap(), 0);
    assert_eq!(check(&db).unwrap(), []);
}

#[test]
fn stock_level_counts_each_short_item_of_twenty_orders_once() {
    let (_folder, db) = loaded(1);
    let next = district(&db, 2).next_order;
    let mut items = BTreeSet::new();
    for id in next - 20..next {
        for number in 1..=order(&db, 2, id).lines {
            items.insert(line(&db, 2, id, number).item);
        }
    }
    let short = items.iter().filter(|item| stock(&db, 1, **item).quantity < 20).count();
    assert!(short > 0);
    let level = StockLevelInput { warehouse: 1, district: 2, threshold: 20 };
    assert_eq!(level.run(&db).unwrap(), short);
}

#[test]
fn inputs_have_the_shares_that_tpcc_asks_for() {
    let scale = Scale::full(10).unwrap();
    let mut rng = Rng::with_seed(5);
    let (mut lines, mut remote_lines, mut wrong) = (0, 0, 0);
    let (mut remote_payments, mut by_name) = (0, 0);
    const DRAWS: u32 = 50_000;
    for _ in 0..DRAWS {
        let order = NewOrderInput::draw(&mut rng, scale, 3);
        assert!((5..=15).contains(&order.lines.len()));
        lines += order.lines.len();
        remote_lines += order.lines.iter().filter(|line| line.supplier != 3).count();
        wrong += u32::from(order.lines.last().unwrap().item > scale.items);
        let payment = PaymentInput::draw(&mut rng, scale, 3);
        remote_payments += u32::from(payment.customer_warehouse != 3);
        by_name += u32::from(matches!(payment.customer, Who::LastName(_)));
    }
    let share = |count: f64, of: f64| count / of;
    assert!((0.009..0.011).contains(&share(remote_lines as f64, lines as f64)));
    assert!((0.009..0.011).contains(&share(wrong.into(), DRAWS.into())));
    assert!((0.14..0.16).contains(&share(remote_payments.into(), DRAWS.into())));
    assert!((0.59..0.61).contains(&share(by_name.into(), DRAWS.into())));
}
