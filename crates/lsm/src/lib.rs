#![doc = include_str!("../README.md")]

mod data;
mod error;
mod layout;
mod processor;
pub mod validate;

pub use data::Data;
pub use error::LsmError;
pub use layout::Layout;
pub use processor::ProcessorCosts;
