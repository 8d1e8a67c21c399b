//! Profiles by their names: a file, or a device of the catalogue.

use std::ffi::OsStr;

use leadline_catalogue::{CatalogueError, PUBLISHED, SIMULATED, behind, device_of, is_file, load};

use crate::{DeviceProfile, ProfileError, PublishedError, published_profile};

/// A name that leads to no profile. The message names the file or device, the place in it, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file is no profile.
    #[error(transparent)]
    File(#[from] ProfileError),
    /// It is the name of a device.
    #[error(
        "{name}: is a device, not a profile of one; measure it first, with leadline profile {name} -o FILE"
    )]
    Device {
        /// The name.
        name: String,
    },
    /// The catalogue has no such device, or its file is wrong.
    #[error("{prefix}{source}")]
    Catalogue {
        /// What stands before the name.
        prefix: &'static str,
        /// What is wrong.
        source: CatalogueError,
    },
    /// Too little was published of the device.
    #[error(transparent)]
    Published(#[from] PublishedError),
}

impl DeviceProfile {
    /// The profile with this name: a path, or `device:NAME`, whose NAME is of the catalogue or a TOML file
    /// (`./x.toml`) and may end in `:raw`.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(name: &(impl AsRef<OsStr> + ?Sized)) -> Result<DeviceProfile, OpenError> {
        let name = name.as_ref();
        if behind(name, SIMULATED).is_some() {
            return Err(OpenError::Device { name: name.display().to_string() });
        }
        let Some(name) = behind(name, PUBLISHED) else {
            return Ok(DeviceProfile::load(name)?);
        };
        let device = device_of(name);
        let description = load(device).map_err(|source| {
            let prefix = if is_file(device) { "" } else { PUBLISHED };
            OpenError::Catalogue { prefix, source }
        })?;
        Ok(published_profile(&description, &name.to_string_lossy())?)
    }
}
