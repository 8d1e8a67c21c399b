//! From PROFILE to a profile: a file that `leadline profile` wrote, or a device of the catalogue.

use leadline_catalogue::{is_file, load, split_path};
use leadline_model::{DeviceProfile, published_profile};

use crate::failure::Failure;

/// What a device of the catalogue is named with.
pub(crate) const PUBLISHED: &str = "device:";

/// The profile that PROFILE names: a path, or `device:NAME`, whose NAME is of the catalogue or a TOML file (`./x.toml`)
/// and may end in `:raw`.
///
/// # Errors
/// [`Failure::Input`] names the file or device, the place in it, and what to do.
pub(crate) fn load_profile(text: &str) -> Result<DeviceProfile, Failure> {
    let Some(name) = text.strip_prefix(PUBLISHED) else {
        return Ok(DeviceProfile::load(text)?);
    };
    let device = split_path(name).0;
    let description = load(device).map_err(|error| {
        let prefix = if is_file(device) { "" } else { PUBLISHED };
        Failure::Input(format!("{prefix}{error}"))
    })?;
    Ok(published_profile(&description, name)?)
}
