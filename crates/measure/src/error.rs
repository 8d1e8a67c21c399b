//! What can go wrong while measuring.

use std::io;

use leadline_device::guard::GuardError;
use leadline_device::{DeviceError, errno_in_words};
use leadline_trace::TraceError;

use crate::PlanError;

/// A measurement that could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// The queue pair or device broke, or a request was refused before the device saw it.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The target may not be written to, or cannot be opened the way it was asked for.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The device answered a request with an error or with too few bytes.
    #[error("a {operation} of {block_bytes} bytes at byte {offset} of the target failed: {reason}")]
    Request {
        /// What it was to do, in words.
        operation: &'static str,
        /// Bytes a request.
        block_bytes: u32,
        /// Where on the target.
        offset: u64,
        /// The operating system's reason.
        reason: String,
    },
    /// The device stopped answering.
    #[error(
        "the device stopped answering: {in_flight} requests in flight and none completed for {seconds:.0} s"
    )]
    Stalled {
        /// Requests in flight.
        in_flight: u32,
        /// How long nothing came back.
        seconds: f64,
    },
    /// Ctrl-C or SIGTERM came before there was anything worth keeping.
    #[error("interrupted before every point was measured once; nothing is kept")]
    Interrupted,
    /// The trace that is replayed cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A request of a trace failed on the device.
    #[error(
        "request {number} of the trace, a {operation} of {bytes} bytes at byte {offset} of the target, failed: {reason}"
    )]
    Replayed {
        /// Its number in the trace, from 1.
        number: u64,
        /// `read` or `write`.
        operation: &'static str,
        /// Bytes that the device was asked for.
        bytes: u32,
        /// Where on the target.
        offset: u64,
        /// The operating system's reason.
        reason: String,
    },
    /// An interrupted run that overwrote a block device is to be resumed, and nobody allowed that again.
    #[error(
        "{target}: its run also wrote, and the device may be overwritten only when that is allowed again"
    )]
    ResumeWouldOverwrite {
        /// The block device, as the profile names it.
        target: String,
    },
    /// The plan cannot be carried out on this device.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl MeasureError {
    pub(crate) fn flush(result: i32) -> Self {
        MeasureError::Device(DeviceError::io("flush", io::Error::from_raw_os_error(-result)))
    }
}

/// Why a request that moved `result` bytes, or has a negative errno there, failed.
pub(crate) fn reason(result: i32) -> String {
    if result < 0 {
        errno_in_words(-result)
    } else {
        format!("only {result} bytes moved; did the target shrink?")
    }
}
