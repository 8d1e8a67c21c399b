//! How commands open an index.

use std::path::Path;

use leadline_device::parse_large_size;
use leadline_index::{Index, Options};
use leadline_profile::DeviceProfile;

use crate::failure::Failure;
use crate::paths::ProfileName;

/// What an index may use, and how it reads.
#[derive(clap::Args)]
pub(super) struct OpenArgs {
    /// Memory for the most recently used nodes, such as 4G; up to 25M more is used
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size, default_value = "256M")]
    memory: u64,
    /// Reads in flight, 1 to 1024 [default: 64]
    #[arg(long, value_name = "K", conflicts_with = "profile")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    concurrency: Option<u32>,
    /// Take the reads in flight, and the nodes written at once, from this profile of the device
    #[arg(long, value_name = "PROFILE")]
    profile: Option<ProfileName>,
}

impl OpenArgs {
    /// The profile that was named.
    pub(super) fn profile(&self) -> Result<Option<DeviceProfile>, Failure> {
        let profile = self.profile.as_ref();
        Ok(profile.map(DeviceProfile::open).transpose()?)
    }

    /// The options, of an index that is not made where there is none.
    pub(super) fn options(&self, profile: Option<&DeviceProfile>) -> Result<Options, Failure> {
        let usual = match profile {
            None => Options::default(),
            Some(profile) => Options::for_profile(profile).map_err(|error| {
                let name = self.profile.as_ref().map(ToString::to_string).unwrap_or_default();
                Failure::Input(format!("{name}: {error}"))
            })?,
        };
        let reads = self.concurrency.unwrap_or(usual.reads).clamp(1, 1024);
        let writes = usual.writes.clamp(1, 1024);
        Ok(usual.cache_bytes(self.memory).reads(reads).writes(writes).create(false))
    }

    /// Opens an index that exists.
    pub(super) fn open(&self, folder: &Path) -> Result<Index, Failure> {
        let profile = self.profile()?;
        Ok(Index::open_with(folder, &self.options(profile.as_ref())?)?)
    }
}
