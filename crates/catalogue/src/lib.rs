#![doc = include_str!("../README.md")]
//!
//! `docs/devices.md` describes the format of the files. What a description gives to the simulator is read by
//! the crate `leadline-sim`; this crate only knows whether it is there.

mod built_in;
mod description;
mod error;
mod prefix;

pub use built_in::{BuiltIn, DEVICES, device_of, find, is_file, load, read, split_path};
pub use description::{AccessPath, Description, Pattern, Published};
pub use error::CatalogueError;
pub use prefix::{PUBLISHED, SIMULATED, behind};
