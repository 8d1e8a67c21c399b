//! How a query accessed the tables, from the requests that were recorded.

use std::collections::BTreeMap;
use std::path::Path;

use leadline_trace::by_file::{ByFileOptions, Usage, by_file};
use leadline_trace::{Format, ReadAs};
use serde::{Deserialize, Serialize};

use crate::TpchError;
use crate::database::TEMPORARY;

/// How the files of TPC-H's tables were accessed, as `leadline trace info --by file` has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// All tables.
    pub all: TableAccess,
    /// Those that were accessed.
    pub tables: BTreeMap<String, TableAccess>,
    /// Bytes read of tables and written to them.
    pub table_bytes: u64,
    /// Bytes written to temporary files.
    pub temporary_written_bytes: u64,
    /// Seconds with a request to any file under way.
    pub io_seconds: f64,
    /// The other seconds.
    pub computing_seconds: f64,
}

/// Pages of 16 KiB that were read of a table from the drive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TableAccess {
    /// Pages read.
    pub pages: u64,
    /// Of them read ahead: in runs of whole extents.
    pub sequential: u64,
    /// Different pages, read or written.
    pub distinct: u64,
    /// Pages written.
    pub written: u64,
}

impl TableAccess {
    /// Pages accessed for each different one; 0 where none was.
    pub fn repeat_access_rate(&self) -> f64 {
        (self.pages + self.written) as f64 / self.distinct.max(1) as f64
    }

    /// Of the pages read, 0 to 1.
    pub fn sequential_share(&self) -> f64 {
        self.sequential as f64 / self.pages.max(1) as f64
    }

    fn of(usage: &Usage) -> TableAccess {
        TableAccess {
            pages: usage.page_reads,
            sequential: usage.sequential_page_reads,
            distinct: usage.distinct_pages,
            written: usage.page_writes,
        }
    }

    fn add(&mut self, other: &TableAccess) {
        self.pages += other.pages;
        self.sequential += other.sequential;
        self.distinct += other.distinct;
        self.written += other.written;
    }
}

impl Access {
    /// Bytes written to temporary files, of those and of what was read and written of tables; 0 to 1.
    pub fn temporary_share(&self) -> f64 {
        let written = self.temporary_written_bytes;
        written as f64 / (self.table_bytes + written).max(1) as f64
    }

    /// Reads a recording.
    ///
    /// # Errors
    /// [`TpchError::Trace`] where it cannot be read.
    pub fn of(capture: &Path) -> Result<Access, TpchError> {
        let options = ByFileOptions::default();
        let found = by_file(capture, &ReadAs::Format(Format::Capture), &options, &mut |_, _| {})?;
        let mut access = Access {
            io_seconds: found.all.io_seconds.unwrap_or(0.0),
            computing_seconds: found.computing_seconds.unwrap_or(0.0),
            ..Access::default()
        };
        for file in &found.files {
            let table = file.name.strip_prefix("data/tpch/").and_then(|name| name.strip_suffix(".ibd"));
            if file.name.starts_with(&format!("{TEMPORARY}/")) {
                access.temporary_written_bytes += file.usage.written_bytes;
            } else if let Some(table) = table
                && file.usage.bytes > 0
            {
                let used = TableAccess::of(&file.usage);
                access.table_bytes += file.usage.bytes;
                access.all.add(&used);
                access.tables.insert(table.to_owned(), used);
            }
        }
        Ok(access)
    }
}
