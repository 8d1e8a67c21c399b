//! How many pages a database takes once it is loaded, known before.

use crate::heap::Heap;
use crate::rows::{
    Customer, District, History, Item, Keyed, NAME_KEY_BYTES, NewOrder, ORDER_OF_CUSTOMER_KEY_BYTES, Order,
    OrderLine, Row, Stock, Warehouse,
};
use crate::scale::{DISTRICTS, Scale};
use crate::tree::{Tree, TreeState};

/// How full leaves are, percent: keys that come in order fill them, others leave ln 2 of them (Yao, Acta
/// Informatica 1978).
const FULL: u64 = 100;
const RANDOM: u64 = 66;

/// Pages of a database of this scale after loading, with the header: an upper bound that is a few percent
/// above the truth.
pub fn pages_needed(scale: Scale, page_len: usize) -> u64 {
    let warehouses = u64::from(scale.warehouses);
    let districts = warehouses * u64::from(DISTRICTS);
    let customers = districts * u64::from(scale.customers);
    let undelivered = districts * u64::from(scale.customers + 1 - scale.first_undelivered());
    // 5 to 15 lines an order.
    let lines = customers * 10;
    let items = u64::from(scale.items);
    let tables = table::<Warehouse>(warehouses, page_len)
        + table::<District>(districts, page_len)
        + table::<Customer>(customers, page_len)
        + table::<NewOrder>(undelivered, page_len)
        + table::<Order>(customers, page_len)
        + table::<OrderLine>(lines, page_len)
        + table::<Item>(items, page_len)
        + table::<Stock>(items * warehouses, page_len);
    let history = heap(customers, History::BYTES, page_len);
    let by_name = tree(customers, NAME_KEY_BYTES, RANDOM, page_len);
    let by_customer = tree(customers, ORDER_OF_CUSTOMER_KEY_BYTES, RANDOM, page_len);
    let pages = 2 + tables + history + by_name + by_customer;
    // What is random scatters by less than a hundredth, but in the smallest databases.
    pages + pages / 100 + 8
}

fn table<R: Keyed>(rows: u64, page_len: usize) -> u64 {
    heap(rows, R::BYTES, page_len) + tree(rows, R::KEY_BYTES, FULL, page_len)
}

fn heap(rows: u64, row_bytes: usize, page_len: usize) -> u64 {
    rows.div_ceil(Heap::rows_a_page(page_len, row_bytes) as u64)
}

/// Leaves and the nodes above them.
fn tree(entries: u64, key_bytes: usize, fill_percent: u64, page_len: usize) -> u64 {
    let capacity = Tree::open(key_bytes, TreeState::default()).capacity(page_len) as u64;
    let (mut pages, mut level) = (0, entries);
    while level > 1 {
        level = (level * 100).div_ceil(capacity * fill_percent);
        pages += level;
    }
    pages.max(1)
}
