//! `leadline experiment`: extra measurements for the I/O models, on the drive itself, and with the requests
//! of databases.

mod all;
mod one;
mod opened;

use std::path::Path;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use leadline_device::{format_size, parse_large_size};
use leadline_measure::experiment::{self, Choice, Experiment, ExperimentPlan};
use leadline_measure::target::OpenTarget;
use leadline_profile::{DeviceFacts, DeviceProfile, OpKind, WritePattern};

use crate::failure::Failure;
use crate::paths::{ChangedPath, TargetName};
use crate::target::AccessArgs;
use crate::{output, values};

/// NAME of all experiments together.
const ALL: &str = "all";

const EXAMPLES: &str = "\
Examples:
  # Add accesses of many sizes to the profile of a device
  leadline experiment r-by-k /mnt/nvme --into profile.json
  # On a simulated device, into a new profile
  leadline experiment ladder sim:flash
  # Half a minute, 80 % reads
  leadline experiment pio-classes . --quick --read-share 80
  # Until the burst credit of a volume is used up, an hour at most
  leadline experiment burst /mnt/volume --seconds 3600
  leadline experiment write-amplification sim:ssd --pattern zones:10/90
  # Every experiment
  leadline experiment all /mnt/nvme --into profile.json";

/// Run extra measurements: mixed load, tail latency, burst credit
#[derive(clap::Args)]
#[command(
    mut_arg("reads_only", |arg| arg.help("Measure reads only; not for experiments that need writes")),
    after_help = after_help()
)]
pub(crate) struct Args {
    /// The experiment, or `all`; see the list below
    #[arg(id = "name", value_name = "NAME", hide_possible_values = true, value_parser = PossibleValuesParser::new(
        experiment::ALL.iter().map(|one| one.name()).chain([ALL])).map(|name| Which::named(&name)))]
    which: Which,
    /// What to measure: a directory (with a scratch file that is removed at the end), a file, a block device
    /// (reads only, unless --destructive is given), or sim:NAME
    #[arg(default_value = ".")]
    target: TargetName,
    /// Add the result to this profile of the same device, or create it [default: a new directory]
    #[arg(long, value_name = "PROFILE")]
    into: Option<ChangedPath>,
    /// Print the profile as one JSON document; make no new directory
    #[arg(long)]
    json: bool,
    /// Measure for 30 seconds instead of 60; at most: latency 30 instead of 720, burst, gc and sustained 60
    /// instead of 300, io-cost 60 instead of 360, write-amplification an hour instead of a day
    #[arg(long)]
    quick: bool,
    /// Measure for this many seconds, 0.1 to 86400
    #[arg(long = "seconds", alias = "budget-seconds", value_name = "S", value_parser = values::seconds,
        conflicts_with = "quick")]
    budget_seconds: Option<Duration>,
    #[command(flatten)]
    access: AccessArgs,
    /// Reads in percent of all requests, 0 to 100 (pio-classes) [default: 50]
    #[arg(long, value_name = "PERCENT", value_parser = values::percent)]
    read_share: Option<f64>,
    /// Load with writes instead of reads (burst)
    #[arg(long, conflicts_with = "reads_only")]
    writes: bool,
    /// Stop after reading or writing this much (burst) [default: 64G, or 4G on simulated devices]; after
    /// writing this much in sequence, and a quarter of it at random (sustained) [default: 64G]
    #[arg(long, value_parser = parse_large_size, value_name = "SIZE")]
    max_bytes: Option<u64>,
    /// Pages to write: uniform, zipf:THETA, zones:P/W (P % of the pages get W % of the writes) or sequential
    /// (write-amplification) [default: uniform]
    #[arg(long, value_name = "PATTERN")]
    pattern: Option<WritePattern>,
    /// Write to this much of the space, above 0 to 100 percent (write-amplification) [default: 100]
    #[arg(long, value_name = "PERCENT", value_parser = values::fill)]
    fill: Option<f64>,
    /// Stop writing after this many bytes, the layout included; reads go on
    #[arg(long, value_parser = parse_large_size, value_name = "SIZE")]
    max_writes: Option<u64>,
    /// Seed of all random choices [default: the time of day, or 1 on simulated devices]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print what would be measured and written, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Whether what was found is printed by whoever calls.
    #[arg(skip)]
    quiet: bool,
}

/// The experiments, one a line, and examples.
fn after_help() -> String {
    let lines = experiment::ALL.iter().map(|one| (one.name(), one.help()));
    let all = (ALL, "all that TARGET allows, into --into PROFILE; resumes");
    let lines = lines.chain([all]).map(|(name, help)| format!("  {name:<19}  {help}\n"));
    format!("Experiments:\n{}\n{EXAMPLES}", lines.collect::<String>())
}

/// Measures, writes the profile with the results, and prints them.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // Before it is read: a pipe would be waited for.
    args.into.as_deref().map_or(Ok(()), output::check_writable)?;
    match &args.which {
        Which::One(experiment) => {
            args.check(*experiment)?;
            one::run(args, *experiment)
        }
        Which::Several(list) => all::run(args, list),
    }
}

/// Measures these on TARGET, and adds them to `profile`, which is of the same device. Without JSON nothing is
/// printed.
pub(crate) fn run_several(
    list: Vec<&'static dyn Experiment>,
    target: TargetName,
    profile: &Path,
    options: Options,
) -> Result<(), Failure> {
    let Options { access, quick, max_writes, seed, json } = options;
    let args = Args {
        which: Which::Several(list),
        target,
        into: Some(ChangedPath::from(profile.to_owned())),
        json,
        quick,
        budget_seconds: None,
        access,
        read_share: None,
        writes: false,
        max_bytes: None,
        pattern: None,
        fill: None,
        max_writes,
        seed,
        dry_run: false,
        quiet: !json,
    };
    run(&args)
}

/// Options of `leadline profile` that are also those of the experiments it goes on with.
pub(crate) struct Options {
    pub(crate) access: AccessArgs,
    pub(crate) quick: bool,
    pub(crate) max_writes: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) json: bool,
}

/// NAME.
#[derive(Debug, Clone)]
enum Which {
    One(&'static dyn Experiment),
    Several(Vec<&'static dyn Experiment>),
}

impl Which {
    /// Of a name that is one of the possible values.
    fn named(name: &str) -> Which {
        experiment::named(name).map_or_else(|| Which::Several(experiment::ALL.to_vec()), Which::One)
    }
}

impl Args {
    /// What the command line alone shows to be wrong with one experiment.
    fn check(&self, experiment: &'static dyn Experiment) -> Result<(), Failure> {
        let name = experiment.name();
        let refuse = |text: String| Err(Failure::Input(text));
        let chosen = [
            ("--read-share", Choice::ReadShare, self.read_share.is_some()),
            ("--writes", Choice::Writes, self.writes),
            ("--max-bytes", Choice::MaxBytes, self.max_bytes.is_some()),
            ("--pattern", Choice::Pattern, self.pattern.is_some()),
            ("--fill", Choice::Fill, self.fill.is_some()),
        ];
        for (flag, choice, _) in chosen.into_iter().filter(|(.., given)| *given) {
            if !experiment.takes(choice) {
                let takers = experiment::ALL.iter().filter(|one| one.takes(choice)).map(|one| one.name());
                let takers = takers.collect::<Vec<_>>().join(" and ");
                let instead = match choice {
                    Choice::ReadShare => format!("{name} has shares of its own"),
                    _ => format!("leave it out with {name}"),
                };
                return refuse(format!("{flag}: is for {takers}; {instead}"));
            }
        }
        if self.access.reads_only && experiment.needs_writes() {
            let others = experiment::ALL.iter().filter(|one| !one.needs_writes());
            let others: Vec<&str> = others.map(|one| one.name()).collect();
            return refuse(format!(
                "--reads-only: {name} needs writes; leave it out, or choose one of {}",
                others.join(", ")
            ));
        }
        if let (Some(bytes), Some(flag)) = (experiment.own_file_bytes(), self.access.of_scratch_file()) {
            return refuse(format!(
                "{flag}: {name} makes a file of {} of its own in a directory; leave {flag} out",
                format_size(bytes)
            ));
        }
        Ok(())
    }

    fn seconds(&self, experiment: &'static dyn Experiment) -> f64 {
        let default = || experiment.default_seconds(self.quick);
        self.budget_seconds.map_or_else(default, |length| length.as_secs_f64())
    }

    /// What is to be done with this target; `into` is the profile that the result goes into.
    fn plan(
        &self,
        experiment: &'static dyn Experiment,
        target: &OpenTarget,
        into: Option<&DeviceProfile>,
    ) -> Result<ExperimentPlan, Failure> {
        let mut plan = ExperimentPlan::for_target(experiment, target);
        plan.seconds = self.seconds(experiment);
        plan.max_writes = self.max_writes;
        if let (Some(max), Some(budget)) = (self.max_writes, &mut plan.write_budget) {
            // The user's limit takes the place of the usual one, whether it is lower or higher.
            *budget = max.saturating_sub(plan.region.len * u64::from(plan.layout));
        }
        plan.read_share = self.read_share.unwrap_or(plan.read_share);
        plan.operation = if self.writes { OpKind::Write } else { OpKind::Read };
        plan.max_bytes = self.max_bytes.unwrap_or(plan.max_bytes);
        plan.pattern = self.pattern.unwrap_or(plan.pattern);
        plan.fill = self.fill.unwrap_or(plan.fill);
        plan.seed = self.seed.unwrap_or(plan.seed);
        // Bandwidth through the page cache says nothing about the device.
        if let Some(into) = into.filter(|into| into.method.direct) {
            plan.known.clone_from(&into.points);
        }
        if let Some(buffer) = into.and_then(|into| into.experiments.buffer.as_ref()) {
            plan.buffer_bytes = Some(buffer.held_bytes());
        }
        plan.check(&target.device.geometry())?;
        Ok(plan)
    }
}

/// Numbers of two devices are not to be mixed.
fn refuse_another_device(path: &Path, profile: &DeviceFacts, target: &DeviceFacts) -> Result<(), Failure> {
    if profile.is_same_device(target) {
        return Ok(());
    }
    let described = |facts: &DeviceFacts| {
        let model = facts.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
        format!("{} at {} ({}{model})", facts.name, facts.target, facts.kind)
    };
    Err(Failure::Input(format!(
        "--into {}: is a profile of {}, not of {}; name a profile of this device, or a file that does not \
         exist",
        path.display(),
        described(profile),
        described(target)
    )))
}
