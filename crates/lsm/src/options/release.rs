//! Releases of RocksDB.

use std::fmt;

/// A release of RocksDB: 8.6.7. Releases are ordered by their age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// 8 of 8.6.7.
    pub major: u32,
    /// 6 of 8.6.7.
    pub minor: u32,
    /// 7 of 8.6.7.
    pub patch: u32,
}

impl Release {
    /// A release by its three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Release { major, minor, patch }
    }

    /// 8.6 of 8.6.7: its releases have the same options.
    pub(super) fn series(self) -> (u32, u32) {
        (self.major, self.minor)
    }

    /// Reads "8.6.7", and "8.6" as 8.6.0, as RocksDB does. None: it is neither.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = [0; 3];
        let mut parts = text.split('.');
        for (number, part) in numbers.iter_mut().zip(&mut parts) {
            if !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            *number = part.parse().ok()?;
        }
        let [major, minor, patch] = numbers;
        parts.next().is_none().then_some(Release { major, minor, patch })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
