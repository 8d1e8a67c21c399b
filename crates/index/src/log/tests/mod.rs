mod damage;
mod group;
mod histories;
mod memory_folder;
mod model;
mod on_disk;
mod refused;
mod reused;

use super::folder::Folder;
use super::{Durability, Log, LogError, LogOptions, Lsn};

fn options(file_bytes: u64) -> LogOptions {
    LogOptions { file_bytes, ..LogOptions::default() }
}

type Records = Vec<(Lsn, Vec<u8>)>;

/// Opens a log and returns all its records from `from` on.
fn open(folder: impl Folder + 'static, from: Lsn, options: LogOptions) -> Result<(Log, Records), LogError> {
    let mut log = Log::open_in(Box::new(folder), from, options)?;
    let mut records = Records::new();
    let replayed = log.replay(|lsn, payload| {
        records.push((lsn, payload.to_owned()));
        Ok::<_, LogError>(())
    })?;
    assert_eq!(replayed.records, records.len() as u64);
    assert_eq!(replayed.end, log.end());
    Ok((log, records))
}
