//! Names and values of DuckDB's settings.

use crate::value;

/// Names that stand for others.
const ALIASES: [(&str, &str); 3] = [
    ("max_memory", "memory_limit"),
    ("wal_autocheckpoint", "checkpoint_threshold"),
    ("worker_threads", "threads"),
];

/// The setting that a database has from the beginning.
pub(super) const BLOCK_SIZE: &str = "default_block_size";

/// A name as DuckDB prints it, the same for all that stand for it.
pub(super) fn name(key: &str) -> String {
    let key = value::name(key);
    let known = ALIASES.iter().find(|(alias, _)| *alias == key);
    known.map_or(key, |(_, name)| (*name).to_owned())
}

/// Whether what was asked for is what DuckDB says: 1MB is 976.5 KiB, and 1 is true.
pub(super) fn is_same(asked: &str, found: &str) -> bool {
    let sizes = (size(asked), size(found));
    value::is_same(asked, found)
        || matches!(sizes, (Some((asked, _)), Some((found, unit))) if (asked - found).abs() <= 0.1 * unit)
}

/// Bytes of a size with a unit, and those of the unit.
fn size(text: &str) -> Option<(f64, f64)> {
    let text = text.trim().to_lowercase();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = (text[..digits].parse::<f64>().ok()?, text[digits..].trim());
    let unit = match unit {
        "b" | "byte" | "bytes" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1048576.0,
        "gib" => 1073741824.0,
        "tib" => 1099511627776.0,
        _ => return None,
    };
    Some((number * unit, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_however_they_are_written() {
        // Left what was set, right what DuckDB 1.5.6 said then.
        let same = [
            ("1MB", "976.5 KiB"),
            ("128MB", "122.0 MiB"),
            ("64 MiB", "64.0 MiB"),
            ("always_prefetch", "ALWAYS_PREFETCH"),
            ("1", "true"),
            ("16384", "16384"),
        ];
        assert!(same.iter().all(|(asked, found)| is_same(asked, found)));
        let other =
            [("1MB", "16.0 MiB"), ("8", "2"), ("REMOTE_ONLY", "ALWAYS_PREFETCH"), ("1 x", "1 y"), ("", "0")];
        assert!(other.iter().all(|(asked, found)| !is_same(asked, found)));
        assert_eq!([name("Worker-Threads"), name("threads")], ["threads", "threads"]);
    }
}
