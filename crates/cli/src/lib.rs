//! The command line of Leadline: the binary `leadline` is [`main`], and other programs call its commands with
//! [`call`].
//!
//! One file per command: it reads the arguments, calls the crates below, and prints.

mod advise;
mod btree;
mod calibrate;
mod columns;
mod completions;
mod console;
mod described;
mod devices;
mod docs;
mod emulate;
mod experiment;
mod failure;
mod foreseen;
mod graph;
mod help;
mod index;
mod lint;
mod lsm;
mod man;
mod messages;
mod models;
mod output;
mod paths;
mod place;
mod pool;
mod predict;
mod printable;
mod profile;
mod progress;
mod prove;
mod report;
mod signals;
mod source;
mod streams;
mod target;
mod text_args;
mod trace;
mod usage;
mod values;
mod version;

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use console::{Answer, Caller};
pub use failure::Failure;
pub use graph::{block_bytes, check_store};
pub use index::usual_node_bytes;
pub use models::{Fitted, fit_file, fit_table};
pub use paths::{MEMORY, UsedPath, check_used};
pub use predict::LARGEST_BLOCK;

/// Measure a storage device, and tune the software that runs on it
#[derive(Parser)]
#[command(
    name = "leadline",
    version,
    after_help = "\
Examples:
  # Measure the disk that holds this directory, in two minutes
  leadline profile . -o profile.json
  # Get settings for PostgreSQL from the measurement
  leadline advise postgresql profile.json
  # Emulate a SATA drive in the directory mnt
  leadline emulate sim:sata --backing data --mount mnt
  # Store a graph that does not fit in memory
  leadline graph import edges.txt.gz web.store
  # Look up many keys at once
  leadline index get words.index apple pear
  # See what is in a trace
  leadline trace info trace.csv.gz
  # Install the manual pages
  leadline man ~/.local/share/man/man1

`leadline COMMAND --help` lists the options of a command, with examples."
)]
struct Cli {
    #[command(flatten)]
    _amount: messages::AmountArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Profile(profile::Args),
    Experiment(experiment::Args),
    Report(report::Args),
    Models(models::Args),
    Predict(predict::Args),
    Advise(advise::Args),
    Lint(lint::Args),
    Prove(prove::Args),
    Btree(btree::Args),
    Calibrate(calibrate::Args),
    Devices(devices::Args),
    Trace(trace::Args),
    Place(place::Args),
    Pool(pool::Args),
    Graph(graph::Args),
    Index(index::Args),
    Lsm(lsm::Args),
    Emulate(emulate::Args),
    Docs(docs::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the command that `arguments` name, the program's name first, for a user at a terminal: results go to
/// stdout, messages and a failure's line to stderr. Returns the exit code: 0 done, 1 the operation failed, 2
/// bad usage or bad input.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    signals::outlive_file_limit();
    streams::keep();
    match run(arguments) {
        Ok(()) => {
            messages::step("done");
            0
        }
        Err(failure) => {
            messages::error(&failure.line());
            failure.exit_code()
        }
    }
}

/// As [`main`], in a process that was started to serve a mount (`emulate`, `trace capture`): `mounted` is
/// called when programs may use the directory.
pub fn serve(arguments: impl IntoIterator<Item = OsString>, mounted: impl FnOnce() + 'static) -> u8 {
    console::when_mounted(mounted);
    messages::never_colour();
    main(arguments)
}

/// Runs a command for a program: nothing is printed, no signal is handled; the words of both are in the
/// answer. `arguments` are as on the command line, without the program's name.
///
/// # Errors
/// What the command fails with. A command that mounts a directory until it is told to end (`emulate`, `trace
/// capture`) is [`Failure::Input`]: a program that uses its own mount waits for itself when it ends. A
/// process of its own runs it with [`serve`].
pub fn call(arguments: &[OsString], caller: Caller) -> Result<Answer, Failure> {
    let words: Vec<&str> = arguments.iter().take(2).filter_map(|word| word.to_str()).collect();
    let mounts = match words[..] {
        ["emulate", "ctl"] => None,
        ["emulate", ..] => Some("emulate"),
        ["trace", "capture"] => Some("trace capture"),
        _ => None,
    };
    if let Some(command) = mounts {
        let function = command.replace(' ', ".");
        return Err(Failure::Input(format!(
            "{command}: lasts until it is told to end, in a process of its own: in Python leadline.{function}() \
             starts one, in a terminal leadline {command}"
        )));
    }
    let name = OsString::from("leadline");
    let command = || run(std::iter::once(name).chain(arguments.iter().cloned()));
    let (answer, done) = console::answered(caller, command);
    match done {
        Ok(()) => Ok(answer),
        Err(Failure::Misfit(line) | Failure::Nothing(line)) if !answer.text.is_empty() => {
            Ok(Answer { verdict: Some(printable::line(&line)), ..answer })
        }
        Err(failure) => Err(failure),
    }
}

/// All commands and their options as clap has them, a JSON document; with `ranges`, also which numbers each
/// option takes.
pub fn described(ranges: bool) -> String {
    described::document(Cli::command(), ranges).to_string()
}

/// The options without a value of the command that `arguments` call, without dashes.
pub fn flags_of(arguments: &[OsString]) -> Vec<String> {
    described::flags_of(Cli::command(), arguments.iter().filter_map(|word| word.to_str()))
}

fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = help::laid_out(Cli::command());
    let mut matches = match command.try_get_matches_from_mut(&arguments) {
        Ok(matches) => matches,
        Err(error) => return usage::usage(&error, &command, &arguments),
    };
    messages::say_as_asked(&matches);
    let _running = failure::remedies_for(&command, &matches);
    // Before anything is opened: what a command reads is not what it replaces.
    paths::check(&command, &matches)?;
    let takes_stdout = paths::written_to_stdout(&command, &matches)?.is_some();
    output::leave_to_document(takes_stdout);
    let cli = match Cli::from_arg_matches_mut(&mut matches) {
        Ok(cli) => cli,
        Err(error) => {
            let error = error.format(&mut command);
            return usage::usage(&error, &command, &arguments);
        }
    };
    match cli.command.run() {
        Err(Failure::Operation(line)) if output::is_reader_gone(&line) => Ok(()),
        done => done,
    }
}

impl Command {
    fn run(self) -> Result<(), Failure> {
        match self {
            Command::Profile(args) => profile::run(args),
            Command::Experiment(args) => experiment::run(&args),
            Command::Report(args) => report::run(args),
            Command::Models(args) => models::run(args),
            Command::Predict(args) => predict::run(args),
            Command::Advise(args) => advise::run(&args),
            Command::Lint(args) => lint::run(&args),
            Command::Prove(args) => prove::run(&args),
            Command::Btree(args) => btree::run(args),
            Command::Calibrate(args) => calibrate::run(&args),
            Command::Devices(args) => devices::run(args),
            Command::Trace(args) => trace::run(args),
            Command::Place(args) => place::run(args),
            Command::Pool(args) => pool::run(args),
            Command::Graph(args) => graph::run(args),
            Command::Index(args) => index::run(args),
            Command::Lsm(args) => lsm::run(args),
            Command::Emulate(args) => emulate::run(args),
            Command::Docs(args) => docs::run(&args),
            Command::Completions(args) => completions::run(&args, paths::hinted(Cli::command())),
            Command::Man(args) => man::run(&args, Cli::command()),
        }
    }
}
