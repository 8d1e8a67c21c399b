//! Numbers with units, as configuration files have them.

/// Splits `128kB` into 128 and `kB`; the unit is empty where there is none. `None` without a number.
pub(crate) fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let end = text.find(|c| !digits(c)).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim()))
}

/// `number` in the unit of this name times its factor; a plain number has the factor of `plain`.
pub(crate) fn scaled(text: &str, plain: f64, units: &[(&str, f64)]) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit {
        "" => plain,
        unit => units.iter().find(|(name, _)| *name == unit)?.1,
    };
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_their_units() {
        assert_eq!(number_and_unit("128kB"), Some((128.0, "kB")));
        assert_eq!(number_and_unit(" 1.5 GB "), Some((1.5, "GB")));
        assert_eq!(number_and_unit("-1"), Some((-1.0, "")));
        assert_eq!(number_and_unit("kB"), None);
        assert_eq!(number_and_unit("1.2.3"), None);
        let units = [("kB", 1024.0)];
        assert_eq!(scaled("2", 8192.0, &units), Some(16384.0));
        assert_eq!(scaled("2kB", 8192.0, &units), Some(2048.0));
        assert_eq!(scaled("2KB", 8192.0, &units), None);
    }
}
