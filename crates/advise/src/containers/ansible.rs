//! Variables and tasks of Ansible: variables that are called after a key, lists of options with values, and
//! the modules that set them.

use std::path::Path;

use super::embedded;
use super::found::Found;
use super::operators::etcd_arguments;
use super::source::Source;
use crate::plain;
use crate::syntax::yaml::{Node, Value};
use crate::{AdviseError, System};

/// How names of variables begin, and whose keys follow.
const PREFIXES: [(&str, System); 9] = [
    ("postgresql_", System::Postgresql),
    ("postgres_", System::Postgresql),
    ("pg_", System::Postgresql),
    ("mysql_", System::Innodb),
    ("mariadb_", System::Innodb),
    ("redis_", System::Redis),
    ("valkey_", System::Redis),
    ("etcd_", System::Etcd),
    ("kafka_", System::Kafka),
];

/// Modules that set one key: their name, where the key stands, and whose it is.
const MODULES: [(&str, &str, System); 3] = [
    ("sysctl", "name", System::Linux),
    ("postgresql_set", "name", System::Postgresql),
    ("mysql_variables", "variable", System::Innodb),
];

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let mut walk = Walk { path: source.path, found: Vec::new() };
    for document in source.documents() {
        walk.node(document)?;
    }
    Ok((!walk.found.is_empty()).then_some(walk.found))
}

struct Walk<'a> {
    path: &'a Path,
    found: Vec<Found>,
}

impl Walk<'_> {
    /// What was found of a system so far.
    fn of(&mut self, system: System, what: &str, line: usize) -> &mut Found {
        let at = self.found.iter().position(|found| found.system == system).unwrap_or_else(|| {
            self.found.push(Found::new(system, self.path, format!("{what}, line {line}")));
            self.found.len() - 1
        });
        &mut self.found[at]
    }

    fn node(&mut self, node: &Node) -> Result<(), AdviseError> {
        match &node.value {
            Value::List(list) if !self.options("", list) => {
                list.iter().try_for_each(|one| self.node(one))?;
            }
            Value::Map(entries) => entries.iter().try_for_each(|(name, value)| self.variable(name, value))?,
            _ => {}
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, value: &Node) -> Result<(), AdviseError> {
        let module = name.rsplit('.').next().unwrap_or_default();
        if value.map().is_some() && (self.module(module, value) || self.text(module, value)?) {
            return Ok(());
        }
        match &value.value {
            Value::Text(text) => {
                if let Some((system, key)) = key(name) {
                    self.of(system, name, value.line).put(&key, text, value.line);
                }
            }
            Value::List(list) if self.options(name, list) => {}
            Value::Map(_) if self.map(name, value) => {}
            _ => self.node(value)?,
        }
        Ok(())
    }

    /// A module that sets a key.
    fn module(&mut self, module: &str, arguments: &Node) -> bool {
        let text = |key: &str| arguments.get(key).and_then(Node::text);
        let Some((_, key, system)) = MODULES.iter().find(|(name, _, _)| *name == module) else {
            return false;
        };
        let (Some(key), Some(value)) = (text(key), arguments.get("value")) else { return false };
        let is_absent = text("state") == Some("absent");
        if !is_absent {
            self.of(*system, &format!("module {module}"), arguments.line).put_node(key, value);
        }
        true
    }

    /// A module that writes a file.
    fn text(&mut self, module: &str, arguments: &Node) -> Result<bool, AdviseError> {
        let file = ["dest", "path"].iter().find_map(|key| arguments.get(key)?.text()).unwrap_or_default();
        let text = |key: &str| arguments.get(key).and_then(Node::text);
        match module {
            "copy" | "blockinfile" => {
                let Some(content) = arguments.get("content").or_else(|| arguments.get("block")) else {
                    return Ok(false);
                };
                if let Some(one) = embedded::read(file, content, self.path)? {
                    let of = self.of(one.system, &one.evidence, content.line);
                    of.config.entries.extend(one.config.entries);
                    of.config.notes.extend(one.config.notes);
                }
                Ok(true)
            }
            "ini_file" => {
                let (Some(system), Some(key)) = (embedded::named(file), text("option")) else {
                    return Ok(false);
                };
                if let Some(value) = arguments.get("value") {
                    let section = text("section").unwrap_or_default().to_owned();
                    let of = self.of(system, &format!("ini_file of {file}"), arguments.line);
                    of.put_in(&section, key, value.text().unwrap_or_default(), value.line);
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// A list of maps with a key and a value each.
    fn options(&mut self, name: &str, list: &[Node]) -> bool {
        let pair = |one: &Node| {
            let key = ["option", "name", "key", "parameter"]
                .iter()
                .find_map(|key| one.get(key)?.text())?
                .to_owned();
            Some((key, one.get("value")?.clone()))
        };
        let pairs: Vec<(String, Node)> = list.iter().filter_map(pair).collect();
        let Some(system) = whose(name, pairs.iter().map(|(key, _)| key.as_str())) else { return false };
        for (key, value) in &pairs {
            let name = if name.is_empty() { "options with values" } else { name };
            self.of(system, name, value.line).put_node(key, value);
        }
        true
    }

    /// A variable that is a map of keys.
    fn map(&mut self, name: &str, map: &Node) -> bool {
        let entries = map.map().unwrap_or_default();
        if name == "ceph_conf_overrides" {
            for (section, keys) in
                entries.iter().filter(|(section, _)| section == "global" || section.starts_with("osd"))
            {
                for (key, value) in keys.map().unwrap_or_default() {
                    let of = self.of(System::Ceph, name, value.line);
                    of.put_in(section, key, value.text().unwrap_or_default(), value.line);
                }
            }
            return true;
        }
        if name == "etcd_extra_vars" {
            etcd_arguments(map, self.of(System::Etcd, name, map.line));
            return true;
        }
        let Some(system) = whose(name, entries.iter().map(|(key, _)| key.as_str())) else { return false };
        self.of(system, name, map.line).put_map(map);
        true
    }
}

/// The system of a variable and the key that its name ends with: `etcd_heartbeat_interval`.
fn key(name: &str) -> Option<(System, String)> {
    PREFIXES.iter().find_map(|(prefix, system)| {
        let rest = name.strip_prefix(prefix)?;
        let key = match system {
            System::Redis | System::Etcd => rest.replace('_', "-"),
            System::Kafka => rest.replace('_', "."),
            _ => rest.to_owned(),
        };
        // Roles have variables of their own called so, which are no settings.
        let is_roles = ["port", "user", "version", "data-dir", "data_directory", "socket", "datadir"]
            .contains(&key.as_str());
        (!is_roles && plain::is_key(*system, &key)).then_some((*system, key))
    })
}

/// Whose keys most of these are: of the system that the name of the variable begins with, or of Linux.
fn whose<'a>(name: &str, keys: impl Iterator<Item = &'a str> + Clone) -> Option<System> {
    let named = PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, system)| *system);
    let systems = [named.unwrap_or(System::Linux), System::Linux];
    let count = keys.clone().count();
    systems.into_iter().find(|system| {
        let own = keys.clone().filter(|key| plain::is_key(*system, key)).count();
        own > 0 && 2 * own >= count
    })
}
