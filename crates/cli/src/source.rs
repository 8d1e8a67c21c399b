//! What PROFILE and TRACE on the command line name: a file, a device of the catalogue, a generator.

use std::ffi::OsStr;

use leadline_catalogue::{device_of, is_file, load};
use leadline_profile::{DeviceProfile, published_profile};
use leadline_trace::{Format, STDIN, Trace, TraceError, open, open_as};

use crate::console;
use crate::failure::Failure;
use crate::paths::behind;

/// What a simulated device is named with.
pub(crate) const SIMULATED: &str = "sim:";

/// What a device of the catalogue is named with.
pub(crate) const PUBLISHED: &str = "device:";

/// What a program that calls a command names the trace with that it has in memory.
pub const MEMORY: &str = "memory:";

/// The profile that PROFILE names: a path, or `device:NAME`, whose NAME is of the catalogue or a TOML file
/// (`./x.toml`) and may end in `:raw`.
///
/// # Errors
/// [`Failure::Input`] names the file or device, the place in it, and what to do.
pub fn load_profile(name: &(impl AsRef<OsStr> + ?Sized)) -> Result<DeviceProfile, Failure> {
    let name = name.as_ref();
    let text = name.display();
    if behind(name, SIMULATED).is_some() {
        return Err(Failure::Input(format!(
            "{text}: is a device, not a profile of one; measure it first, with leadline profile {text} -o FILE"
        )));
    }
    let Some(name) = behind(name, PUBLISHED) else {
        return Ok(DeviceProfile::load(name)?);
    };
    let device = device_of(name);
    let description = load(device).map_err(|error| {
        let prefix = if is_file(device) { "" } else { PUBLISHED };
        Failure::Input(format!("{prefix}{error}"))
    })?;
    Ok(published_profile(&description, &name.to_string_lossy())?)
}

/// The trace that TRACE names, in the format given or the one that its ending or content tells.
///
/// # Errors
/// As [`open`].
pub(crate) fn open_trace(
    name: &(impl AsRef<OsStr> + ?Sized),
    format: Option<Format>,
) -> Result<Box<dyn Trace>, TraceError> {
    let name = name.as_ref();
    if let Some(call) = console::call() {
        match call.trace() {
            Some(trace) if name == MEMORY => return Ok(Box::new(trace)),
            // What a program's standard input holds is its own.
            _ if name == STDIN => {
                let reason = "standard input is for the command line; name a file".to_owned();
                return Err(TraceError::Name { name: STDIN.to_owned(), reason });
            }
            _ => {}
        }
    }
    match format {
        Some(format) => open_as(name, format),
        None => open(name),
    }
}
