//! One file or directory per system: its keys, its rules, its files.

mod cassandra;
mod ceph;
mod cockroachdb;
mod datafusion;
mod duckdb;
mod etcd;
mod foyer;
mod innodb;
mod kafka;
mod linux;
mod lmdb;
mod mongodb;
mod postgresql;
mod redis;
pub mod rocksdb;
pub mod seastar;
mod sqlite;
mod zfs;

use std::path::Path;

use crate::files::Files;
use leadline_profile::DeviceProfile;

use crate::keys::Keys;
use crate::meaning::Meaning;
use crate::{Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, System, Value};

/// What of a configuration is for one drive.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Scoped {
    /// The entries that are, with what is to be said of the others in its notes.
    pub(crate) config: Config,
    /// What there is to say of entries that are not, or of which that cannot be known.
    pub(crate) findings: Vec<Finding>,
}

/// What there is to know about a system.
pub(crate) trait Rules: Sync {
    /// As it calls itself.
    fn title(&self) -> &'static str;

    /// The versions that are known, the one that is assumed last.
    fn versions(&self) -> &'static [&'static str];

    /// What all versions begin with that a text such as `10.11.6-MariaDB` can mean: `mariadb-`.
    fn flavour(&self, _said: &str) -> &'static str {
        ""
    }

    /// The version that ran where the profile was measured, as it calls itself, where the profile has it.
    fn version_told(&self, _profile: &DeviceProfile) -> Option<String> {
        None
    }

    /// The programs that say which version is installed, each with the argument that makes it.
    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Names of the experiments that all of its keys need.
    fn needs(&self) -> &'static [&'static str];

    /// Whether `leadline prove` can run it.
    fn is_provable(&self) -> bool;

    /// Adds the settings, or what is missing for them.
    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice);

    /// The settings in the system's own syntax; there is at least one.
    fn files(&self, advice: &Advice) -> Vec<File>;

    /// Reads a configuration without the files that it includes.
    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError>;

    /// Reads a configuration with the files that it includes.
    fn read_from(&self, text: &str, path: &Path, _files: &Files) -> Result<Config, AdviseError> {
        self.read(text, path)
    }

    /// Whether the files of a directory are one configuration, those with such names, in the order of their
    /// names.
    fn reads_together(&self, _name: &str) -> bool {
        false
    }

    /// Whether what reads a configuration follows variables itself, or keeps them for [`Rules::scoped`].
    fn follows_variables(&self) -> bool {
        false
    }

    /// What of a configuration is for this drive; `None` where all of it is.
    fn scoped(&self, _config: &Config, _drive: &Drive, _inputs: &Inputs) -> Option<Scoped> {
        None
    }

    /// A value as the system writes it.
    fn written(&self, value: &Value) -> String {
        value.to_string()
    }

    /// What the text of a value means, in the unit of the setting; `None` where it means nothing.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value>;

    /// What each key of a version takes, where the program was asked.
    fn keys(&self, _version: &str) -> Option<&'static Keys> {
        None
    }

    /// What values and other keys mean for keys.
    fn meanings(&self) -> &'static [Meaning] {
        &[]
    }

    /// What the program does with a value that it does not take, behind "PostgreSQL 15 takes 0 to 1000: ".
    fn if_refused(&self) -> &'static str {
        "the server does not start with this"
    }

    /// What it does with a key that it does not have, behind "and 15 ".
    fn if_unknown(&self) -> &'static str {
        "does not start with it"
    }

    /// Whether a key that is not set could are in this configuration, so that its default is worth a word.
    fn could_have(&self, _config: &Config, _key: &str) -> bool {
        true
    }

    /// What is wrong with several keys together, or known to be wrong on any device.
    fn patterns(&self, _config: &Config, _advice: &Advice, _drive: &Drive) -> Vec<Finding> {
        Vec::new()
    }
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

    /// Names of the experiments that its keys need, in addition to `leadline profile` itself.
    pub fn needs(self) -> &'static [&'static str] {
        self.rules().needs()
    }

    /// What the text of a value means for a setting, in its unit; `None` where the system does not take it.
    pub fn value(self, setting: &Setting, text: &str) -> Option<Value> {
        self.rules().value(setting, text)
    }

    /// What each key of one of [`System::versions`] takes; `None` where the program was not asked.
    pub fn keys(self, version: &str) -> Option<&'static Keys> {
        self.rules().keys(version)
    }

    /// What values and other keys mean for keys.
    pub fn meanings(self) -> &'static [Meaning] {
        self.rules().meanings()
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
            System::Sqlite => &sqlite::Sqlite,
            System::Duckdb => &duckdb::Duckdb,
            System::Foyer => &foyer::Foyer,
            System::Cassandra => &cassandra::Cassandra,
            System::Mongodb => &mongodb::Mongodb,
            System::Datafusion => &datafusion::Datafusion,
            System::Lmdb => &lmdb::Lmdb,
        }
    }
}
