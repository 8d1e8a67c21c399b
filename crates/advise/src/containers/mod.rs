//! Files that hold settings of a system next to other things, or in another form: one file per kind.
//!
//! Each kind says whether a file is of it, by what only such files have, and finds the settings with the
//! lines they are on. What is in the system's own syntax is read by the system's own reader.

mod ansible;
mod ceph_config;
mod cockroach_settings;
mod command;
mod compose;
mod embedded;
mod environment;
mod etcd_hosts;
mod etcd_metrics;
mod found;
mod helm;
mod image;
mod kernel_line;
mod kubernetes;
mod mysql_variables;
mod operators;
mod patroni;
mod pg_settings;
mod redis_config;
mod rocksdb_log;
mod scripts;
mod shell;
mod source;
mod sys_files;
mod systemd;
mod table;
mod tuned;
mod workload;

use std::path::Path;

use crate::syntax::templates::set_aside;
use crate::{AdviseError, Config, System};

pub(crate) use found::Found;
use source::Source;

/// What a file is, and what was found in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contained {
    /// `a compose file`.
    pub(crate) container: &'static str,
    pub(crate) found: Vec<Found>,
}

/// Finds the settings in a file of one kind; `None` where the file is of another.
type Find = fn(&Source) -> Result<Option<Vec<Found>>, AdviseError>;

/// All kinds, those with the plainest marks first.
const KINDS: [(&str, Find); 18] = [
    ("pg_settings", pg_settings::find),
    ("SHOW VARIABLES", mysql_variables::find),
    ("SHOW CLUSTER SETTINGS", cockroach_settings::find),
    ("the configuration of a Ceph cluster", ceph_config::find),
    ("CONFIG GET of Redis", redis_config::find),
    ("metrics of etcd", etcd_metrics::find),
    ("a LOG of RocksDB", rocksdb_log::find),
    ("files of /sys", sys_files::find),
    ("the kernel's command line", kernel_line::find),
    ("a file of Patroni", patroni::find),
    ("a manifest of Kubernetes", kubernetes::find),
    ("a compose file", compose::find),
    ("hosts of etcd", etcd_hosts::find),
    ("variables of Ansible", ansible::find),
    ("values of Helm", helm::find),
    ("a unit of systemd", systemd::find),
    ("a profile of tuned", tuned::find),
    ("command lines or variables", scripts::find),
];

/// What `text` is if it is a container, and what was found in it.
///
/// # Errors
/// [`AdviseError::Syntax`] where it is one, and what is in it cannot be read.
pub(crate) fn find(text: &str, path: &Path) -> Result<Option<Contained>, AdviseError> {
    let source = Source::new(text, path);
    for (container, find) in KINDS {
        if let Some(found) = find(&source)? {
            return Ok(Some(Contained { container, found: with_settings(found) }));
        }
    }
    Ok(None)
}

/// Without servers that set nothing, where another entry of the same system has settings: these are in a file
/// for such a server, and take its version.
fn with_settings(mut found: Vec<Found>) -> Vec<Found> {
    for one in &mut found {
        one.config = set_aside(std::mem::take(&mut one.config));
    }
    let is_bare = |one: &Found| {
        let Config { entries, undecided, notes, .. } = &one.config;
        entries.is_empty() && undecided.is_empty() && notes.is_empty()
    };
    let all = found.clone();
    for one in found.iter_mut().filter(|one| !is_bare(one) && one.config.version.is_none()) {
        let mut versions = all.iter().filter(|bare| bare.system == one.system && is_bare(bare));
        one.config.version = versions.find_map(|bare| bare.config.version.clone());
    }
    found.retain(|one| {
        let others = all.iter().any(|other| other.system == one.system && !is_bare(other));
        !is_bare(one) || !others
    });
    found
}

/// Whose a file is by its name.
pub(crate) fn named(path: &Path) -> Option<System> {
    embedded::named(path.file_name()?.to_str()?)
}

/// Why a file that is called YAML or JSON is none.
pub(crate) fn wrong(text: &str, path: &Path) -> Option<AdviseError> {
    Source::new(text, path).wrong()
}
