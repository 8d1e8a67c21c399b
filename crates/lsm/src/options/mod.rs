//! RocksDB's OPTIONS files: a [`Layout`] becomes a file that RocksDB loads, and a file becomes a layout.
//! docs/rocksdb-options.md describes what is written and why.
//!
//! ```
//! use leadline_lsm::Layout;
//! use leadline_lsm::options::{self, DEFAULT_FAMILY, OptionsFile, RocksVersion};
//!
//! let layout = Layout { bloom_bits: 10.0, ..Layout::default() };
//! let text = options::write(&layout, RocksVersion::V8_6);
//! let file = OptionsFile::parse(&text, "options.ini", DEFAULT_FAMILY)?;
//! assert_eq!(file.layout().bloom_bits, 10.0);
//! # Ok::<(), leadline_files::TextError>(())
//! ```

mod check;
mod compression;
mod file;
mod known;
mod layout;
mod parse;
mod release;
mod section;
mod settings;
mod shown;
mod values;
mod version;
mod warnings;

use std::io::Read as _;
use std::path::Path;

use leadline_files::TextError;

pub use compression::Compression;
pub use file::OptionsFile;
pub use release::Release;
pub use section::DEFAULT_FAMILY;
pub use version::RocksVersion;

use crate::Layout;

/// The largest file that is read: RocksDB's own have some 10 KiB per column family, and a wrong file should
/// not fill the memory.
const MOST_BYTES: u64 = 4 << 20;

/// The text of an OPTIONS file for `layout` that RocksDB of this version loads as it is. The same layout
/// gives the same bytes, and its numbers are written as they are. [`OptionsFile`] also takes a compression,
/// and I/O through the kernel's page cache.
pub fn write(layout: &Layout, version: RocksVersion) -> String {
    OptionsFile::new(layout, version).to_string()
}

/// Reads an OPTIONS file: one of [`write()`], or one that RocksDB left in the directory of a database.
/// `family` is the column family whose layout is wanted; every database has [`DEFAULT_FAMILY`].
///
/// # Errors
/// [`TextError`]: unreadable, RocksDB would refuse it, or the column family is not a leveled tree.
pub fn read(path: impl AsRef<Path>, family: &str) -> Result<OptionsFile, TextError> {
    let path = path.as_ref();
    let io = |source| TextError::Io { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MOST_BYTES {
        let reason =
            "is larger than 4 MiB; an OPTIONS file has the name OPTIONS-NUMBER in the database's directory";
        return Err(TextError::file(path, reason));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        let reason = "is not text; an OPTIONS file has the name OPTIONS-NUMBER in the database's directory";
        TextError::file(path, reason)
    })?;
    OptionsFile::parse(&text, path, family)
}
