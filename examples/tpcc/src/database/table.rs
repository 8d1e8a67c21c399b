//! The tables, and the indexes on them: each has the keys of the index that begin with a byte of its own.

use std::marker::PhantomData;

use crate::StoreError;
use crate::key::Key;
use crate::rows::{
    Customer, District, History, Item, Keyed, NAME_KEY_BYTES, NewOrder, ORDER_OF_CUSTOMER_KEY_BYTES, Order,
    OrderLine, Stock, Warehouse,
};

/// A table: rows by primary key.
#[derive(Debug)]
pub struct Table<R> {
    first_byte: u8,
    row: PhantomData<fn() -> R>,
}

/// An index on a table: keys that end with what the row's primary key has beyond them.
#[derive(Debug)]
pub struct KeyIndex {
    first_byte: u8,
    /// What it is, for messages.
    pub name: &'static str,
    /// Bytes of its keys.
    pub key_bytes: usize,
}

/// WAREHOUSE.
pub const WAREHOUSES: Table<Warehouse> = Table::new(1);
/// DISTRICT.
pub const DISTRICTS_TABLE: Table<District> = Table::new(2);
/// CUSTOMER.
pub const CUSTOMERS: Table<Customer> = Table::new(3);
/// HISTORY.
pub const HISTORY: Table<History> = Table::new(4);
/// NEW-ORDER.
pub const NEW_ORDERS: Table<NewOrder> = Table::new(5);
/// ORDER.
pub const ORDERS: Table<Order> = Table::new(6);
/// ORDER-LINE.
pub const ORDER_LINES: Table<OrderLine> = Table::new(7);
/// ITEM.
pub const ITEMS: Table<Item> = Table::new(8);
/// STOCK.
pub const STOCK: Table<Stock> = Table::new(9);
/// Customers by last name, then first name.
pub const CUSTOMERS_BY_NAME: KeyIndex =
    KeyIndex { first_byte: 10, name: "customers by name", key_bytes: NAME_KEY_BYTES };
/// Orders by customer, the latest first.
pub const ORDERS_BY_CUSTOMER: KeyIndex =
    KeyIndex { first_byte: 11, name: "orders by customer", key_bytes: ORDER_OF_CUSTOMER_KEY_BYTES };

impl<R> Table<R> {
    const fn new(first_byte: u8) -> Table<R> {
        Table { first_byte, row: PhantomData }
    }

    pub(super) fn key(&self, key: &Key) -> Vec<u8> {
        within(self.first_byte, key)
    }
}

impl<R: Keyed> Table<R> {
    pub(super) fn decode(&self, key: &[u8], bytes: &[u8]) -> Result<R, StoreError> {
        match bytes.len() == R::BYTES {
            true => Ok(R::decode(bytes)),
            false => {
                let key = Key::from_bytes(key.get(1..).unwrap_or_default()).to_string();
                Err(StoreError::Damaged { table: R::TABLE, key, what: "the row has a wrong length" })
            }
        }
    }
}

impl KeyIndex {
    pub(super) fn key(&self, key: &Key) -> Vec<u8> {
        within(self.first_byte, key)
    }
}

fn within(first_byte: u8, key: &Key) -> Vec<u8> {
    [&[first_byte], &key[..]].concat()
}

/// The first key that does not begin with `prefix`, among those that begin with a table's byte.
pub(super) fn after(prefix: &[u8]) -> Vec<u8> {
    let mut after = prefix.to_vec();
    while let Some(last) = after.pop() {
        if last < u8::MAX {
            after.push(last + 1);
            break;
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_next_one() {
        assert_eq!(after(&[3, 7]), [3, 8]);
        assert_eq!(after(&[3, 255, 255]), [4]);
        assert_eq!(WAREHOUSES.key(&Key::new().u32(258)), [1, 0, 0, 1, 2]);
    }
}
