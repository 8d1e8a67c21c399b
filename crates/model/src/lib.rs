//! The numbers of a device: the [`DeviceProfile`] and, as they come, the I/O models fitted to it.
//!
//! Everything that measures writes a profile; everything that advises, predicts or draws reads one. This crate does
//! no I/O but for loading and saving that one JSON file.

mod error;
mod profile;
mod store;

pub use error::ProfileError;
pub use profile::{
    Bin, Capped, Censored, Check, CheckStatus, Cliff, DeviceFacts, DeviceProfile, Latency, Link, Method,
    OpKind, OrderEffect, Parameters, Pattern, Point, Rounds, SCHEMA, Slice, Temperature, TimelineSample,
    Validity,
};
pub use store::replace_file;
