//! How commands open an index.

use std::path::Path;

use leadline_device::parse_large_size;
use leadline_index::{Index, IndexError, Options};
use leadline_profile::DeviceProfile;

use crate::failure::Failure;
use crate::graph::bytes;
use crate::messages;
use crate::paths::{InputPath, ProfileName};

/// Bytes of log from which on it is worth writing it to the nodes.
const LOG_BYTES: u64 = 1 << 20;

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
        let options = self.read_options()?;
        match Index::open_with(folder, &options) {
            Err(IndexError::LogDoesNotFit { .. }) if write_log(folder, &options).is_ok() => {
                Ok(Index::open_with(folder, &options)?)
            }
            opened => Ok(opened?),
        }
    }

    /// Lets go of an index that was read. If it was not closed, its log is written to its nodes, so that the
    /// next command need not read it again; where the index cannot be written, that is said.
    pub(super) fn leave(&self, index: Index) -> Result<(), Failure> {
        let (folder, log_bytes) = (index.path().to_owned(), index.stats().log_bytes);
        drop(index);
        if log_bytes < LOG_BYTES {
            return Ok(());
        }
        let options = self.read_options()?;
        let was_not_closed =
            format!("{}: it was not closed, and has {} of log", folder.display(), bytes(log_bytes));
        match write_log(&folder, &options) {
            Ok(()) => messages::note(&format!("{was_not_closed}, which was written to its nodes now")),
            Err(IndexError::InUse { .. }) => {}
            Err(_) => messages::note(&format!(
                "{was_not_closed}, which is read each time; get it once as a user who may write to the \
                 directory"
            )),
        }
        Ok(())
    }
}

/// Writes what only the log of an index has to its nodes.
fn write_log(folder: &Path, options: &Options) -> Result<(), IndexError> {
    Index::open_with(folder, &options.clone().read_only(false))?.close()
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
