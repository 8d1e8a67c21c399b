//! Examples of help, which can be pasted.

use std::iter::Peekable;
use std::str::Chars;

use clap::CommandFactory as _;

use super::{PLAIN, Screen, screens};
use crate::Cli;

/// The commands below `Examples:` in a screen, each on one line; comments are left out.
pub(super) fn of(help: &str) -> Vec<String> {
    let mut examples = Vec::new();
    let mut whole = String::new();
    for line in
        help.lines().skip_while(|line| *line != "Examples:").skip(1).take_while(|line| !line.is_empty())
    {
        let line = line.trim();
        if line.starts_with('#') {
            continue;
        }
        whole += line.trim_end_matches('\\');
        if !line.ends_with('\\') {
            examples.push(std::mem::take(&mut whole));
        }
    }
    assert!(whole.is_empty(), "goes on: {whole}");
    examples
}

/// The commands of a line of the shell, their words without quotes.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut letters = line.chars().peekable();
    while let Some(&letter) = letters.peek() {
        match letter {
            ' ' => drop(letters.next()),
            '|' | '&' | ';' => {
                while letters.next_if(|letter| "|&;".contains(*letter)).is_some() {}
                commands.push(Vec::new());
            }
            '>' => {
                letters.next();
                while letters.next_if_eq(&' ').is_some() {}
                word(&mut letters);
            }
            _ => {
                let word = word(&mut letters);
                commands.last_mut().unwrap().push(word);
            }
        }
    }
    commands.retain(|words| !words.is_empty());
    commands
}

fn word(letters: &mut Peekable<Chars<'_>>) -> String {
    let mut word = String::new();
    while let Some(letter) = letters.next_if(|letter| !" |&;>".contains(*letter)) {
        match letter {
            '\'' => word.extend(letters.by_ref().take_while(|letter| *letter != '\'')),
            '"' | '`' | '$' | '(' | '<' | '*' if letter != '*' => panic!("{letter} in an example"),
            _ => word.push(letter),
        }
    }
    word
}

#[test]
fn every_command_has_an_example_of_itself_and_all_are_taken() {
    let mut taken = 0;
    for Screen { call, help } in screens(PLAIN) {
        let examples = of(&help);
        let own: Vec<&str> = call.split(' ').collect();
        let calls_it = |words: &Vec<String>| {
            // The mount stands between `ctl` and what is to be done.
            let without_mount: Vec<&str> = words
                .iter()
                .map(String::as_str)
                .filter(|word| !(own.contains(&"ctl") && *word == "mnt"))
                .collect();
            without_mount.starts_with(&own)
        };
        let all: Vec<Vec<String>> = examples.iter().flat_map(|line| commands(line)).collect();
        assert!(all.iter().any(calls_it), "{call}: no example in\n{help}");
        for words in all.iter().filter(|words| words[0] == "leadline") {
            let matches = Cli::command().try_get_matches_from(words);
            assert!(matches.is_ok(), "{call}: {}", matches.unwrap_err());
            taken += 1;
        }
    }
    assert!(taken > 150, "{taken} examples");
}

#[test]
fn an_example_that_is_not_taken_is_noticed() {
    let help =
        "About\n\nExamples:\n  # why\n  zcat a | leadline trace info - \\\n    --no-such > 'x y' && ls\n";
    let found = of(help);
    assert_eq!(found, ["zcat a | leadline trace info - --no-such > 'x y' && ls"]);
    let found = commands(&found[0]);
    assert_eq!(found, [&["zcat", "a"][..], &["leadline", "trace", "info", "-", "--no-such"], &["ls"]]);
    assert!(Cli::command().try_get_matches_from(&found[1]).is_err());
}
