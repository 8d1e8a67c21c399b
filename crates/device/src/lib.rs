#![doc = include_str!("../README.md")]
//!
//! ## Where to look
//!
//! | for | see |
//! | --- | --- |
//! | the queue pair and its contract | [`QueuePair`], [`Device`], [`Request`], [`Completion`] |
//! | a file or block device | [`FileDevice`], [`FileOptions`], [`IoEngine`] |
//! | what may be written to | [`guard`], [`target`] |
//! | a scratch file | [`scratch`] |
//! | data that does not compress | [`Payload`] |
//!
//! What drives a queue pair cannot tell a real device, in wall-clock time, from a simulated one, in virtual
//! time.

mod buffers;
pub mod clock;
mod errno;
mod error;
#[cfg(feature = "testing")]
mod faulty;
mod file;
#[cfg(feature = "testing")]
mod filled;
pub mod guard;
#[cfg(feature = "testing")]
mod memory;
mod payload;
mod psync;
mod queue;
mod request;
pub mod scratch;
pub mod target;
mod uring;

/// Sizes as people write them: of blocks, files and devices.
pub use leadline_files::{format_size, parse_large_size, parse_size};

pub use errno::{errno_in_words, error_in_words};
pub use error::DeviceError;
#[cfg(feature = "testing")]
pub use faulty::{Fault, FaultRule, Faulty};
pub use file::{FileDevice, FileOptions, IoEngine, direct_alignment};
#[cfg(feature = "testing")]
pub use filled::Filled;
#[cfg(feature = "testing")]
pub use memory::{Crashes, MemoryDevice, Survival, Tearing, UnsyncedWrite};
pub use payload::Payload;
pub use queue::{Clock, Completion, Device, NEVER, Nanos, QueuePair, Wear};
pub use request::{Geometry, Op, QueueShape, Request, RequestError};
