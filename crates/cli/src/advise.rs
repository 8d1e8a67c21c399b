//! `leadline advise`: the settings of real systems for a measured device.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use leadline_advise::{Advice, DriveName, Inputs, System, advise};
use leadline_device::parse_large_size;
use leadline_files::NewFolder;
use leadline_profile::DeviceProfile;
use leadline_report::render_text;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::paths::{OutputPath, ProfileName, is_stdout};
use crate::{messages, output, values, version};

/// SYSTEM of all systems together.
const ALL: &str = "all";

/// Choose settings for a database, a storage system or Linux
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline advise postgresql profile.json --memory 16G
  # With the rule, the source and the consequences of each value
  leadline advise postgresql profile.json --explain
  leadline advise innodb profile.json --version mariadb-10.11 -o leadline.cnf
  # Several files, in a new directory
  leadline advise linux profile.json -o linux
  leadline advise all profile.json --json

`leadline profile --for SYSTEM` measures everything that the settings depend on. Rules: see `leadline \
docs advise`.")]
pub(crate) struct Args {
    /// The system to tune, or `all`
    #[arg(value_name = "SYSTEM", value_parser = system_or_all())]
    system: String,
    /// A profile of the device, from `leadline profile`
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    #[command(flatten)]
    inputs: InputArgs,
    /// Show the rule and the source of each value, and what a wrong value does
    #[arg(long)]
    explain: bool,
    /// Write the settings in the system's own syntax to this file, replacing it; several files go into a new
    /// directory of this name
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// What rules need beyond the profile.
#[derive(clap::Args)]
pub(crate) struct InputArgs {
    /// Version of the system, as its program prints it (15.4, mysql-8.0.36) [default: the configuration's, or
    /// the one that is installed here]
    #[arg(long, value_name = "V")]
    version: Option<String>,
    /// Processors that the system may use, 1 to 4096 [default: all of the profile's machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    cores: Option<u32>,
    /// Memory that the system may use, such as 16G [default: unknown]
    #[arg(long, value_name = "SIZE", value_parser = values::amount)]
    memory: Option<u64>,
    /// Size of its data, such as 100G: with --memory, tells how much is cached [default: nothing is cached]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    data: Option<u64>,
    /// Most p99 read latency while it writes in the background, such as 5ms [default: twice the latency of an
    /// idle device]
    #[arg(long, value_name = "TIME", value_parser = values::micros)]
    read_p99: Option<f64>,
    /// Name of the drive on the machine to configure, such as nvme0n1, and its model: udev rules, scripts and
    /// hwdb entries are checked for this drive [default: the profile's]
    #[arg(long, value_name = "NAME[:MODEL]")]
    drive: Option<DriveName>,
    /// Number of the Ceph OSD on the drive, for its section of ceph.conf
    #[arg(long, value_name = "N")]
    osd: Option<u32>,
}

impl InputArgs {
    /// The version that was given.
    pub(crate) fn version(&self) -> Option<String> {
        self.version.clone()
    }

    /// What they come to for a system that was called `name`.
    ///
    /// # Errors
    /// The version is of another product of the system than the name: `mariadb` and `mysql-8.0`.
    pub(crate) fn inputs(&self, name: &str) -> Result<Inputs, Failure> {
        let product = System::product(name);
        if let (Some(given), Some(system)) = (&self.version, System::from_name(name))
            && let Some(known) = system.version_of(given).filter(|known| !known.starts_with(product))
        {
            return Err(Failure::Input(format!(
                "--version {given}: is {known}, which is not {name}; say {system} to be advised for {known}"
            )));
        }
        Ok(Inputs {
            version: self.version.clone(),
            product,
            cores: self.cores,
            memory_bytes: self.memory,
            data_bytes: self.data,
            read_p99_seconds: self.read_p99.map(|us| us / 1e6),
            drive: self.drive.clone(),
            osd: self.osd,
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let profile = DeviceProfile::open(&args.profile)?;
    let systems: Vec<System> = match System::from_name(&args.system) {
        Some(system) => vec![system],
        None if args.inputs.version.is_some() => {
            return Err(Failure::Input("--version: each system has its own; name one system".into()));
        }
        None => System::ALL.to_vec(),
    };
    let inputs = args.inputs.inputs(&args.system)?;
    let advised: Vec<Advice> =
        systems.iter().map(|&system| advised(system, &profile, &inputs)).collect::<Result<_, _>>()?;
    let written =
        args.output.as_deref().map(|path| write_for_version(path, &advised, &inputs)).transpose()?;
    if args.json {
        output::print_json(&document(&advised))?;
    } else {
        let parts: Vec<String> =
            advised.iter().map(|advice| render_text(&advice.text(args.explain), output::width())).collect();
        output::print(&parts.join("\n"))?;
    }
    written.into_iter().for_each(|said| messages::note(&said));
    Ok(())
}

/// The advice for one system: of the version that was named, else of the one that is installed.
fn advised(system: System, profile: &DeviceProfile, inputs: &Inputs) -> Result<Advice, Failure> {
    let mut inputs = inputs.clone();
    let said = match inputs.version {
        Some(_) => None,
        None => version::installed_version(system, &mut inputs)?,
    };
    let mut advice = advise(system, profile, &inputs)?;
    advice.notes.extend(said);
    Ok(advice)
}

/// Names of all systems, and `all`.
pub(crate) fn system_or_all() -> PossibleValuesParser {
    system_or(ALL)
}

/// Those, by any of their names, and `other`.
pub(crate) fn system_or(other: &'static str) -> PossibleValuesParser {
    let named =
        |system: System| PossibleValue::new(system.name()).aliases(system.other_names().iter().copied());
    PossibleValuesParser::new(System::ALL.into_iter().map(named).chain([PossibleValue::new(other)]))
}

/// One document for one system, a list of them for several.
fn document(advised: &[Advice]) -> Value {
    let one = |advice: &Advice| {
        let mut document = json!(advice);
        let files = advice.files();
        document["files"] = files
            .iter()
            .map(|file| json!({"name": file.name, "place": file.place, "text": file.text}))
            .collect();
        document
    };
    match advised {
        [advice] => one(advice),
        several => json!({ "systems": several.iter().map(one).collect::<Vec<_>>() }),
    }
}

/// Writes what suits the version that was named or found. Where versions differ and none is known, one system
/// is refused, and of several it is left out: a server may not start with keys of another version.
fn write_for_version(path: &Path, advised: &[Advice], inputs: &Inputs) -> Result<String, Failure> {
    let (unsure, sure): (Vec<Advice>, Vec<Advice>) =
        advised.iter().cloned().partition(|advice| !advice.differing.is_empty());
    if let ([advice], Some(given)) = (advised, &inputs.version)
        && advice.system.version_of(given).is_none()
    {
        return Err(Failure::Input(format!(
            "--version {given}: older than all versions of {} that are known, and it may not have these keys; \
             known are {}",
            advice.system.title(),
            advice.system.versions().join(", ")
        )));
    }
    if let ([], [advice]) = (sure.as_slice(), unsure.as_slice()) {
        return Err(Failure::Input(format!(
            "--output: for which version of {}? Others have no such keys, or other values: {}; say --version \
             with one of {}",
            advice.system.title(),
            advice.differing.join(", "),
            advice.system.versions().join(", ")
        )));
    }
    let mut said = write(path, &sure, advised.len() > 1)?;
    if !unsure.is_empty() {
        let names: Vec<&str> = unsure.iter().map(|advice| advice.system.name()).collect();
        said.push_str(&format!(
            "; not written, since versions differ and none is known: {}; say leadline advise SYSTEM --version",
            names.join(", ")
        ));
    }
    Ok(said)
}

/// Writes the files of one system to `path`, or into a new folder there where it has several; `in_folders`
/// those of several systems, each into a folder of its own in a new one. Returns what to say of it.
fn write(path: &Path, advised: &[Advice], in_folders: bool) -> Result<String, Failure> {
    let files: Vec<(PathBuf, String, &str)> = advised
        .iter()
        .flat_map(|advice| {
            let folder = if in_folders { advice.system.name() } else { "" };
            let named =
                |file: leadline_advise::File| (Path::new(folder).join(file.name), file.text, file.place);
            advice.files().into_iter().map(named)
        })
        .collect();
    match files.as_slice() {
        [] => {
            Err(Failure::Operation(format!("{}: not written, since nothing can be advised", path.display())))
        }
        [(_, text, place)] if !in_folders => {
            output::check_writable(path)?;
            output::write(path, text)?;
            Ok(match is_stdout(path) {
                true => format!("settings for {place}"),
                false => format!("settings in {}: {place}", path.display()),
            })
        }
        files if is_stdout(path) => Err(Failure::Input(format!(
            "-o -: there are {} files, and standard output takes one; name a directory",
            files.len()
        ))),
        files => {
            write_folder(path, files)?;
            let list: Vec<String> =
                files.iter().map(|(name, _, place)| format!("{} ({place})", name.display())).collect();
            Ok(format!("settings in {}: {}", path.display(), list.join(", ")))
        }
    }
}

/// Makes the folder at `path`, whole or not at all.
fn write_folder(path: &Path, files: &[(PathBuf, String, &str)]) -> Result<(), Failure> {
    if path.exists() {
        return Err(Failure::Input(format!("{}: exists already; name a new directory", path.display())));
    }
    let folder = NewFolder::create(path)?;
    let mut made: Option<&Path> = None;
    for (name, text, _) in files {
        let inner = name.parent().filter(|inner| !inner.as_os_str().is_empty());
        if let Some(inner) = inner.filter(|inner| made != Some(inner)) {
            folder.folder(inner)?;
            made = Some(inner);
        }
        let written = folder.file(name)?.write_all(text.as_bytes());
        written.map_err(|error| Failure::Operation(format!("{}: {error}", path.join(name).display())))?;
    }
    Ok(folder.finish()?)
}
