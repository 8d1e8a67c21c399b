//! The payload of a record: what a commit changes, in bytes (docs/graph-format.md).

use std::io;

use super::{Commit, Totals};
use crate::format::Vertex;
use crate::updates::id::{Id, Owner};
use crate::updates::rows::{Change, Row};

const OF_BASE: u8 = 0;
const NUMBER: u8 = 1;
const TEXT: u8 = 2;

/// What a row is, in front of its weight.
const REMOVE: u8 = 0;
const ADD: u8 = 1;

impl Commit {
    /// Calls `piece` now and then with what there is so far, which it may take away.
    pub(super) fn write(
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

    pub(super) fn read(payload: &[u8], version: u64) -> Option<Commit> {
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
