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
        }
    }
}
