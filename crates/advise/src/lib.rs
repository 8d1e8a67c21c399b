#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! | to | see |
//! | --- | --- |
//! | choose the settings of a system | [`advise()`], [`System`], [`Inputs`] |
//! | see what a setting comes from | [`Setting`], [`Source`], [`Missing`] |
//! | write them down | [`Advice::files`] |
//! | judge a configuration | [`read()`], [`parse()`], [`lint()`], [`Finding`] |
//! | ask a server that runs for its settings | [`ask()`] |
//!
//! `drive.rs` is what a profile says, in the numbers that rules ask for; `systems/` has one file or folder
//! per system; `syntax/` one file per syntax of configuration files.

mod advice;
mod config;
mod drive;
mod error;
mod inputs;
mod ladder;
mod lint;
mod server;
mod setting;
mod streams;
mod syntax;
mod system;
mod systems;
mod text;
mod value;
mod waits;
mod words;

pub use advice::{Advice, File, Missing};
pub use config::{Config, Entry, Place};
pub use drive::{Drive, Unmeasured};
pub use error::AdviseError;
pub use inputs::Inputs;
pub use lint::{Finding, Lint, Unset, Verdict, lint, parse, read};
pub use server::{Asked, ask, is_address};
pub use setting::{Costs, Fits, Setting, Source};
pub use system::System;
pub use systems::rocksdb;
pub use value::Value;

use leadline_profile::DeviceProfile;

/// The settings of `system` for the device of `profile`.
///
/// # Errors
/// [`AdviseError::Version`] where `inputs` name one that is not known. What the profile lacks is no error:
/// [`Advice::missing`] names the experiments.
pub fn advise(system: System, profile: &DeviceProfile, inputs: &Inputs) -> Result<Advice, AdviseError> {
    let version = system.version(inputs.version.as_deref())?;
    let drive = Drive::new(profile);
    let mut advice = Advice::new(system, version, profile);
    system.rules().advise(&drive, inputs, &mut advice);
    Ok(advice)
}
