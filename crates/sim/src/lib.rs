#![doc = include_str!("../README.md")]
//!
//! [`open`] takes the name of a built-in device or the path of a description, whose format is in
//! `docs/simulated-devices.md`.

mod cap;
mod catalogue;
mod checks;
mod disk;
mod due;
mod error;
mod flash;
mod flush;
mod host;
mod lognormal;
mod model;
mod nearest;
mod parametric;
mod place;
mod published;
mod scramble;
mod simulated;
mod size;
mod slab;
mod spec;
mod virtual_device;
mod xpoint;

pub use cap::CapSpec;
pub use catalogue::{open, open_model, spec};
pub use disk::{DiskBuffer, DiskPlatter, DiskQueue, DiskSeek, DiskSpec, DiskTiming};
pub use error::{Flaw, SimError};
pub use flash::{
    Allocation, BufferSpec, DisturbSpec, FlashModel, FlashSpec, GcPolicy, GcSpec, GeometrySpec, InitialState,
    LinkSpec, MappingSpec, Operations, PerType, ReadAheadSpec, SlcSpec, TimingSpec, WearSpec,
};
pub use flush::FlushSpec;
pub use host::HostLinkSpec;
pub use model::{CacheCounters, DeviceModel};
pub use parametric::{Jitter, Parametric, ParametricModel, ParametricSpec, Placement, ServerSpec};
pub use published::{PublishedLatencyError, published_model};
pub use simulated::Simulated;
pub use size::size;
pub use slab::Slab;
pub use spec::{DeviceSpec, kind_of};
pub use virtual_device::VirtualDevice;
pub use xpoint::{
    XpointAlignment, XpointDisturb, XpointGeometry, XpointSettle, XpointSpec, XpointStall, XpointTiming,
};
