//! Remedies that name an option: only where the command has it.
//!
//! The libraries' errors are the same whichever command meets them, and not every command has the option that
//! would help.

use std::cell::RefCell;

use clap::{ArgMatches, Command};

thread_local! {
    /// The options of the command that this thread runs, `--size` and so on; none where it runs none.
    static OPTIONS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Until it is dropped, this thread runs a command.
#[must_use]
pub(crate) struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        OPTIONS.set(None);
    }
}

/// From now on this thread runs what `matches` call of `command`.
pub(crate) fn remedies_for(command: &Command, matches: &ArgMatches) -> Running {
    let mut options: Vec<String> = Vec::new();
    let (mut command, mut matches) = (command, matches);
    loop {
        for argument in command.get_arguments() {
            let names = argument.get_long().into_iter().chain(argument.get_all_aliases().unwrap_or_default());
            options.extend(names.map(|name| format!("--{name}")));
        }
        let Some((name, inner)) = matches.subcommand() else { break };
        let Some(found) = command.find_subcommand(name) else { break };
        (command, matches) = (found, inner);
    }
    OPTIONS.set(Some(options));
    Running
}

/// Whether the command has all options that `remedy` names itself: those behind the name of another command
/// are that one's.
pub(super) fn can_be_given(remedy: &str) -> bool {
    let own = remedy.split("leadline ").next().unwrap_or(remedy);
    let word = |word: &str| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned();
    let mut named = own.split([' ', '(']).filter(|word| word.starts_with("--")).map(word);
    OPTIONS.with_borrow(|options| {
        options.as_ref().is_none_or(|options| named.all(|option| options.contains(&option)))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::Cli;

    #[test]
    fn a_remedy_is_named_where_the_command_has_its_option() {
        let remedies =
            ["give --size 3M or less", "name one with --format", "leadline lsm validate --data 3", "x"];
        let of = |words: &[&str]| {
            let mut command = Cli::command();
            let matches = command.try_get_matches_from_mut(words).unwrap();
            let _running = remedies_for(&command, &matches);
            remedies.map(can_be_given)
        };
        assert_eq!(remedies.map(can_be_given), [true; 4], "where no command runs");
        assert_eq!(of(&["leadline", "profile"]), [true, false, true, true]);
        assert_eq!(of(&["leadline", "graph", "update", "g", "c"]), [false, true, true, true]);
        assert_eq!(of(&["leadline", "graph", "info", "g"]), [false, false, true, true]);
        assert_eq!(of(&["leadline", "trace", "convert", "a", "b"]), [false, true, true, true], "an alias");
        assert_eq!(remedies.map(can_be_given), [true; 4], "once it is over");
    }
}
