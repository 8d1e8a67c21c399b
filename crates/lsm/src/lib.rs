#![doc = include_str!("../README.md")]

pub mod btree;
mod data;
mod error;
mod layout;

pub use data::Data;
pub use error::LsmError;
pub use layout::Layout;
