//! `leadline lsm advise`: the layout of an LSM tree that suits a workload, a device and a machine.

use std::time::{Duration, Instant};

use leadline_lsm::figures::{Question, advice_json, advice_page, advice_text};
use leadline_lsm::options::{OptionsFile, RocksVersion};
use leadline_lsm::{Advice, Endurance, Machine, Mix, Wanted};
use leadline_measure::Progress;
use leadline_report::{render_figures, render_text};

use super::asked::{Asked, doubt, size};
use crate::failure::{Failure, no_layout};
use crate::paths::OutputPath;
use crate::progress::Display;
use crate::{messages, output, values};

/// A search that takes no longer shows no progress.
const QUIET: Duration = Duration::from_secs(1);

/// Find the layout that suits a workload and a device
#[derive(clap::Args)]
#[command(override_usage = "leadline lsm advise [OPTIONS] --data <SIZE> --key-size <SIZE>\n           \
        --value-size <SIZE> --mix <OPERATION=PERCENT,..> <PROFILE>")]
#[command(after_help = "\
Examples:
  leadline lsm advise profile.json --data 100G --key-size 16 --value-size 2048 \\
    --mix point=60,scan=10,insert=30
  # A file for RocksDB 9, with p99 below 5 ms, and a page
  leadline lsm advise profile.json --data 1T --key-size 16 --value-size 100 \\
    --mix mixgraph --clients 16 --memory 64G --p99 5ms --rocksdb 9 \\
    -o OPTIONS.ini --report advice.html
  # A drive that lasts five years at 20,000 operations per second
  leadline lsm advise profile.json --data 1T --key-size 16 --value-size 100 \\
    --mix point=50,update=50 --rate 20000 --life 5y --rated-writes 600T \\
    --device-write-amplification 1.5

It searches fanouts, files in level 0, memtables, blocks, filters, numbers of compactions and a single \
level for the most operations per second within the limits; it leaves RocksDB's defaults only where \
that is faster: see `leadline docs lsm-advise`.")]
pub(super) struct Args {
    #[command(flatten)]
    asked: Asked,
    /// Share of each operation in percent, 100 in all: point, absent, scan, insert, update, delete; or
    /// mixgraph's get, put, seek; or mixgraph for its documented mix
    #[arg(long, value_name = "OPERATION=PERCENT,..")]
    mix: Mix,
    /// Memory for memtables, filters, indexes and block cache [default: a sixteenth of --data, at least 1G]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
    /// Compactions at a time, 1 to 256 [default: the best number]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=256))]
    jobs: Option<u32>,
    /// Most p99 latency of point queries, such as 5ms [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = values::micros)]
    p99: Option<f64>,
    /// Least life of the drive in years, 0.01 to 1000, such as 5y [default: no limit]
    #[arg(long, value_name = "YEARS", value_parser = years)]
    life: Option<f64>,
    /// Rated writes of the drive (TBW), in powers of 1000, such as 600T; needed with --life
    #[arg(long, value_name = "BYTES", value_parser = rated)]
    rated_writes: Option<f64>,
    /// Bytes written to flash for each byte that the drive receives, 1 to 100; needed with --life
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    device_write_amplification: Option<f64>,
    /// Load in operations per second, to compute the life of the drive [default: the most that the tree can
    /// do]
    #[arg(long, value_name = "OPS", value_parser = rate)]
    rate: Option<f64>,
    /// Write the layout, as options that RocksDB loads, to this file, replacing it
    #[arg(long, short, value_name = "OPTIONS.ini")]
    output: Option<OutputPath>,
    /// Version of RocksDB that the file is for; later versions load it, too
    #[arg(long, value_name = "VERSION", default_value = "7.8", value_parser = ["7.8", "8.6", "9", "10"])]
    rocksdb: String,
    /// Write the page (HTML), with the best layouts as a chart, to this file, replacing it
    #[arg(long, value_name = "FILE")]
    report: Option<OutputPath>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let endurance = endurance(args)?;
    output::check_paths([args.output.as_deref(), args.report.as_deref()])?;
    let data = args.asked.data()?;
    let mut costs = args.asked.costs()?;
    let memory = args.memory.unwrap_or_else(|| (args.asked.data_bytes() / 16).max(1 << 30));
    let wanted = Wanted {
        data,
        demands: args.asked.demands(args.mix),
        memory_bytes: memory as f64,
        jobs: args.jobs,
        compaction_readahead_bytes: readahead(&costs.keys),
        compressed_share: args.asked.compressed_share(),
        p99_us: args.p99,
        endurance,
        rate: args.rate,
        life_years: args.life,
    };
    let machine = Machine { device: &costs.device, processor: &costs.processor, cores: costs.cores };
    let advice = search(&wanted, &machine)?;
    let found = &advice.chosen.prediction;
    let does = found.mix.per_second.value;
    if let Some(rate) = args.rate.filter(|rate| *rate > does) {
        let asked =
            format!("--rate {rate}: no layout within the limits does this number of operations per second");
        costs.warnings.push(format!("{asked}; the chosen one does {does:.0}"));
    }
    costs.warnings.extend(doubt(found));
    costs.warnings.iter().for_each(|warning| messages::warning(warning));
    let version = RocksVersion::from_name(&args.rocksdb).unwrap_or(RocksVersion::V7_8);
    let options = OptionsFile::new(&found.layout, version).with_device_keys(&costs.keys);
    if let Some(path) = &args.output {
        output::write(path, &options.to_string())?;
    }
    let question = Question {
        data: &wanted.data,
        demands: &wanted.demands,
        has_mix: true,
        machine,
        processor: &costs.origin,
        warnings: &costs.warnings,
    };
    if args.json {
        output::print_json(&advice_json(&advice, &wanted, &question))?;
    } else {
        output::print(&render_text(&advice_text(&advice, &wanted, &question), output::width()))?;
    }
    if let Some(path) = &args.output {
        output::written(&format!("options for RocksDB {}", args.rocksdb), path);
    }
    if let Some(path) = &args.report {
        output::write(path, &render_figures(&advice_page(&advice, &wanted, &question, &options))?)?;
        output::written("page", path);
    }
    Ok(())
}

/// What a compaction should read at a time on this device, bytes; 0, RocksDB's own, where that was not
/// measured.
fn readahead(keys: &leadline_advise::Advice) -> u64 {
    let setting = keys.setting("compaction_readahead_size");
    setting.and_then(|setting| setting.value.number()).map_or(0, |bytes| bytes as u64)
}

/// Shows how far the search is once it takes long.
fn search(wanted: &Wanted, machine: &Machine) -> Result<Advice, Failure> {
    let started = Instant::now();
    let mut display = Display::new();
    let found = leadline_lsm::advise(wanted, machine, &mut |done| {
        if started.elapsed() > QUIET {
            display.show(&Progress { phase: "search", done, detail: String::new() });
        }
    });
    display.finish();
    found.map_err(|error| no_layout(&error))
}

/// Both facts about the drive or none; `--life` takes both.
fn endurance(args: &Args) -> Result<Option<Endurance>, Failure> {
    match (args.rated_writes, args.device_write_amplification) {
        (Some(rated_bytes), Some(write_amplification)) => {
            Ok(Some(Endurance { rated_bytes, write_amplification }))
        }
        (None, None) if args.life.is_none() => Ok(None),
        _ => {
            let asked = if args.life.is_some() { "--life" } else { "the life of the drive" };
            Err(Failure::Input(format!(
                "{asked} takes both facts about the drive: --rated-writes, what its data sheet allows to be \
                 written, such as 600T, and --device-write-amplification, what it writes to its flash for each \
                 byte it is given, such as 1.5"
            )))
        }
    }
}

fn years(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('y').unwrap_or(text).trim_end();
    let years = number.parse().ok().filter(|years| (0.01..=1000.0).contains(years));
    years.ok_or_else(|| "must be from 0.01 to 1000 years, such as 5y".to_owned())
}

/// As data sheets count: `600T` and `600TB` are 600e12 bytes.
fn rated(text: &str) -> Result<f64, String> {
    let form = || "must be bytes in powers of 1000, such as 600T or 1.2P".to_owned();
    let text = text.trim().trim_end_matches(['B', 'b']);
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" => 1.0,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        _ => return Err(form()),
    };
    let bytes: Option<f64> = digits.trim().parse().ok().map(|number: f64| number * scale);
    bytes.filter(|bytes| (1e9..=1e21).contains(bytes)).ok_or_else(form)
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (1.0..=100.0).contains(factor));
    factor.ok_or_else(|| "must be from 1 to 100".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1e-3..=1e12).contains(rate));
    rate.ok_or_else(|| "must be operations per second, from 0.001 to 1e12".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_in_powers_of_1000_as_on_data_sheets() {
        for text in ["600T", "600TB", "600tb", "0.6P", "600000000000000"] {
            assert_eq!(rated(text), Ok(600e12), "{text}");
        }
        for text in ["", "T", "0T", "-1T", "600X", "nanT", "infT"] {
            assert!(rated(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_life_is_in_years() {
        assert_eq!((years("5y"), years("2.5")), (Ok(5.0), Ok(2.5)));
        for text in ["", "y", "0y", "-5y", "5 months", "nan"] {
            assert!(years(text).is_err(), "{text}");
        }
    }
}
