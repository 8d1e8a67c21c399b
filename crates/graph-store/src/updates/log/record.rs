//! Records as bytes, and reading them back in order.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::{Commit, HEAD, MAGIC, RECORD};
use crate::GraphError;
use crate::format::checksum;

/// Reads all commits of a log, in their order; says where they end. A last record that is not whole was never
/// acknowledged, and is passed over. A writer may add records meanwhile.
///
/// # Errors
/// [`GraphError::Damaged`] where an acknowledged record is not what was written.
pub(crate) fn replay(
    file: &File,
    path: &Path,
    seed: u64,
    mut each: impl FnMut(Commit) -> Result<(), GraphError>,
) -> Result<u64, GraphError> {
    let name = path.display().to_string();
    let failed = |error| GraphError::read(&name, error);
    let length = file.metadata().map_err(failed)?.len();
    let read = |bytes: &mut Vec<u8>, at: u64, count: u64| {
        read_up_to(file, bytes, at, count.min(length - at)).map_err(failed)
    };
    // Whether there is a whole record; its bytes then.
    let read_record = |bytes: &mut Vec<u8>, at: u64| {
        read(bytes, at, HEAD as u64)?;
        if let Some(length) = Record::length(bytes, seed) {
            read(bytes, at, length as u64)?;
        }
        Ok::<bool, GraphError>(Record::read(bytes, seed).is_some())
    };
    let mut bytes = Vec::new();
    read(&mut bytes, 0, HEAD as u64)?;
    if bytes.len() < HEAD || bytes[..8] != MAGIC || !head_is_sound(&bytes[..HEAD], seed) {
        return Err(GraphError::damaged(
            &name,
            "its first bytes are not the head of this store's log".into(),
        ));
    }
    let mut at = HEAD as u64;
    while at < length {
        if !read_record(&mut bytes, at)? {
            read(&mut bytes, at, length - at)?;
            if check_torn(&bytes, seed).is_ok() {
                break;
            }
            // A writer may have written it meanwhile, and records behind it.
            read_record(&mut bytes, at)?;
        }
        let record = Record::read(&bytes, seed).ok_or_else(|| {
            GraphError::damaged(&name, format!("the commit at byte {at} fails its checksum"))
        })?;
        let commit = Commit::read(record.payload, record.version).ok_or_else(|| {
            GraphError::damaged(&name, format!("the commit at byte {at} is not one that a writer writes"))
        })?;
        at += bytes.len() as u64;
        // A commit takes more as it is added, and its bytes are no longer needed.
        bytes = Vec::new();
        each(commit)?;
    }
    Ok(at)
}

/// Reads some bytes, fewer at the end of the file: a writer cuts off what it reserved when it ends.
fn read_up_to(file: &File, bytes: &mut Vec<u8>, at: u64, count: u64) -> io::Result<()> {
    bytes.resize(count as usize, 0);
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], at + done as u64) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(done);
    Ok(())
}

fn head_is_sound(head: &[u8], seed: u64) -> bool {
    let (sealed, sum) = head.split_at(HEAD - 8);
    sum == checksum(sealed, seed).to_le_bytes()
}

/// What is in front of the zeros at the end, which are reserved for the next records.
fn without_zeros(bytes: &[u8]) -> &[u8] {
    const ZEROS: [u8; 4096] = [0; 4096];
    let mut used = bytes;
    while let Some((rest, &ZEROS)) = used.split_last_chunk() {
        used = rest;
    }
    let end = used.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &used[..end]
}

/// An error where bytes that begin with a record that is not whole are more than a crash leaves: one such
/// record, the last. One that others follow was whole once.
fn check_torn(bytes: &[u8], seed: u64) -> Result<(), ()> {
    let bytes = without_zeros(bytes);
    let more = (1..bytes.len()).any(|at| Record::read(&bytes[at..], seed).is_some());
    let is_longer = Record::length(bytes, seed).is_some_and(|length| length < bytes.len());
    if more || is_longer { Err(()) } else { Ok(()) }
}

/// A record that is whole.
struct Record<'a> {
    version: u64,
    payload: &'a [u8],
}

impl Record<'_> {
    fn read(bytes: &[u8], seed: u64) -> Option<Record<'_>> {
        let length = Record::length(bytes, seed)?;
        let payload = bytes.get(HEAD..length)?;
        let number = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().unwrap_or(&[0; 8]));
        (number(24) == checksum(payload, seed)).then_some(Record { version: number(16), payload })
    }

    /// Bytes of a record whose head is sound, head and payload.
    fn length(bytes: &[u8], seed: u64) -> Option<usize> {
        let head = bytes.get(..HEAD).filter(|head| head[..8] == RECORD)?;
        let length = u64::from_le_bytes(*head[8..].first_chunk()?);
        let sound = head_is_sound(head, seed);
        usize::try_from(length).ok().filter(|_| sound)?.checked_add(HEAD)
    }
}
