//! How a query accessed the tables, from the requests that were recorded.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use leadline_trace::capture::{Event, Operation, Reader};
use serde::{Deserialize, Serialize};

use crate::TpchError;
use crate::database::TEMPORARY;

/// InnoDB's page.
const PAGE_BYTES: u64 = 16_384;

/// Pages that InnoDB reads ahead at once, at most: an aligned area.
const AREA_PAGES: u64 = 64;

/// How the files of TPC-H's tables were accessed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// All tables.
    pub all: TableAccess,
    /// Those that were read or written.
    pub tables: BTreeMap<String, TableAccess>,
    /// Bytes of temporary files that were written.
    #[serde(default)]
    pub temporary_written_bytes: u64,
}

/// Pages of 16 KiB that were read from the drive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TableAccess {
    /// Pages read.
    pub pages: u64,
    /// Of them read ahead: several of one area in a row, each asked for before the one before it was there.
    pub sequential: u64,
    /// Different pages.
    pub distinct: u64,
    /// Pages written.
    pub written: u64,
}

impl TableAccess {
    /// Pages read for each different one; 0 where none was.
    pub fn repeat_access_rate(&self) -> f64 {
        if self.distinct == 0 { 0.0 } else { self.pages as f64 / self.distinct as f64 }
    }

    /// Of the pages read, 0 to 1.
    pub fn sequential_share(&self) -> f64 {
        if self.pages == 0 { 0.0 } else { self.sequential as f64 / self.pages as f64 }
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
        let tables = (self.all.pages + self.all.written) * PAGE_BYTES;
        self.temporary_written_bytes as f64 / (tables + self.temporary_written_bytes).max(1) as f64
    }

    /// Reads a recording.
    ///
    /// # Errors
    /// [`TpchError::Trace`] where it cannot be read.
    pub fn of(capture: &Path) -> Result<Access, TpchError> {
        let mut reader = Reader::open(&capture.to_string_lossy())?;
        let mut counts = Counts::default();
        while let Some(event) = reader.next_event()? {
            counts.count(&event);
        }
        let mut access = Access::default();
        for (file, count) in counts.files {
            let name = reader.files().get(file as usize).map_or("", String::as_str);
            if name.starts_with(&format!("{TEMPORARY}/")) {
                access.temporary_written_bytes += count.written_bytes;
            } else if let Some(table) = name.strip_prefix("data/tpch/")
                && let Some(table) = table.strip_suffix(".ibd")
                && count.table != TableAccess::default()
            {
                access.all.add(&count.table);
                access.tables.insert(table.to_owned(), count.table);
            }
        }
        Ok(access)
    }
}

#[derive(Default)]
struct Counts {
    files: HashMap<u32, FileCount>,
    /// Pages that were read, by file.
    seen: HashSet<(u32, u64)>,
    /// Of each thread, its last read.
    last: HashMap<u32, LastRead>,
}

#[derive(Default)]
struct FileCount {
    table: TableAccess,
    written_bytes: u64,
}

/// A thread's last read.
#[derive(Clone, Copy)]
struct LastRead {
    file: u32,
    page: u64,
    completed_ns: u64,
    /// Its pages, until they are counted as sequential.
    uncounted: u64,
}

impl Counts {
    fn count(&mut self, event: &Event) {
        let count = self.files.entry(event.file).or_default();
        let (first, pages) = (event.offset / PAGE_BYTES, event.length / PAGE_BYTES);
        if event.operation.is_write() {
            count.table.written += pages;
            count.written_bytes += event.length;
        } else if event.operation == Operation::Read && pages > 0 {
            let new = (first..first + pages).filter(|page| self.seen.insert((event.file, *page)));
            count.table.distinct += new.count() as u64;
            count.table.pages += pages;
            count.table.sequential += read_ahead(&mut self.last, event, first, pages);
        }
    }
}

/// Pages that this read adds to those read ahead: none, or its own, and those of the first of its run too.
fn read_ahead(last: &mut HashMap<u32, LastRead>, event: &Event, first: u64, pages: u64) -> u64 {
    let before = last.get(&event.thread).filter(|before| {
        before.file == event.file
            && before.page < first
            && before.page / AREA_PAGES == first / AREA_PAGES
            && event.issued_ns < before.completed_ns
    });
    let counted = before.map_or(0, |before| pages + before.uncounted);
    let uncounted = if before.is_some() { 0 } else { pages };
    let (file, page, completed_ns) = (event.file, first + pages - 1, event.completed_ns);
    last.insert(event.thread, LastRead { file, page, completed_ns, uncounted });
    counted
}
