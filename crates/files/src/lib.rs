#![doc = include_str!("../README.md")]
//!
//! | for | see |
//! | --- | --- |
//! | a file that appears whole or not at all | [`NewFile`], [`replace`], [`FileError`] |
//! | a folder that does | [`NewFolder`], [`restore`] |
//! | a small document, read within a bound | [`read_document`], [`read_text`] |
//! | memory outside the heap, and of huge pages | [`MapOptions`], [`Mapping`], [`huge_vec`] |
//! | the free space of a file system | [`Space`] |

#[cfg(feature = "compression")]
mod compression;
mod document;
mod error;
mod left_behind;
mod mapping;
mod new_file;
mod new_folder;
mod place;
mod space;

#[cfg(feature = "compression")]
pub use compression::{Compression, Compressor, Decompressor};
pub use document::{read_document, read_text};
pub use error::FileError;
pub use mapping::{MapOptions, Mapping, huge_vec};
pub use new_file::{NewFile, folder_of, replace};
pub use new_folder::NewFolder;
pub use place::{lock_place, restore};
pub use space::Space;
