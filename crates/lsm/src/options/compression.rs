//! How blocks are compressed.

use std::fmt;

use leadline_files::TextError;

use super::section::Kind::Cf;
use super::values::Values;

/// A way in which RocksDB compresses blocks, `compression`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    None,
    /// Snappy, RocksDB's default where it is built with it.
    Snappy,
    /// zlib.
    Zlib,
    /// bzip2.
    Bzip2,
    /// LZ4.
    Lz4,
    /// LZ4, slower and smaller.
    Lz4hc,
    /// Xpress, of Windows.
    Xpress,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// All of them.
    pub const ALL: [Compression; 8] = [
        Compression::None,
        Compression::Snappy,
        Compression::Zlib,
        Compression::Bzip2,
        Compression::Lz4,
        Compression::Lz4hc,
        Compression::Xpress,
        Compression::Zstd,
    ];

    /// RocksDB's name: "kNoCompression".
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "kNoCompression",
            Compression::Snappy => "kSnappyCompression",
            Compression::Zlib => "kZlibCompression",
            Compression::Bzip2 => "kBZip2Compression",
            Compression::Lz4 => "kLZ4Compression",
            Compression::Lz4hc => "kLZ4HCCompression",
            Compression::Xpress => "kXpressCompression",
            Compression::Zstd => "kZSTD",
        }
    }

    /// The one with this [name](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|compression| compression.name() == name)
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Names that RocksDB knows and that are not one compression by itself, or an application's own.
const OTHERS: [&str; 3] = ["kZSTDNotFinalCompression", "kDisableCompressionOption", "kCustomCompression"];

/// Whether RocksDB knows the compression that is set.
pub(super) fn check(values: &Values<'_>) -> Result<(), TextError> {
    let value = values.get(Cf, "compression");
    let is_other = OTHERS.iter().any(|other| value.text.starts_with(other));
    if is_other || Compression::from_name(value.text).is_some() {
        return Ok(());
    }
    let names = Compression::ALL.map(Compression::name).join(", ");
    Err(values.error(value, format!("must be one of {names}")))
}
