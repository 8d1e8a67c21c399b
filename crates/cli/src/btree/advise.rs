//! `leadline btree advise`: lookups, ranges, inserts and updates over the node size, and the best one.

use leadline_device::parse_large_size;
use leadline_lsm::Data;
use leadline_lsm::btree::{Advice, Mix, RANDOM_FILL, Usage, advice_json};
use leadline_model::{ModelComparison, Observations};
use leadline_profile::DeviceProfile;
use leadline_report::render_text;

use crate::failure::{Failure, no_advice};
use crate::paths::ProfileName;
use crate::{output, values};

/// Predict a B-tree's cost for each node size, and name the best
#[derive(clap::Args)]
#[command(override_usage = "leadline btree advise [OPTIONS] --data <SIZE> --key-size <SIZE>\n           \
        --value-size <SIZE> --mix <OPERATION=PERCENT,..> <PROFILE>")]
#[command(after_help = "\
Examples:
  leadline btree advise profile.json --data 100G --key-size 16 \\
    --value-size 100 --mix point=60,range=10,insert=30
  # Mostly lookups, by 32 clients, with 64G of memory
  leadline btree advise profile.json --data 1T --key-size 8 --value-size 56 \\
    --mix point=95,update=5 --memory 64G --clients 32 --json

Only measured sizes are advised; `leadline experiment r-by-k` measures 4K to 4M. Formulas: see \
`leadline docs btree`.")]
pub(super) struct Args {
    /// A profile of the device, from `leadline profile` and `leadline experiment r-by-k`
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    /// Size of all keys and values in the tree, such as 100G
    #[arg(long, value_name = "SIZE", value_parser = values::amount)]
    data: u64,
    /// Size of a key, 1 byte to 1M
    #[arg(long, alias = "key", value_name = "SIZE", value_parser = values::key)]
    key_size: u32,
    /// Size of a value, 0 bytes to 1G
    #[arg(long, alias = "value", value_name = "SIZE", value_parser = values::value)]
    value_size: u32,
    /// Share of each operation in percent, 100 in all: point, range, insert, update
    #[arg(long, value_name = "OPERATION=PERCENT,..")]
    mix: Mix,
    /// Size of the keys and values that a range reads
    #[arg(long = "range-size", alias = "range-bytes", value_name = "SIZE", value_parser = values::length, default_value = "64K")]
    range_bytes: u64,
    /// Memory for the most recently used nodes, such as 64G [default: 0, every node is read from the device]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    #[arg(default_value = "0", hide_default_value = true)]
    memory: u64,
    /// Fill of the nodes in percent, 50 to 100 [default: 69.3, as after inserts in random order]
    #[arg(long, value_name = "PERCENT", value_parser = fill)]
    fill: Option<f64>,
    /// Clients, 1 to 1048576, each with one operation at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    clients: u32,
    /// Predict with this model [default: the best of `leadline models`]
    #[arg(long, value_name = "NAME", value_parser = ["dam", "pdam", "affine", "pio", "mqssd", "shared"])]
    model: Option<String>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let profile = DeviceProfile::open(&args.profile)?;
    let usage = Usage {
        data: Data::of_bytes(args.data as f64, args.key_size, args.value_size),
        fill: args.fill.unwrap_or(RANDOM_FILL),
        memory_bytes: args.memory,
        mix: args.mix,
        range_bytes: args.range_bytes,
    };
    let comparison = ModelComparison::new(Observations::from_profile(&profile));
    let block = profile.device.logical_block_bytes;
    let advice = Advice::new(&usage, args.clients, block, &comparison, args.model.as_deref())
        .map_err(|error| no_advice(&args.profile.to_string(), &error))?;
    if args.json {
        return output::print_json(&advice_json(&advice));
    }
    output::print(&render_text(&advice.text(), output::width()))
}

fn fill(text: &str) -> Result<f64, String> {
    let share = values::percent(text).ok().filter(|share| *share >= 0.5);
    share.ok_or_else(|| "must be from 50 to 100 (percent)".to_owned())
}
