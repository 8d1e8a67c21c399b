//! Tables of keys: what each takes, and what is in force where nobody sets it, as the programs tell it.
//!
//! One file per system and version in `keys/` of this crate, which `cargo xtask keys SYSTEM PROGRAM` writes
//! again by asking the program. What a value or another key means for a key, no program tells: that is
//! [`Meaning`](crate::Meaning).

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The line above the keys.
const COLUMNS: &str = "key\tkind\tunit\tmin\tmax\tdefault\twords\tchange";

/// The keys of one version of a system: see [`System::keys`](crate::System::keys).
#[derive(Debug)]
pub struct Keys {
    keys: BTreeMap<&'static str, Key>,
    /// Whether the program has no others, so that one that is not here is an error to it.
    pub is_complete: bool,
}

/// What a key takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// How its value is read.
    pub kind: Kind,
    /// What a plain number means: bytes, seconds, or 1 where the key has no unit.
    pub unit: f64,
    /// Least and most, in bytes, in seconds, or as plain numbers.
    pub range: [f64; 2],
    /// In force unless set, as the program writes it: without a unit.
    pub default: Option<&'static str>,
    /// Of enumerations: what may be said.
    pub words: Vec<&'static str>,
    /// Whether a change needs a restart.
    pub needs_restart: bool,
}

/// The tables of a system by version, each parsed when one is asked for first.
pub(crate) type Tables = LazyLock<Vec<(&'static str, Keys)>>;

/// The [`Tables`] of a system: `tables!("etcd", "3.4", "3.5")` are `keys/etcd/3.4.tsv` and
/// `keys/etcd/3.5.tsv`.
macro_rules! tables {
    ($system:literal, $($version:literal),+) => {
        std::sync::LazyLock::new(|| {
            let tables = [$((
                $version,
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/keys/", $system, "/", $version, ".tsv")),
            )),+];
            tables.map(|(version, table)| (version, $crate::keys::Keys::parse(table))).into()
        })
    };
}
pub(crate) use tables;

/// The table of a version.
pub(crate) fn of(tables: &'static Tables, version: &str) -> Option<&'static Keys> {
    tables.iter().find(|(known, _)| *known == version).map(|(_, keys)| keys)
}

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// On or off.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Real,
    /// One of the words.
    Enum,
    /// Any text.
    Text,
}

/// Units of the tables, in bytes or seconds.
const UNITS: [(&str, f64); 14] = [
    ("", 1.0),
    ("B", 1.0),
    ("kB", 1024.0),
    ("8kB", 8192.0),
    ("MB", 1048576.0),
    ("GB", 1073741824.0),
    ("16MB", 16_777_216.0),
    ("us", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("%", 1.0),
];

impl Keys {
    /// Of the text of a table, which was written by `cargo xtask keys`.
    ///
    /// # Panics
    /// If it is not such a table: they are checked in, and a test reads them all.
    pub(crate) fn parse(text: &'static str) -> Keys {
        let mut lines = text.lines().skip_while(|line| line.starts_with('#'));
        assert_eq!(lines.next(), Some(COLUMNS), "the columns of a table of keys");
        let keys: BTreeMap<&str, Key> = lines.map(row).collect();
        let is_complete = text.lines().next().is_some_and(|line| !line.ends_with("(those of devices only)"));
        Keys { keys, is_complete }
    }

    /// What `key` takes; `None` where the table does not have it.
    pub fn get(&self, key: &str) -> Option<&Key> {
        self.keys.get(key)
    }
}

fn row(line: &'static str) -> (&'static str, Key) {
    let fields: Vec<&str> = line.split('\t').collect();
    let [key, kind, unit, min, max, default, words, change] = fields[..] else {
        panic!("eight columns: {line}");
    };
    let kind = match kind {
        "bool" => Kind::Bool,
        "int" => Kind::Int,
        "real" => Kind::Real,
        "enum" => Kind::Enum,
        "string" => Kind::Text,
        _ => panic!("a kind: {line}"),
    };
    let unit = UNITS.iter().find(|(name, _)| *name == unit).expect("a unit of the tables").1;
    let end = |text: &str, endless: f64| text.parse::<f64>().map_or(endless, |end| end * unit);
    let range = [end(min, f64::NEG_INFINITY), end(max, f64::INFINITY)];
    let words = words.split('|').filter(|word| !word.is_empty()).collect();
    let default = Some(default).filter(|default| !default.is_empty());
    (key, Key { kind, unit, range, default, words, needs_restart: change == "restart" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_bytes_seconds_or_plain() {
        let keys = Keys::parse(
            "# program 1\nkey\tkind\tunit\tmin\tmax\tdefault\twords\tchange\n\
             a\tint\t8kB\t-1\t256\t32\t\trestart\nb\tenum\t\t\t\tx\tx|y\treload\n",
        );
        let a = keys.get("a").unwrap();
        assert_eq!((a.kind, a.range, a.default), (Kind::Int, [-8192.0, 2_097_152.0], Some("32")));
        assert!(a.needs_restart && keys.is_complete);
        let b = keys.get("b").unwrap();
        assert_eq!((b.words.clone(), b.range), (vec!["x", "y"], [f64::NEG_INFINITY, f64::INFINITY]));
    }
}
