//! The workflow that makes a release: YAML, with commands that there are.

use std::path::Path;
use std::process::Command;

use saphyr_parser::{Event, Parser};

#[test]
fn the_steps_of_a_release_are_commands_of_the_repository() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/workflows/release.yml");
    let text = std::fs::read_to_string(&file).unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let mut ours = Vec::new();
    for command in values(&text, "run") {
        if let Some(words) = command.strip_prefix("cargo xtask ") {
            assert!(help.contains(&format!("\n  {words} ")), "`cargo xtask --help` has no `{words}`");
            ours.push(words.to_owned());
        }
    }
    assert_eq!(ours, ["test --all", "semver", "dist"]);
    assert_eq!(values(&text, "path"), ["target/dist"]);
}

/// The scalars behind a key, anywhere in a document.
fn values(yaml: &str, key: &str) -> Vec<String> {
    let events = Parser::new_from_str(yaml).map(|event| event.expect("YAML").0);
    let scalars: Vec<Option<String>> = events
        .map(|event| match event {
            Event::Scalar(value, ..) => Some(value.into_owned()),
            _ => None,
        })
        .collect();
    let follows = |pair: &[Option<String>]| match pair {
        [Some(name), Some(value)] if name == key => Some(value.clone()),
        _ => None,
    };
    scalars.windows(2).filter_map(follows).collect()
}
