//! The log of commits: a file that only grows, a record per commit. What it holds is durable once `append`
//! returns (docs/graph-format.md).
//!
//! A writer of several commits reserves room for the next ones: zeros behind the last. To write over them
//! changes neither the file's length nor where its blocks lie, so an `fdatasync` waits for the data alone and
//! not for the journal of the file system.

mod coded;
mod record;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::id::Owner;
use super::rows::{Change, Row};
use crate::GraphError;
use crate::format::{Vertex, checksum};

pub(crate) use self::coded::{Bytes, read_owner, write_owner};
pub(crate) use self::record::replay;

const MAGIC: [u8; 8] = *b"LEADLOG1";
const RECORD: [u8; 8] = *b"LEADCMIT";

/// Bytes in front of the first record, and in front of the payload of each.
const HEAD: usize = 40;

/// Bytes that are written at a time.
const PIECE: usize = 256 << 10;

/// Most bytes that are reserved at a time, and how many for each that this writer has written.
const RESERVE: u64 = 1 << 20;
const RESERVE_TIMES: u64 = 16;

/// What one commit changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Commit {
    /// Changes that were asked for, of all commits since the store was imported.
    pub(crate) version: u64,
    pub(crate) totals: Totals,
    /// Vertices that ids have from now on; none: the id is gone.
    pub(crate) owners: Vec<(Owner, Option<Vertex>)>,
    /// Of forward lists. Of an undirected graph those of the lower end, which the other end's list mirrors.
    pub(crate) rows: Vec<Row>,
}

/// What the graph comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Totals {
    pub(crate) vertices: u64,
    /// Entries of all forward lists.
    pub(crate) entries: u64,
    pub(crate) self_loops: u64,
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (self.key, self.change()) == (other.key, other.change())
    }
}

/// A log that is being written.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    path: PathBuf,
    seed: u64,
    end: u64,
    /// Where the zeros behind the last record end.
    reserved: u64,
    /// Bytes of records that were added since it was opened.
    added: u64,
}

impl Log {
    /// An empty log, durable once its directory is. `seed` tells it from all others of the store.
    pub(crate) fn create(path: &Path, seed: u64) -> Result<Log, GraphError> {
        let failed = |error| GraphError::write(path, error);
        let options = File::options().read(true).write(true).create(true).truncate(true).open(path);
        let file = options.map_err(failed)?;
        let mut head = Vec::from(MAGIC);
        head.extend(seed.to_le_bytes());
        head.resize(HEAD - 8, 0);
        head.extend(checksum(&head, seed).to_le_bytes());
        file.write_all_at(&head, 0).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok(Log::at(file, path, seed, HEAD as u64))
    }

    /// Opens a log to go on with it, behind the last commit: what a crash left of one that nobody was told of
    /// is cut off.
    pub(crate) fn open(
        path: &Path,
        seed: u64,
        each: impl FnMut(Commit) -> Result<(), GraphError>,
    ) -> Result<Log, GraphError> {
        let failed = |error| GraphError::write(path, error);
        let file = File::options().read(true).write(true).open(path).map_err(failed)?;
        let end = replay(&file, path, seed, each)?;
        file.set_len(end).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok(Log::at(file, path, seed, end))
    }

    fn at(file: File, path: &Path, seed: u64, end: u64) -> Log {
        Log { file, path: path.to_owned(), seed, end, reserved: end, added: 0 }
    }

    /// Puts zeros behind a record that goes past those that there are, and returns how many.
    fn reserve(&self, length: u64) -> u64 {
        let count = RESERVE.min(RESERVE_TIMES * self.added);
        if self.end + length <= self.reserved || count == 0 {
            return 0;
        }
        // On a full disk the record may have a place all the same.
        let written = self.file.write_all_at(&vec![0; count as usize], self.end + length);
        if written.is_ok() { count } else { 0 }
    }

    /// Bytes of the file behind the last record.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.reserved - self.end
    }

    /// Gives back what is reserved, by the writer that holds the store's lock.
    pub(crate) fn trim(&mut self) {
        if self.reserved > self.end && self.file.set_len(self.end).is_ok() {
            self.reserved = self.end;
        }
    }

    /// Adds a commit, which is durable when this returns. After an error the log is as it was.
    pub(crate) fn append(&mut self, commit: &Commit, weighted: bool) -> Result<(), GraphError> {
        let written = self.write(commit, weighted);
        match written.and_then(|written| self.file.sync_data().map(|()| written)) {
            Ok((length, reserved)) => {
                self.end += length;
                self.reserved = self.reserved.max(self.end + reserved);
                self.added += length;
            }
            Err(error) => {
                // Of a record that is not whole nothing is to be seen, by this process or the next.
                let _ = self.file.set_len(self.end).and_then(|()| self.file.sync_all());
                self.reserved = self.end;
                return Err(GraphError::write(&self.path, error));
            }
        }
        Ok(())
    }

    /// Writes a record, a small one at once, and returns its length and how many zeros follow it.
    fn write(&self, commit: &Commit, weighted: bool) -> io::Result<(u64, u64)> {
        let (mut bytes, mut sum) = (vec![0; HEAD], Xxh3::with_seed(self.seed));
        // What is in the file, where nothing is yet in place of the head.
        let (mut done, mut start) = (0, HEAD);
        commit.write(weighted, &mut bytes, |bytes| {
            if bytes.len() >= PIECE {
                sum.update(&bytes[start..]);
                self.file.write_all_at(bytes, self.end + done)?;
                (done, start) = (done + bytes.len() as u64, 0);
                bytes.clear();
            }
            Ok(())
        })?;
        sum.update(&bytes[start..]);
        let length = done + bytes.len() as u64;
        let mut head = Vec::from(RECORD);
        head.extend(
            [length - HEAD as u64, commit.version, sum.digest()].map(u64::to_le_bytes).as_flattened(),
        );
        head.extend(checksum(&head, self.seed).to_le_bytes());
        if done == 0 {
            bytes[..HEAD].copy_from_slice(&head);
        }
        self.file.write_all_at(&bytes, self.end + done)?;
        if done > 0 {
            self.file.write_all_at(&head, self.end)?;
        }
        Ok((length, self.reserve(length)))
    }
}

impl Commit {
    /// Whether an edge is not any more what it was before.
    pub(crate) fn removes_edges(&self) -> bool {
        self.rows.iter().any(|row| row.change() == Change::Remove)
    }

    /// Whether a vertex is not any more what it was before.
    pub(crate) fn renumbers(&self) -> bool {
        let is_other =
            |(owner, vertex): &(Owner, Option<Vertex>)| vertex.is_none() || matches!(owner, Owner::Base(_));
        self.owners.iter().any(is_other)
    }
}
