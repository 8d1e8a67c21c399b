//! What the commands' arguments have in common.

use std::path::Path;

use clap::Args;
use leadline_device::parse_size;
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_tpcc::Scale;
use leadline_tpcc::file::DatabaseFile;
use leadline_tpcc::pages::{PoolOptions, PoolPages};

use super::failure::{Failure, say};

/// Pool size where none is given.
const DEFAULT_POOL_BYTES: u64 = 64 << 20;

/// How the buffer pool is made.
#[derive(Debug, Args)]
pub(crate) struct PoolArgs {
    /// Pages the pool holds
    #[arg(long, value_name = "N", conflicts_with = "pool")]
    frames: Option<u32>,
    /// Memory of the pool [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pool: Option<u64>,
    /// Replacement policy
    #[arg(long, default_value = "lru", value_parser = policy)]
    policy: PolicyKind,
    /// Write-back when a victim is dirty: off, cow, cow-x, cow-e, cow-x-e
    #[arg(long, default_value = "off", value_parser = ace)]
    ace: Ace,
    /// Pages written at once
    #[arg(long, default_value_t = 8, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    n: u32,
    /// Write-back in the background: off, so many writes in flight, or auto
    #[arg(long, default_value = "off", value_name = "OFF|D|AUTO", value_parser = cleaner)]
    cleaner: Cleaner,
}

impl PoolArgs {
    /// For pages of `page_bytes`.
    pub(crate) fn options(&self, page_bytes: u32) -> Result<PoolOptions, Failure> {
        let bytes = self.pool.unwrap_or(DEFAULT_POOL_BYTES);
        let frames = match self.frames {
            Some(frames) => frames,
            None => u32::try_from(bytes / u64::from(page_bytes))
                .map_err(|_| Failure::Input(format!("--pool {bytes}: is too large")))?,
        };
        if frames < PoolOptions::LEAST_FRAMES {
            let least = PoolOptions::LEAST_FRAMES;
            return Err(Failure::Input(format!("a pool of {frames} pages: must hold {least} or more")));
        }
        Ok(PoolOptions { frames, policy: self.policy, ace: self.ace, n: self.n, cleaner: self.cleaner })
    }
}

/// How many rows there are.
#[derive(Debug, Args)]
pub(crate) struct ScaleArgs {
    /// Warehouses, about 80 MB each
    #[arg(long, value_name = "W")]
    pub(crate) warehouses: Option<u32>,
    /// Multiplies customers, orders and items; anything but 1 is for tests
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR")]
    scale: f64,
}

impl ScaleArgs {
    pub(crate) fn scale(&self) -> Result<Scale, Failure> {
        let Some(warehouses) = self.warehouses else {
            return Err(Failure::Input("--warehouses is missing; give 1 or more".into()));
        };
        Scale::reduced(warehouses, self.scale).map_err(Failure::Input)
    }
}

/// Opens the database in `dir`.
pub(crate) fn open(dir: &Path, pool: &PoolArgs) -> Result<(DatabaseFile, PoolPages), Failure> {
    let file = DatabaseFile::open(dir).map_err(Failure::Input)?;
    let pages = PoolPages::open(file.device()?, file.page_bytes(), pool.options(file.page_bytes())?)?;
    file.notes().iter().for_each(|note| say(note));
    Ok((file, pages))
}

/// Results.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    leadline_examples::print(text)
        .map_err(|error| Failure::Operation(format!("writing the results: {error}")))
}

pub(crate) fn json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}"))
}

fn policy(text: &str) -> Result<PolicyKind, String> {
    let names = || PolicyKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    PolicyKind::parse(text).ok_or_else(|| format!("must be one of {}", names()))
}

fn ace(text: &str) -> Result<Ace, String> {
    Ace::parse(text).ok_or_else(|| format!("must be one of {}", Ace::ALL.map(Ace::name).join(", ")))
}

fn cleaner(text: &str) -> Result<Cleaner, String> {
    match text {
        "off" => Ok(Cleaner::Off),
        "auto" => Ok(Cleaner::Auto),
        depth => match depth.parse() {
            Ok(depth @ 1..=1024) => Ok(Cleaner::Depth(depth)),
            _ => Err("must be off, auto, or a number of writes from 1 to 1024".to_owned()),
        },
    }
}
