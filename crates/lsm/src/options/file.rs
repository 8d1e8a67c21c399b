//! An OPTIONS file.

use std::fmt;

use crate::Layout;

use super::compression::Compression;
use super::section::Section;
use super::settings;
use super::version::RocksVersion;

/// An OPTIONS file of RocksDB: a layout, and what else the file says. [`Display`](fmt::Display) is its text.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionsFile {
    version: RocksVersion,
    layout: Layout,
    direct_io: bool,
    compression: Compression,
}

impl OptionsFile {
    /// A file for `layout`, with direct I/O. Blocks are compressed with Snappy if
    /// [`Layout::compressed_share`] is not 1.
    pub fn new(layout: &Layout, version: RocksVersion) -> Self {
        let compression =
            if layout.compressed_share == 1.0 { Compression::None } else { Compression::Snappy };
        OptionsFile { version, layout: *layout, direct_io: true, compression }
    }

    /// The same with this compression.
    pub fn with_compression(self, compression: Compression) -> Self {
        OptionsFile { compression, ..self }
    }

    /// The same with direct I/O for reads, flushes and compactions, or through the kernel's page cache.
    pub fn with_direct_io(self, direct_io: bool) -> Self {
        OptionsFile { direct_io, ..self }
    }

    fn sections(&self) -> Vec<Section> {
        settings::sections(&self.layout, self.version, self.direct_io, self.compression)
    }
}

impl fmt::Display for OptionsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout { cache_bytes, compressed_share, .. } = self.layout;
        writeln!(f, "# An OPTIONS file for RocksDB {}, written by Leadline.", self.version)?;
        writeln!(
            f,
            "# It assumes a block cache of {cache_bytes} bytes. db_bench does not take that from here:"
        )?;
        writeln!(f, "# give it --cache_size={cache_bytes}.")?;
        if compressed_share != 1.0 {
            writeln!(
                f,
                "# It assumes that {compressed_share} bytes are stored per byte of keys and values."
            )?;
        }
        self.sections().iter().try_for_each(|section| write!(f, "\n{section}"))
    }
}
