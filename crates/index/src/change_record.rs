//! Records of the log: the changes of a commit, one after the other: 1 (put) or 2 (remove), the length of the
//! key (4 bytes, little endian), for a put the length of the value (4), the key, the value.

use crate::tree::Change;

const PUT: u8 = 1;
const REMOVE: u8 = 2;

/// Changes by their keys.
pub(crate) type Changes<'c> = Vec<(&'c [u8], Change<'c>)>;

/// What is in front of a change's key.
pub(crate) struct Head {
    bytes: [u8; 9],
    len: usize,
}

impl Head {
    pub(crate) fn of(key: &[u8], change: Change<'_>) -> Head {
        let mut bytes = [0; 9];
        bytes[1..5].copy_from_slice(&(key.len() as u32).to_le_bytes());
        let len = match change {
            Change::Put(value) => {
                bytes[0] = PUT;
                bytes[5..].copy_from_slice(&(value.len() as u32).to_le_bytes());
                9
            }
            Change::Remove => {
                bytes[0] = REMOVE;
                5
            }
        };
        Head { bytes, len }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The record of changes.
pub(crate) fn encode(changes: &[(&[u8], Change<'_>)]) -> Vec<u8> {
    let mut record = Vec::new();
    for (key, change) in changes {
        record.extend_from_slice(Head::of(key, *change).bytes());
        record.extend_from_slice(key);
        record.extend_from_slice(change.value());
    }
    record
}

/// The changes of a record, unless it is none. Their keys ascend.
pub(crate) fn decode(mut record: &[u8]) -> Option<Changes<'_>> {
    let mut changes = Vec::new();
    let len = |bytes: &mut &[u8]| {
        bytes.split_off(..4).and_then(|len| Some(u32::from_le_bytes(*len.first_chunk()?) as usize))
    };
    while let Some(kind) = record.split_off_first() {
        let key_len = len(&mut record)?;
        let change = match *kind {
            PUT => {
                let value_len = len(&mut record)?;
                let key = record.split_off(..key_len)?;
                (key, Change::Put(record.split_off(..value_len)?))
            }
            REMOVE => (record.split_off(..key_len)?, Change::Remove),
            _ => return None,
        };
        changes.push(change);
    }
    changes.is_sorted_by(|a: &(&[u8], _), b| a.0 < b.0).then_some(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_as_they_were_written() {
        let changes =
            [(&b""[..], Change::Remove), (b"a", Change::Put(&b""[..])), (b"key", Change::Put(&[9; 300]))];
        let record = encode(&changes);
        assert_eq!(decode(&record).as_deref(), Some(&changes[..]));
        assert_eq!(decode(&[]).map(|none| none.len()), Some(0));
        for cut in [1, 3, 6, record.len() - 1] {
            assert_eq!(decode(&record[..cut]), None, "{cut}");
        }
        assert_eq!(decode(&[7, 0, 0, 0, 0]), None);
        let doubled = encode(&[(b"a", Change::Remove), (b"a", Change::Remove)]);
        assert_eq!(decode(&doubled), None);
    }
}
