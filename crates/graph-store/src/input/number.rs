//! Numbers as they are in text, read fast.

pub(super) use leadline_text::shown;

/// The digits at the beginning: the number and how many they are. With more than 19 of them the number may be
/// wrong.
#[inline(always)]
pub(super) fn digits(text: &[u8]) -> (u64, usize) {
    let (mut number, mut length) = match text.first_chunk() {
        Some(eight) => match up_to_eight(*eight) {
            found @ (_, 0..8) => return found,
            found => found,
        },
        None => (0, 0),
    };
    while let Some(byte) = text.get(length) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        length += 1;
    }
    (number, length)
}

/// The same of eight bytes at once, without a branch that depends on how many are digits.
#[inline(always)]
fn up_to_eight(text: [u8; 8]) -> (u64, usize) {
    // A digit's byte becomes its value. Bytes behind the first that is no digit may be anything.
    let values = u64::from_le_bytes(text) ^ 0x3030_3030_3030_3030;
    let no_digit = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let length = no_digit.trailing_zeros() / 8;
    // Zeros in front, so that there are always eight: then pairs, and all four of them.
    let eight = values.unbounded_shl(64 - 8 * length);
    let pairs = eight.wrapping_mul(10).wrapping_add(eight >> 8);
    let upper = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let lower = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    (upper.wrapping_add(lower) >> 32, length as usize)
}

/// Most digits that [`digits`] is right about.
pub(super) const SAFE_DIGITS: usize = 19;

/// A whole number without a sign; `what` it is, for the message.
pub(crate) fn whole(field: &[u8], what: &str) -> Result<u64, String> {
    let (number, length) = digits(field);
    if length == field.len() && (1..=SAFE_DIGITS).contains(&length) {
        return Ok(number);
    }
    let shown = shown(field);
    if !is_integer(field) {
        return Err(format!("expected {what}, found {shown}"));
    }
    if field[0] == b'-' {
        return Err(format!("expected {what} of 0 or more, found {shown}"));
    }
    // 20 digits may still fit, and so may leading zeros.
    let text = std::str::from_utf8(field).unwrap_or_default();
    text.parse().map_err(|_| format!("expected {what} below 2^64, found {shown}"))
}

/// Whether this is an integer, of whatever size and sign.
pub(super) fn is_integer(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// A weight: any finite number.
#[inline]
pub(crate) fn weight(field: &[u8]) -> Result<f64, String> {
    match decimal(field) {
        Some((weight, length)) if length == field.len() => Ok(weight),
        _ => any_weight(field),
    }
}

/// Powers of ten that are exact in 64 bits of floating point.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Up to 15 digits at the beginning, with or without a point among them: the number, and how many bytes it
/// takes. Both the digits and the power of ten are exact, so their quotient is rounded once, and right
/// (Clinger, PLDI 1990).
#[inline(always)]
pub(super) fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let (whole, before) = digits(text);
    let Some(fraction) = text.get(before..)?.strip_prefix(b".") else {
        return (1..=15).contains(&before).then_some((whole as f64, before));
    };
    let (part, behind) = digits(fraction);
    if before == 0 || behind == 0 || before + behind > 15 {
        return None;
    }
    let scale = POWERS[behind];
    Some(((whole as f64 * scale + part as f64) / scale, before + 1 + behind))
}

#[cold]
fn any_weight(field: &[u8]) -> Result<f64, String> {
    let parsed = std::str::from_utf8(field).ok().and_then(|text| text.parse::<f64>().ok());
    parsed
        .filter(|weight| weight.is_finite())
        .ok_or_else(|| format!("expected a finite number as weight, found {}", shown(field)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_up_to_the_largest_are_read_and_no_others() {
        for good in [0, 7, 10, u64::from(u32::MAX), 9_999_999_999_999_999_999, u64::MAX] {
            assert_eq!(whole(good.to_string().as_bytes(), "an id"), Ok(good));
        }
        assert_eq!(whole(b"000000000000000000000000000042", "an id"), Ok(42));
        for bad in ["", "-", "x", "1x", "1.0", "+1", "-1", "18446744073709551616", "99999999999999999999"] {
            assert!(whole(bad.as_bytes(), "an id").is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn digits_are_read_up_to_the_first_other_byte(number in "[0-9]{0,19}", behind in "[^0-9].{0,12}") {
            for text in [number.clone(), format!("{number}{behind}")] {
                let expected = (number.parse().unwrap_or(0), number.len());
                assert_eq!(digits(text.as_bytes()), expected, "{text}");
            }
        }

        #[test]
        fn weights_are_those_of_the_standard_library(value: f64, places in 0usize..12) {
            let small = value % 1e6;
            for text in [value.to_string(), format!("{value:e}"), format!("{small:.places$}")] {
                let expected: f64 = text.parse().unwrap();
                match weight(text.as_bytes()) {
                    Ok(found) => assert_eq!(found.to_bits(), expected.to_bits(), "{text}"),
                    Err(_) => assert!(!expected.is_finite(), "{text}"),
                }
            }
        }

        #[test]
        fn plain_decimals_are_exact(whole in 0u64..1_000_000_000, part in 0u64..1_000_000) {
            let text = format!("{whole}.{part:06}");
            assert_eq!(weight(text.as_bytes()), Ok(text.parse().unwrap()), "{text}");
        }
    }
}
