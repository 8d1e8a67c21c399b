//! Faults on purpose: a schedule of them, and whether one hits a request.
//!
//! A schedule is a TOML file; docs/emulate.md has its format.

mod injector;
mod schedule;

pub(crate) use injector::{Effects, Injector, Subject};
pub use schedule::{FaultKind, FaultSpec, FileOperation, Schedule, ScheduleError};
