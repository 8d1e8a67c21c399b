//! What can go wrong with the name of a device.

use leadline_profile::ProfileError;
use leadline_sim::{PublishedLatencyError, SimError};

use crate::MeasuredError;

/// A name that makes no device. The message names it, the place in its file, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The name is none of a modelled device.
    #[error(
        "{name}: is not a modelled device; name one as sim:NAME, sim:FILE.toml or device:NAME, or the .json \
         file of a measured profile"
    )]
    NotModelled {
        /// What was given.
        name: String,
    },
    /// The description of a simulated device, or of one made of two, cannot be used.
    #[error(transparent)]
    Simulated(#[from] SimError),
    /// Its published numbers make no device.
    #[error("{name}: {source}")]
    Published {
        /// The device.
        name: String,
        /// Why.
        source: PublishedLatencyError,
    },
    /// The profile cannot be read.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The profile makes no device.
    #[error("{name}: {source}")]
    Measured {
        /// The profile.
        name: String,
        /// Why.
        source: MeasuredError,
    },
}
