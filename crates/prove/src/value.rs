//! Keys and values however they are written.

/// A key as systems print it: on command lines and in files, dashes may stand for underscores.
pub(crate) fn name(key: &str) -> String {
    key.to_lowercase().replace('-', "_")
}

/// Whether `key` is one of these settings.
pub(crate) fn is_key(settings: &[(String, String)], key: &str) -> bool {
    settings.iter().any(|(other, _)| name(other) == name(key))
}

/// Whether what was asked for is what the system says: 128M is 134217728, and 1 is ON.
pub(crate) fn is_same(asked: &str, found: &str) -> bool {
    asked.eq_ignore_ascii_case(found) || number(asked).is_some_and(|asked| number(found) == Some(asked))
}

fn number(text: &str) -> Option<u128> {
    const UNITS: [char; 6] = ['k', 'm', 'g', 't', 'p', 'e'];
    let text = text.trim().to_lowercase();
    match text.as_str() {
        "on" | "true" => return Some(1),
        "off" | "false" => return Some(0),
        _ => {}
    }
    match UNITS.iter().position(|unit| text.ends_with(*unit)) {
        Some(power) => Some(u128::from(text[..text.len() - 1].parse::<u64>().ok()?) << (10 * (power + 1))),
        None => text.parse::<u64>().ok().map(u128::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_however_they_are_written() {
        let same =
            [("128M", "134217728"), ("ON", "1"), ("0", "OFF"), ("1k", "1024"), ("O_direct", "O_DIRECT")];
        assert!(same.iter().all(|(asked, found)| is_same(asked, found)));
        let other = [("200", "100"), ("128M", "128"), ("on", "OFF"), ("x", "y"), ("é", "1"), ("", "0")];
        assert!(other.iter().all(|(asked, found)| !is_same(asked, found)));
        assert!(is_key(&[("innodb_log_file_size".into(), "1".into())], "Innodb-Log-File-Size"));
    }
}
