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

/// Predict what an LSM tree costs with the OPTIONS file that a RocksDB has
///
/// Loads the tree in simulated time, and says what point queries, scans, inserts and a mix of them cost on
/// the device, how full the levels are, and what bounds each.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        leadline lsm predict profile.json --options db/OPTIONS-000007 --data 100G --key 16 --value 2048\n  \
        leadline lsm predict profile.json --options OPTIONS.ini --data 1T --key 16 --value 100 \\\n    \
        --mix point=60,scan=10,insert=30 --clients 16 --cache 8G --json\n\n\
        RocksDB does not write the size of its block cache into its OPTIONS files: --cache gives it.")]
pub(super) struct Args {
    #[command(flatten)]
    asked: Asked,
    /// An OPTIONS file: OPTIONS-NUMBER in the folder of a database, or one that `leadline lsm advise` wrote
    #[arg(long, value_name = "OPTIONS.ini")]
    options: InputPath,
    /// Operations and their percentages, as for `leadline lsm advise` [default: each operation alone]
    #[arg(long, value_name = "OPERATION=PERCENT,..")]
    mix: Option<Mix>,
    /// Size of the block cache [default: as the file says, or else RocksDB's default]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    cache: Option<u64>,
    /// Column family whose options are meant
    #[arg(long, value_name = "NAME", default_value = DEFAULT_FAMILY)]
    family: String,
    /// Print one JSON document
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
