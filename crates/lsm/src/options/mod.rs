//! RocksDB's OPTIONS files: a [`Layout`] becomes a file that RocksDB loads, and a file becomes a layout.

mod compression;
mod file;
mod section;
mod settings;
mod version;

pub use compression::Compression;
pub use file::OptionsFile;
pub use version::RocksVersion;

use crate::Layout;

/// The text of an OPTIONS file for `layout` that RocksDB of this version loads as it is. The same layout gives
/// the same bytes. [`OptionsFile`] also takes a compression, and I/O through the kernel's page cache.
pub fn write(layout: &Layout, version: RocksVersion) -> String {
    OptionsFile::new(layout, version).to_string()
}
