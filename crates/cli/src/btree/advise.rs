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

/// Predict what a B-tree costs for each node size, and name the best
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        leadline btree advise profile.json --data 100G --key 16 --value 100 \\\n    \
        --mix point=60,range=10,insert=30\n  \
        leadline btree advise profile.json --data 1T --key 8 --value 56 --mix point=95,update=5 \\\n    \
        --memory 64G --clients 32 --json\n\n\
        Only sizes that were measured are advised; leadline experiment r-by-k measures 4K to 4M.\n\
        `leadline docs btree` has the formulas.")]
pub(super) struct Args {
    /// A profile that `leadline profile` and `leadline experiment r-by-k` wrote
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    /// Keys and values in the tree
    #[arg(long, value_name = "SIZE", value_parser = values::amount)]
    data: u64,
    /// Size of a key
    #[arg(long, value_name = "BYTES", value_parser = values::key)]
    key: u32,
    /// Size of a value
    #[arg(long, value_name = "BYTES", value_parser = values::value)]
    value: u32,
    /// Operations and their percentages, which add up to 100: point, range, insert, update
    #[arg(long, value_name = "OPERATION=PERCENT,..")]
    mix: Mix,
    /// Keys and values that a range reads
    #[arg(long, value_name = "SIZE", value_parser = values::length, default_value = "64K")]
    range_bytes: u64,
    /// Memory for nodes, the most recently used [default: none, every node is read from the device]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    #[arg(default_value = "0", hide_default_value = true)]
    memory: u64,
    /// How full nodes are, 50 % to 100 % [default: 69.3 %, as after inserts in random order]
    #[arg(long, value_name = "PERCENT", value_parser = fill)]
    fill: Option<f64>,
    /// Clients, each with one operation at a time
    #[arg(long, value_name = "K", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    clients: u32,
    /// Predict with this model [default: the one that `leadline models` chooses]
    #[arg(long, value_name = "NAME", value_parser = ["dam", "pdam", "affine", "pio", "mqssd", "shared"])]
    model: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let profile = DeviceProfile::open(&args.profile)?;
    let usage = Usage {
        data: Data::of_bytes(args.data as f64, args.key, args.value),
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
