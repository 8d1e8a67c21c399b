//! Opening a simulated device: by name in the catalogue, or by file.

use std::ffi::OsStr;

use leadline_catalogue::{DEVICES, Description, find, is_file};

use crate::{DeviceModel, DeviceSpec, SimError, Simulated};

/// Opens what follows `sim:` in a TARGET: a path when it holds a `/` or ends in `.toml`, else a built-in
/// name.
///
/// # Errors
/// [`SimError`] names the file or name, the place in it, and what to do.
pub fn open(name: &(impl AsRef<OsStr> + ?Sized)) -> Result<Simulated, SimError> {
    Ok(spec(name)?.device())
}

/// The description of what [`open`] opens.
///
/// # Errors
/// As [`open`].
pub fn spec(name: &(impl AsRef<OsStr> + ?Sized)) -> Result<DeviceSpec, SimError> {
    Ok(describe(name.as_ref())?.0)
}

/// The timing alone of what [`open`] opens, idle, and what the file says of the device.
///
/// # Errors
/// As [`open`].
pub fn open_model(
    name: &(impl AsRef<OsStr> + ?Sized),
) -> Result<(Box<dyn DeviceModel>, Description), SimError> {
    let (spec, description) = describe(name.as_ref())?;
    Ok((spec.model(), description))
}

fn describe(name: &OsStr) -> Result<(DeviceSpec, Description), SimError> {
    let shown = name.to_string_lossy();
    if is_file(name) {
        let failed = |source| SimError::Io { path: shown.clone().into_owned(), source };
        return simulated_part(&leadline_catalogue::read(name).map_err(failed)?, &shown);
    }
    match find(name) {
        Some(device) => simulated_part(device.text, &shown),
        None => Err(SimError::Unknown { name: shown.into_owned(), known: simulated() }),
    }
}

fn simulated_part(text: &str, name: &str) -> Result<(DeviceSpec, Description), SimError> {
    let description = Description::parse(text, name);
    // Before the simulator misses its own keys one by one.
    if description.as_ref().is_ok_and(|description| !description.simulated) {
        return Err(SimError::PublishedOnly { name: name.to_owned(), known: simulated() });
    }
    // The simulator's own messages come before those of the catalogue, which knows its keys by name only.
    Ok((DeviceSpec::parse(text, name)?, description?))
}

/// Names of the devices built in that can be simulated.
fn simulated() -> String {
    let names: Vec<&str> =
        DEVICES.iter().filter(|device| device.description().simulated).map(|device| device.name).collect();
    names.join(", ")
}
