//! TPC-C's conditions of consistency 1 to 4 (clause 3.3.2), that indexes and tables hold the same rows, and
//! that every page of the index is sound.

use std::fmt;

use crate::StoreError;
use crate::database::{
    CUSTOMERS, CUSTOMERS_BY_NAME, DISTRICTS_TABLE, Database, NEW_ORDERS, ORDER_LINES, ORDERS,
    ORDERS_BY_CUSTOMER, Transaction, WAREHOUSES,
};
use crate::key::Key;
use crate::rows::{District, name_key, order_of_customer_key};
use crate::scale::DISTRICTS;

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
pub fn check(db: &Database) -> Result<Vec<Inconsistency>, StoreError> {
    let problems = db.map().problems().into_iter();
    let mut found: Vec<_> = problems.map(|(place, found)| Inconsistency { place, found }).collect();
    let rows = db.begin();
    for warehouse in 1..=db.scale.warehouses {
        let mut districts_ytd = 0;
        for id in 1..=DISTRICTS {
            let district = rows.get(&DISTRICTS_TABLE, &Key::new().u32(warehouse).u8(id))?;
            districts_ytd += district.ytd;
            check_district(&rows, &district, &mut found)?;
            check_indexes(&rows, &district, &mut found)?;
        }
        let ytd = rows.get(&WAREHOUSES, &Key::new().u32(warehouse))?.ytd;
        if ytd != districts_ytd {
            found.push(Inconsistency {
                place: format!("condition 1, warehouse {warehouse}"),
                found: format!("W_YTD is {ytd} cents, the sum of D_YTD {districts_ytd}"),
            });
        }
    }
    Ok(found)
}

/// Conditions 2, 3 and 4.
fn check_district(
    rows: &Transaction<'_>,
    district: &District,
    found: &mut Vec<Inconsistency>,
) -> Result<(), StoreError> {
    let prefix = Key::new().u32(district.warehouse).u8(district.id);
    let orders = rows.rows(&ORDERS, &prefix, usize::MAX)?;
    let new_orders = rows.rows(&NEW_ORDERS, &prefix, usize::MAX)?;
    let mut say = |condition, text| {
        let place =
            format!("condition {condition}, warehouse {}, district {}", district.warehouse, district.id);
        found.push(Inconsistency { place, found: text });
    };
    let last = orders.last().map(|order| order.id);
    let expected = district.next_order.wrapping_sub(1);
    if last != Some(expected) {
        say(2, format!("D_NEXT_O_ID - 1 is {expected}, the largest O_ID {last:?}"));
    }
    if let (Some(first), Some(last)) = (new_orders.first(), new_orders.last()) {
        let (first, last) = (first.order, last.order);
        if last != expected {
            say(2, format!("D_NEXT_O_ID - 1 is {expected}, the largest NO_O_ID {last}"));
        }
        if (last - first) as usize + 1 != new_orders.len() {
            say(3, format!("NO_O_ID goes from {first} to {last} in {} rows", new_orders.len()));
        }
    }
    let lines: usize = orders.iter().map(|order| usize::from(order.lines)).sum();
    let rows = rows.rows(&ORDER_LINES, &prefix, usize::MAX)?.len();
    if lines != rows {
        say(4, format!("the sum of O_OL_CNT is {lines}, the rows of ORDER-LINE {rows}"));
    }
    Ok(())
}

/// Customers by name, and orders by customer, are those that there are.
fn check_indexes(
    rows: &Transaction<'_>,
    district: &District,
    found: &mut Vec<Inconsistency>,
) -> Result<(), StoreError> {
    let prefix = Key::new().u32(district.warehouse).u8(district.id);
    let customers = rows.rows(&CUSTOMERS, &prefix, usize::MAX)?;
    let orders = rows.rows(&ORDERS, &prefix, usize::MAX)?;
    let of_customers: Vec<Key> = customers.iter().map(name_key).collect();
    let of_orders: Vec<Key> = orders.iter().map(order_of_customer_key).collect();
    for (index, mut expected) in [(&CUSTOMERS_BY_NAME, of_customers), (&ORDERS_BY_CUSTOMER, of_orders)] {
        expected.sort_unstable();
        let keys = rows.keys(index, &prefix, usize::MAX)?;
        if keys != expected {
            let District { warehouse, id, .. } = district;
            found.push(Inconsistency {
                place: format!("index {}, warehouse {warehouse}, district {id}", index.name),
                found: format!("its {} keys are not those of the {} rows", keys.len(), expected.len()),
            });
        }
    }
    Ok(())
}
