//! Run-to-run spread of alpha, k_r, k_w, k_r_90 and k_w_90: two builds of Leadline measure one target in
//! turns.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use leadline_measure::{CurveFit, CurvePoint};
use leadline_profile::{DeviceProfile, OpKind, Parameters, Pattern, Point};
use leadline_sim::{ParametricSpec, Placement};

/// 4K random: the interquartile range over the median of each number, for both builds; lower is better.
#[derive(Parser)]
struct Args {
    /// The binary `leadline` to compare against
    #[arg(long, value_name = "LEADLINE")]
    before: PathBuf,
    /// The binary `leadline` to judge
    #[arg(long, value_name = "LEADLINE")]
    after: PathBuf,
    /// A folder, or sim:FILE.toml; every run of a simulated device has seeds of its own
    #[arg(long)]
    target: String,
    /// Runs of each
    #[arg(long, default_value_t = 10)]
    runs: u32,
    /// Runs of 30 s instead of two minutes
    #[arg(long)]
    quick: bool,
    /// Passed on to both, such as --option=--size=1G
    #[arg(long = "option", allow_hyphen_values = true)]
    options: Vec<String>,
}

const NAMES: [&str; 5] = ["alpha", "k_r", "k_w", "k_r_90", "k_w_90"];

/// One run's numbers, in the order of [`NAMES`].
type Numbers = [f64; 5];

fn main() -> Result<()> {
    let args = Args::parse();
    ensure!(args.runs >= 2, "--runs: at least 2");
    let mut found: [Vec<Numbers>; 2] = Default::default();
    let mut written: [Vec<f64>; 2] = Default::default();
    for run in 1..=args.runs {
        for (which, binary) in [&args.before, &args.after].into_iter().enumerate() {
            let profile = measure(binary, &args, run)?;
            let numbers = numbers(&profile).with_context(|| format!("run {run} of {}", binary.display()))?;
            eprintln!("run {run}, {}: {numbers:.2?}", ["before", "after"][which]);
            found[which].push(numbers);
            written[which].push(profile.validity.bytes_written as f64 / f64::from(1 << 30));
        }
    }
    print(&args, &found, truth(&args.target)?);
    let [before, after] = written.map(|mut gib| quartiles(&mut gib)[1]);
    println!("\nWritten in a run, median: {before:.2} and {after:.2} GiB.");
    Ok(())
}

fn print(args: &Args, found: &[Vec<Numbers>; 2], truth: Option<Numbers>) {
    let budget = if args.quick { "--quick" } else { "default" };
    println!("{}, {budget}, {} runs of each:\n", args.target, args.runs);
    println!(
        "| number | truth | before: median | spread | error | after: median | spread | error | spread, after / before |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (i, name) in NAMES.iter().enumerate() {
        let truth = truth.map(|all| all[i]);
        let sides =
            found.each_ref().map(|runs| Side::new(runs.iter().map(|numbers| numbers[i]).collect(), truth));
        let ratio = sides[1].spread / sides[0].spread;
        let ratio = if ratio.is_finite() { format!("{ratio:.2}") } else { "–".to_owned() };
        let truth = truth.map_or("–".to_owned(), |truth| format!("{truth:.3}"));
        println!("| {name} | {truth} | {} | {} | {ratio} |", sides[0].cells(), sides[1].cells());
    }
}

/// One number of one build over all runs.
struct Side {
    median: f64,
    /// Interquartile range / median.
    spread: f64,
    /// Mean of |found / truth - 1|.
    error: Option<f64>,
}

impl Side {
    fn new(mut values: Vec<f64>, truth: Option<f64>) -> Self {
        let off =
            |truth: f64| values.iter().map(|v| (v / truth - 1.0).abs()).sum::<f64>() / values.len() as f64;
        let error = truth.map(off);
        let [low, median, high] = quartiles(&mut values);
        Side { median, spread: (high - low) / median, error }
    }

    fn cells(&self) -> String {
        let error = self.error.map_or("–".to_owned(), |error| format!("{:.1} %", 100.0 * error));
        format!("{:.3} | {:.1} % | {error}", self.median, 100.0 * self.spread)
    }
}

/// By linear interpolation between order statistics.
fn quartiles(values: &mut [f64]) -> [f64; 3] {
    values.sort_unstable_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|level| {
        let at = level * (values.len() - 1) as f64;
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        values[low] + at.fract() * (values[high] - values[low])
    })
}

/// Runs one build on the target.
fn measure(binary: &Path, args: &Args, run: u32) -> Result<DeviceProfile> {
    let folder = std::env::temp_dir().join(format!("leadline-spread-{}", std::process::id()));
    let mut command = Command::new(binary);
    command.args(["profile", "--json", "--seed", &run.to_string()]).args(&args.options);
    if args.quick {
        command.arg("--quick");
    }
    match described(&args.target) {
        Some(path) => {
            std::fs::create_dir_all(&folder)?;
            let text = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
            let file = folder.join("run.toml");
            std::fs::write(&file, with_seed(&text, run))?;
            command.arg(format!("sim:{}", file.display()));
        }
        None => drop(command.arg(&args.target)),
    }
    let output = command.output().with_context(|| binary.display().to_string())?;
    drop(std::fs::remove_dir_all(&folder));
    ensure!(output.status.success(), "{}: {}", binary.display(), String::from_utf8_lossy(&output.stderr));
    Ok(DeviceProfile::parse(std::str::from_utf8(&output.stdout)?, binary)?)
}

/// The file behind `sim:FILE`.
fn described(target: &str) -> Option<&str> {
    target.strip_prefix("sim:")
}

/// The description with this run's seeds of jitter and noise.
fn with_seed(text: &str, run: u32) -> String {
    let other = |line: &&str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        !matches!(key, "seed" | "noise_seed")
    };
    let rest: Vec<&str> = text.lines().filter(other).collect();
    format!("seed = {run}\nnoise_seed = {run}\n{}\n", rest.join("\n"))
}

/// What an any-free device without a cap must give for 4K requests; nothing is known of others.
fn truth(target: &str) -> Result<Option<Numbers>> {
    let Some(path) = described(target) else { return Ok(None) };
    let spec = ParametricSpec::parse(&std::fs::read_to_string(path)?, path)?;
    if spec.placement != Placement::AnyFree || spec.cap_iops > 0.0 || spec.cap.is_some() {
        return Ok(None);
    }
    let (read, write) = (f64::from(spec.read.servers), f64::from(spec.write.servers));
    let time = |us: f64, per_kib: f64| us + 4.0 * per_kib;
    let alpha = (read / time(spec.read.service_us, spec.read.per_kib_us))
        / (write / time(spec.write.service_us, spec.write.per_kib_us));
    let [k_r, k_w] = [read, write].map(|servers| (0.95 * servers).ceil());
    Ok(Some([alpha, k_r, k_w, (0.9 * read).ceil(), (0.9 * write).ceil()]))
}

/// Numbers of random 4K requests. A build older than k_r_90 gets it from its points, by the rule it has for
/// 95 %.
fn numbers(profile: &DeviceProfile) -> Result<Numbers> {
    let of_4k = |p: &&Parameters| p.pattern == Pattern::Random && p.block_bytes == 4096;
    let entry = profile.parameters.iter().find(of_4k).context("no parameters of random 4K requests")?;
    let whole = |k: Option<u32>| k.map(f64::from);
    let older = |op| CurveFit::new(&curve(profile, op)).smallest_reaching(0.9);
    Ok([
        entry.alpha.context("no alpha")?,
        whole(entry.k_r).context("no k_r")?,
        whole(entry.k_w).context("no k_w")?,
        whole(entry.k_r_90).unwrap_or_else(|| older(OpKind::Read).into()),
        whole(entry.k_w_90).unwrap_or_else(|| older(OpKind::Write).into()),
    ])
}

/// The points of plain random 4K requests.
fn curve(profile: &DeviceProfile, op: OpKind) -> Vec<CurvePoint> {
    let of_curve =
        |p: &&Point| (p.op, p.pattern, p.block_bytes, p.durable) == (op, Pattern::Random, 4096, false);
    let mut points: Vec<CurvePoint> = profile.points.iter().filter(of_curve).map(curve_point).collect();
    points.sort_unstable_by_key(|point| point.k);
    points
}

fn curve_point(point: &Point) -> CurvePoint {
    let rates: Vec<f64> =
        point.slices.iter().filter(|s| s.seconds > 0.0).map(|s| s.ops as f64 / s.seconds).collect();
    let n = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / n;
    let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    CurvePoint {
        k: point.concurrency,
        iops: point.iops,
        error: if n > 1.0 { (variance / n).sqrt() } else { 0.0 },
        weight: point.slices.iter().map(|s| s.seconds).sum(),
    }
}
