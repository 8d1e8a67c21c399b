//! The commands of the graph engine's algorithms: one for each that is registered, with the options that it
//! declares.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args as _, Command, FromArgMatches, value_parser};
use leadline_graph::algorithm::{AlgorithmOption, Argument, Arguments, Definition, OptionKind, must_be};
use leadline_graph::algorithms::ALGORITHMS;

use super::common::Common;
use crate::paths::{ContinuedResult, InputPath, OutputPlace};

/// The name of the group of options of which another option needs one.
const NEEDED: &str = "needed";

/// The name of the group of options of which one is to be given.
const WANTED: &str = "wanted";

/// A word that an algorithm knows; it leads to no file.
#[derive(Clone)]
struct Word(String);

/// A command that runs an algorithm.
pub(crate) struct AlgorithmCommand {
    pub(super) definition: &'static Definition,
    pub(super) common: Common,
    pub(super) arguments: Arguments,
}

impl clap::Subcommand for AlgorithmCommand {
    fn augment_subcommands(command: Command) -> Command {
        ALGORITHMS.iter().fold(command, |all, definition| all.subcommand(command_of(definition)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        definition(name).is_some()
    }
}

impl FromArgMatches for AlgorithmCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let definition = definition(name).ok_or_else(missing)?;
        let common = Common::from_arg_matches(matches)?;
        let options = definition.options.iter();
        let arguments = options.filter_map(|option| Some((option.name, value(option, matches)?))).collect();
        Ok(AlgorithmCommand { definition, common, arguments })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn definition(name: &str) -> Option<&'static Definition> {
    ALGORITHMS.into_iter().find(|definition| definition.name == name)
}

fn command_of(definition: &'static Definition) -> Command {
    // What says what the flags in common are would stand for what the command does.
    let command = Common::augment_args(Command::new(definition.name));
    let command = command.about(definition.about).after_help(definition.examples);
    let command = command.args(definition.options.iter().map(argument_of));
    let needed = definition.options.iter().filter(|option| !option.needs_one_of.is_empty());
    let command = needed.fold(command, |command, option| {
        command.group(ArgGroup::new(NEEDED).args(option.needs_one_of).multiple(true))
    });
    match definition.one_of {
        [] => command,
        some => command.group(ArgGroup::new(WANTED).required(true).args(some)),
    }
}

fn argument_of(option: &'static AlgorithmOption) -> Arg {
    let argument = Arg::new(option.name).long(option.name).help(option.help);
    let argument = match option.kind {
        OptionKind::Flag => argument.action(ArgAction::SetTrue).value_parser(value_parser!(bool)),
        OptionKind::U32(..) | OptionKind::U64(..) | OptionKind::F64(_) => {
            // So that -1 is a number that is refused, and not an option that nobody knows.
            argument.allow_negative_numbers(true).value_parser(parser(option.kind))
        }
        kind => argument.value_parser(parser(kind)),
    };
    let argument = match option.kind {
        OptionKind::Flag => argument,
        _ => argument.value_name(option.value_name),
    };
    let argument = match option.kind {
        OptionKind::Ids => argument.action(ArgAction::Append),
        _ => argument,
    };
    let argument = match option.default {
        Some(default) => argument.default_value(default),
        None => argument,
    };
    let argument = match option.needed_without {
        Some(others) => argument.required_unless_present_any(others),
        None => argument,
    };
    let argument = if option.needs_one_of.is_empty() { argument } else { argument.requires(NEEDED) };
    argument.conflicts_with_all(option.conflicts)
}

/// What takes the value of an option from its text.
fn parser(kind: OptionKind) -> ValueParser {
    match kind {
        OptionKind::Flag | OptionKind::Ids => value_parser!(String),
        OptionKind::U32(least, most) => whole(least.into(), most.into()),
        OptionKind::U64(least, most) => whole(least, most),
        OptionKind::F64(within) => ValueParser::new(move |text: &str| {
            let number = text.parse().ok().filter(|number| (within.holds)(*number));
            number.ok_or_else(|| within.must.to_owned())
        }),
        OptionKind::Text(check) => {
            ValueParser::new(move |text: &str| check(text).map(|()| Word(text.to_owned())))
        }
        OptionKind::Pairs | OptionKind::Input => value_parser!(InputPath).into(),
        OptionKind::Previous => value_parser!(ContinuedResult).into(),
        OptionKind::Folder => value_parser!(OutputPlace).into(),
    }
}

/// What takes a whole number, in the words of the algorithms' own check.
fn whole(least: u64, most: u64) -> ValueParser {
    ValueParser::new(move |text: &str| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| must_be(least, most))
    })
}

/// What was given for an option.
fn value(option: &AlgorithmOption, matches: &ArgMatches) -> Option<Argument> {
    let name = option.name;
    match option.kind {
        OptionKind::Flag => matches.get_flag(name).then_some(Argument::Given),
        OptionKind::Ids => matches.get_many::<String>(name).map(|ids| Argument::Ids(ids.cloned().collect())),
        OptionKind::U32(..) | OptionKind::U64(..) => matches.get_one(name).copied().map(Argument::Number),
        OptionKind::F64(_) => matches.get_one(name).copied().map(Argument::Double),
        OptionKind::Text(_) => matches.get_one(name).map(|Word(text)| Argument::Text(text.clone())),
        OptionKind::Pairs | OptionKind::Input => path::<InputPath>(matches, name),
        OptionKind::Previous => path::<ContinuedResult>(matches, name),
        OptionKind::Folder => path::<OutputPlace>(matches, name),
    }
}

fn path<T: AsRef<std::path::Path> + Clone + Send + Sync + 'static>(
    matches: &ArgMatches,
    name: &str,
) -> Option<Argument> {
    matches.get_one::<T>(name).map(|path| Argument::Path(path.as_ref().to_owned()))
}
