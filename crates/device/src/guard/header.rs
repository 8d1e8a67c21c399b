//! The mark by which Leadline knows a file it made: docs of the format in one struct.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..18 | `LEADLINE-SCRATCH/1`, zeros up to 32 |
//! | 32..48 | random id |
//! | 48..56 | size of the file in bytes, little endian |
//! | 56..4088 | zeros |
//! | 4088..4096 | FNV-1a (64 bits, little endian) of bytes 0..4088 |

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of the header, at offset 0.
pub(crate) const HEADER_BYTES: usize = 4096;

const MAGIC: &[u8] = b"LEADLINE-SCRATCH/1";
const MAGIC_FIELD: usize = 32;
const SUM_AT: usize = HEADER_BYTES - 8;

/// What the header says of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// Tells one scratch file from another.
    pub(crate) id: u128,
    /// Size of the whole file, bytes.
    pub(crate) size_bytes: u64,
}

impl Header {
    /// A header with a fresh id.
    pub(crate) fn new(size_bytes: u64) -> Self {
        Header { id: fastrand::u128(..), size_bytes }
    }

    pub(crate) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..MAGIC.len()].copy_from_slice(MAGIC);
        bytes[32..48].copy_from_slice(&self.id.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.size_bytes.to_le_bytes());
        let sum = fnv1a(&bytes[..SUM_AT]);
        bytes[SUM_AT..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The header in `bytes`, or why they are none.
    pub(crate) fn decode(bytes: &[u8; HEADER_BYTES]) -> Result<Self, &'static str> {
        let padding = &bytes[MAGIC.len()..MAGIC_FIELD];
        if !bytes.starts_with(MAGIC) || padding.iter().any(|byte| *byte != 0) {
            return Err("it has no Leadline header");
        }
        if fnv1a(&bytes[..SUM_AT]).to_le_bytes() != bytes[SUM_AT..] {
            return Err("its Leadline header is damaged (wrong checksum)");
        }
        let id = u128::from_le_bytes(field(bytes, 32));
        Ok(Header { id, size_bytes: u64::from_le_bytes(field(bytes, 48)) })
    }

    /// Reads and checks the header of a file that is `len` bytes long; the inner error says why the file is
    /// not ours.
    pub(crate) fn read(file: &File, len: u64) -> io::Result<Result<Self, &'static str>> {
        if len < HEADER_BYTES as u64 {
            return Ok(Err("it is shorter than a Leadline header"));
        }
        let mut bytes = [0; HEADER_BYTES];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(Header::decode(&bytes).and_then(|header| {
            if header.size_bytes == len {
                Ok(header)
            } else {
                Err("its size is not the one in its Leadline header")
            }
        }))
    }

    /// Writes the header. `file` must not be open with O_DIRECT, which would want an aligned buffer.
    pub(crate) fn write(&self, file: &File) -> io::Result<()> {
        file.write_all_at(&self.encode(), 0)
    }
}

fn field<const N: usize>(bytes: &[u8; HEADER_BYTES], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fnv_is_the_published_one() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    proptest! {
        #[test]
        fn a_header_reads_back(id: u128, size_bytes: u64) {
            let header = Header { id, size_bytes };
            prop_assert_eq!(Header::decode(&header.encode()), Ok(header));
        }

        #[test]
        fn one_wrong_bit_anywhere_is_seen(at in 0..HEADER_BYTES * 8, id: u128, size_bytes: u64) {
            let mut bytes = Header { id, size_bytes }.encode();
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert!(Header::decode(&bytes).is_err());
        }
    }
}
