//! `leadline lsm validate`: real RocksDB, measured for predictions to be compared with.

use std::path::Path;
use std::time::Duration;

use leadline_device::target::TargetKind;
use leadline_device::{format_size, parse_large_size};
use leadline_lsm::figures::validation_page;
use leadline_lsm::options::{self, DEFAULT_FAMILY};
use leadline_lsm::validate::{
    Comparison, DbBench, LayoutCell, LayoutName, Plan, ProcessError, Scale, Setup, ValidateError,
    layout_cells,
};
use leadline_lsm::{Data, DeviceCosts, Layout, LsmError};
use leadline_measure::{Progress, facts};
use leadline_profile::{DeviceFacts, DeviceProfile};
use leadline_report::render_figures;

use super::{device, measured};
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::paths::{
    InputPath, JournaledPath, OutputPath, ProfileName, ProgramName, WorkFolder, is_stdout, journal,
};
use crate::progress::Display;
use crate::{messages, output, signals, values};

/// Measure your RocksDB over a grid of layouts with db_bench
#[derive(clap::Args)]
#[command(after_help = "\
Layouts:
  F=NUMBER   RocksDB's own, with this fanout and four files in level 0
  single     a single sorted run, into which everything is merged at once
  flash      fanout 8, eight files in level 0, four compaction threads

Examples:
  leadline lsm validate profile.json /mnt/nvme -o results.json \\
    --report results.html
  # A short run
  leadline lsm validate profile.json . --data 128M --layouts F=4,single \\
    --jobs 1,4 --rounds 1

For each layout and each number of compaction threads it fills a database, waits until the tree has \
settled, and queries it. At any size the trees have the shape of a published experiment. To resume a run \
with -o that was interrupted, repeat the command. db_bench comes with RocksDB (Debian: rocksdb-tools).")]
pub(crate) struct Args {
    /// A profile of TARGET's device, or device:NAME for published numbers
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    /// A directory on the device; the databases are made in it and removed
    #[arg(value_name = "TARGET")]
    target: WorkFolder,
    /// Size of all keys and values in each database
    #[arg(long, alias = "scale", value_name = "SIZE", value_parser = parse_large_size, default_value = "1G")]
    data: u64,
    /// Size of a key, 1 byte to 1M
    #[arg(long, value_name = "SIZE", value_parser = values::key, default_value = "16")]
    key_size: u32,
    /// Size of a value, 0 bytes to 1G
    #[arg(long, value_name = "SIZE", value_parser = values::value, default_value = "2048")]
    value_size: u32,
    /// Layouts to measure; see the list below
    #[arg(long, value_name = "F=N,..,single,flash", value_parser = layouts)]
    #[arg(default_value = "F=2,4,8,16,32,single")]
    layouts: Layouts,
    /// Also measure the layouts of these OPTIONS files, as file-1, file-2, .., with their own threads
    #[arg(long, value_name = "FILE,..", value_delimiter = ',')]
    options: Vec<InputPath>,
    /// Size of the block cache with --options, which the files do not hold [default: RocksDB's]
    #[arg(long = "cache-size", alias = "cache", value_name = "SIZE", value_parser = parse_large_size, requires = "options")]
    cache: Option<u64>,
    /// Numbers of clients that query, separated by commas
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,4,16")]
    clients: Vec<u32>,
    /// Numbers of compaction threads; the largest fills the database that is queried
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,4,16")]
    jobs: Vec<u32>,
    /// Rounds; each measures everything once
    #[arg(long, alias = "repeats", value_name = "N", default_value_t = 3)]
    rounds: u32,
    /// Seconds of each query run, 0.1 to 86400, after a warm-up of the same length
    #[arg(long, alias = "duration", value_name = "S", default_value = "5", value_parser = values::seconds)]
    seconds: Duration,
    /// Seconds to measure the device before each round, 1 to 3600, or 0 to rely on PROFILE
    #[arg(long, value_name = "S", default_value_t = 20.0, value_parser = profile_seconds)]
    profile_seconds: f64,
    /// Seed of the order of runs and of keys
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The db_bench to run [default: the one on PATH]
    #[arg(long, value_name = "PATH")]
    db_bench: Option<ProgramName>,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    /// Write the result (JSON) to this file, replacing it; an interrupted run goes on from it
    #[arg(long, short, value_name = "FILE")]
    output: Option<JournaledPath>,
    /// Write the page (HTML), with charts of predictions and measurements, to this file, replacing it
    #[arg(long, value_name = "FILE")]
    report: Option<OutputPath>,
}

#[derive(Debug, Clone)]
struct Layouts(Vec<LayoutName>);

fn layouts(text: &str) -> Result<Layouts, String> {
    LayoutName::parse_list(text).map(Layouts)
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let files = self.options.iter().map(|path| self.of_file(path)).collect::<Result<Vec<_>, _>>()?;
        let names = (1..=files.len() as u32).map(LayoutName::File);
        let named: Vec<LayoutName> = self.layouts.0.iter().copied().chain(names).collect();
        Ok(Plan {
            data: Data::of_bytes(self.data as f64, self.key_size, self.value_size),
            layouts: named,
            files,
            jobs: each_once(&self.jobs),
            clients: each_once(&self.clients),
            repeats: self.rounds,
            seconds: self.seconds.as_secs_f64().ceil() as u32,
            seed: self.seed,
        })
    }

    /// The layout of an OPTIONS file, with the block cache asked for.
    fn of_file(&self, path: &Path) -> Result<Layout, Failure> {
        let file = options::read(path, DEFAULT_FAMILY).map_err(|error| Failure::Input(error.to_string()))?;
        let layout = *file.layout();
        Ok(Layout { cache_bytes: self.cache.unwrap_or(layout.cache_bytes), ..layout })
    }
}

fn profile_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|s| *s == 0.0 || (1.0..=3600.0).contains(s));
    seconds.ok_or_else(|| "must be 0, or from 1 to 3600".to_owned())
}

fn each_once(counts: &[u32]) -> Vec<u32> {
    let mut all = Vec::new();
    for &count in counts {
        if !all.contains(&count) {
            all.push(count);
        }
    }
    all
}

/// Measures, writes and prints.
pub(super) fn run(args: Args) -> Result<(), Failure> {
    let profile = DeviceProfile::open(&args.profile)?;
    let unfit = |error: LsmError| Failure::Input(format!("{}: {error}", args.profile));
    if args.profile_seconds == 0.0 {
        // What cannot be predicted from is refused before hours of measuring.
        DeviceCosts::from_profile(&profile).map_err(unfit)?;
    }
    let plan = args.plan()?;
    let scale = plan.scale()?;
    let db_bench = DbBench::find(args.db_bench.as_deref().map_or(Path::new(DbBench::NAME), Path::new))?;
    if !args.target.is_dir() {
        return Err(ValidateError::from(ProcessError::NotFolder { path: args.target.to_path_buf() }).into());
    }
    output::check_paths([args.output.as_deref(), args.report.as_deref()])?;
    let cancel = signals::cancel_flag()?;
    let machine = facts::device_facts(&args.target, TargetKind::Directory, false);
    if !profile.device.is_same_device(&machine) {
        say_other_device(&args.profile.to_string(), &profile.device, &machine);
    }
    if args.dry.dry_run {
        return dry_run(&args, &plan, &scale, &db_bench);
    }
    announce(&args.target, &plan, &scale, &db_bench);
    let journal = args.output.as_deref().filter(|path| !is_stdout(path)).map(journal);
    let mut measure_device = |folder: &Path| match args.profile_seconds {
        0.0 => Ok(profile.clone()),
        seconds => device::profile(folder, plan.data.bytes() as u64, seconds, &cancel),
    };
    let setup = Setup {
        db_bench: &db_bench,
        folder: &args.target,
        machine,
        journal: journal.clone(),
        now: output::now,
        profile: &mut measure_device,
    };
    let mut display = Display::new();
    let measured = leadline_lsm::validate::run(&plan, setup, &cancel, &mut |progress| {
        let leadline_lsm::validate::Progress { phase, done, detail } = progress;
        display.show(&Progress { phase, done, detail });
    });
    display.finish();
    let (mut record, journal) = measured.map_err(|error| goes_on(error, journal.as_deref()))?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    if let Some(device) = record.device_costs() {
        let device = device.map_err(unfit)?;
        record.comparison = Some(Comparison::of(&record, &device, cores));
    }
    if let Some(path) = &args.output {
        output::write(path, &record.to_json())?;
    }
    if let Some(journal) = journal {
        journal.remove()?;
    }
    if args.json {
        output::print(&record.to_json())?;
    } else {
        output::print_text(&measured::text(&record))?;
    }
    if let Some(path) = &args.output {
        output::written("result", path);
    }
    // What was measured has been written and printed by now, whatever comes of the page.
    if let Some(path) = &args.report {
        output::write(path, &render_figures(&validation_page(&record))?)?;
        output::written("page", path);
    }
    Ok(())
}

/// A run that failed, and what is left of it.
fn goes_on(error: ValidateError, journal: Option<&Path>) -> Failure {
    let kept = journal.filter(|path| !error.is_input() && path.exists());
    match (Failure::from(error), kept) {
        (Failure::Operation(line), Some(path)) => Failure::Operation(format!(
            "{line}; what was measured is in {}, and the same command goes on from there",
            path.display()
        )),
        (failure, _) => failure,
    }
}

fn say_other_device(given: &str, profile: &DeviceFacts, machine: &DeviceFacts) {
    let named = |facts: &DeviceFacts| {
        let model = facts.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
        format!("{}{model}", facts.name)
    };
    messages::warning(&format!(
        "{given}: is a profile of {}, and TARGET is on {}",
        named(profile),
        named(machine)
    ));
}

/// Says what would be run and written, and how long the queries alone take.
fn dry_run(args: &Args, plan: &Plan, scale: &Scale, db_bench: &DbBench) -> Result<(), Failure> {
    let cells = layout_cells(plan, scale);
    let repeats = plan.repeats as usize;
    let fills = cells.len() * repeats;
    let queried = cells.iter().filter(|cell| cell.queried).count() * plan.clients.len() * 2 * repeats;
    // As long a warm-up goes before each.
    let seconds = 2.0 * f64::from(plan.seconds) * queried as f64 + args.profile_seconds * repeats as f64;
    let what = format!(
        "{} of {}, one after the other, by RocksDB {}; at most {} at a time, removed at the end",
        counted(fills, "database"),
        format_size(plan.data.bytes() as u64),
        db_bench.release(),
        format_size(plan.space_bytes(scale))
    );
    let bytes = plan.data.bytes() as u64 * fills as u64;
    let mut foreseen =
        Foreseen::until("when the databases are filled, settled and queried, which takes longer")
            .seconds(seconds)
            .writes(args.target.display(), &what, Some(bytes));
    for (path, what) in [(args.output.as_deref(), "the result"), (args.report.as_deref(), "the page")] {
        if let Some(path) = path {
            foreseen = foreseen.writes(path.display(), what, None);
        }
    }
    foreseen.print(args.json)
}

/// Says what is going to be done and which trees are to be expected.
fn announce(target: &Path, plan: &Plan, scale: &Scale, db_bench: &DbBench) {
    let cells = layout_cells(plan, scale);
    let fills = cells.len() * plan.repeats as usize;
    let queried = cells.iter().filter(|cell| cell.queried).count();
    let queries = queried * plan.clients.len() * 2 * plan.repeats as usize;
    messages::note(&format!(
        "{}: RocksDB {} makes {} of {}, and is queried {} for {} s after as long a warm-up; it takes up to {} \
         of space",
        target.display(),
        db_bench.release(),
        counted(fills, "database"),
        format_size(plan.data.bytes() as u64),
        counted(queries, "time"),
        plan.seconds,
        format_size(plan.space_bytes(scale))
    ));
    for LayoutCell { name, jobs, layout, expected_level_bytes, .. } in
        cells.iter().filter(|cell| cell.queried)
    {
        let levels: Vec<String> =
            expected_level_bytes.iter().map(|bytes| format!("{:.1}", bytes / f64::from(1 << 20))).collect();
        messages::note(&format!(
            "{name}: files of {}, levels of {} MiB to be expected; filled with {} for its queries",
            format_size(layout.file_bytes),
            levels.join(", "),
            counted(*jobs as usize, "compaction thread")
        ));
    }
    if scale.is_flatter() {
        messages::warning(
            "so little data makes the trees flatter than the published ones, because RocksDB takes no \
             memtable under 64K: 126M or more have their shape",
        );
    }
}

/// `1 database`, `2 databases`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
