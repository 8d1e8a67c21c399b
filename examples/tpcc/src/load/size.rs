//! What a database takes once it is loaded, known before.

use crate::rows::{
    Customer, District, History, Item, Keyed, NAME_KEY_BYTES, NewOrder, ORDER_OF_CUSTOMER_KEY_BYTES, Order,
    OrderLine, Stock, Warehouse,
};
use crate::scale::{DISTRICTS, Scale};

/// What an entry takes in a node besides its key and value, and the byte of its table.
const PER_ENTRY: u64 = 11;

/// Bytes that the nodes of a database of this scale take after loading, about.
pub fn bytes_needed(scale: Scale) -> u64 {
    // Keys come in order, but not at the end of all keys: nodes that are divided stay a little more than half
    // full.
    row_bytes(scale) * 17 / 10
}

/// Bytes of its rows and keys, each with what an index adds to an entry.
pub fn row_bytes(scale: Scale) -> u64 {
    let warehouses = u64::from(scale.warehouses);
    let districts = warehouses * u64::from(DISTRICTS);
    let customers = districts * u64::from(scale.customers);
    let undelivered = districts * u64::from(scale.customers + 1 - scale.first_undelivered());
    let items = u64::from(scale.items);
    let rows = [
        table::<Warehouse>(warehouses),
        table::<District>(districts),
        table::<Customer>(customers),
        table::<History>(customers),
        table::<NewOrder>(undelivered),
        table::<Order>(customers),
        // 5 to 15 lines an order.
        table::<OrderLine>(customers * 10),
        table::<Item>(items),
        table::<Stock>(items * warehouses),
        customers * (NAME_KEY_BYTES as u64 + PER_ENTRY),
        customers * (ORDER_OF_CUSTOMER_KEY_BYTES as u64 + PER_ENTRY),
    ];
    rows.into_iter().sum()
}

fn table<R: Keyed>(rows: u64) -> u64 {
    rows * (R::KEY_BYTES + R::BYTES + PER_ENTRY as usize) as u64
}
