//! The command line as a document: for programs that call commands, and for tests that compare both.
//!
//! All of it is told by clap, where options are stated once.

mod range;

use clap::{Arg, ArgAction, Command};
use serde_json::{Value, json};

use crate::paths;

/// Every command that can be called, whole path, in the order of the help: `path`, `about`, `arguments` and
/// `options`, each with `name`, `kind`, `value`, `default`, `choices`, `words`, `conflicts` and `help`. With
/// `ranges`, also the range of each number, which takes longer: [`range::of`] asks the parsers.
pub(crate) fn document(mut leadline: Command, ranges: bool) -> Value {
    leadline = leadline.disable_help_subcommand(true);
    leadline.build();
    let mut commands = Vec::new();
    add(&leadline, &[], ranges, &mut commands);
    let everywhere: Vec<String> =
        leadline.get_arguments().filter(|arg| arg.is_global_set()).map(name).collect();
    json!({ "commands": commands, "everywhere": everywhere })
}

/// The options without a value of the command that the first of `words` name.
pub(crate) fn flags_of<'a>(leadline: Command, words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut command = &leadline;
    for word in words {
        // An argument may stand before the next command: emulate ctl MOUNT inject.
        command = command.find_subcommand(word).unwrap_or(command);
    }
    own(command).filter(|arg| !takes_value(arg)).map(name).collect()
}

/// Adds a command and those below it.
fn add(command: &Command, above: &[&str], ranges: bool, commands: &mut Vec<Value>) {
    for inner in command.get_subcommands() {
        let path = [above, &[inner.get_name()]].concat();
        // A command that only has others below it does nothing itself.
        if !inner.is_subcommand_required_set() {
            commands.push(described(inner, &path, ranges));
        }
        add(inner, &path, ranges, commands);
    }
}

fn described(command: &Command, path: &[&str], ranges: bool) -> Value {
    let (arguments, mut options): (Vec<&Arg>, Vec<&Arg>) = own(command).partition(|arg| arg.is_positional());
    // That of the help.
    options.sort_by_key(|arg| arg.get_display_order());
    let all =
        |args: Vec<&Arg>| args.into_iter().map(|arg| argument(command, arg, ranges)).collect::<Vec<_>>();
    json!({
        "path": path.join(" "),
        "about": command.get_about().map(ToString::to_string),
        "arguments": all(arguments),
        "options": all(options),
    })
}

/// The arguments of a command but `--help`, and those of all commands, which are about what a terminal shows.
fn own(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_help = |arg: &Arg| matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpShort);
    command.get_arguments().filter(move |arg| !is_help(arg) && !arg.is_global_set())
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn argument(command: &Command, arg: &Arg, ranges: bool) -> Value {
    let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
    let takes_value = takes_value(arg);
    let defaults = arg.get_default_values().iter().map(|value| value.to_string_lossy());
    let default: Vec<_> = if takes_value { defaults.collect() } else { Vec::new() };
    let conflicts = command.get_arg_conflicts_with(arg).into_iter().map(name);
    let mut described = json!({
        "name": name(arg),
        "kind": kind(arg),
        "value": arg.get_value_names().filter(|_| takes_value).map(|names| names.join(" ")),
        "required": arg.is_required_set(),
        "default": (!default.is_empty()).then(|| default.join(",")),
        "choices": takes_value.then(|| choices(arg)).filter(|choices| !choices.is_empty()),
        "words": if takes_value { range::words(arg) } else { Vec::new() },
        "path": paths::leads_to_files(arg),
        "hidden": arg.is_hide_set(),
        "conflicts": conflicts.collect::<Vec<_>>(),
        "help": text(arg.get_long_help().or(arg.get_help())),
    });
    if ranges && takes_value {
        described["range"] = json!(range::of(arg));
    }
    described
}

/// What it is called: by its long flag, a positional argument by its place in the code.
fn name(arg: &Arg) -> String {
    arg.get_long().map_or_else(|| arg.get_id().to_string(), str::to_owned)
}

/// `flag` (no value), `switch` (a value may follow), `value`, `list` (values with commas between them, or one
/// after another where it is positional), `repeated` (the option again for each value).
fn kind(arg: &Arg) -> &'static str {
    let names = arg.get_value_names().unwrap_or_default();
    let several = arg.get_num_args().is_some_and(|count| count.max_values() > 1);
    let names_a_list = names.iter().any(|name| name.contains(',') || name == "LIST");
    let is_list = arg.get_value_delimiter().is_some() || names_a_list;
    match arg.get_action() {
        action if !action.takes_values() => "flag",
        _ if arg.get_num_args().is_some_and(|count| count.min_values() == 0 && !arg.is_positional()) => {
            "switch"
        }
        _ if is_list || several => "list",
        ArgAction::Append if arg.is_positional() => "list",
        ArgAction::Append => "repeated",
        _ => "value",
    }
}

fn choices(arg: &Arg) -> Vec<String> {
    arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use serde_json::Value;

    use crate::Cli;

    fn option<'a>(document: &'a Value, path: &str, name: &str) -> &'a Value {
        let commands = document["commands"].as_array().unwrap();
        let command = commands.iter().find(|command| command["path"] == path).unwrap();
        let all = ["arguments", "options"].iter().flat_map(|list| command[list].as_array().unwrap());
        all.clone().find(|option| option["name"] == name).unwrap_or_else(|| panic!("{path} {name}"))
    }

    #[test]
    fn options_are_told_with_their_kind_default_range_and_conflicts() {
        let all = super::document(Cli::command(), true);
        let quick = option(&all, "profile", "quick");
        assert_eq!((quick["kind"].as_str(), quick["conflicts"][0].as_str()), (Some("flag"), Some("full")));
        let sizes = option(&all, "profile", "block-size");
        assert_eq!((sizes["kind"].as_str(), sizes["default"].as_str()), (Some("list"), Some("4K,8K")));
        assert_eq!(option(&all, "graph import", "dedupe")["kind"], "switch");
        assert_eq!(option(&all, "prove", "set")["kind"], "repeated");
        assert_eq!(option(&all, "lint", "system")["choices"][0], "postgresql");
        assert_eq!(option(&all, "trace info", "header")["words"].as_array().unwrap().len(), 2);
        for (path, name, least, below, most, above) in [
            ("profile", "max-concurrency", "1", "0", "4096", "4097"),
            ("profile", "block-size", "512", "511", "16777216", "16777217"),
            ("place", "block-size", "512", "511", "16777216", "16777217"),
            ("experiment", "read-share", "0", "-5e-324", "100", "100.00000000000001"),
            ("profile", "seed", "0", "-1", "18446744073709551615", "18446744073709551616"),
        ] {
            let range = &option(&all, path, name)["range"];
            let ends = ["below", "least", "most", "above"].map(|end| range[end].as_str().unwrap());
            assert_eq!(ends, [below, least, most, above], "{path} {name}");
        }
        for (path, name) in [("profile", "output"), ("lsm predict", "family"), ("profile", "for")] {
            assert!(option(&all, path, name)["range"].is_null(), "{path} {name} is not a number");
        }
        assert_eq!(option(&all, "profile", "output")["path"], true);
    }

    #[test]
    fn every_command_is_there_and_groups_are_not() {
        let all = super::document(Cli::command(), false);
        let paths: Vec<_> = all["commands"].as_array().unwrap().iter().map(|c| c["path"].clone()).collect();
        for path in ["profile", "profile import", "graph bfs", "emulate", "trace capture", "man"] {
            assert!(paths.contains(&path.into()), "{path}");
        }
        for path in ["graph", "trace", "pool"] {
            assert!(!paths.contains(&path.into()), "{path}");
        }
    }

    #[test]
    fn options_without_a_value_are_those_of_the_command_that_is_called() {
        let of = |words: &str| super::flags_of(Cli::command(), words.split(' '));
        assert!(of("emulate ctl /mnt inject eio").contains(&"forever".to_owned()));
        assert!(of("experiment ladder sim:flash").contains(&"writes".to_owned()));
        assert!(!of("predict profile.json").contains(&"writes".to_owned()), "it takes a number there");
    }
}
