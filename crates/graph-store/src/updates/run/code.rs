//! How rows are packed in a block.

use crate::leb128::{put, take};
use crate::updates::rows::{Change, Row};

/// A row behind another: by how much the neighbour is larger, or the vertex, and then the neighbour; with two
/// bits for which of both, and for what the row says.
pub(super) fn encode(row: Row, before: u64, weighted: bool, out: &mut Vec<u8>) {
    let (vertex, neighbour) = (row.key >> 32, row.key & 0xffff_ffff);
    let remove = u64::from(row.change() == Change::Remove);
    match vertex - (before >> 32) {
        0 => put((neighbour - (before & 0xffff_ffff)) << 2 | remove, out),
        further => {
            put(further << 2 | 2 | remove, out);
            put(neighbour, out);
        }
    }
    if let Change::Add(weight) = row.change()
        && weighted
    {
        out.extend(weight.to_le_bytes());
    }
}

/// The rows of a block, behind its checksum.
pub(super) fn decode(bytes: &[u8], weighted: bool, rows: &mut Vec<Row>) -> Option<()> {
    let (count, mut bytes) = bytes.split_first_chunk()?;
    let mut before = 0u64;
    for _ in 0..u32::from_le_bytes(*count) {
        let number = take(&mut bytes)?;
        let key = match number & 2 {
            0 => before.checked_add(number >> 2)?,
            _ => ((before >> 32).checked_add(number >> 2)?.checked_mul(1 << 32)?) | take(&mut bytes)?,
        };
        let change = match number & 1 {
            1 => Change::Remove,
            _ if weighted => {
                let (weight, rest) = bytes.split_first_chunk()?;
                bytes = rest;
                Change::Add(f64::from_le_bytes(*weight))
            }
            _ => Change::Add(0.0),
        };
        rows.push(Row::new(key, change));
        before = key;
    }
    Some(())
}
