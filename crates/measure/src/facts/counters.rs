//! What the block layer counts for a disk: the file `stat` of its directory in sysfs (Linux,
//! Documentation/block/stat.rst).

use std::path::Path;

use super::read_text;

/// Requests completed since boot, and the time they took together from the block layer's acceptance to their
/// completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockCounters {
    /// Reads completed.
    pub reads: u64,
    /// Reads and writes that were merged with a neighbour, and completed as a part of it.
    pub merged: u64,
    /// Time of the reads, milliseconds.
    pub read_ms: u64,
    /// Writes completed.
    pub writes: u64,
    /// Time of the writes, milliseconds.
    pub write_ms: u64,
    /// Flushes completed; 0 before Linux 5.5.
    pub flushes: u64,
}

impl BlockCounters {
    /// Of the disk whose directory in sysfs this is ([`super::disk_directory`]); `None` where it has none.
    pub fn read(disk: &Path) -> Option<BlockCounters> {
        let text = read_text(&disk.join("stat"))?;
        let fields: Vec<u64> = text.split_ascii_whitespace().map_while(|field| field.parse().ok()).collect();
        let flushes = fields.get(15).copied().unwrap_or(0);
        match fields[..] {
            [reads, reads_merged, _, read_ms, writes, writes_merged, _, write_ms, ..] => {
                let merged = reads_merged.saturating_add(writes_merged);
                Some(BlockCounters { reads, merged, read_ms, writes, write_ms, flushes })
            }
            _ => None,
        }
    }

    /// What was counted since `earlier`; zero where a counter began again.
    pub fn since(&self, earlier: &BlockCounters) -> BlockCounters {
        BlockCounters {
            reads: self.reads.saturating_sub(earlier.reads),
            merged: self.merged.saturating_sub(earlier.merged),
            read_ms: self.read_ms.saturating_sub(earlier.read_ms),
            writes: self.writes.saturating_sub(earlier.writes),
            write_ms: self.write_ms.saturating_sub(earlier.write_ms),
            flushes: self.flushes.saturating_sub(earlier.flushes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_are_those_of_the_kernels_file() {
        let disk = tempfile::tempdir().unwrap();
        assert_eq!(BlockCounters::read(disk.path()), None);
        let stat = disk.path().join("stat");
        let line =
            "     331      7     20738      215      104     95     1592     98  0  216 313 1 2 3 4 5 6\n";
        std::fs::write(&stat, line).unwrap();
        let counted = BlockCounters::read(disk.path()).unwrap();
        let expected =
            BlockCounters { reads: 331, merged: 102, read_ms: 215, writes: 104, write_ms: 98, flushes: 5 };
        assert_eq!(counted, expected);
        assert_eq!(counted.since(&BlockCounters { reads: 330, writes: 200, ..counted }).reads, 1);
        std::fs::write(&stat, "331 7 20738\n").unwrap();
        assert_eq!(BlockCounters::read(disk.path()), None, "not the kernel's file");
    }
}
