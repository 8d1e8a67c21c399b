//! The nine tables with their indexes.

mod catalogue;
mod locks;
mod table;

use std::sync::atomic::{AtomicU64, Ordering};

pub use catalogue::Catalogue;
pub use locks::{Held, Lock, Locks};
pub use table::{Rows, Table};

use crate::StoreError;
use crate::pages::{Pages, PoolPages};
use crate::rows::{
    Customer, District, History, Item, NAME_KEY_BYTES, NewOrder, ORDER_OF_CUSTOMER_KEY_BYTES, Order,
    OrderLine, Stock, Warehouse,
};
use crate::scale::Scale;
use crate::tree::Tree;

/// A database. It holds no pages: they are given to every operation, so that each terminal can count its own.
#[derive(Debug)]
#[allow(missing_docs)] // the tables are TPC-C's
pub struct Database {
    /// Its size.
    pub scale: Scale,
    /// Taken by transactions.
    pub locks: Locks,
    pub warehouses: Table<Warehouse>,
    pub districts: Table<District>,
    pub customers: Table<Customer>,
    pub history: Rows<History>,
    pub new_orders: Table<NewOrder>,
    pub orders: Table<Order>,
    pub order_lines: Table<OrderLine>,
    pub items: Table<Item>,
    pub stock: Table<Stock>,
    /// By last name, then first name.
    pub customers_by_name: Tree,
    /// The latest order first.
    pub orders_by_customer: Tree,
    date: AtomicU64,
}

impl Database {
    /// An empty database, whose catalogue is the first page made.
    ///
    /// # Errors
    /// The pool's reason.
    pub fn create<P: Pages>(pages: &P, scale: Scale) -> Result<Database, StoreError> {
        drop(pages.new_page()?);
        let catalogue = Catalogue::empty(scale);
        catalogue.write(pages)?;
        Ok(Database::of(&catalogue))
    }

    /// The database that the catalogue in `pages` describes.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where it is none, or where whoever changed it last did not come to an end.
    pub fn open<P: Pages>(pages: &P) -> Result<Database, StoreError> {
        let catalogue = Catalogue::read(pages)?;
        if !catalogue.clean {
            let what = "a run that was killed left the database half written";
            return Err(StoreError::Damaged { page: crate::pages::FIRST_PAGE, what });
        }
        Ok(Database::of(&catalogue))
    }

    /// What to keep of it. All transactions must have ended.
    pub fn catalogue<P: Pages>(&self, pages: &P, clean: bool) -> Catalogue {
        let heaps = [
            &self.warehouses.rows.heap,
            &self.districts.rows.heap,
            &self.customers.rows.heap,
            &self.history.heap,
            &self.new_orders.rows.heap,
            &self.orders.rows.heap,
            &self.order_lines.rows.heap,
            &self.items.rows.heap,
            &self.stock.rows.heap,
        ];
        let trees = [
            &self.warehouses.primary,
            &self.districts.primary,
            &self.customers.primary,
            &self.new_orders.primary,
            &self.orders.primary,
            &self.order_lines.primary,
            &self.items.primary,
            &self.stock.primary,
            &self.customers_by_name,
            &self.orders_by_customer,
        ];
        Catalogue {
            clean,
            scale: self.scale,
            pages: pages.page_count(),
            date: self.date.load(Ordering::Relaxed),
            heaps: heaps.map(crate::heap::Heap::state),
            trees: trees.map(Tree::state),
        }
    }

    /// Makes all of it durable, and only then has the catalogue say that it is whole: whatever a crash leaves
    /// of a database, it is not taken for one. All transactions must have ended.
    ///
    /// # Errors
    /// The pool's reason.
    pub fn save(&self, pages: &PoolPages) -> Result<(), StoreError> {
        self.catalogue(pages, false).write(pages)?;
        pages.checkpoint()?;
        self.catalogue(pages, true).write(pages)?;
        pages.flush_catalogue()
    }

    /// A date later than all before: TPC-C's clock counts transactions here, so that one seed gives one
    /// database.
    pub fn next_date(&self) -> u64 {
        self.date.fetch_add(1, Ordering::Relaxed)
    }

    fn of(catalogue: &Catalogue) -> Database {
        let [warehouse, district, customer, history, new_order, order, line, item, stock] = catalogue.heaps;
        let [
            warehouses,
            districts,
            customers,
            new_orders,
            orders,
            lines,
            items,
            stocks,
            by_name,
            by_customer,
        ] = catalogue.trees;
        Database {
            scale: catalogue.scale,
            locks: Locks::new(catalogue.scale.warehouses),
            warehouses: Table::open(warehouse, warehouses),
            districts: Table::open(district, districts),
            customers: Table::open(customer, customers),
            history: Rows::open(history),
            new_orders: Table::open(new_order, new_orders),
            orders: Table::open(order, orders),
            order_lines: Table::open(line, lines),
            items: Table::open(item, items),
            stock: Table::open(stock, stocks),
            customers_by_name: Tree::open(NAME_KEY_BYTES, by_name),
            orders_by_customer: Tree::open(ORDER_OF_CUSTOMER_KEY_BYTES, by_customer),
            date: AtomicU64::new(catalogue.date),
        }
    }
}
