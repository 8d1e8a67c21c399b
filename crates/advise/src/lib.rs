#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! | to | see |
//! | --- | --- |
//! | choose the settings of a system | [`advise()`], [`System`], [`Inputs`] |
//! | see what a setting comes from | [`Setting`], [`Source`], [`Missing`] |
//! | write them down | [`Advice::files`] |
//! | read a configuration | [`read()`], [`read_as()`], [`parse()`], [`Config`] |
//! | judge it | [`lint()`], [`Finding`] |
//! | ask a server that runs for its settings | [`ask()`] |
//!
//! `drive.rs` is what a profile says, in the numbers that rules ask for; `systems/` has one file or directory
//! per system; `syntax/` one file per syntax of configuration files.

mod advice;
mod config;
mod containers;
mod drive;
mod drive_name;
mod error;
mod files;
mod flag;
mod in_force;
mod inputs;
mod installed;
mod keys;
mod ladder;
mod lint;
mod meaning;
mod open;
mod plain;
mod recognise;
mod server;
mod setting;
mod streams;
mod syntax;
mod system;
mod systems;
mod text;
mod value;
mod version;
mod waits;
mod words;

pub use advice::{Advice, File, Missing};
pub use config::{Config, Entry, Place};
pub use drive::{Drive, Unmeasured};
pub use drive_name::DriveName;
pub use error::AdviseError;
pub use files::Reading;
pub use inputs::Inputs;
pub use installed::{Installed, installed};
pub use keys::{Key, Keys, Kind};
pub use lint::{Finding, Lint, Unset, Verdict, lint};
pub use meaning::{Meaning, Moot, Special, When};
pub use open::{parse, read, read_as, text};
pub use recognise::{Recognised, looks_like, recognise};
pub use server::{Asked, ask, is_address};
pub use setting::{Costs, Fits, Setting, Source};
pub use system::System;
pub use systems::{rocksdb, seastar};
pub use value::Value;

use leadline_profile::DeviceProfile;

/// The settings of `system` for the device of `profile`.
///
/// Without a version, in `inputs` or in the profile (which knows the kernel), they belong to the newest
/// that is known, and [`Advice::differing`] names the keys for which other versions have others.
///
/// # Errors
/// [`AdviseError::Version`] where `inputs` name one that is none. What the profile lacks is no error:
/// [`Advice::missing`] names the experiments.
pub fn advise(system: System, profile: &DeviceProfile, inputs: &Inputs) -> Result<Advice, AdviseError> {
    let told = system.rules().version_told(profile);
    let Some(given) = inputs.version.as_deref().or(told.as_deref()) else {
        let newest = system.versions_of(inputs.product).last().unwrap_or_default();
        let differing = differing(system, profile, inputs);
        return Ok(Advice { differing, ..of_version(system, newest, profile, inputs) });
    };
    let version = system.version(given)?;
    let mut advice = of_version(system, version.known, profile, inputs);
    advice.notes.extend(version.note);
    Ok(advice)
}

/// The keys that not all versions of `system` have, or for which they are advised other values.
fn differing(system: System, profile: &DeviceProfile, inputs: &Inputs) -> Vec<&'static str> {
    let versions = system.versions_of(inputs.product);
    let advised = versions.map(|version| of_version(system, version, profile, inputs));
    let advised: Vec<Advice> = advised.collect();
    let mut keys: Vec<&'static str> =
        advised.iter().flat_map(|advice| advice.settings.iter().map(|setting| setting.key)).collect();
    keys.sort_unstable();
    keys.dedup();
    let value = |advice: &Advice, key: &str| advice.setting(key).map(|setting| setting.value.clone());
    keys.retain(|key| advised.windows(2).any(|pair| value(&pair[0], key) != value(&pair[1], key)));
    keys
}

/// The settings of one of the versions that are known.
fn of_version(system: System, version: &'static str, profile: &DeviceProfile, inputs: &Inputs) -> Advice {
    let drive = Drive::new(profile);
    let mut advice = Advice::new(system, version, profile);
    system.rules().advise(&drive, inputs, &mut advice);
    if let Some(keys) = system.rules().keys(version) {
        for setting in &mut advice.settings {
            setting.needs_restart = keys.get(setting.key).is_some_and(|key| key.needs_restart);
        }
    }
    advice
}
