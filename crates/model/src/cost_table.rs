//! Costs over concurrency that were worked out elsewhere: Table 2 of Ransom, Lim and Mitzenmacher, MQSSD, and its like.

/// Setup and transfer costs, a row a concurrency; [`crate::Table::load`] reads it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostTable {
    /// Ascending in k, each k once.
    pub rows: Vec<CostRow>,
}

/// Costs with `k` requests in flight, positive seconds. Setup and transfer of one kind are there both or not at all, and
/// one kind at least is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostRow {
    /// Requests in flight.
    pub k: u32,
    /// s: setup of a random write.
    pub setup_write: Option<f64>,
    /// beta: transfer of a page written.
    pub transfer_write: Option<f64>,
    /// t: setup of a random read.
    pub setup_read: Option<f64>,
    /// alpha: transfer of a page read.
    pub transfer_read: Option<f64>,
}

impl CostTable {
    /// The table with setups of one access each, where it prints those of so many `accesses` (positive) together.
    ///
    /// The MQSSD paper's Table 2 prints setups per 1 % of the 262,144 pages that a thread writes or reads:
    /// `setup_per(2621.44)`.
    pub fn setup_per(mut self, accesses: f64) -> Self {
        for row in &mut self.rows {
            for setup in [&mut row.setup_write, &mut row.setup_read].into_iter().flatten() {
                *setup /= accesses;
            }
        }
        self
    }
}
