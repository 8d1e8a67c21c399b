#![doc = include_str!("../README.md")]
//!
//! | for | see |
//! | --- | --- |
//! | a file that appears whole or not at all | [`NewFile`], [`replace`], [`FileError`] |
//! | a directory that does | [`NewFolder`], [`restore`] |
//! | a small document, read within a bound, and what is wrong with it | [`read_document`], [`read_text`], [`TextError`] |
//! | memory outside the heap, and of huge pages | [`MapOptions`], [`Mapping`], [`huge_vec`] |
//! | a JSON document, and in plain words what is wrong with one | [`from_json`], [`JsonFlaw`], [`plainly`] |
//! | the free space of a file system | [`Space`] |
//! | sizes as people write them | [`parse_size`], [`parse_large_size`], [`format_size`] |

#[cfg(feature = "compression")]
mod archive;
#[cfg(feature = "compression")]
mod compression;
mod document;
mod error;
#[cfg(feature = "json")]
mod json;
mod left_behind;
mod mapping;
mod new_file;
mod new_folder;
mod place;
mod plain;
mod size;
mod space;
mod text_error;

#[cfg(feature = "compression")]
pub use archive::{Archive, ArchiveError};
#[cfg(feature = "compression")]
pub use compression::{Compression, Compressor, Decompressor};
pub use document::{read_document, read_text};
pub use error::FileError;
#[cfg(feature = "json")]
pub use json::{JsonFlaw, from_json, json_flaw};
pub use mapping::{MapOptions, Mapping, huge_vec};
pub use new_file::{NewFile, STDOUT, folder_of, is_stdout, replace};
pub use new_folder::NewFolder;
pub use place::{lock_place, restore};
pub use plain::{plainly, plainly_of_toml};
pub use size::{format_size, parse_large_size, parse_size};
pub use space::Space;
pub use text_error::TextError;
