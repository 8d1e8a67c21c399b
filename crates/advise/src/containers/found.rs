//! Settings of one system that a container holds.

use std::path::{Path, PathBuf};

use crate::files::Files;
use crate::syntax::yaml::{Node, Value};
use crate::{AdviseError, Config, Entry, Place, System};

/// What was found of one system, or of one of its servers where a file has several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) system: System,
    /// Which of several: the name of a service, of a container.
    pub(crate) instance: String,
    /// By what it is known: `service db runs postgres, line 4`.
    pub(crate) evidence: String,
    pub(crate) config: Config,
    path: PathBuf,
}

impl Found {
    pub(crate) fn new(system: System, path: &Path, evidence: impl Into<String>) -> Self {
        Found {
            system,
            instance: String::new(),
            evidence: evidence.into(),
            config: Config::default(),
            path: path.into(),
        }
    }

    /// Adds a key, spelt as the system's own file has it.
    pub(crate) fn put(&mut self, key: &str, value: &str, line: usize) {
        self.put_in("", key, value, line);
    }

    pub(crate) fn put_in(&mut self, section: &str, key: &str, value: &str, line: usize) {
        let key = spelt(self.system, key);
        let section = if self.system == System::Innodb { "mysqld" } else { section };
        let place = Place::Line { path: self.path.clone(), line };
        let entry = Entry { section: section.to_owned(), key, value: value.trim().to_owned(), place };
        self.config.entries.push(entry);
    }

    /// Adds a key with a value of a map.
    pub(crate) fn put_node(&mut self, key: &str, node: &Node) {
        match &node.value {
            Value::Text(text) => self.put(key, text, node.line),
            Value::Null => {}
            _ => self.unread(node.line, &format!("{key} is no single value, and was not judged")),
        }
    }

    /// Adds all keys of a map.
    pub(crate) fn put_map(&mut self, map: &Node) {
        for (key, node) in map.map().unwrap_or_default() {
            self.put_node(key, node);
        }
    }

    /// Adds what a text in the system's own syntax sets.
    pub(crate) fn embed(&mut self, node: &Node) -> Result<(), AdviseError> {
        let Some(text) = node.text() else { return Ok(()) };
        // The reader then counts the lines of the whole file.
        let mut padded = "\n".repeat(node.line.saturating_sub(1));
        for line in text.lines() {
            let is_control = line.trim_start().starts_with("{{") || line.trim_start().starts_with("{%");
            padded.push_str(if is_control { "" } else { line });
            padded.push('\n');
        }
        let mut read = self.system.rules().read_from(&padded, &self.path, &Files::none())?;
        for entry in read.entries {
            let line = match entry.place {
                Place::Line { line, .. } if node.is_literal => line,
                _ => node.line,
            };
            let place = Place::Line { path: self.path.clone(), line };
            self.config.entries.push(Entry { place, ..entry });
        }
        self.config.notes.append(&mut read.notes);
        self.config.version = read.version.or(self.config.version.take());
        self.config.incomplete |= read.incomplete;
        Ok(())
    }

    /// Says what of a line was not read, although it may set something.
    pub(crate) fn unread(&mut self, line: usize, what: &str) {
        self.config.incomplete = true;
        self.note(line, what);
    }

    /// Says something of a line.
    pub(crate) fn note(&mut self, line: usize, what: &str) {
        self.config.notes.push(format!("{}, line {line}: {what}", self.path.display()));
    }
}

/// A key as the system's own file has it.
pub(crate) fn spelt(system: System, key: &str) -> String {
    let key = key.trim();
    match system {
        System::Postgresql => key.to_ascii_lowercase().replace('-', "_"),
        System::Innodb => {
            let key = key.to_ascii_lowercase().replace('-', "_");
            key.strip_prefix("loose_").unwrap_or(&key).to_owned()
        }
        System::Ceph => key.replace([' ', '-'], "_"),
        System::Redis => key.to_ascii_lowercase(),
        System::Etcd => match key.strip_prefix("ETCD_") {
            Some(name) => name.to_ascii_lowercase().replace('_', "-"),
            None => key.trim_start_matches('-').to_owned(),
        },
        System::Linux if !key.contains("queue/") && !key.starts_with("io.") => key.replace('/', "."),
        _ => key.to_owned(),
    }
}
