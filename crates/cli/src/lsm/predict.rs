//! `leadline lsm predict`: what an LSM tree costs that is set up already.

use leadline_device::parse_large_size;
use leadline_lsm::figures::{Question, prediction_json, prediction_text};
use leadline_lsm::options::{self, DEFAULT_FAMILY};
use leadline_lsm::{Layout, Machine, Mix};
use leadline_report::render_text;

use super::asked::{Asked, doubt};
use crate::failure::Failure;
use crate::messages;
use crate::output;
use crate::paths::InputPath;

/// Predict the cost of the tree that an OPTIONS file describes
#[derive(clap::Args)]
#[command(override_usage = "leadline lsm predict [OPTIONS] --data <SIZE> --key-size <SIZE>\n           \
        --value-size <SIZE> --options <OPTIONS.ini> <PROFILE>")]
#[command(after_help = "\
Examples:
  # A database that is in use
  leadline lsm predict profile.json --options db/OPTIONS-000007 --data 100G \\
    --key-size 16 --value-size 2048
  # A mix of operations by 16 clients
  leadline lsm predict profile.json --options OPTIONS.ini --data 1T \\
    --key-size 16 --value-size 100 --mix point=60,scan=10,insert=30 \\
    --clients 16 --cache-size 8G --json

The tree is loaded in simulated time. The result is the cost and the bottleneck of point queries, scans, \
inserts and the mix, and the fill of each level. RocksDB does not write the size of its block cache into \
OPTIONS files: give it with --cache-size.")]
pub(super) struct Args {
    #[command(flatten)]
    asked: Asked,
    /// OPTIONS file: OPTIONS-NUMBER of a database, or one from `leadline lsm advise`
    #[arg(long, value_name = "OPTIONS.ini")]
    options: InputPath,
    /// Share of each operation in percent, as for `leadline lsm advise` [default: each operation alone]
    #[arg(long, value_name = "OPERATION=PERCENT,..")]
    mix: Option<Mix>,
    /// Size of the block cache, such as 8G [default: the file's, or RocksDB's default]
    #[arg(long = "cache-size", alias = "cache", value_name = "SIZE", value_parser = parse_large_size)]
    cache: Option<u64>,
    /// Column family in the OPTIONS file
    #[arg(long, value_name = "NAME", default_value = DEFAULT_FAMILY)]
    family: String,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let file = options::read(&args.options, &args.family)?;
    let file = match args.cache {
        Some(bytes) => file.with_cache(bytes),
        None => file,
    };
    let data = args.asked.data()?;
    let mut costs = args.asked.costs()?;
    let layout = Layout { compressed_share: args.asked.compressed_share(), ..*file.layout() };
    let warnings = file.warnings().iter();
    costs.warnings.extend(warnings.map(|warning| format!("{}: {warning}", args.options.display())));
    let machine = Machine { device: &costs.device, processor: &costs.processor, cores: costs.cores };
    let demands = args.asked.demands(args.mix.unwrap_or(Mix::POINTS));
    let prediction = leadline_lsm::predict(&data, &layout, &machine, &demands);
    costs.warnings.extend(doubt(&prediction));
    costs.warnings.iter().for_each(|warning| messages::warning(warning));
    let question = Question {
        data: &data,
        demands: &demands,
        has_mix: args.mix.is_some(),
        machine,
        processor: &costs.origin,
        warnings: &costs.warnings,
    };
    if args.json {
        return output::print_json(&prediction_json(&prediction, &question));
    }
    output::print(&render_text(&prediction_text(&prediction, &question), output::width()))
}
