//! How numbers become bytes: LEB128, seven bits per byte and the lowest first, and how records begin.

/// The lower bits of a record's first byte: an [`Operation`](super::Operation), or one of these.
pub(super) const KIND: u8 = 0x0f;
/// A file, numbered from 0 in the order of these records: its name.
pub(super) const FILE: u8 = 13;
/// A thread, likewise: tid, pid, name.
pub(super) const THREAD: u8 = 14;
/// The end: when the capture ended, and how many events it has.
pub(super) const END: u8 = 15;

/// The upper bits, of events: the thread is that of the event before.
pub(super) const SAME_THREAD: u8 = 0x10;
/// The file is that of the event before.
pub(super) const SAME_FILE: u8 = 0x20;
/// The offset is where the event before in this file ended.
pub(super) const CONTIGUOUS: u8 = 0x40;
/// The length is that of the event before in this file.
pub(super) const SAME_LENGTH: u8 = 0x80;

/// Bytes of the longest event: its first byte and six numbers.
pub(super) const LONGEST_EVENT: usize = 1 + 6 * LONGEST_NUMBER;

/// Bytes of the longest number.
pub(super) const LONGEST_NUMBER: usize = 10;

/// Bytes of the longest name: Linux's `PATH_MAX`.
pub(super) const LONGEST_NAME: usize = 4096;

/// What the event before in a file leaves for the next one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Last {
    pub(super) end: u64,
    pub(super) length: u64,
}

/// Appends a number.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front of `bytes`; `None` where they end within it or it exceeds 64 bits.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (i, &byte) in bytes.iter().take(LONGEST_NUMBER).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if i == LONGEST_NUMBER - 1 && byte > 1 {
            return None;
        }
        number |= bits << (7 * i);
        if byte < 0x80 {
            *bytes = &bytes[i + 1..];
            return Some(number);
        }
    }
    None
}

/// A difference as a number that is small where the difference is, whatever its sign.
pub(super) fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)) as u64
}

/// The difference that [`zigzag`] made a number of.
pub(super) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_sizes_come_back() {
        for bits in 0..64 {
            for number in [1u64 << bits, (1 << bits) - 1, u64::MAX >> bits] {
                let mut bytes = Vec::new();
                put(&mut bytes, number);
                bytes.push(0xff);
                let mut rest = bytes.as_slice();
                assert_eq!((take(&mut rest), rest), (Some(number), [0xff].as_slice()));
                let difference = number as i64;
                assert_eq!(unzigzag(zigzag(difference)), difference);
                assert_eq!(unzigzag(zigzag(difference.wrapping_neg())), difference.wrapping_neg());
            }
        }
    }

    #[test]
    fn a_number_beyond_64_bits_or_cut_off_is_none() {
        assert_eq!(take(&mut [0xff; 9].as_slice()), None);
        assert_eq!(take(&mut [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2].as_slice()), None);
        assert_eq!(take(&mut [].as_slice()), None);
    }
}
