//! The published costs of the Samsung 990 Pro.

#![allow(dead_code, reason = "no test uses both the columns and the table")]

pub mod truths;

use leadline_model::{CostRow, CostTable};

/// Table 2 counts random accesses in hundredths of a thread's 262,144 pages.
const ACCESSES_A_PERCENT: f64 = 2621.44;

#[derive(Clone, Copy, PartialEq)]
pub enum Column {
    SetupWrite,
    TransferWrite,
    SetupRead,
    TransferRead,
}

impl Column {
    pub const ALL: [Column; 4] =
        [Column::SetupWrite, Column::TransferWrite, Column::SetupRead, Column::TransferRead];

    pub fn name(self) -> &'static str {
        match self {
            Column::SetupWrite => "setup_write",
            Column::TransferWrite => "transfer_write",
            Column::SetupRead => "setup_read",
            Column::TransferRead => "transfer_read",
        }
    }
}

/// One row, in seconds an access and a page.
pub struct Published {
    pub k: f64,
    costs: [f64; 4],
}

impl Published {
    pub fn cost(&self, which: Column) -> f64 {
        self.costs[which as usize]
    }
}

pub fn published() -> Vec<Published> {
    let text = include_str!("../../data/mqssd_990pro_costs.csv");
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let row = |record: csv::StringRecord| {
        let number = |column: usize| record[column].parse::<f64>().expect("a number") * 1e-6;
        let costs = [number(1) / ACCESSES_A_PERCENT, number(2), number(4) / ACCESSES_A_PERCENT, number(5)];
        Published { k: number(0) * 1e6, costs }
    };
    reader.records().map(|record| row(record.expect("a record"))).collect()
}

pub fn published_table() -> CostTable {
    let row = |p: Published| CostRow {
        k: p.k.round() as u32,
        setup_write: Some(p.cost(Column::SetupWrite)),
        transfer_write: Some(p.cost(Column::TransferWrite)),
        setup_read: Some(p.cost(Column::SetupRead)),
        transfer_read: Some(p.cost(Column::TransferRead)),
    };
    CostTable { rows: published().into_iter().map(row).collect() }
}
