#![doc = include_str!("../README.md")]
//!
//! [`open`] makes a model of any name of a device that can be modelled. `docs/tiers.md` has the format of the
//! files and the rules.

mod cached;
mod error;
mod measured;
mod open;
mod pair;
mod placed;
mod placement;
mod spec;

pub use cached::{Admission, CacheOptions, CachedModel};
pub use error::OpenError;
pub use measured::{MeasuredError, MeasuredModel};
pub use open::{Opened, files, is_modelled, open, open_device};
pub use placed::PlacedModel;
pub use placement::Placement;
pub use spec::{CachedSpec, PlacedSpec, TiersSpec};
