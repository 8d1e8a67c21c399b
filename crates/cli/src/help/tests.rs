//! Every screen of help, as a user sees it: `--help` and `-h` of all commands.

mod examples;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use clap::{ArgAction, Command, CommandFactory as _};

use super::groups::{COMMANDS, OF_GRAPHS};
use super::{PLAIN, WIDEST, at_width};
use crate::Cli;

/// The words that call a command, and what its `--help` shows.
struct Screen {
    call: String,
    help: String,
}

/// All commands with those below them, as clap has built them.
fn built(width: usize) -> Command {
    let mut leadline = at_width(Cli::command(), width).disable_help_subcommand(true);
    leadline.build();
    leadline
}

/// Calls `look` with every command and the words that call it.
fn each(command: &Command, look: &mut impl FnMut(&str, &Command)) {
    fn below(command: &Command, call: &str, look: &mut impl FnMut(&str, &Command)) {
        look(call, command);
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            below(inner, &format!("{call} {}", inner.get_name()), look);
        }
    }
    below(command, "leadline", look);
}

fn screens(width: usize) -> Vec<Screen> {
    let mut screens = Vec::new();
    each(&built(width), &mut |call, _| {
        screens.push(Screen { call: call.to_owned(), help: shown(call, "--help", width) });
    });
    screens
}

/// What is printed for `call` with this flag.
fn shown(call: &str, flag: &str, width: usize) -> String {
    let words = call.split(' ').chain([flag]);
    at_width(Cli::command(), width).try_get_matches_from(words).unwrap_err().to_string()
}

#[test]
fn every_line_fits_where_there_is_no_terminal_and_at_any_width_in_between() {
    for width in [PLAIN, 90, WIDEST] {
        let screens = screens(width);
        assert!(screens.len() >= 58, "{} screens", screens.len());
        for Screen { call, help } in screens {
            assert_eq!(
                examples::of(&help),
                examples::of(&shown(&call, "--help", 200)),
                "{call} breaks a line"
            );
            for line in help.lines() {
                assert!(line.chars().count() <= width, "{call} --help, {width} columns:\n{line}");
            }
        }
    }
}

#[test]
fn the_short_help_is_the_long_one() {
    for Screen { call, help } in screens(PLAIN) {
        assert_eq!(shown(&call, "-h", PLAIN), help, "{call}");
    }
}

#[test]
fn every_command_is_in_one_group_and_every_group_has_an_example() {
    let leadline = built(PLAIN);
    let graph = leadline.find_subcommand("graph").unwrap();
    for (command, groups) in [(&leadline, &COMMANDS[..]), (graph, &OF_GRAPHS[..])] {
        let mut listed: Vec<&str> = groups.iter().flat_map(|group| group.commands).copied().collect();
        let mut there: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        there.sort_unstable();
        assert_eq!(listed, there, "{}: a command belongs to one group in help/groups.rs", command.get_name());
        let call = command.get_bin_name().unwrap_or("leadline");
        let help = shown(call, "--help", PLAIN);
        let calls = |name: &str| {
            let words = format!("{call} {name} ");
            examples::of(&help).iter().any(|line| format!("{line} ").contains(&words))
        };
        for group in groups {
            assert!(help.contains(&format!("\n{}:\n", group.title)), "{}: {help}", group.title);
            assert!(group.commands.iter().any(|name| calls(name)), "{}: no example", group.title);
        }
    }
}

#[test]
fn each_command_has_one_line_in_its_list() {
    for Screen { call, help } in screens(PLAIN) {
        let first = help.lines().next().unwrap();
        assert!(
            !first.ends_with('.') && help.lines().nth(1) == Some(""),
            "{call}: more than a line: {first}"
        );
    }
    let leadline = built(PLAIN);
    let help = shown("leadline", "--help", PLAIN);
    for name in leadline.get_subcommands().map(Command::get_name) {
        assert_eq!(help.matches(&format!("\n  {name} ")).count(), 1, "{name}: {help}");
    }
    let lines: Vec<&str> = help.lines().skip_while(|line| *line != "Measure:").collect();
    let wrapped = lines.iter().filter(|line| line.starts_with("     "));
    let wrapped: Vec<_> = wrapped.filter(|line| !line.contains("--")).collect();
    assert!(wrapped.is_empty(), "wrapped: {wrapped:?}");
}

#[test]
fn what_an_option_takes_and_means_is_the_same_everywhere() {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    each(&built(PLAIN), &mut |_, command| {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let Some(long) = arg.get_long() else { continue };
            let taken = match arg.get_action() {
                ArgAction::Set | ArgAction::Append => {
                    arg.get_value_names().map(|names| names.join(" ")).unwrap_or_default()
                }
                _ => String::new(),
            };
            // A list of what another command takes one of.
            values.entry(long.to_owned()).or_default().insert(taken.replace(",..", "").replace("|all", ""));
        }
    });
    for (long, taken) in values {
        let known: &[&str] = match long.as_str() {
            "mix" => &["OPERATION=PERCENT", "R/W"],
            "weights" => &["", "QUERY=N"],
            "writes" => &["", "N"],
            "output" => &["FILE", "OPTIONS.ini"],
            "options" => &["FILE", "OPTIONS.ini"],
            "pattern" => &["PATTERN", "random|sequential"],
            "from" => &["PREVIOUS.bin", "KEY"],
            "to" => &["FORMAT", "KEY"],
            "version" => &["", "V"],
            _ => &[],
        };
        let is_known = !known.is_empty() && taken.iter().all(|one| known.contains(&one.as_str()));
        assert!(taken.len() == 1 || is_known, "--{long} takes {taken:?}");
    }
}
