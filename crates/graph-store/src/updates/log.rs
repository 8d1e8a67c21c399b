//! The log of commits: a file that only grows, a record per commit. What it holds is durable once `append`
//! returns (docs/graph-format.md).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::id::{Id, Owner};
use super::rows::{Change, Row};
use crate::GraphError;
use crate::format::{Vertex, checksum};

const MAGIC: [u8; 8] = *b"LEADLOG1";
const RECORD: [u8; 8] = *b"LEADCMIT";

/// Bytes in front of the first record, and in front of the payload of each.
const HEAD: usize = 40;

/// Bytes that are written at a time.
const PIECE: usize = 256 << 10;

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
        Ok(Log { file, path: path.to_owned(), seed, end: HEAD as u64 })
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
        Ok(Log { file, path: path.to_owned(), seed, end })
    }

    /// Adds a commit, which is durable when this returns. After an error the log is as it was.
    pub(crate) fn append(&mut self, commit: &Commit, weighted: bool) -> Result<(), GraphError> {
        let written = self.write(commit, weighted);
        match written.and_then(|length| self.file.sync_data().map(|()| length)) {
            Ok(length) => self.end += length,
            Err(error) => {
                // Of a record that is not whole nothing is to be seen, by this process or the next.
                let _ = self.file.set_len(self.end).and_then(|()| self.file.sync_all());
                return Err(GraphError::write(&self.path, error));
            }
        }
        Ok(())
    }

    /// Writes a record, a small one at once, and returns its length.
    fn write(&self, commit: &Commit, weighted: bool) -> io::Result<u64> {
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
        Ok(length)
    }
}

/// Reads all commits of a log, in their order; says where they end. A last record that is not whole was never
/// acknowledged, and is passed over.
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
    // Reads up to the requested bytes from an offset; fewer at the end of the file.
    let mut bytes = Vec::new();
    let read = |bytes: &mut Vec<u8>, at: u64, count: u64| {
        bytes.resize(count.min(length - at) as usize, 0);
        file.read_exact_at(bytes, at).map_err(failed)
    };
    let head_is_sound = |head: &[u8]| {
        let (sealed, sum) = head.split_at(HEAD - 8);
        sum == checksum(sealed, seed).to_le_bytes()
    };
    read(&mut bytes, 0, HEAD as u64)?;
    if bytes.len() < HEAD || bytes[..8] != MAGIC || !head_is_sound(&bytes[..HEAD]) {
        return Err(GraphError::damaged(
            &name,
            "its first bytes are not the head of this store's log".into(),
        ));
    }
    let mut at = HEAD as u64;
    while at < length {
        read(&mut bytes, at, HEAD as u64)?;
        if let Some(length) = Record::length(&bytes, seed) {
            read(&mut bytes, at, length as u64)?;
        }
        let Some(record) = Record::read(&bytes, seed) else {
            read(&mut bytes, at, length - at)?;
            check_torn(&bytes, seed).map_err(|()| {
                GraphError::damaged(&name, format!("the commit at byte {at} fails its checksum"))
            })?;
            break;
        };
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

/// An error where bytes that begin with a record that is not whole are more than a crash leaves: one such
/// record, the last. One that others follow was whole once.
fn check_torn(bytes: &[u8], seed: u64) -> Result<(), ()> {
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
        let (sealed, sum) = head.split_at(HEAD - 8);
        let length = u64::from_le_bytes(*head[8..].first_chunk()?);
        let sound = sum == checksum(sealed, seed).to_le_bytes();
        usize::try_from(length).ok().filter(|_| sound)?.checked_add(HEAD)
    }
}

const OF_BASE: u8 = 0;
const NUMBER: u8 = 1;
const TEXT: u8 = 2;

/// What a row is, in front of its weight.
const REMOVE: u8 = 0;
const ADD: u8 = 1;

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

    /// Calls `piece` now and then with what there is so far, which it may take away.
    fn write(
        &self,
        weighted: bool,
        out: &mut Vec<u8>,
        mut piece: impl FnMut(&mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Totals { vertices, entries, self_loops } = self.totals;
        let counts = [
            vertices,
            entries,
            self_loops,
            u64::from(weighted),
            self.owners.len() as u64,
            self.rows.len() as u64,
        ];
        counts.iter().for_each(|count| out.extend(count.to_le_bytes()));
        for (owner, vertex) in &self.owners {
            write_owner(owner, out);
            // No vertex has the last number.
            out.extend(vertex.unwrap_or(Vertex::MAX).to_le_bytes());
            piece(out)?;
        }
        for row in &self.rows {
            out.extend(row.key.to_le_bytes());
            match row.change() {
                Change::Remove => out.push(REMOVE),
                Change::Add(weight) => {
                    out.push(ADD);
                    if weighted {
                        out.extend(weight.to_le_bytes());
                    }
                }
            }
            piece(out)?;
        }
        Ok(())
    }

    fn read(payload: &[u8], version: u64) -> Option<Commit> {
        let mut bytes = Bytes(payload);
        let [vertices, entries, self_loops, weighted, owners, rows] =
            [(); 6].map(|()| bytes.long()).iter().copied().collect::<Option<Vec<u64>>>()?.try_into().ok()?;
        let totals = Totals { vertices, entries, self_loops };
        let mut commit = Commit { version, totals, ..Commit::default() };
        for _ in 0..owners {
            let owner = read_owner(&mut bytes)?;
            let vertex = bytes.short()?;
            commit.owners.push((owner, (vertex != Vertex::MAX).then_some(vertex)));
        }
        for _ in 0..rows {
            let key = bytes.long()?;
            let change = match bytes.byte()? {
                REMOVE => Change::Remove,
                ADD if weighted == 0 => Change::Add(0.0),
                ADD => Change::Add(f64::from_bits(bytes.long()?)),
                _ => return None,
            };
            commit.rows.push(Row::new(key, change));
        }
        bytes.0.is_empty().then_some(commit)
    }
}

/// An owner as the log and lists of owners have it.
pub(crate) fn write_owner(owner: &Owner, out: &mut Vec<u8>) {
    match owner {
        Owner::Base(rank) => {
            out.push(OF_BASE);
            out.extend(rank.to_le_bytes());
        }
        Owner::New(before, Id::Number(number)) => {
            out.push(NUMBER);
            out.extend(before.to_le_bytes());
            out.extend(number.to_le_bytes());
        }
        Owner::New(before, Id::Text(text)) => {
            out.push(TEXT);
            out.extend(before.to_le_bytes());
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
        }
    }
}

/// The owner that [`write_owner`] wrote.
pub(crate) fn read_owner(bytes: &mut Bytes<'_>) -> Option<Owner> {
    Some(match bytes.byte()? {
        OF_BASE => Owner::Base(bytes.long()?),
        NUMBER => Owner::New(bytes.long()?, Id::Number(bytes.long()?)),
        TEXT => {
            let (before, length) = (bytes.long()?, bytes.short()?);
            let text = std::str::from_utf8(bytes.take(length as usize)?).ok()?;
            Owner::New(before, Id::Text(text.into()))
        }
        _ => return None,
    })
}

/// Bytes that are read from the front.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn short(&mut self) -> Option<u32> {
        let (front, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*front))
    }

    pub(crate) fn long(&mut self) -> Option<u64> {
        let (front, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*front))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits() -> Vec<Commit> {
        let commit = |version: u64| Commit {
            version,
            totals: Totals { vertices: 9, entries: version, self_loops: 1 },
            owners: vec![
                (Owner::Base(version), None),
                (Owner::New(3, Id::Number(77)), Some(4)),
                (Owner::New(3, Id::Text("änne".into())), Some(5)),
            ],
            rows: vec![
                Row::new(Row::key(1, 2), Change::Remove),
                Row::new(Row::key(1, 2), Change::Add(-0.0)),
                Row::new(Row::key(8, version as u32), Change::Add(1e300)),
            ],
        };
        (1..4).map(commit).collect()
    }

    fn read(path: &Path) -> Result<Vec<Commit>, GraphError> {
        let mut found = Vec::new();
        replay(&File::open(path).unwrap(), path, 5, |commit| {
            found.push(commit);
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn of_a_log_cut_anywhere_what_was_whole_is_read_and_the_rest_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::create(&path, 5).unwrap();
        let mut ends = vec![log.end];
        for commit in commits() {
            log.append(&commit, true).unwrap();
            ends.push(log.end);
        }
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(read(&path).unwrap(), commits());
        for length in HEAD..=whole.len() {
            // What was not written yet may be missing, or be zeros.
            for zeros in [0, 1, 50] {
                let mut cut = whole[..length].to_vec();
                let end = ends.iter().find(|end| **end >= length as u64).unwrap();
                cut.resize((length + zeros).min(*end as usize), 0);
                std::fs::write(&path, &cut).unwrap();
                let kept = ends.iter().filter(|end| **end <= length as u64).count() - 1;
                assert_eq!(read(&path).unwrap(), commits()[..kept], "{length} bytes and {zeros} zeros");
            }
            let mut log = Log::open(&path, 5, |_| Ok(())).unwrap();
            log.append(&commits()[0], true).unwrap();
            assert_eq!(read(&path).unwrap().last(), Some(&commits()[0]));
        }
    }

    #[test]
    fn a_byte_that_changed_in_a_commit_that_others_follow_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::create(&path, 5).unwrap();
        let mut ends = Vec::new();
        for commit in commits() {
            log.append(&commit, true).unwrap();
            ends.push(log.end as usize);
        }
        let whole = std::fs::read(&path).unwrap();
        for at in 0..ends[1] {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            std::fs::write(&path, &changed).unwrap();
            let error = read(&path).unwrap_err();
            assert!(matches!(error, GraphError::Damaged { .. }), "byte {at}: {error}");
        }
    }

    #[test]
    fn without_weights_none_are_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::create(&path, 5).unwrap();
        let rows = vec![Row::new(7, Change::Add(0.0)), Row::new(9, Change::Remove)];
        let commit = Commit { version: 1, rows, ..Commit::default() };
        log.append(&commit, false).unwrap();
        assert_eq!(log.end, (2 * HEAD + 48 + 2 * 9) as u64);
        assert_eq!(read(&path).unwrap(), [commit]);
    }
}
