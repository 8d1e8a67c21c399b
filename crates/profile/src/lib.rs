#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! | to | see |
//! | --- | --- |
//! | load, check and save a profile | [`DeviceProfile::load`], [`DeviceProfile::save`] |
//! | read the numbers of a device | [`Parameters`]: alpha, k_r, k_w, plateaus, each with its interval |
//! | know what they are worth | [`Validity`] |
//! | read the measured points | [`Point`]; of experiments: [`Experiments`] |
//! | read what replaying a trace found | [`Replay`] |
//! | take published numbers instead of measured ones | [`published_profile`] |

mod error;
mod experiments;
mod headline;
mod histogram;
mod identity;
mod named;
mod profile;
mod published;
pub mod replay;
mod store;
mod terms;
mod words;
mod write_pattern;

pub use error::ProfileError;
pub use experiments::*;
pub use headline::{NoReadDepth, ReadLimits, headline};
pub use histogram::{Histogram, Quantile};
pub use named::OpenError;
pub use profile::{
    Bin, Capped, Censored, Check, CheckStatus, Cliff, DeviceFacts, DeviceProfile, Held, ImportedFile,
    Latency, Link, Method, OpKind, OrderEffect, Parameters, Pattern, Point, Rounds, SCHEMA, Slice,
    SliceEffect, Temperature, TimelineSample, Validity, Zones,
};
pub use published::{PublishedError, published_profile};
pub use replay::Replay;
pub use terms::{
    BudgetKind, CheckName, DeviceKind, DeviceState, EngineKind, Limit, RunPhase, WriteCache, WriteStatus,
};
pub use words::requests;
pub use write_pattern::WritePattern;

/// Bytes of a page: the unit in which models count transfers, and the smallest block that is measured by
/// default.
pub const PAGE_BYTES: u32 = 4096;
