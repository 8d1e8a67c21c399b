#![doc = include_str!("../README.md")]
//!
//! [`open`] takes the name of a built-in device or the path of a description, whose format is in
//! `docs/simulated-devices.md`.

mod catalogue;
mod error;
mod model;
mod parametric;
mod published;
mod virtual_device;

pub use catalogue::{open, open_model};
pub use error::SimError;
pub use model::DeviceModel;
pub use parametric::{
    CapSpec, FlushSpec, Jitter, Parametric, ParametricModel, ParametricSpec, Placement, ServerSpec,
};
pub use published::{PublishedLatencyError, published_model};
pub use virtual_device::VirtualDevice;
