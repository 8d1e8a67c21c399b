#![doc = include_str!("../README.md")]
//!
//! [`Emulator::mount`] mounts a drive, [`send`] commands one that is mounted. `docs/emulate.md` has the rules
//! of durability and the format of schedules.

mod answer;
mod backing;
mod capture;
mod carry_out;
mod command;
mod content;
mod control;
mod counters;
mod device;
mod drive;
mod durable;
mod emulator;
mod enumerate;
mod error;
mod extent;
mod extents;
mod faults;
mod free;
mod fs;
mod in_flight;
mod journal;
mod layout;
mod mounts;
mod node;
mod overhead;
mod pace;
mod probe;
mod processors;
mod programs;
mod report;
mod scan;
mod shared;
mod survivors;
mod tree;
mod volume;

pub use command::{Answer, Command};
pub use control::{send, wait};
pub use counters::{Overshoot, Traffic};
pub use device::EmulatedDevice;
pub use emulator::{EmulateOptions, Emulator};
pub use error::EmulateError;
pub use faults::{FaultKind, FaultSpec, FileOperation, Schedule, ScheduleError};
pub use report::{CutRecord, FastPart, MOST_CPU, MOST_LATE, Report};
pub use survivors::PowerCut;
