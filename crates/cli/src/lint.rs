//! `leadline lint`: a configuration in use, judged by a measured device.

mod auto;

use std::path::{Path, PathBuf};

use leadline_advise::{
    Config, Inputs, Lint, Reading, System, Verdict, ask, is_address, lint, looks_like, read_as, text,
};
use leadline_profile::DeviceProfile;
use leadline_report::render_text;

use crate::advise::{InputArgs, system_or};
use crate::failure::Failure;
use crate::paths::{ConfigName, ProfileName};
use crate::{output, signals, version};

/// SYSTEM that is found out.
const AUTO: &str = "auto";

/// Check a configuration against your device
#[derive(clap::Args)]
#[command(
    override_usage = "leadline lint [OPTIONS] <SYSTEM> <FILE|SERVER> <PROFILE>\n       \
        leadline lint [OPTIONS] <SYSTEM> --connect <SERVER> <PROFILE>",
    after_help = "\
Examples:
  leadline lint postgresql /etc/postgresql/15/main/postgresql.conf profile.json
  # Every system that a file configures
  leadline lint auto compose.yaml profile.json
  # Running servers
  leadline lint postgresql --connect 'host=db dbname=postgres' profile.json
  leadline lint innodb --connect mysql:///run/mysqld/mysqld.sock profile.json
  # The output of SHOW VARIABLES
  leadline lint innodb variables.txt profile.json
  # A copy of another machine's /etc
  leadline lint innodb copy/etc/mysql/my.cnf profile.json --config-root copy

FILE may be in the system's own syntax, a compose file, a systemd unit, a Kubernetes manifest, Helm \
values, Ansible variables, Patroni's file, a command line, or what a server prints: see `leadline docs \
lint`.

Exit codes: 0 every key fits, 1 a key does not fit, 2 the file cannot be read, 3 no key could be checked."
)]
pub(crate) struct Args {
    /// The system, or `auto` for every system that the file configures
    #[arg(value_name = "SYSTEM", value_parser = system_or(AUTO))]
    system: String,
    /// Its configuration, or a running server: postgresql://HOST/DATABASE, mysql://HOST/ or mysql:///SOCKET;
    /// left out with --connect
    #[arg(id = "config", value_name = "FILE|SERVER")]
    file: ConfigName,
    /// A profile of the device, from `leadline profile`
    #[arg(value_name = "PROFILE")]
    profile: Option<ProfileName>,
    /// Directory that stands for / in absolute paths of included files, such as a copy of another machine
    #[arg(long, value_name = "DIR")]
    config_root: Option<ConfigName>,
    /// Check the settings in force on a running server: keywords such as 'host=db dbname=postgres', or an
    /// address
    #[arg(long, value_name = "SERVER")]
    connect: Option<String>,
    #[command(flatten)]
    inputs: InputArgs,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(root) = args.config_root.as_ref().filter(|root| !Path::new(&***root).is_dir()) {
        return Err(Failure::Input(format!("--config-root {root}: is not a directory")));
    }
    let (subject, profile) = arguments(args)?;
    let profile = DeviceProfile::open(profile)?;
    let inputs = args.inputs.inputs(&args.system)?;
    let Some(system) = System::from_name(&args.system) else {
        return auto::run(&subject, args, &profile, &inputs);
    };
    let subject = match subject {
        Named::Server(server) => asked(system, &server, inputs)?,
        Named::File(file) => read(system, &file, &reading(args), inputs)?,
    };
    let lint = judged(system, &subject.config, &profile, subject.inputs)?;
    if args.json {
        output::print_json(&lint)?;
    } else {
        output::print(&render_text(&lint.text(), output::width()))?;
    }
    let none = || format!("no key of {} in it could be compared with this device", system.title());
    ended(&subject.name, lint.wrong(), lint.judged(), &subject.looks.unwrap_or_else(none))
}

/// What the arguments name.
enum Named {
    File(PathBuf),
    Server(String),
}

/// What is judged, and the profile, which is the only one of the two with --connect.
fn arguments(args: &Args) -> Result<(Named, &Path), Failure> {
    let file = Path::new(&*args.file);
    match (&args.connect, &args.profile) {
        (Some(server), None) => Ok((Named::Server(server.clone()), file)),
        (Some(_), Some(_)) => {
            Err(Failure::Input(format!("--connect asks a server: leave {} out, or --connect", args.file)))
        }
        (None, Some(profile)) => {
            let address = args.file.to_str().filter(|file| is_address(file));
            let named = address.map_or(Named::File(file.into()), |server| Named::Server(server.to_owned()));
            Ok((named, Path::new(&**profile)))
        }
        (None, None) => Err(Failure::Input(
            "a configuration and a profile are needed: lint SYSTEM FILE PROFILE, or SYSTEM --connect SERVER \
             PROFILE"
                .into(),
        )),
    }
}

/// What the user says of the file.
fn reading(args: &Args) -> Reading {
    let root = args.config_root.as_ref().map(|root| PathBuf::from(&**root));
    Reading { root, version: args.inputs.version() }
}

/// What is judged.
struct Subject {
    name: String,
    config: Config,
    inputs: Inputs,
    /// What a file of another system looks like.
    looks: Option<String>,
}

/// What a server says of its settings and of its version.
fn asked(system: System, server: &str, mut inputs: Inputs) -> Result<Subject, Failure> {
    let asked = ask(system, server, &*signals::cancel_flag()?)?;
    inputs.version = inputs.version.or(asked.version.map(str::to_owned));
    Ok(Subject { name: asked.name, config: asked.config, inputs, looks: None })
}

/// Reads a file. One that is of another system has nothing that could be judged.
fn read(system: System, path: &Path, reading: &Reading, inputs: Inputs) -> Result<Subject, Failure> {
    let name = path.display().to_string();
    // The standard input has nothing the second time.
    let config = read_as(system, path, reading);
    let looks = text(path).ok().and_then(|text| looks_like(system, &text, path));
    match (config, looks.map(|looks| format!("it looks like {looks}"))) {
        (Ok(config), looks) => Ok(Subject { name, config, inputs, looks }),
        (Err(_), Some(looks)) => Err(nothing(&name, &looks)),
        (Err(error), None) => Err(error.into()),
    }
}

/// The configuration judged as the version that is installed here reads it, where nobody says which reads it
/// and it has no key that this version does not have: then it is another's.
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

/// How the command ends after so many keys were judged, of which some are wrong.
fn ended(name: &str, wrong: usize, judged: usize, why_none: &str) -> Result<(), Failure> {
    match (wrong, judged) {
        (_, 0) => Err(nothing(name, why_none)),
        (0, _) => Ok(()),
        _ => Err(Failure::Misfit(format!("{name}: {wrong} of {judged} keys do not fit this device"))),
    }
}

fn nothing(name: &str, why: &str) -> Failure {
    Failure::Nothing(format!("{name}: nothing was judged: {why}"))
}
