//! A text in a system's own syntax as a value in another file.

use std::path::Path;

use super::found::Found;
use crate::plain::{self, Reading};
use crate::syntax::yaml::Node;
use crate::{AdviseError, System};

/// Names of files that tell whose they are.
const NAMES: [(&str, System); 15] = [
    ("postgresql.conf", System::Postgresql),
    ("postgresql.auto.conf", System::Postgresql),
    ("custom.conf", System::Postgresql),
    ("my.cnf", System::Innodb),
    (".cnf", System::Innodb),
    ("redis.conf", System::Redis),
    ("valkey.conf", System::Redis),
    ("server.properties", System::Kafka),
    ("ceph.conf", System::Ceph),
    ("io_properties.yaml", System::Seastar),
    ("io-properties.yaml", System::Seastar),
    ("sysctl.conf", System::Linux),
    ("cassandra.yaml", System::Cassandra),
    ("mongod.conf", System::Mongodb),
    ("mongod.yaml", System::Mongodb),
];

/// What the text of `node` sets, which is called `name`, such as the key of a ConfigMap; `None` where it is
/// of no system. The text decides, and the name where the text does not.
pub(super) fn read(name: &str, node: &Node, path: &Path) -> Result<Option<Found>, AdviseError> {
    let Some(text) = node.text().filter(|text| text.contains(['=', ' ', ':'])) else { return Ok(None) };
    let by_name = named(name);
    let readings = plain::readings(text);
    let reading = match by_name {
        Some(system) => readings.iter().find(|reading| reading.system == system),
        None => readings.first().filter(|_| readings.len() == 1),
    };
    let Some(reading) = reading else { return Ok(None) };
    let evidence = format!("{name}: {}", at(reading, node).evidence());
    let mut found = Found::new(reading.system, path, evidence);
    found.embed(node)?;
    Ok(Some(found))
}

/// The reading of a value with the line of the file.
fn at(reading: &Reading, node: &Node) -> Reading {
    let line = if node.is_literal { node.line + reading.line - 1 } else { node.line };
    Reading { line, ..*reading }
}

/// Whose a file is by its name.
pub(super) fn named(name: &str) -> Option<System> {
    let name = name.rsplit('/').next().unwrap_or_default();
    NAMES.iter().find(|(end, _)| name.ends_with(end)).map(|(_, system)| *system)
}
