//! Numbers of 7 bits per byte, the lowest first, with the highest bit set in all bytes but the last (LEB128).

/// Appends a number: 1 to 10 bytes.
#[inline]
pub fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front; none where the bytes end within it, or it is longer than 64 bits.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    if let Some(word) = bytes.first_chunk() {
        let word = u64::from_le_bytes(*word);
        let ends = !word & LAST;
        if ends != 0 {
            // Eight bytes at once: how long numbers are is not foreseen by any processor.
            let length = ends.trailing_zeros() / 8 + 1;
            *bytes = &bytes[length as usize..];
            return Some(packed(word & (u64::MAX >> (64 - 8 * length))));
        }
    }
    take_byte_by_byte(bytes)
}

/// Set in all bytes of a number but the last.
const LAST: u64 = 0x8080_8080_8080_8080;

/// The lower seven bits of each byte, without gaps.
#[inline]
fn packed(bytes: u64) -> u64 {
    let sevens = bytes & !LAST;
    let of_two = sevens & 0x007f_007f_007f_007f | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let of_four = of_two & 0x0000_3fff_0000_3fff | (of_two & 0x3fff_0000_3fff_0000) >> 2;
    of_four & 0x0fff_ffff | (of_four & 0x0fff_ffff_0000_0000) >> 4
}

#[inline(never)]
fn take_byte_by_byte(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back_and_no_part_of_one_is_a_number(number in any::<u64>(), shift in 0u32..64) {
            let number = number >> shift;
            let mut bytes = Vec::new();
            put(number, &mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!((take(&mut rest), rest), (Some(number), &[][..]));
            prop_assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
            // The same where others follow.
            bytes.extend([0xff; 12]);
            prop_assert_eq!(take(&mut bytes.as_slice()), Some(number));
        }
    }
}
