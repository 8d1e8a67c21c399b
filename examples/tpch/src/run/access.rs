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

/// Reads of one thread that may be one read-ahead.
#[derive(Debug, Clone, Copy)]
struct Run {
    file: u32,
    page: u64,
    completed_ns: u64,
    pages: u64,
}

impl Access {
    /// Bytes written to temporary files, of those and all that were read of tables and written to them; 0 to 1.
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
        let (mut files, mut seen) = (HashMap::<u32, TableAccess>::new(), HashSet::<(u32, u64)>::new());
        let (mut runs, mut written) = (HashMap::<u32, Run>::new(), HashMap::<u32, u64>::new());
        while let Some(event) = reader.next_event()? {
            let pages = event.length / PAGE_BYTES;
            let access = files.entry(event.file).or_default();
            if event.operation.is_write() {
                access.written += pages;
                *written.entry(event.file).or_default() += event.length;
            } else if event.operation == Operation::Read && pages > 0 {
                let first = event.offset / PAGE_BYTES;
                access.pages += pages;
                access.distinct +=
                    (first..first + pages).filter(|page| seen.insert((event.file, *page))).count() as u64;
                access.sequential += in_a_run(&mut runs, &event, first, pages);
            }
        }
        let is_temporary =
            |file: &u32| reader.files().get(*file as usize).is_some_and(|name| name.starts_with(TEMPORARY));
        let temporary = written.iter().filter(|(file, _)| is_temporary(file));
        let temporary_written_bytes = temporary.map(|(_, bytes)| bytes).sum();
        let named = files.into_iter().filter_map(|(file, access)| {
            let name = reader.files().get(file as usize)?;
            let table = name.strip_prefix("data/tpch/")?.strip_suffix(".ibd")?;
            (access != TableAccess::default()).then(|| (table.to_owned(), access))
        });
        let tables: BTreeMap<String, TableAccess> = named.collect();
        let mut all = TableAccess::default();
        tables.values().for_each(|table| all.add(table));
        Ok(Access { all, tables, temporary_written_bytes })
    }
}

/// Pages that this read adds to those read ahead: none, its own, or also those of the first of its run.
fn in_a_run(runs: &mut HashMap<u32, Run>, event: &Event, first: u64, pages: u64) -> u64 {
    let last = runs.get(&event.thread).copied();
    let next = Run { file: event.file, page: first + pages - 1, completed_ns: event.completed_ns, pages };
    let continues = last.filter(|last| {
        last.file == event.file
            && last.page < first
            && last.page / AREA_PAGES == first / AREA_PAGES
            && event.issued_ns < last.completed_ns
    });
    // Those of a run that were counted already count no more.
    let counted = continues.map_or(0, |last| pages + last.pages);
    let pages = if continues.is_some() { 0 } else { pages };
    runs.insert(event.thread, Run { pages, ..next });
    counted
}
