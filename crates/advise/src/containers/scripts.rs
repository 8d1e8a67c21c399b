//! Command lines that start servers, alone, in scripts and in the output of ps, and files of variables.

use super::found::Found;
use super::shell::{Word, commands};
use super::source::Source;
use super::workload::Workload;
use super::{command, environment, image};
use crate::AdviseError;

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let commands = commands(source.text, 1);
    let mut found = Vec::new();
    for words in &commands {
        let Some((_, arguments)) = command::started(words) else { continue };
        if let Some(one) = run(words, arguments).read(source.path)? {
            found.push(one);
        }
    }
    let variables = variables(&commands);
    if let Some((_, _, line)) = variables.first() {
        let workload = Workload {
            name: "the variables".to_owned(),
            environment: variables.clone(),
            line: *line,
            ..Workload::default()
        };
        found.extend(workload.read(source.path)?);
    }
    found.retain(|one| !one.config.entries.is_empty());
    Ok((!found.is_empty()).then_some(found))
}

/// What a command runs: of `docker run`, with the variables of its `-e`.
fn run(words: &[Word], arguments: &[Word]) -> Workload {
    let before = &words[..words.len() - arguments.len()];
    let named = before.last().map_or("", |word| word.text.as_str());
    let line = words.first().map_or(1, |word| word.line);
    let is_image = image::system(named).is_some()
        && command::program(&words[0].text).is_none()
        && words.len() > 1
        && ["docker", "podman", "nerdctl"].contains(&words[0].text.as_str());
    let command = if is_image { arguments.to_vec() } else { words.to_vec() };
    Workload {
        name: "the command".to_owned(),
        image: is_image.then(|| named.to_owned()),
        command,
        environment: before.iter().filter_map(variable).collect(),
        line,
    }
}

/// `NAME=VALUE`.
fn variable(word: &Word) -> Option<(String, String, usize)> {
    let (name, value) = word.text.split_once('=')?;
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_name.then(|| (name.to_owned(), value.to_owned(), word.line))
}

/// Variables on lines of their own, with or without `export`, that set something of a system.
fn variables(commands: &[Vec<Word>]) -> Vec<(String, String, usize)> {
    let is_export = |word: &Word| word.text == "export" || word.text == "set";
    commands
        .iter()
        .filter(|words| words.iter().all(|word| is_export(word) || variable(word).is_some()))
        .flatten()
        .filter_map(variable)
        .filter(|(name, _, _)| environment::system(name).is_some())
        .collect()
}
