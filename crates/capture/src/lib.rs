#![doc = include_str!("../README.md")]

mod buffer;
mod changes;
mod error;
mod fs;
mod handles;
mod mount;
mod nodes;
mod pass_through;
mod record;
mod transfer;

pub use error::CaptureError;
pub use leadline_trace::capture::CaptureSummary;
pub use pass_through::PassThrough;
