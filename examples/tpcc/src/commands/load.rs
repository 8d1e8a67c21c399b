//! `tpcc load`: makes a database.

use std::path::PathBuf;

use leadline_device::{format_size, parse_size};
use leadline_tpcc::file::DatabaseFile;
use leadline_tpcc::pages::{Pages, PoolPages};
use leadline_tpcc::{StoreError, load, pages_needed};

use super::failure::{Failure, say};
use super::shared::{PoolArgs, ScaleArgs, print};

/// Makes a database file in a directory and loads it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the file is made
    #[arg(long)]
    dir: PathBuf,
    #[command(flatten)]
    scale: ScaleArgs,
    /// Bytes of a page, 4K to 64K
    #[arg(long, default_value = "4K", value_name = "SIZE", value_parser = page)]
    page: u32,
    /// Room for what runs add [default: a quarter of what is loaded, at least 64M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    room: Option<u64>,
    /// Seed of all that is random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Replaces a database that is there already
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    pool: PoolArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let scale = args.scale.scale()?;
    let options = args.pool.options(args.page)?;
    // The pool may keep the last few bytes of a page for a checksum.
    let loaded = pages_needed(scale, args.page as usize - 16) * u64::from(args.page);
    let bytes = loaded + args.room.unwrap_or((loaded / 4).max(64 << 20));
    let file = DatabaseFile::create(&args.dir, bytes, args.page, args.replace).map_err(Failure::Input)?;
    say(&format!("{}: {} laid out", file.path().display(), format_size(file.bytes())));
    file.notes().iter().for_each(|note| say(note));
    let pages = PoolPages::create(file.device()?, args.page, options)?;
    let done = load(&pages, scale, args.seed, |warehouses| {
        say(&format!("loaded {warehouses} of {} warehouses", scale.warehouses));
    });
    match done.and_then(|database| database.save(&pages)) {
        Ok(()) => {}
        Err(StoreError::Full { .. }) => return Err(Failure::room(file.bytes())),
        Err(error) => return Err(error.into()),
    }
    let used = pages.page_count() * u64::from(args.page);
    let path = file.path().display().to_string();
    file.keep();
    print(&format!(
        "{path}: {} warehouses in {} pages ({}), room for {} more",
        scale.warehouses,
        pages.page_count(),
        format_size(used),
        format_size(pages.pages_left() * u64::from(args.page))
    ))
}

fn page(text: &str) -> Result<u32, String> {
    match parse_size(text)? {
        size @ 4096..=65_536 if size.is_power_of_two() => Ok(size as u32),
        _ => Err("must be a power of two from 4K to 64K".to_owned()),
    }
}
