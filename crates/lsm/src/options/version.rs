//! The versions of RocksDB.

use std::fmt;

use super::release::Release;

/// A version of RocksDB for which OPTIONS files are written.
///
/// Within one of them the files mean the same: they set only what the first release of it already has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RocksVersion {
    /// 7.8, which Debian 12 has.
    V7_8,
    /// 8.6.
    V8_6,
    /// 9.0 to 9.11.
    V9,
    /// 10.0 to 10.10.
    V10,
}

impl RocksVersion {
    /// All of them, the oldest first.
    pub const ALL: [RocksVersion; 4] =
        [RocksVersion::V7_8, RocksVersion::V8_6, RocksVersion::V9, RocksVersion::V10];

    /// "7.8", "8.6", "9", "10".
    pub fn name(self) -> &'static str {
        match self {
            RocksVersion::V7_8 => "7.8",
            RocksVersion::V8_6 => "8.6",
            RocksVersion::V9 => "9",
            RocksVersion::V10 => "10",
        }
    }

    /// The version with this [name](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }

    /// The first release of it: what an OPTIONS file names, since RocksDB may refuse a file of a later one.
    pub fn first_release(self) -> Release {
        match self {
            RocksVersion::V7_8 => Release::new(7, 8, 0),
            RocksVersion::V8_6 => Release::new(8, 6, 0),
            RocksVersion::V9 => Release::new(9, 0, 0),
            RocksVersion::V10 => Release::new(10, 0, 0),
        }
    }
}

impl fmt::Display for RocksVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
