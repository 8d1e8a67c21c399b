#![doc = include_str!("../README.md")]
//!
//! [`open`] takes the name of a built-in device or the path of a description, whose format is in
//! `docs/simulated-devices.md`.

mod cap;
mod catalogue;
mod error;
mod flash;
mod model;
mod nearest;
mod parametric;
mod place;
mod published;
mod scramble;
mod simulated;
mod size;
mod spec;
mod virtual_device;

pub use cap::CapSpec;
pub use catalogue::{open, open_model, spec};
pub use error::SimError;
pub use flash::{
    Allocation, BufferSpec, DisturbSpec, FlashModel, FlashSpec, GcPolicy, GcSpec, GeometrySpec, InitialState,
    LinkSpec, MappingSpec, Operations, PerType, ReadAheadSpec, SlcSpec, TimingSpec, WearSpec,
};
pub use model::DeviceModel;
pub use parametric::{FlushSpec, Jitter, Parametric, ParametricModel, ParametricSpec, Placement, ServerSpec};
pub use published::{PublishedLatencyError, published_model};
pub use simulated::Simulated;
pub use spec::DeviceSpec;
pub use virtual_device::VirtualDevice;
