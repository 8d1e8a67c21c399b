//! The measurements so far, next to the result: each cell is a line, on the disk before the next one is
//! begun, so that a run that was ended goes on where it was.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use leadline_files::{JsonFlaw, from_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ProcessorCosts;

use super::error::ValidateError;
use super::record::{DeviceCell, FillCell, QueryCell};

/// A journal has some hundred lines of some hundred bytes.
const MOST_BYTES: u64 = 64 << 20;

/// A line of a journal after its head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cell {
    /// The calibration.
    Processor(ProcessorCosts),
    /// The device, as it was before a repeat.
    Device(Box<DeviceCell>),
    /// A fill.
    Fill(FillCell),
    /// Queries.
    Query(QueryCell),
}

/// A journal, locked. One without cells is removed when dropped; one with cells stays.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    cells: Vec<Cell>,
    /// Whether the file is this run's, and not one that was refused.
    is_ours: bool,
}

impl Journal {
    /// Opens the journal at `path`, or begins it: its first line is `head`, which says what is measured, and
    /// with which a run goes on only if all of it is the same. A last line that was not written whole is cut
    /// off.
    ///
    /// # Errors
    /// [`ValidateError::OtherRun`], [`ValidateError::Journal`], [`ValidateError::InUse`], or the system's
    /// reasons.
    pub(super) fn open(path: &Path, head: &Value) -> Result<Journal, ValidateError> {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|source| ValidateError::io(path, "opening it", source))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ValidateError::InUse { path: path.into() }),
            Err(TryLockError::Error(source)) => return Err(ValidateError::io(path, "locking it", source)),
        }
        let mut journal = Journal { path: path.into(), file, cells: Vec::new(), is_ours: false };
        let mut text = String::new();
        journal.did("reading it", |file| {
            match file.take(MOST_BYTES + 1).read_to_string(&mut text)? as u64 {
                0..=MOST_BYTES => Ok(()),
                // Not cut off at the bound: it is somebody's.
                _ => Err(std::io::ErrorKind::FileTooLarge.into()),
            }
        })?;
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        journal.read(&text[..whole], head)?;
        journal.is_ours = true;
        journal.did("cutting off its last line", |file| {
            file.set_len(whole as u64)?;
            file.seek(SeekFrom::End(0)).map(drop)
        })?;
        if whole == 0 {
            journal.write(head)?;
        }
        Ok(journal)
    }

    fn read(&mut self, text: &str, head: &Value) -> Result<(), ValidateError> {
        let damaged = |line, flaw: JsonFlaw| ValidateError::Journal {
            path: self.path.clone(),
            line,
            problem: flaw.reason,
        };
        let mut cells = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            if number == 1 {
                let found: Value = from_json(line).map_err(|flaw| damaged(1, flaw))?;
                if let Some(setting) = first_difference(&found, head) {
                    return Err(ValidateError::OtherRun { path: self.path.clone(), setting });
                }
            } else {
                cells.push(from_json(line).map_err(|flaw| damaged(number, flaw))?);
            }
        }
        self.cells = cells;
        Ok(())
    }

    /// What has been measured.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Adds a cell, and brings it to the disk.
    pub(super) fn append(&mut self, cell: Cell) -> Result<(), ValidateError> {
        self.write(&cell)?;
        self.cells.push(cell);
        Ok(())
    }

    /// Whether it has cells with which a run can go on.
    pub fn is_begun(&self) -> bool {
        !self.cells.is_empty()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, when the result has been written.
    ///
    /// # Errors
    /// The system's reason.
    pub fn remove(mut self) -> Result<(), ValidateError> {
        self.is_ours = false; // nothing is left for the drop
        fs::remove_file(&self.path).map_err(|source| ValidateError::io(&self.path, "removing it", source))
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), ValidateError> {
        let mut text = serde_json::to_string(line).expect("numbers and text can be written as JSON");
        text.push('\n');
        self.did("writing it", |file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        })
    }

    fn did(
        &mut self,
        doing: &'static str,
        act: impl FnOnce(&mut File) -> std::io::Result<()>,
    ) -> Result<(), ValidateError> {
        act(&mut self.file).map_err(|source| ValidateError::io(&self.path, doing, source))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.is_ours && self.cells.is_empty() {
            // If it stays, it is only the head of a run that has measured nothing.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The path of the first value in which two documents differ: `plan repeats`.
fn first_difference(a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let names = b.keys().chain(a.keys());
            names.into_iter().find_map(|name| match (a.get(name), b.get(name)) {
                (Some(a), Some(b)) => {
                    let inner = first_difference(a, b)?;
                    Some(if inner.is_empty() { name.clone() } else { format!("{name} {inner}") })
                }
                _ => Some(name.clone()),
            })
        }
        _ => (a != b).then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(repeats: u32) -> Value {
        serde_json::json!({"schema": "x/1", "plan": {"repeats": repeats, "seconds": 5}})
    }

    fn cell(us: f64) -> Cell {
        Cell::Processor(ProcessorCosts {
            point_us: us,
            block_us: 0.1 + 0.2,
            cached_block_us: 1.0,
            seek_us: 1.0,
            seek_run_us: 1.0,
            pair_us: 1.0,
            read_mib_us: 1.0,
            insert_us: 1.0,
            flush_pair_us: 1.0,
            merge_pair_us: 1.0,
            compaction_mib_us: 1.0,
            edit_file_us: 1.0,
        })
    }

    fn open(path: &Path) -> Journal {
        Journal::open(path, &head(3)).unwrap()
    }

    #[test]
    fn a_run_goes_on_with_the_cells_that_it_has_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json.part");
        let mut journal = open(&path);
        journal.append(cell(1.0 / 3.0)).unwrap();
        drop(journal);
        let mut journal = open(&path);
        assert_eq!(journal.cells(), [cell(1.0 / 3.0)]);
        journal.append(cell(2.0)).unwrap();
        drop(journal);
        let journal = open(&path);
        assert_eq!(journal.cells(), [cell(1.0 / 3.0), cell(2.0)]);
        journal.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_line_that_was_cut_short_by_a_kill_is_measured_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        let mut journal = open(&path);
        journal.append(cell(1.0)).unwrap();
        journal.append(cell(2.0)).unwrap();
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 10]).unwrap();
        let mut journal = open(&path);
        assert_eq!(journal.cells(), [cell(1.0)]);
        journal.append(cell(2.0)).unwrap();
        drop(journal);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn another_run_is_refused_by_what_differs_and_its_journal_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        open(&path).append(cell(1.0)).unwrap();
        let before = fs::read(&path).unwrap();
        let error = Journal::open(&path, &head(4)).unwrap_err();
        assert!(error.is_input() && error.to_string().contains("another plan repeats"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        fs::write(&path, "my notes\n").unwrap();
        let error = Journal::open(&path, &head(3)).unwrap_err();
        assert!(matches!(error, ValidateError::Journal { line: 1, .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"my notes\n");
    }

    #[test]
    fn a_journal_is_one_runs_at_a_time_and_without_cells_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        let journal = open(&path);
        assert!(matches!(Journal::open(&path, &head(3)), Err(ValidateError::InUse { .. })));
        drop(journal);
        assert!(!path.exists());
    }
}
