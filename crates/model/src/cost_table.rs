//! Tables of published costs over concurrency, such as Table 2 of Ransom, Lim and Mitzenmacher (MQSSD).

/// A setup that takes longer than this many page transfers is suspect.
const SUSPECT_SETUP: f64 = 5000.0;

/// Setup and transfer costs, one row per concurrency; [`crate::Table::load`] reads one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostTable {
    /// Ascending in k, each k once.
    pub rows: Vec<CostRow>,
}

/// Costs with `k` requests in flight, positive seconds. Each kind of request has both costs or
/// neither, and at least one kind has them.
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
    /// Whether a setup costs as much as thousands of page transfers. No known drive does that; most likely
    /// the table's setup costs are for many accesses together, which [`CostTable::setup_per`] divides.
    pub fn setups_look_summed(&self) -> bool {
        let summed = |setup: Option<f64>, transfer: Option<f64>| {
            setup.zip(transfer).is_some_and(|(setup, transfer)| setup > SUSPECT_SETUP * transfer)
        };
        let row =
            |r: &CostRow| summed(r.setup_write, r.transfer_write) || summed(r.setup_read, r.transfer_read);
        self.rows.iter().any(row)
    }

    /// Divides the setup costs of a table that prints them for this many `accesses` (positive) together.
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
