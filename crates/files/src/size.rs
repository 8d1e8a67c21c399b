//! Sizes as people write them: `4K`, `8M`, `1.5G`, powers of two.

/// Reads a size in bytes: a number with an optional suffix `K M G T` (powers of two), optionally followed by
/// `B` or `iB`. Fractions are allowed where they come to whole bytes.
///
/// # Errors
/// One line that names the text and the forms allowed.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let bad = || format!("{text:?} is not a size; write a number with K, M, G or T, such as 4K or 8G");
    let trimmed = text.trim();
    let digits = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
    let (number, suffix) = trimmed.split_at(digits);
    let shift = match suffix.trim().to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(bad()),
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_shl(shift).filter(|v| v >> shift == whole).ok_or_else(bad);
    }
    let value = number.parse::<f64>().map_err(|_| bad())? * (1u64 << shift) as f64;
    // 2^53: beyond it a float no longer counts single bytes.
    if value.fract() != 0.0 || !(0.0..9.007e15).contains(&value) {
        return Err(bad());
    }
    Ok(value as u64)
}

/// A bare number below this is no size of memory, data or a device.
const SMALL: u64 = 64 << 10;

/// Reads a size of memory, of data or of a device, as [`parse_size`], but not a small bare number: who writes
/// `16` means gigabytes, or forgot what. Bytes are written `16B`.
///
/// # Errors
/// As [`parse_size`], and where a unit is missing, with what to write instead.
pub fn parse_large_size(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    let bare = text.trim();
    if (1..SMALL).contains(&bytes) && bare.ends_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(format!(
            "{bare} is {bytes} bytes; write the unit, {bare}M or {bare}G, or {bare}B for bytes"
        ));
    }
    Ok(bytes)
}

/// Writes a size the way [`parse_size`] reads it, with the largest suffix that leaves at most one decimal
/// exact: `4K`, `1.5G`, `513`. Larger odd sizes are rounded to one decimal.
pub fn format_size(bytes: u64) -> String {
    for (suffix, shift) in [("T", 40), ("G", 30), ("M", 20), ("K", 10)] {
        let unit = 1u64 << shift;
        if bytes >= unit {
            let value = bytes as f64 / unit as f64;
            return if bytes.is_multiple_of(unit) {
                format!("{}{suffix}", bytes / unit)
            } else {
                format!("{value:.1}{suffix}")
            };
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two() {
        for (text, bytes) in [
            ("512", 512),
            ("4K", 4096),
            ("4k", 4096),
            ("4KiB", 4096),
            ("1.5G", 3 << 29),
            ("0", 0),
            (" 2M ", 2 << 20),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        assert_eq!(parse_size("16777215T"), Ok(16_777_215 << 40));
    }

    #[test]
    fn a_bare_number_is_no_size_of_memory_but_bytes_and_large_numbers_are() {
        for (text, bytes) in [("0", 0), ("16B", 16), ("16K", 16 << 10), ("65536", 65536), ("1.5G", 3 << 29)] {
            assert_eq!(parse_large_size(text), Ok(bytes), "{text}");
        }
        for text in ["16", " 16 ", "1", "65535"] {
            let error = parse_large_size(text).unwrap_err();
            let bare = text.trim();
            assert!(error.contains(&format!("{bare}M or {bare}G, or {bare}B for bytes")), "{error}");
        }
        assert!(parse_large_size("16X").is_err());
    }

    #[test]
    fn what_is_no_size_is_named() {
        for text in
            ["", "K", "-4K", "4X", "1e3", "4 K K", "16777216T", "99999999999999999999", "0.3", "1.2.3", "nan"]
        {
            let error = parse_size(text).unwrap_err();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }

    #[test]
    fn sizes_are_written_as_they_are_read() {
        for text in ["512", "4K", "1.5G", "64G", "3T", "1M"] {
            assert_eq!(format_size(parse_size(text).unwrap()), text);
        }
    }
}
