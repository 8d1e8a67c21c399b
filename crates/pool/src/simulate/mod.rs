//! A pool over a trace in virtual time: what a policy, a write-back rule and a cleaner cost on a device.
//!
//! Clients take the trace's operations in turn. A hit takes no time; a miss blocks its client until room is
//! made and the page is read. The pool starts empty and is not flushed at the end. Without a device the same
//! decisions are made and only counted.

mod cleaner_state;
mod cleaning;
mod clients;
mod frames;
mod io;
mod object_outcome;
mod objects;
mod outcome;
mod simulator;
mod sweep;
#[cfg(feature = "figures")]
mod swept;

use std::sync::atomic::AtomicBool;

use leadline_device::{DeviceError, QueuePair, QueueShape, RequestError};
use leadline_trace::{Trace, TraceError};

use crate::ace::{Ace, Cleaner};
use crate::config_error::{ConfigError, check_page_bytes};
use crate::policy::{Policy, PolicyKind, Visitor};
use crate::setters::setters;
use simulator::Simulator;

pub use object_outcome::ObjectOutcome;
pub use outcome::{LatencyUs, Outcome, WearOutcome};
pub use sweep::{Inputs, SweepError, SweepProgress, sweep};
#[cfg(feature = "figures")]
pub use swept::{GAINS_NOTHING, Swept, SweptPool};

/// An adaptive n goes no higher.
const MOST_ADAPTIVE: u32 = 256;

/// Most clients of a simulation.
pub const MAX_CLIENTS: u32 = 4096;

/// Most frames of a simulation.
const MAX_FRAMES: u32 = 1 << 29;

/// Most requests in flight on one queue pair.
const MAX_DEPTH: u64 = 32_768;

/// What is simulated.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// Replacement.
    pub policy: PolicyKind,
    /// Write-back and eviction in the foreground.
    pub ace: Ace,
    /// Pages written at once, at least 1; the pool's size where that is less.
    pub n: u32,
    /// Whether `n` is where a search begins that watches the device ([`crate::BatchSearch`]); nothing without
    /// a device.
    pub adaptive: bool,
    /// Write-back in the background.
    pub cleaner: Cleaner,
    /// Clients that take the trace's operations in turn, 1 to [`MAX_CLIENTS`].
    pub clients: u32,
    /// Pages the pool holds, at least 1.
    pub frames: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Bytes that the pool holds instead of `frames`, for a trace whose objects have sizes: objects are
    /// evicted until the next one fits. Only without a device, for one client, with ACE and cleaner off, and
    /// with a policy of [`PolicyKind::growing`].
    pub cache_bytes: Option<u64>,
}

/// Why a simulation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No pool can be made of this configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A cache of that many bytes, and a trace without sizes.
    #[error("cache_bytes: the trace has no sizes of objects; give frames")]
    NoSizes,
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
    /// The caller cancelled it.
    #[error("interrupted")]
    Cancelled,
}

impl Config {
    /// LRU; dirty victims are written one at a time, by the one client that finds them.
    pub fn new(page_bytes: u32, frames: u32) -> Self {
        Config {
            policy: PolicyKind::Lru,
            ace: Ace::Off,
            n: 1,
            adaptive: false,
            cleaner: Cleaner::Off,
            clients: 1,
            frames,
            page_bytes,
            cache_bytes: None,
        }
    }

    setters! {
        /// Sets [`Config::policy`].
        policy: PolicyKind,
        /// Sets [`Config::ace`].
        ace: Ace,
        /// Sets [`Config::n`].
        n: u32,
        /// Sets [`Config::adaptive`].
        adaptive: bool,
        /// Sets [`Config::cleaner`].
        cleaner: Cleaner,
        /// Sets [`Config::clients`].
        clients: u32,
        /// Sets [`Config::frames`].
        frames: u32,
        /// Sets [`Config::page_bytes`].
        page_bytes: u32,
        /// Sets [`Config::cache_bytes`].
        cache_bytes: Option<u64>,
    }

    /// Whether such a pool can be made.
    ///
    /// # Errors
    /// [`ConfigError`] names the field.
    pub fn check(&self) -> Result<(), ConfigError> {
        let (frames, clients) = (self.frames, self.clients);
        if frames == 0 || frames > MAX_FRAMES {
            return Err(ConfigError::Frames { frames, most: MAX_FRAMES });
        }
        if self.n == 0 {
            return Err(ConfigError::NoBatch);
        }
        if self.cleaner == Cleaner::Depth(0) {
            return Err(ConfigError::IdleCleaner);
        }
        if clients == 0 || clients > MAX_CLIENTS {
            return Err(ConfigError::Clients { clients, most: MAX_CLIENTS });
        }
        if self.cache_bytes.is_some() {
            self.check_object_cache()?;
        }
        check_page_bytes(self.page_bytes, 512, 1 << 31)
    }

    fn check_object_cache(&self) -> Result<(), ConfigError> {
        if self.clients != 1 || self.ace != Ace::Off || self.cleaner != Cleaner::Off {
            return Err(ConfigError::ObjectCache);
        }
        if !PolicyKind::growing().any(|kind| kind == self.policy) {
            let names: Vec<&str> = PolicyKind::growing().map(PolicyKind::name).collect();
            let growing = names.join(", ");
            return Err(ConfigError::ObjectPolicy { policy: self.policy.name(), growing });
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
    /// [`ConfigError::TooManyInFlight`].
    pub fn queue_shape(&self) -> Result<QueueShape, ConfigError> {
        let cleaner = match self.cleaner {
            Cleaner::Off => 0,
            Cleaner::Depth(depth) => depth,
            Cleaner::Auto => self.most_at_once(),
        };
        let most = match self.ace {
            // Reads ahead outlive the miss that they were sent with.
            ace if ace.reads_ahead() => MAX_DEPTH,
            _ => u64::from(self.clients) * u64::from(self.most_at_once()) + u64::from(cleaner),
        };
        // No frame has two requests in flight.
        let depth = most.min(u64::from(self.frames));
        if depth > MAX_DEPTH {
            let (clients, n) = (self.clients, self.n);
            return Err(ConfigError::TooManyInFlight { clients, n, depth, most: MAX_DEPTH });
        }
        Ok(QueueShape::new(depth as u32, self.page_bytes))
    }
}

/// Runs a trace through a pool.
///
/// `device` is a queue pair of a simulated device, idle, made with [`Config::queue_shape`]; without one no
/// time passes. Memory is the pool's: constant in the trace's length.
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

/// As [`simulate`], with this policy instead of the configured one.
pub(crate) fn simulate_with(
    policy: impl Policy,
    trace: &mut dyn Trace,
    config: &Config,
    device: Option<Box<dyn QueuePair>>,
    cancel: &AtomicBool,
) -> Result<Outcome, SimulateError> {
    match config.cache_bytes {
        Some(_) if device.is_some() => Err(ConfigError::ObjectCache.into()),
        Some(bytes) => objects::simulate_objects(policy, trace, config, bytes, cancel),
        None => Simulator::new(policy, trace, config, device, cancel)?.run(),
    }
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
        simulate_with(policy, self.trace, self.config, self.device, self.cancel)
    }
}
