//! How commands open an index.

use std::path::Path;

use leadline_device::parse_large_size;
use leadline_index::{Index, Options};
use leadline_profile::DeviceProfile;

use crate::failure::Failure;
use crate::paths::{InputPath, ProfileName};

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

    /// The options, of an index that is only read.
    pub(super) fn read_options(&self) -> Result<Options, Failure> {
        Ok(self.options(self.profile()?.as_ref())?.read_only(true))
    }

    /// Opens an index for reading only.
    pub(super) fn read(&self, folder: &Path) -> Result<Index, Failure> {
        Ok(Index::open_with(folder, &self.read_options()?)?)
    }
}

/// What commands take that look at an index as a whole.
#[derive(clap::Args)]
pub(super) struct WholeArgs {
    /// The directory of the index
    #[arg(value_name = "DIR")]
    pub(super) folder: InputPath,
    #[command(flatten)]
    pub(super) open: OpenArgs,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}
