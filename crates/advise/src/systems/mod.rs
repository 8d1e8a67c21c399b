//! One file or folder per system: its keys, its rules, its files.

mod ceph;
mod cockroachdb;
mod etcd;
mod innodb;
mod kafka;
mod linux;
mod postgresql;
mod redis;
pub mod rocksdb;
mod seastar;
mod zfs;

use std::path::Path;

use crate::{Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, System, Value};

/// What there is to know about a system.
pub(crate) trait Rules: Sync {
    /// As it calls itself.
    fn title(&self) -> &'static str;

    /// The versions that are known, the one that is assumed last.
    fn versions(&self) -> &'static [&'static str];

    /// The newest version that is known and not later than what a server says of itself.
    fn version_of(&self, said: &str) -> Option<&'static str> {
        newest(self.versions().iter().copied(), "", said)
    }

    /// Names of the experiments that all of its keys need.
    fn needs(&self) -> &'static [&'static str];

    /// Whether `leadline prove` can run it.
    fn is_provable(&self) -> bool;

    /// Adds the settings, or what is missing for them.
    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice);

    /// The settings in the system's own syntax; there is at least one.
    fn files(&self, advice: &Advice) -> Vec<File>;

    /// Reads a configuration.
    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError>;

    /// A value as the system writes it.
    fn written(&self, value: &Value) -> String {
        value.to_string()
    }

    /// What the text of a value means, in the unit of the setting; `None` where it means nothing.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value>;

    /// What is wrong with several keys together, or known to be wrong on any device.
    fn patterns(&self, _config: &Config, _advice: &Advice, _drive: &Drive) -> Vec<Finding> {
        Vec::new()
    }
}

/// The newest of `versions` that begins with `flavour` and is not later than `said`.
fn newest(versions: impl Iterator<Item = &'static str>, flavour: &str, said: &str) -> Option<&'static str> {
    let running = numbers(said)?;
    let known = versions.filter_map(|version| Some((numbers(version.strip_prefix(flavour)?)?, version)));
    known.filter(|(known, _)| *known <= running).max_by_key(|(known, _)| *known).map(|(_, version)| version)
}

/// The first two numbers; the second is 0 where there is none.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.trim().split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next().and_then(|part| part.parse().ok()).unwrap_or(0)))
}

impl System {
    /// As it calls itself: `PostgreSQL`.
    pub fn title(self) -> &'static str {
        self.rules().title()
    }

    /// The versions that are known, the one that is assumed last.
    pub fn versions(self) -> &'static [&'static str] {
        self.rules().versions()
    }

    /// The version by whose rules a server is advised that says this of itself: `15` for `15.18`,
    /// `mariadb-10.11` for `10.11.6-MariaDB`. `None` if it is older than all that are known.
    pub fn version_of(self, said: &str) -> Option<&'static str> {
        self.rules().version_of(said)
    }

    /// Names of the experiments that all of its keys need, beside `leadline profile` itself.
    pub fn needs(self) -> &'static [&'static str] {
        self.rules().needs()
    }

    /// One of [`System::versions`]: the one that is `given`, else the one that is assumed.
    pub(crate) fn version(self, given: Option<&str>) -> Result<&'static str, AdviseError> {
        let known = self.versions();
        match given {
            None => Ok(known.last().copied().unwrap_or_default()),
            Some(given) => known
                .iter()
                .copied()
                .find(|one| one.eq_ignore_ascii_case(given))
                .ok_or_else(|| AdviseError::Version { system: self, given: given.to_owned() }),
        }
    }

    pub(crate) fn rules(self) -> &'static dyn Rules {
        match self {
            System::Postgresql => &postgresql::Postgresql,
            System::Ceph => &ceph::Ceph,
            System::Etcd => &etcd::Etcd,
            System::Innodb => &innodb::Innodb,
            System::Rocksdb => &rocksdb::Rocksdb,
            System::Seastar => &seastar::Seastar,
            System::Linux => &linux::Linux,
            System::Zfs => &zfs::Zfs,
            System::Cockroachdb => &cockroachdb::Cockroachdb,
            System::Redis => &redis::Redis,
            System::Kafka => &kafka::Kafka,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_advised_by_the_newest_version_that_is_not_later() {
        for (system, said, version) in [
            (System::Innodb, "10.11.6-MariaDB-0+deb12u1", Some("mariadb-10.11")),
            (System::Innodb, "11.4.2-MariaDB", Some("mariadb-11")),
            (System::Innodb, "10.5.1-MariaDB", None),
            (System::Innodb, "8.0.36", Some("mysql-8.0")),
            (System::Innodb, "8.4.0", Some("mysql-8.4")),
            (System::Innodb, "9.1.0", Some("mysql-9")),
            (System::Postgresql, "15.18", Some("15")),
            (System::Postgresql, "9.6", None),
            (System::Rocksdb, "8.10.0", Some("8.6")),
            (System::Postgresql, "nonsense", None),
        ] {
            assert_eq!(system.version_of(said), version, "{said}");
        }
    }
}
