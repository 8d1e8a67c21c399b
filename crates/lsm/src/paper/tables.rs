//! Tables 2 to 5 of the paper.

use super::equations::AccessCosts;
use crate::{Data, Layout};

const READS: &str = include_str!("../../data/mqssd-rocksdb-reads.csv");
const COMPACTION: &str = include_str!("../../data/mqssd-rocksdb-compaction.csv");
const FLASH: &str = include_str!("../../data/mqssd-rocksdb-flash.csv");
const ACCESSES: &str = include_str!("../../data/mqssd-990pro.csv");

/// 1 % of the pages of 4096 bytes in the 1 GiB of a thread: what s and t of Table 2 are printed per. Only so
/// are they times of an access (56 microseconds for a read at k = 1).
const ACCESSES_PER_UNIT: f64 = 2621.44;

/// The data of all three tables: 6.4e7 pairs of 16 + 2048 bytes.
pub const DATA: Data = Data { pairs: 6.4e7, key_bytes: 16, value_bytes: 2048 };

/// Pairs that a scan returns.
pub const SCAN_PAIRS: f64 = 128.0;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Workload {
    /// 3.2e6 point queries for keys that are there.
    Point,
    /// 3.2e6 scans of 128 pairs.
    Scan,
    /// 6.4e7 inserts in random order, until all compactions are done.
    Compaction,
}

/// The layout of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Column {
    /// Leveled, with this fanout F and C = 4.
    Fanout(u32),
    /// A single level.
    SingleLevel,
    /// RocksDB's configuration for flash: F = 8, C = 8.
    Flash,
}

impl Column {
    /// Its layout with `threads` compaction threads. Level 1 has the size of C files of 64 MiB.
    pub fn layout(self, threads: u32) -> Layout {
        let leveled = |fanout: u32, l0_files: u32| {
            let base = Layout::default();
            let base_bytes = u64::from(l0_files) * base.file_bytes;
            let fanout = f64::from(fanout);
            Layout { fanout, l0_files, base_bytes, jobs: threads, subcompactions: threads, ..base }
        };
        match self {
            Column::Fanout(fanout) => leveled(fanout, 4),
            Column::SingleLevel => Layout::default().single_level(threads),
            Column::Flash => leveled(8, 8),
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "SL" => Some(Column::SingleLevel),
            "FC" => Some(Column::Flash),
            _ => name.strip_prefix('F')?.parse().ok().map(Column::Fanout),
        }
    }
}

/// A cell of Tables 3 to 5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Its layout.
    pub column: Column,
    /// Threads that query or compact, 1 to 32.
    pub k: u32,
    /// Total time, seconds.
    pub seconds: f64,
}

/// The 36 cells of a workload in Table 3 or 4.
pub fn cells(workload: Workload) -> Vec<Cell> {
    read(if workload == Workload::Compaction { COMPACTION } else { READS }, workload)
}

/// The 12 cells of a workload in Table 5; none of compaction, for which it has only two times.
pub fn flash_cells(workload: Workload) -> Vec<Cell> {
    read(FLASH, workload)
}

fn read(table: &'static str, workload: Workload) -> Vec<Cell> {
    let workload = match workload {
        Workload::Point => "point",
        Workload::Scan => "scan",
        Workload::Compaction => "compaction",
    };
    let (columns, rows) = parts(table);
    let mut cells = Vec::new();
    for row in rows.filter(|row| row[1] == workload) {
        for (name, seconds) in columns.iter().zip(&row).skip(2) {
            cells.push(Cell {
                column: Column::from_name(name).expect("the table has known columns"),
                k: row[0].parse().expect("k is an integer"),
                seconds: number(seconds),
            });
        }
    }
    cells
}

/// What accesses cost at this k according to Table 2; `None` where it has no such k.
///
/// Its reads exceed the drive's link from k = 8 on (15.5 GB/s at k = 8): a page cache was in the way.
pub fn access_costs(k: u32) -> Option<AccessCosts> {
    let row = parts(ACCESSES).1.find(|row| row[0].parse() == Ok(k))?;
    Some(AccessCosts {
        write_setup_us: number(row[1]) / ACCESSES_PER_UNIT,
        write_page_us: number(row[2]),
        read_setup_us: number(row[3]) / ACCESSES_PER_UNIT,
        read_page_us: number(row[4]),
    })
}

/// Names of the columns, and the rows.
fn parts(table: &'static str) -> (Vec<&'static str>, impl Iterator<Item = Vec<&'static str>>) {
    let mut lines = table.lines().filter(|l| !l.starts_with('#')).map(|l| l.split(',').collect::<Vec<_>>());
    (lines.next().unwrap_or_default(), lines)
}

fn number(text: &str) -> f64 {
    text.parse().expect("the table has numbers")
}
