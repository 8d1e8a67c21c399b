//! What an emulator that runs can be told, and what it answers: lines of JSON.

use std::path::PathBuf;

use leadline_trace::capture::CaptureSummary;
use serde::{Deserialize, Serialize};

use crate::faults::{FaultKind, FileOperation};
use crate::report::Report;
use crate::survivors::PowerCut;

/// A command to a mounted drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Command {
    /// The counters so far.
    Counters,
    /// Cuts the power; some of what is not durable survives, by this seed, or nothing without one.
    PowerCut {
        /// Of the choice of survivors.
        seed: Option<u64>,
    },
    /// Writes directories as power cuts could leave them at this moment, and cuts nothing.
    Enumerate {
        /// An empty directory for them.
        into: PathBuf,
        /// At most this many.
        most: usize,
    },
    /// Inject a fault once, at the next matching operation.
    Inject {
        /// What goes wrong.
        kind: FaultKind,
        /// The operation, or whichever comes.
        operation: Option<FileOperation>,
        /// Glob of the files that it may hit.
        path: Option<String>,
        /// How long, of a stall and a slow period.
        seconds: Option<f64>,
        /// How often; `None` for ever.
        times: Option<u64>,
    },
    /// Where a file is on the device.
    Map {
        /// Path from the root of the mount.
        file: PathBuf,
    },
    /// Switch to another device model.
    Device {
        /// As for a mount.
        name: String,
    },
    /// Begins to record what reaches the drive.
    StartTrace {
        /// The capture's file, which appears when it is ended.
        into: PathBuf,
    },
    /// Ends what [`Command::StartTrace`] began.
    StopTrace,
    /// Whether the drive is ready: what the kernel and FUSE take is measured.
    IsReady,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Answer {
    /// To [`Command::Counters`].
    Counters(Box<Report>),
    /// To [`Command::PowerCut`].
    PowerCut(PowerCut),
    /// To [`Command::Enumerate`]: directories written.
    Enumerated(usize),
    /// To [`Command::Map`]: offset in the file, offset on the device, length, all in bytes.
    Map(Vec<[u64; 3]>),
    /// To [`Command::StopTrace`].
    Captured(CaptureSummary),
    /// To [`Command::Inject`], [`Command::Device`] and [`Command::StartTrace`].
    Done,
    /// To [`Command::IsReady`].
    IsReady(bool),
    /// Why it was not done: what was asked for cannot be.
    Refused(String),
    /// Why it could not be done, as on a full disk.
    Failed(String),
}
