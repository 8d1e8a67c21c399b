//! `leadline predict`: what a workload will cost on a device.

use leadline_device::{format_size, parse_size};
use leadline_figures::Text;
use leadline_model::{
    InFlight, LatencyModel, LatencyObjective, Model as _, ModelComparison, Observations, Percentile, Pio,
    Prediction, Workload, WorkloadError, prediction_json, prediction_text, speedup_json, speedup_text,
    sustainable_rate_json, sustainable_rate_text, what_if_json, what_if_text,
};
use leadline_profile::{DeviceKind, DeviceProfile};
use leadline_report::render_text;

use crate::failure::Failure;
use crate::paths::ProfileName;
use crate::{output, values};

/// The largest request that is predicted, bytes.
pub const LARGEST_BLOCK: u32 = 1 << 30;

/// Predict a workload's time, throughput and bottleneck
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # A million random reads of 4K, 8 in flight
  leadline predict profile.json --reads 1e6 --concurrency 8
  # A million reads and a million writes, written in batches of 8
  leadline predict profile.json --reads 1e6 --writes 1e6 --batch-writes 8
  # The same reads at several concurrencies
  leadline predict profile.json --reads 1e6 --what-if k=1,2,4,8,16,32
  # The most load that keeps p99 below 1 ms
  leadline predict profile.json --slo p99=1ms --mix 70/30
  leadline predict device:p4510 --speedup")]
pub(crate) struct Args {
    /// A profile of the device, or device:NAME for published numbers
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    /// Number of read requests, such as 1e6 [default: 0]
    #[arg(long, value_name = "N", value_parser = count, default_value = "0", hide_default_value = true)]
    reads: f64,
    /// Number of write requests, such as 1e6 [default: 0]
    #[arg(long, value_name = "N", value_parser = count, default_value = "0", hide_default_value = true)]
    writes: f64,
    /// Size of each request, 1B to 1G
    #[arg(long, alias = "block", value_name = "SIZE", value_parser = block, default_value = "4K")]
    block_size: u32,
    /// Random requests in percent, 0 to 100; each sequential one begins where the previous one ended
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "100%")]
    random: f64,
    /// Requests in flight, 1 to 1048576; with --batch-reads or --batch-writes, clients that each wait for
    /// their batch
    #[arg(long, value_name = "K", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    concurrency: u32,
    /// Read in batches of K, separate from the writes
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    batch_reads: Option<u32>,
    /// Write in batches of K, separate from the reads
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    batch_writes: Option<u32>,
    /// Predict with this model only [default: measured points, and the best of `leadline models` elsewhere]
    #[arg(long, value_name = "NAME", value_parser = ["dam", "pdam", "affine", "pio", "mqssd", "shared"])]
    model: Option<String>,
    /// Predict for each of these concurrencies, such as k=1,2,4
    #[arg(long, value_name = "k=K,..", value_parser = ks)]
    #[arg(conflicts_with_all = ["batch_reads", "batch_writes"])]
    what_if: Option<Concurrencies>,
    /// Predict the load at which this percentile of latency stays within this limit, such as p99=1ms
    #[arg(long, value_name = "PERCENTILE=TIME", value_parser = slo)]
    #[arg(conflicts_with_all = ["reads", "writes", "random", "concurrency", "batch_reads", "batch_writes"])]
    #[arg(conflicts_with_all = ["model", "what_if", "speedup"])]
    slo: Option<Slo>,
    /// With --slo: reads and writes in percent of the requests, such as 70/30 [default: 100/0]
    #[arg(long, value_name = "R/W", value_parser = mix, requires = "slo")]
    #[arg(default_value = "100/0", hide_default_value = true)]
    mix: f64,
    /// Predict the speed-up from batching, by PIO, for workloads from all reads to all writes
    #[arg(long, conflicts_with_all = ["reads", "writes", "random", "concurrency", "batch_reads"])]
    #[arg(conflicts_with_all = ["batch_writes", "model", "what_if"])]
    speedup: bool,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let profile = DeviceProfile::open(&args.profile)?;
    if let Some(slo) = args.slo {
        return sustained(&args, &profile, slo);
    }
    if args.speedup {
        return speedup(&args, &profile);
    }
    let workload = workload(&args);
    workload.check().map_err(|error| {
        let more = match error {
            WorkloadError::NoRequests => "; give --reads or --writes (or --slo, --speedup)",
            _ => "",
        };
        Failure::Input(format!("{error}{more}"))
    })?;
    let comparison = ModelComparison::new(Observations::from_profile(&profile));
    let model = comparison
        .choose(args.model.as_deref())
        .map_err(|error| Failure::Input(format!("{}: {error}", args.profile)))?;
    let predict =
        |w: &Workload| model.predict(w).map_err(|error| Failure::Input(format!("{}: {error}", args.profile)));
    if let Some(Concurrencies(ks)) = &args.what_if {
        let at = |&k: &u32| Ok((k, predict(&Workload { in_flight: InFlight::Together(k), ..workload })?));
        let all = ks.iter().map(at).collect::<Result<Vec<(u32, Prediction)>, Failure>>()?;
        return show(&args, what_if_json(&workload, &all), || what_if_text(&workload, &all));
    }
    let prediction = predict(&workload)?;
    show(&args, prediction_json(&workload, &prediction), || prediction_text(&workload, &prediction))
}

fn show(args: &Args, json: serde_json::Value, text: impl FnOnce() -> Text) -> Result<(), Failure> {
    match args.json {
        true => output::print(&format!("{json:#}\n")),
        false => output::print(&render_text(&text(), output::width())),
    }
}

fn workload(args: &Args) -> Workload {
    let in_flight = match (args.batch_reads, args.batch_writes) {
        (None, None) => InFlight::Together(args.concurrency),
        (reads, writes) => {
            let of = |batch: Option<u32>| batch.unwrap_or(1).saturating_mul(args.concurrency);
            InFlight::Batches { reads: of(reads), writes: of(writes) }
        }
    };
    Workload {
        reads: args.reads,
        writes: args.writes,
        block_bytes: args.block_size,
        random_fraction: args.random,
        in_flight,
    }
}

fn sustained(args: &Args, profile: &DeviceProfile, slo: Slo) -> Result<(), Failure> {
    let input = |reason: String| Failure::Input(format!("{}: {reason}", args.profile));
    let Some(ladder) = &profile.experiments.ladder else {
        let measured = profile.device.kind != DeviceKind::Published;
        return Err(input(match measured {
            true => format!(
                "has no latencies over load; measure them with leadline experiment ladder TARGET --into {}",
                args.profile
            ),
            false => "published numbers have no latencies over load; measure the device with leadline \
                      experiment ladder TARGET --into PROFILE, and name that PROFILE"
                .to_owned(),
        }));
    };
    if args.block_size != ladder.block_bytes {
        return Err(input(format!(
            "its ladder was measured with requests of {} bytes only",
            ladder.block_bytes
        )));
    }
    let model = LatencyModel::fit(ladder).map_err(|lacking| input(lacking.to_string()))?;
    let sustained = model
        .sustainable_rate(slo.percentile, slo.limit_us, args.mix)
        .map_err(|error| input(error.to_string()))?;
    let question = LatencyObjective {
        percentile: slo.percentile,
        limit_us: slo.limit_us,
        read_share: args.mix,
        block_bytes: ladder.block_bytes,
    };
    show(args, sustainable_rate_json(&question, &sustained), || sustainable_rate_text(&question, &sustained))
}

fn speedup(args: &Args, profile: &DeviceProfile) -> Result<(), Failure> {
    let input = |reason: String| Failure::Input(format!("{}: {reason}", args.profile));
    let requests = Observations::from_profile(profile).of_random_requests(args.block_size);
    if requests.all.is_empty() {
        let size = format_size(args.block_size.into());
        return Err(input(format!(
            "holds no random requests of {size}; name a size that was measured with --block-size"
        )));
    }
    let pio = Pio::fit(&requests).map_err(|lacking| input(lacking.to_string()))?;
    let numbers = pio
        .numbers()
        .ok_or_else(|| input("batching is weighed with both reads and writes; measure both".into()))?;
    show(args, speedup_json(&numbers), || speedup_text(&numbers))
}

#[derive(Debug, Clone)]
struct Concurrencies(Vec<u32>);

#[derive(Debug, Clone, Copy)]
struct Slo {
    percentile: Percentile,
    limit_us: f64,
}

fn count(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v: &f64| (0.0..=1e18).contains(v));
    value.ok_or_else(|| "must be from 0 to 1e18 requests".to_owned())
}

fn block(text: &str) -> Result<u32, String> {
    match parse_size(text)? {
        size if (1..=u64::from(LARGEST_BLOCK)).contains(&size) => Ok(size as u32),
        _ => Err("must be from 1 to 1G".to_owned()),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    let value = number.parse().ok().filter(|v: &f64| (0.0..=100.0).contains(v));
    value.map(|v| v / 100.0).ok_or_else(|| "must be from 0% to 100%".to_owned())
}

fn ks(text: &str) -> Result<Concurrencies, String> {
    let bad = || "must be concurrencies from 1 to 1048576, such as k=1,2,4,8".to_owned();
    let one = |part: &str| part.trim().parse().ok().filter(|k| (1..=1 << 20).contains(k)).ok_or_else(bad);
    text.strip_prefix("k=").unwrap_or(text).split(',').map(one).collect::<Result<_, _>>().map(Concurrencies)
}

fn slo(text: &str) -> Result<Slo, String> {
    let form = || "must be a percentile and a time, such as p99=1ms or p99.9=800us".to_owned();
    let (percentile, time) = text.split_once('=').ok_or_else(form)?;
    let names: Vec<&str> = Percentile::ALL.iter().map(|p| p.name()).collect();
    let percentile = Percentile::parse(percentile.trim())
        .ok_or_else(|| format!("the percentile is one of {}", names.join(", ")))?;
    let limit_us = values::micros(time).map_err(|_| form())?;
    Ok(Slo { percentile, limit_us })
}

/// `70/30` as the share of reads, 0.7.
fn mix(text: &str) -> Result<f64, String> {
    let bad = || "must be reads/writes in percent that make 100, such as 70/30".to_owned();
    let (reads, writes) = text.split_once('/').ok_or_else(bad)?;
    let part =
        |text: &str| text.trim().parse().ok().filter(|v: &f64| (0.0..=100.0).contains(v)).ok_or_else(bad);
    let (reads, writes): (f64, f64) = (part(reads)?, part(writes)?);
    if (reads + writes - 100.0).abs() < 1e-6 { Ok(reads / 100.0) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_their_units() {
        for (text, percentile, us) in [
            ("p99=1ms", Percentile::P99, 1000.0),
            ("p99.9=800us", Percentile::P99_9, 800.0),
            ("p50 = 2.5 s", Percentile::P50, 2.5e6),
        ] {
            let slo = slo(text).unwrap();
            assert_eq!((slo.percentile, slo.limit_us), (percentile, us), "{text}");
        }
        for text in
            ["p99", "p99=1", "p98=1ms", "p99=-1ms", "p99=0ms", "p99=nanms", "=1ms", "p99=1min", "p99=\u{b5}"]
        {
            assert!(slo(text).is_err(), "{text}");
        }
    }

    #[test]
    fn mixes_shares_and_concurrencies_are_checked() {
        assert_eq!(mix("70/30").unwrap(), 0.7);
        for text in ["70", "70/40", "-10/110", "a/b", "nan/30", "/"] {
            assert!(mix(text).is_err(), "{text}");
        }
        assert_eq!(percent("12.5%").unwrap(), 0.125);
        assert!(percent("101").is_err() && percent("nan").is_err() && percent("").is_err());
        assert_eq!(ks("k=1,2,4").unwrap().0, [1, 2, 4]);
        assert!(ks("k=0").is_err() && ks("k=").is_err() && ks("k=1,,2").is_err() && ks("9999999").is_err());
        assert!(count("1e6").is_ok() && count("inf").is_err() && count("-1").is_err());
    }
}
