//! How large the database is.

/// Districts of a warehouse.
pub const DISTRICTS: u8 = 10;
/// Customers of a district in TPC-C; also the orders loaded for it.
const CUSTOMERS: u32 = 3000;
/// Items in TPC-C; also the stock rows of a warehouse.
const ITEMS: u32 = 100_000;

/// Rows to load. A warehouse has ten districts whatever the scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Scale {
    /// Warehouses, 1 to [`Scale::MOST_WAREHOUSES`].
    pub warehouses: u32,
    /// Customers, and orders loaded, of a district: 3,000 in TPC-C.
    pub customers: u32,
    /// Items, and stock rows of a warehouse: 100,000 in TPC-C.
    pub items: u32,
}

impl Scale {
    /// Some 8 TB.
    pub const MOST_WAREHOUSES: u32 = 100_000;

    /// TPC-C's own cardinalities.
    ///
    /// # Errors
    /// One line where `warehouses` is out of range.
    pub fn full(warehouses: u32) -> Result<Scale, String> {
        Scale::reduced(warehouses, 1.0)
    }

    /// Customers and items multiplied by `factor`, 0.01 to 1: for tests, and no TPC-C any more.
    ///
    /// # Errors
    /// One line where an argument is out of range.
    pub fn reduced(warehouses: u32, factor: f64) -> Result<Scale, String> {
        if !(0.01..=1.0).contains(&factor) {
            return Err(format!("--scale {factor}: must be from 0.01 to 1"));
        }
        let times = |count: u32| (f64::from(count) * factor).round() as u32;
        let scale = Scale { warehouses, customers: times(CUSTOMERS), items: times(ITEMS) };
        if !scale.is_sound() {
            let most = Scale::MOST_WAREHOUSES;
            return Err(format!("--warehouses {warehouses}: must be from 1 to {most}"));
        }
        Ok(scale)
    }

    /// Whether the numbers are ones that [`Scale::reduced`] gives, as a file must show before it is believed.
    pub(crate) fn is_sound(self) -> bool {
        (1..=Scale::MOST_WAREHOUSES).contains(&self.warehouses)
            && (CUSTOMERS / 100..=CUSTOMERS).contains(&self.customers)
            && (ITEMS / 100..=ITEMS).contains(&self.items)
    }

    /// Whether this is TPC-C's size.
    pub fn is_full(self) -> bool {
        self.customers == CUSTOMERS && self.items == ITEMS
    }

    /// Orders from this one on are loaded undelivered: the last 30 %.
    pub fn first_undelivered(self) -> u32 {
        self.customers - self.customers * 3 / 10 + 1
    }
}
