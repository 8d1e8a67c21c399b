#![doc = include_str!("../README.md")]

mod data;
mod error;
mod layout;
pub mod options;

pub use data::Data;
pub use error::LsmError;
pub use layout::Layout;
