//! `leadline lint`: a configuration in use, judged by a measured device.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use leadline_advise::{Config, Inputs, Lint, Reading, System, Verdict, ask, is_address, lint, read_as};
use leadline_profile::DeviceProfile;
use leadline_report::render_text;

use crate::advise::{InputArgs, systems};
use crate::failure::Failure;
use crate::paths::{ConfigName, ProfileName};
use crate::{output, signals, version};

/// Judge a configuration in use by a measured device: which keys fit, are too low or too high, or do nothing
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        leadline lint postgresql /etc/postgresql/15/main/postgresql.conf profile.json --version 15\n  \
        leadline lint postgresql postgresql:///postgres profile.json    the settings of a running server\n  \
        leadline lint innodb /etc/mysql/my.cnf profile.json --version mariadb-10.11\n  \
        leadline lint innodb copy/etc/mysql/my.cnf profile.json --config-root copy\n  \
        leadline lint seastar /etc/scylla.d/io_properties.yaml profile.json --json\n\n\
        Exit code 0: all keys that were judged fit; 1: something does not; 2: the file cannot be read; 3: nothing \
        was judged.")]
pub(crate) struct Args {
    /// The system
    #[arg(value_name = "SYSTEM", value_parser = PossibleValuesParser::new(systems()))]
    system: String,
    /// Its configuration, or the address of a server that runs: postgresql://HOST/DATABASE, mysql://HOST/ or
    /// mysql:///SOCKET
    #[arg(value_name = "FILE|SERVER")]
    file: ConfigName,
    /// A profile that `leadline profile` wrote
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    /// Folder that stands for / where the configuration includes files by absolute paths: a copy of another
    /// machine's
    #[arg(long, value_name = "DIR")]
    config_root: Option<ConfigName>,
    #[command(flatten)]
    inputs: InputArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let system = System::from_name(&args.system).ok_or_else(|| Failure::Input("no such system".into()))?;
    let profile = DeviceProfile::open(&args.profile)?;
    let mut inputs = args.inputs.inputs();
    let config = if let Some(address) = args.file.to_str().filter(|file| is_address(file)) {
        let asked = ask(system, address, &*signals::cancel_flag()?)?;
        inputs.version = inputs.version.or(asked.version.map(str::to_owned));
        asked.config
    } else {
        let root = args.config_root.as_ref().map(|root| PathBuf::from(&**root));
        read_as(system, Path::new(&*args.file), &Reading { root, version: inputs.version.clone() })?
    };
    let lint = judged(system, &config, &profile, inputs)?;
    if args.json {
        output::print_json(&lint)?;
    } else {
        output::print(&render_text(&lint.text(), output::width()))?;
    }
    match (lint.wrong(), lint.judged()) {
        (_, 0) => Err(Failure::Nothing(format!(
            "{}: nothing was judged: no key of {} in it could be compared with this device",
            args.file,
            system.title()
        ))),
        (0, _) => Ok(()),
        (wrong, judged) => {
            Err(Failure::Operation(format!("{}: {wrong} of {judged} keys do not fit this device", args.file)))
        }
    }
}

/// The configuration judged as the version that is installed here reads it, where nobody says which reads it and
/// it has no key that this version does not have: then it is another's.
fn judged(
    system: System,
    config: &Config,
    profile: &DeviceProfile,
    mut inputs: Inputs,
) -> Result<Lint, Failure> {
    if inputs.version.is_some() || config.version.is_some() {
        return Ok(lint(system, config, profile, &inputs)?);
    }
    let unsaid = inputs.clone();
    let said = version::installed_version(system, &mut inputs)?;
    let mut found = lint(system, config, profile, &inputs)?;
    match found.findings.iter().find(|finding| finding.verdict == Verdict::Unknown) {
        None => found.notes.extend(said),
        Some(unknown) => {
            let (title, key) = (system.title(), unknown.key.clone());
            let version = found.advice.version;
            found = lint(system, config, profile, &unsaid)?;
            found.notes.push(format!(
                "{title} {version} is installed here, and has no {key}: the configuration is not for that"
            ));
        }
    }
    Ok(found)
}
