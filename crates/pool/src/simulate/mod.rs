//! A pool over a trace in virtual time: what a policy, a write-back rule and a cleaner cost on a device.
//!
//! Clients take the trace's operations in turn. A hit takes no time; a miss blocks its client until room is made and
//! the page is read. The pool starts empty and is not flushed at the end. Without a device the same decisions are made
//! and only counted.

mod cleaning;
mod clients;
mod engine;
mod frames;
mod io;
mod outcome;

use std::sync::atomic::AtomicBool;

use leadline_device::{DeviceError, QueuePair, QueueShape, RequestError};
use leadline_trace::{Trace, TraceError};

use crate::ace::{Ace, Cleaner};
use crate::policy::{Policy, PolicyKind, Visitor};
use engine::Engine;
pub use outcome::{LatencyUs, Outcome};

/// An adaptive n goes no higher.
const MOST_ADAPTIVE: u32 = 256;

/// Most clients of a simulation.
pub const MAX_CLIENTS: u32 = 4096;

/// What is simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Replacement.
    pub policy: PolicyKind,
    /// Write-back and eviction in the foreground.
    pub ace: Ace,
    /// Pages written at once, at least 1; the pool's size where that is less.
    pub n: u32,
    /// Whether `n` is where a search begins that watches the device ([`crate::Adaptive`]); nothing without a device.
    pub adaptive: bool,
    /// Write-back in the background.
    pub cleaner: Cleaner,
    /// Clients that take the trace's operations in turn, 1 to [`MAX_CLIENTS`].
    pub clients: u32,
    /// Pages the pool holds, at least 1.
    pub frames: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
}

/// Why there is no outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The configuration makes no pool.
    #[error("{0}")]
    Config(String),
    /// A page lies beyond the device.
    #[error(
        "operation {operation}: page {page} ends beyond the device, which holds {pages} pages of {page_bytes} bytes"
    )]
    BeyondDevice {
        /// The trace's operation, from 1.
        operation: u64,
        /// Its page.
        page: u64,
        /// What the device holds.
        pages: u64,
        /// Bytes of a page.
        page_bytes: u32,
    },
    /// The device failed a request.
    #[error("page {page}: the device answered with error {errno}")]
    Request {
        /// The page read or written.
        page: u64,
        /// The system's number of the error.
        errno: i32,
    },
    /// The device refused a request.
    #[error(transparent)]
    Refused(#[from] RequestError),
    /// The device broke.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Somebody cancelled.
    #[error("interrupted")]
    Cancelled,
}

impl Config {
    /// Whether such a pool can be.
    ///
    /// # Errors
    /// [`SimulateError::Config`] with the field.
    pub fn check(&self) -> Result<(), SimulateError> {
        let bad = |reason: String| Err(SimulateError::Config(reason));
        if self.frames == 0 || self.frames > 1 << 29 {
            return bad(format!("frames: {}: must be from 1 to 536870912", self.frames));
        }
        if self.n == 0 {
            return bad("n: 0: at least 1 page is written at once".into());
        }
        if self.cleaner == Cleaner::Depth(0) {
            return bad("cleaner: 0: a cleaner has at least 1 write in flight; or turn it off".into());
        }
        if self.clients == 0 || self.clients > MAX_CLIENTS {
            return bad(format!("clients: {}: must be from 1 to {MAX_CLIENTS}", self.clients));
        }
        if !self.page_bytes.is_power_of_two() || self.page_bytes < 512 {
            return bad(format!("page size: {}: must be a power of two of at least 512", self.page_bytes));
        }
        Ok(())
    }

    /// Pages written at once to begin with: never more than the pool holds.
    pub(crate) fn batch(&self) -> u32 {
        self.n.min(self.frames)
    }

    /// Most pages that are ever written at once.
    pub(crate) fn most_at_once(&self) -> u32 {
        if self.adaptive { self.frames.min(MOST_ADAPTIVE).max(self.batch()) } else { self.batch() }
    }

    /// The queue pair that [`simulate`] needs: a slot for every request that can be in flight.
    ///
    /// # Errors
    /// [`SimulateError::Config`]: too many for one queue pair.
    pub fn queue_shape(&self) -> Result<QueueShape, SimulateError> {
        let cleaner = match self.cleaner {
            Cleaner::Off => 0,
            Cleaner::Depth(depth) => depth,
            Cleaner::Auto => self.most_at_once(),
        };
        let most = match self.ace {
            // Reads ahead outlive the miss that they were sent with.
            Ace::CowE | Ace::CowXE => 32_768,
            _ => u64::from(self.clients) * u64::from(self.most_at_once()) + u64::from(cleaner),
        };
        // No frame has two requests in flight.
        let depth = most.min(u64::from(self.frames));
        if depth > 32_768 {
            return Err(SimulateError::Config(format!(
                "{} clients with {} pages each are {depth} requests in flight; a device takes 32768",
                self.clients, self.n
            )));
        }
        Ok(QueueShape::new(depth as u32, self.page_bytes))
    }
}

/// Runs a trace through a pool.
///
/// `device` is a queue pair of a simulated device, idle, made with [`Config::queue_shape`]; without one no time passes.
/// Memory is that of the pool: constant in the trace's length.
///
/// # Errors
/// [`SimulateError`]: the first thing that went wrong.
pub fn simulate(
    trace: &mut dyn Trace,
    config: &Config,
    device: Option<Box<dyn QueuePair>>,
    cancel: &AtomicBool,
) -> Result<Outcome, SimulateError> {
    config.check()?;
    config.policy.visit(config.frames, Simulation { trace, config, device, cancel })
}

/// What [`simulate`] was given, until the policy's type is known.
struct Simulation<'a> {
    trace: &'a mut dyn Trace,
    config: &'a Config,
    device: Option<Box<dyn QueuePair>>,
    cancel: &'a AtomicBool,
}

impl Visitor for Simulation<'_> {
    type Output = Result<Outcome, SimulateError>;

    fn visit<P: Policy + 'static>(self, policy: P) -> Self::Output {
        Engine::new(policy, self.trace, self.config, self.device, self.cancel)?.run()
    }
}
