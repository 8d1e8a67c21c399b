//! A server that something else starts: with an image, a command and an environment.

use std::path::Path;

use super::found::Found;
use super::shell::{Word, words};
use super::{command, environment, image};
use crate::syntax::yaml::Node;
use crate::{AdviseError, System};

/// What is started.
#[derive(Debug, Default)]
pub(crate) struct Workload {
    /// `service db`, `container etcd`.
    pub(crate) name: String,
    pub(crate) image: Option<String>,
    /// The command and its arguments.
    pub(crate) command: Vec<Word>,
    /// Names and values with their lines.
    pub(crate) environment: Vec<(String, String, usize)>,
    /// Where it begins.
    pub(crate) line: usize,
}

impl Workload {
    /// The system that runs in it with its settings; `None` where it is none that is known.
    pub(crate) fn read(&self, path: &Path) -> Result<Option<Found>, AdviseError> {
        let by_image = self.image.as_deref().and_then(image::system);
        let scripts = self.scripts();
        let commands: Vec<&[Word]> =
            std::iter::once(self.command.as_slice()).chain(scripts.iter().map(Vec::as_slice)).collect();
        let started = commands.iter().find_map(|command| command::started(command));
        let named = self
            .environment
            .iter()
            .find_map(|(name, _, line)| Some((environment::system(name)?, name, *line)));
        let runs = |by: &str| format!("{} runs {by}, line {}", self.name, self.line);
        let (system, evidence) = match (started, by_image, named) {
            (Some((system, _)), _, _) => (system, runs(&self.program())),
            (None, Some(system), _) => (system, runs(self.image.as_deref().unwrap_or_default())),
            (None, None, Some((system, name, line))) => {
                (system, format!("{} sets {name}, line {line}", self.name))
            }
            (None, None, None) => return Ok(None),
        };
        let mut found = Found::new(system, path, evidence);
        found.instance = self.name.clone();
        found.config.version =
            self.image.as_deref().filter(|_| by_image == Some(system)).and_then(image::version);
        // A flag stands above a variable in all of them, so the flags come last.
        for (name, value, line) in &self.environment {
            environment::read(name, value, *line, &mut found)?;
        }
        // Images bring a file that sets next to nothing.
        if system == System::Postgresql && self.image.is_none() {
            let what =
                "postgresql.conf of its data directory, which takes precedence after these, was not read";
            found.unread(self.line, what);
        }
        let arguments = started.map_or(self.command.as_slice(), |(_, arguments)| arguments);
        command::read(arguments, &mut found)?;
        Ok(Some(found))
    }

    /// The commands inside of `sh -c '…'`.
    fn scripts(&self) -> Vec<Vec<Word>> {
        let is_shell = self.command.first().is_some_and(|word| {
            ["sh", "bash", "ash"].contains(&word.text.rsplit('/').next().unwrap_or_default())
        });
        let script = self.command.iter().skip(1).find(|word| !word.text.starts_with('-'));
        script
            .filter(|_| is_shell)
            .map_or(Vec::new(), |script| super::shell::commands(&script.text, script.line))
    }

    /// The word that names the program.
    fn program(&self) -> String {
        let is_program = |word: &&Word| command::program(&word.text).is_some();
        match self.command.iter().find(is_program) {
            Some(word) => word.text.rsplit('/').next().unwrap_or_default().to_owned(),
            None => self.image.clone().unwrap_or_else(|| "a shell".to_owned()),
        }
    }

    /// Adds a command: a text, or a list of words.
    pub(crate) fn add_command(&mut self, node: &Node) {
        match node.list() {
            Some(list) => {
                self.command.extend(list.iter().filter_map(|word| Some(Word::new(word.text()?, word.line))))
            }
            None => self.command.extend(node.text().map_or(Vec::new(), |text| words(text, node.line))),
        }
    }

    /// Adds an environment: a map, a list of `NAME=VALUE`, or one of `name` and `value`.
    pub(crate) fn add_environment(&mut self, node: &Node) {
        for (name, value) in node.map().unwrap_or_default() {
            if let Some(text) = value.text() {
                self.environment.push((name.clone(), text.to_owned(), value.line));
            }
        }
        for entry in node.list().unwrap_or_default() {
            let pair = match entry.text() {
                Some(text) => text.split_once('=').map(|(name, value)| (name, value, entry.line)),
                None => entry.get("name").and_then(Node::text).and_then(|name| {
                    let value = entry.get("value")?;
                    Some((name, value.text()?, value.line))
                }),
            };
            if let Some((name, value, line)) = pair {
                self.environment.push((name.to_owned(), value.to_owned(), line));
            }
        }
    }
}

/// What is found in all of them.
pub(crate) fn all(workloads: Vec<Workload>, path: &Path) -> Result<Vec<Found>, AdviseError> {
    let mut found = Vec::new();
    for workload in workloads {
        found.extend(workload.read(path)?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_above_variables_and_the_image_tells_the_version() {
        let workload = Workload {
            name: "service e".to_owned(),
            image: Some("quay.io/coreos/etcd:v3.5.9".to_owned()),
            command: words("etcd --heartbeat-interval=300", 5),
            environment: vec![("ETCD_HEARTBEAT_INTERVAL".to_owned(), "200".to_owned(), 9)],
            line: 2,
        };
        let found = workload.read(Path::new("x")).unwrap().unwrap();
        assert_eq!(found.config.version.as_deref(), Some("3.5.9"));
        assert_eq!(found.config.last("heartbeat-interval").unwrap().value, "300");
        assert_eq!(found.evidence, "service e runs etcd, line 2");
    }
}
