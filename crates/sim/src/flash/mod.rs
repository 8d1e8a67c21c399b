//! A flash drive in virtual time: host interface, controller, write buffer, mapping, channels, dies, garbage
//! collection.
//!
//! [`model`] is the main path: requests come in, events carry them through the parts, completions go out.
//! `media` knows what is where and what the flash has been through, but no time; [`die`] and [`host`] know
//! when things are done, but not what they are. docs/flash.md has the parts and their laws.

mod buffer;
mod check;
mod die;
mod events;
mod host;
mod layout;
mod lru;
mod media;
mod memory;
mod model;
mod spec;
#[cfg(test)]
mod tests;
mod times;

pub use media::Operations;
pub use model::FlashModel;
pub use spec::{
    Allocation, BufferSpec, DisturbSpec, FlashSpec, GcPolicy, GcSpec, GeometrySpec, InitialState, LinkSpec,
    MappingSpec, PerType, ReadAheadSpec, SlcSpec, TimingSpec, WearSpec,
};
