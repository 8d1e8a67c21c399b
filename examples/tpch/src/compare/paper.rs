//! The paper's numbers.

use super::Class;

/// A row of tables 4 and 5, percentages of pages; the paper has no Q2 and Q15.
pub(super) struct PaperQuery {
    pub(super) number: u8,
    pub(super) sequential: u8,
    pub(super) random: u8,
    pub(super) written: u8,
    pub(super) repeat: f64,
}

const fn row(number: u8, sequential: u8, random: u8, written: u8, repeat: f64) -> PaperQuery {
    PaperQuery { number, sequential, random, written, repeat }
}

/// Tables 4 and 5.
pub(super) const QUERIES: [PaperQuery; 20] = [
    row(1, 99, 1, 0, 1.0),
    row(3, 6, 94, 0, 4.6),
    row(4, 96, 4, 0, 1.0),
    row(5, 91, 9, 0, 1.0),
    row(6, 99, 1, 0, 1.0),
    row(7, 5, 95, 0, 2.2),
    row(8, 89, 11, 0, 1.1),
    row(9, 5, 95, 0, 6.2),
    row(10, 93, 7, 0, 1.0),
    row(11, 66, 34, 0, 1.0),
    row(12, 99, 1, 0, 1.0),
    row(13, 4, 96, 0, 16.8),
    row(14, 96, 4, 0, 1.0),
    row(16, 20, 76, 4, 1.0),
    row(17, 24, 76, 0, 1.0),
    row(18, 99, 1, 0, 1.0),
    row(19, 13, 87, 0, 1.0),
    row(20, 8, 92, 0, 1.4),
    row(21, 99, 1, 0, 1.0),
    row(22, 49, 51, 0, 1.0),
];

impl PaperQuery {
    pub(super) fn class(&self) -> Class {
        Class::of(f64::from(self.random) / 100.0, Some(self.repeat))
    }
}

/// A row of table 6: Q3.
pub(super) struct PaperTable {
    pub(super) name: &'static str,
    pub(super) size_gb: f64,
    pub(super) sequential: f64,
    pub(super) accessed_gb: f64,
    pub(super) repeat: f64,
}

/// Table 6, with the sizes of table 3.
pub(super) const Q3_TABLES: [PaperTable; 3] = [
    PaperTable { name: "customer", size_gb: 1.8, sequential: 99.6, accessed_gb: 1.8, repeat: 1.0 },
    PaperTable { name: "orders", size_gb: 14.0, sequential: 8.5, accessed_gb: 145.6, repeat: 10.4 },
    PaperTable { name: "lineitem", size_gb: 62.0, sequential: 2.0, accessed_gb: 138.5, repeat: 2.2 },
];
