//! Trees of any size in the shape of a published one.
//!
//! With RocksDB's level 1 of 256 MiB, a GiB of data is a tree of two levels whatever the fanout is. What
//! shapes a tree is the ratio of its data to its level 1, so that ratio is kept instead: of the experiment in
//! "The Multi-Queue SSD model", section 5.3, which is repeated here, with 6.4e7 pairs of 2,064 bytes over a
//! level 1 of four files of 64 MiB.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Data, Layout};

use super::error::ValidateError;

/// Bytes of data in the experiment that is repeated.
const PAPER_DATA_BYTES: f64 = 6.4e7 * 2064.0;
/// RocksDB's size of files and memtables there.
const PAPER_FILE_BYTES: f64 = (64 << 20) as f64;
/// RocksDB's block cache there.
const PAPER_CACHE_BYTES: f64 = (8 << 20) as f64;
/// Sizes are whole pages.
const PAGE_BYTES: f64 = 4096.0;
/// RocksDB takes no smaller memtable (`SanitizeOptions` in column_family.cc).
const LEAST_MEMTABLE_BYTES: f64 = (64 << 10) as f64;
/// Compaction threads of the layout for flash.
pub(super) const FLASH_JOBS: u32 = 4;

/// A layout by its name: `F=8`, `single` or `flash`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum LayoutName {
    /// RocksDB's usual layout with this fanout and four files in level 0.
    Fanout(u32),
    /// A single sorted run: [`Layout::single_level`].
    Single,
    /// What RocksDB's tuning guide has for flash: fanout 8, eight files in level 0, four compaction threads
    /// whatever else is asked for.
    Flash,
    /// The tree of an OPTIONS file: which of [`super::Plan::files`], from 1 on.
    File(u32),
}

impl LayoutName {
    /// Files in level 0 that start a compaction, which level 1 is as large as.
    fn l0_files(self) -> u32 {
        if self == LayoutName::Flash { 8 } else { 4 }
    }

    /// Reads a list: `F=2,4,8,single`, where a number alone is a fanout as well.
    ///
    /// # Errors
    /// In words, for the name of what is wrong.
    pub fn parse_list(text: &str) -> Result<Vec<LayoutName>, String> {
        let mut names = Vec::new();
        for part in text.split(',').map(str::trim) {
            let name = match part.parse::<u32>() {
                Ok(fanout) => LayoutName::fanout(fanout)?,
                Err(_) => part.parse()?,
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn fanout(fanout: u32) -> Result<Self, String> {
        match fanout {
            2..=1000 => Ok(LayoutName::Fanout(fanout)),
            _ => Err(format!("a fanout of {fanout}: must be from 2 to 1000")),
        }
    }
}

impl fmt::Display for LayoutName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutName::Fanout(fanout) => write!(f, "F={fanout}"),
            LayoutName::Single => f.write_str("single"),
            LayoutName::Flash => f.write_str("flash"),
            LayoutName::File(number) => write!(f, "file-{number}"),
        }
    }
}

impl FromStr for LayoutName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "single" => Ok(LayoutName::Single),
            "flash" => Ok(LayoutName::Flash),
            _ => {
                match (text.strip_prefix("F=").map(str::parse), text.strip_prefix("file-").map(str::parse)) {
                    (Some(Ok(fanout)), _) => LayoutName::fanout(fanout),
                    (_, Some(Ok(number))) => Ok(LayoutName::File(number)),
                    _ => Err(format!("{text:?} is not a layout; there are F=NUMBER, single and flash")),
                }
            }
        }
    }
}

impl TryFrom<String> for LayoutName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<LayoutName> for String {
    fn from(name: LayoutName) -> String {
        name.to_string()
    }
}

/// Data, and the sizes that give every layout of it the shape of the published one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    data: Data,
}

impl Scale {
    /// For this data.
    ///
    /// # Errors
    /// [`ValidateError::OutOfRange`] for data that no tree can have, [`ValidateError::Plan`] for data of less
    /// than 1 MiB or of keys under 8 bytes, which db_bench cannot tell apart.
    pub fn new(data: Data) -> Result<Self, ValidateError> {
        data.check()?;
        if data.bytes() < f64::from(1 << 20) {
            let problem = format!("{:.0} bytes; must be 1 MiB or more", data.bytes());
            return Err(ValidateError::Plan { what: "the size of the data", problem });
        }
        if data.key_bytes < 8 {
            let problem = format!("{} bytes; must be 8 or more, for different keys", data.key_bytes);
            return Err(ValidateError::Plan { what: "the size of a key", problem });
        }
        Ok(Scale { data })
    }

    /// The data.
    pub fn data(&self) -> Data {
        self.data
    }

    /// Size of files and memtables, bytes: whole pages of 4 KiB, at least RocksDB's smallest memtable.
    pub(super) fn file_bytes(&self) -> u64 {
        self.share(PAPER_FILE_BYTES).max(LEAST_MEMTABLE_BYTES) as u64
    }

    /// `bytes` of the published tree, for this data.
    fn share(&self, bytes: f64) -> f64 {
        (bytes * self.data.bytes() / PAPER_DATA_BYTES / PAGE_BYTES).round() * PAGE_BYTES
    }

    /// Whether files would have to be smaller than RocksDB's memtables can be, so that the tree has fewer
    /// levels than the published one: below about 126 MiB of data.
    pub fn is_flatter(&self) -> bool {
        self.share(PAPER_FILE_BYTES) < LEAST_MEMTABLE_BYTES
    }

    /// The layout of this name with that many compaction threads. Except in the layout for flash, a
    /// compaction may be divided among all of them.
    pub fn layout(&self, name: LayoutName, jobs: u32) -> Layout {
        let file_bytes = self.file_bytes();
        let layout = Layout {
            l0_files: name.l0_files(),
            file_bytes,
            base_bytes: u64::from(name.l0_files()) * file_bytes,
            memtable_bytes: file_bytes,
            // A cache of a few blocks at least: a client may hold some while it looks at them.
            cache_bytes: self.share(PAPER_CACHE_BYTES).max(LEAST_MEMTABLE_BYTES) as u64,
            jobs,
            subcompactions: jobs,
            ..Layout::default()
        };
        match name {
            LayoutName::Fanout(fanout) => Layout { fanout: f64::from(fanout), ..layout },
            LayoutName::Single => layout.single_level(jobs),
            LayoutName::Flash => Layout { fanout: 8.0, jobs: FLASH_JOBS, subcompactions: 1, ..layout },
            LayoutName::File(_) => layout,
        }
    }
}

/// How much data each level below level 0 is expected to hold, level 1 first, bytes: each is full, and the
/// last one that is needed, or the last that there may be, holds the rest.
pub fn expected_levels(layout: &Layout, data: &Data) -> Vec<f64> {
    let (mut left, mut limit) = (data.bytes() * layout.compressed_share, layout.base_bytes as f64);
    let mut levels = Vec::new();
    while left > 0.0 {
        let is_last = levels.len() + 2 >= layout.levels as usize;
        let bytes = if is_last { left } else { left.min(limit) };
        levels.push(bytes);
        left -= bytes;
        limit *= layout.fanout;
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(mib: u32) -> Scale {
        Scale::new(Data::of_bytes(f64::from(mib << 20), 16, 2048)).unwrap()
    }

    #[test]
    fn every_scale_has_the_ratio_of_data_to_level_1_of_the_published_tree() {
        for mib in [256, 1024, 2048] {
            let layout = scale(mib).layout(LayoutName::Fanout(8), 4);
            let ratio = scale(mib).data().bytes() / layout.base_bytes as f64;
            assert!((ratio / 492.0 - 1.0).abs() < 0.02, "{mib} MiB: {ratio}");
            assert_eq!(layout.base_bytes, 4 * layout.file_bytes);
            assert_eq!(layout.file_bytes % 4096, 0);
        }
        let flash = scale(1024).layout(LayoutName::Flash, 16);
        assert!((scale(1024).data().bytes() / flash.base_bytes as f64 / 246.0 - 1.0).abs() < 0.02);
        assert_eq!((flash.jobs, flash.subcompactions, flash.l0_files), (4, 1, 8));
    }

    #[test]
    fn fanouts_have_different_numbers_of_levels_at_every_scale() {
        for mib in [256, 1024] {
            let levels = |name| expected_levels(&scale(mib).layout(name, 1), &scale(mib).data()).len();
            assert_eq!(levels(LayoutName::Fanout(2)), 6, "what RocksDB's seven levels allow");
            assert_eq!(levels(LayoutName::Fanout(4)), 6);
            assert_eq!(levels(LayoutName::Fanout(8)), 4);
            assert_eq!(levels(LayoutName::Fanout(32)), 3);
            assert_eq!(levels(LayoutName::Single), 1);
        }
    }

    #[test]
    fn data_too_small_for_rocksdbs_memtables_gives_a_flatter_tree_and_says_so() {
        assert!(!scale(128).is_flatter());
        assert!(scale(64).is_flatter());
        assert_eq!(scale(64).layout(LayoutName::Fanout(4), 1).memtable_bytes, 64 << 10);
    }

    #[test]
    fn lists_of_layouts_are_read_as_people_write_them() {
        let names = LayoutName::parse_list("F=2,4, 8,single,flash,F=4").unwrap();
        let words: Vec<String> = names.iter().map(LayoutName::to_string).collect();
        assert_eq!(words, ["F=2", "F=4", "F=8", "single", "flash"]);
        for (text, said) in
            [("F=1", "from 2"), ("F=x", "not a layout"), ("", "not a layout"), ("2,one", "one")]
        {
            let error = LayoutName::parse_list(text).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
