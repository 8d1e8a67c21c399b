//! TPC-C's conditions of consistency 1 to 4 (clause 3.3.2), and that indexes and tables hold the same rows.

use std::fmt;

use crate::StoreError;
use crate::database::{Database, Table};
use crate::key::Key;
use crate::pages::Pages;
use crate::rows::{District, Keyed, NewOrder, Order, OrderLine};
use crate::scale::DISTRICTS;
use crate::tree::Tree;

/// Something that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inconsistency {
    /// Which condition, and where: `condition 1, warehouse 3`.
    pub place: String,
    /// What was found.
    pub found: String,
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.found)
    }
}

/// Checks the whole database, in which no transaction may be under way. Empty: all is consistent.
///
/// # Errors
/// [`StoreError`] where it cannot even be read.
pub fn check<P: Pages>(db: &Database, pages: &P) -> Result<Vec<Inconsistency>, StoreError> {
    let mut found = Vec::new();
    for warehouse in 1..=db.scale.warehouses {
        let mut districts_ytd = 0;
        for id in 1..=DISTRICTS {
            let district = db.districts.get(pages, &Key::new().u32(warehouse).u8(id))?;
            districts_ytd += district.ytd;
            check_district(db, pages, &district, &mut found)?;
        }
        let ytd = db.warehouses.get(pages, &Key::new().u32(warehouse))?.ytd;
        if ytd != districts_ytd {
            found.push(Inconsistency {
                place: format!("condition 1, warehouse {warehouse}"),
                found: format!("W_YTD is {ytd} cents, the sum of D_YTD {districts_ytd}"),
            });
        }
    }
    check_indexes(db, pages, &mut found)?;
    Ok(found)
}

/// Conditions 2, 3 and 4.
fn check_district<P: Pages>(
    db: &Database,
    pages: &P,
    district: &District,
    found: &mut Vec<Inconsistency>,
) -> Result<(), StoreError> {
    let prefix = Key::new().u32(district.warehouse).u8(district.id);
    let orders = rows_of(&db.orders, pages, &prefix)?;
    let mut new_orders = numbers_of(&db.new_orders, pages, &prefix, |row: &NewOrder| row.order)?;
    new_orders.sort_unstable();
    let mut say = |condition, text| {
        let place =
            format!("condition {condition}, warehouse {}, district {}", district.warehouse, district.id);
        found.push(Inconsistency { place, found: text });
    };
    let last = orders.iter().map(|order: &Order| order.id).max();
    let expected = district.next_order.wrapping_sub(1);
    if last != Some(expected) {
        say(2, format!("D_NEXT_O_ID - 1 is {expected}, the largest O_ID {last:?}"));
    }
    if let (Some(first), Some(last)) = (new_orders.first(), new_orders.last()) {
        if *last != expected {
            say(2, format!("D_NEXT_O_ID - 1 is {expected}, the largest NO_O_ID {last}"));
        }
        if (last - first) as usize + 1 != new_orders.len() {
            say(3, format!("NO_O_ID goes from {first} to {last} in {} rows", new_orders.len()));
        }
    }
    let lines: usize = orders.iter().map(|order| usize::from(order.lines)).sum();
    let rows = numbers_of(&db.order_lines, pages, &prefix, |row: &OrderLine| row.order)?.len();
    if lines != rows {
        say(4, format!("the sum of O_OL_CNT is {lines}, the rows of ORDER-LINE {rows}"));
    }
    Ok(())
}

fn numbers_of<P: Pages, R: Keyed>(
    table: &Table<R>,
    pages: &P,
    prefix: &Key,
    number: impl Fn(&R) -> u32,
) -> Result<Vec<u32>, StoreError> {
    Ok(rows_of(table, pages, prefix)?.iter().map(number).collect())
}

/// All rows whose key begins with `prefix`.
fn rows_of<P: Pages, R: Keyed>(table: &Table<R>, pages: &P, prefix: &Key) -> Result<Vec<R>, StoreError> {
    let (first, last) = (prefix.first(R::KEY_BYTES), prefix.last(R::KEY_BYTES));
    let found = table.primary.range(pages, &first, &last, usize::MAX)?;
    let ids: Vec<_> = found.iter().map(|(_, row)| *row).collect();
    table.read_all(pages, &ids)
}

fn check_indexes<P: Pages>(
    db: &Database,
    pages: &P,
    found: &mut Vec<Inconsistency>,
) -> Result<(), StoreError> {
    check_table(&db.warehouses, pages, found)?;
    check_table(&db.districts, pages, found)?;
    check_table(&db.customers, pages, found)?;
    check_table(&db.new_orders, pages, found)?;
    check_table(&db.orders, pages, found)?;
    check_table(&db.order_lines, pages, found)?;
    check_table(&db.items, pages, found)?;
    check_table(&db.stock, pages, found)?;
    let customers = db.customers.rows.heap.state().rows;
    check_count("customers by name", &db.customers_by_name, customers, pages, found)?;
    let orders = db.orders.rows.heap.state().rows;
    check_count("orders by customer", &db.orders_by_customer, orders, pages, found)
}

/// Every row of the heap is where the index says.
fn check_table<P: Pages, R: Keyed>(
    table: &Table<R>,
    pages: &P,
    found: &mut Vec<Inconsistency>,
) -> Result<(), StoreError> {
    let mut rows = Vec::new();
    table.rows.heap.scan(pages, |id, bytes| rows.push((id, R::decode(bytes).key())))?;
    let lost = rows.iter().map(|(id, key)| Ok(table.try_find(pages, key)? != Some(*id)));
    let lost = lost.collect::<Result<Vec<bool>, StoreError>>()?.into_iter().filter(|lost| *lost).count();
    if lost > 0 {
        found.push(Inconsistency {
            place: format!("table {}", R::TABLE),
            found: format!("{lost} of {} rows are not where the index has them", rows.len()),
        });
    }
    check_count(R::TABLE, &table.primary, rows.len() as u64, pages, found)?;
    let counted = table.rows.heap.state().rows;
    if counted != rows.len() as u64 {
        found.push(Inconsistency {
            place: format!("table {}", R::TABLE),
            found: format!("the catalogue counts {counted} rows, the heap has {}", rows.len()),
        });
    }
    Ok(())
}

fn check_count<P: Pages>(
    name: &str,
    tree: &Tree,
    rows: u64,
    pages: &P,
    found: &mut Vec<Inconsistency>,
) -> Result<(), StoreError> {
    let (first, last) = (Key::new().first(tree.key_len()), Key::new().last(tree.key_len()));
    let entries = tree.range(pages, &first, &last, usize::MAX)?.len() as u64;
    if entries != rows {
        found.push(Inconsistency {
            place: format!("index {name}"),
            found: format!("it has {entries} entries for {rows} rows"),
        });
    }
    Ok(())
}
