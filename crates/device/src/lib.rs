//! A device is a queue pair: submit requests, reap completions, ask it for the time.
//!
//! That is how NVMe, io_uring and SPDK have it, and it is all that the rest of Leadline sees: a real file answers in
//! wall time, a simulated one in virtual time, and what drives them cannot tell. One queue pair a thread; nothing is
//! shared on the hot path.

mod buffers;
pub mod clock;
mod error;
mod faulty;
mod file;
pub mod guard;
mod memory;
mod payload;
mod psync;
mod queue;
pub mod scratch;
mod size;
pub mod target;
mod uring;

pub use error::{DeviceError, RequestError};
pub use faulty::{Fault, FaultRule, Faulty};
pub use file::{Engine, FileDevice, FileOptions, direct_alignment};
pub use memory::{Crashes, MemoryDevice, Survival, Tearing, UnsyncedWrite};
pub use payload::Payload;
pub use queue::{Clock, Completion, Device, Geometry, NEVER, Nanos, Op, QueuePair, QueueShape, Request};
pub use size::{format_size, parse_size};
