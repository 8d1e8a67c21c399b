//! Whose syntax a file is in that holds nothing but settings: its keys tell.

mod lines;
mod names;

use crate::System;
use crate::syntax::sql;

use lines::{Line, Mark, lines};

/// A file read as the own syntax of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Of which system.
    pub(crate) system: System,
    /// How many of the lines are its own.
    pub(crate) own: usize,
    /// How many lines set something.
    pub(crate) of: usize,
    /// The first of its own, from 1.
    pub(crate) line: usize,
}

impl Reading {
    /// `14 of 17 keys are PostgreSQL's, e.g. line 3`.
    pub(crate) fn evidence(&self) -> String {
        let Reading { system, own, of, line } = self;
        let (keys, are) = if *of == 1 { ("key", "is") } else { ("keys", "are") };
        format!("{own} of {of} {keys} {are} {}'s, e.g. line {line}", system.title())
    }
}

/// What the own syntax of a system is called.
pub(crate) fn file_of(system: System) -> &'static str {
    match system {
        System::Postgresql => "postgresql.conf",
        System::Innodb => "my.cnf",
        System::Seastar => "io_properties.yaml",
        System::Rocksdb => "an OPTIONS file of RocksDB",
        System::Ceph => "ceph.conf",
        System::Etcd => "a configuration of etcd, k3s or Consul",
        System::Linux => "settings of Linux",
        System::Zfs => "options of the module zfs",
        System::Cockroachdb => "flags of CockroachDB",
        System::Redis => "redis.conf",
        System::Kafka => "server.properties",
        System::Sqlite => "pragmas of SQLite",
        System::Duckdb => "settings of DuckDB",
        System::Foyer => "calls of foyer's builders",
        System::Cassandra => "cassandra.yaml",
        System::Mongodb => "mongod.conf",
        System::Datafusion => "options of DataFusion",
        System::Lmdb => "flags of LMDB",
    }
}

/// As whose settings `text` can be read, the likeliest first: the first if there is one, and more only where
/// they are about as likely.
pub(crate) fn readings(text: &str) -> Vec<Reading> {
    let lines: Vec<Line> = lines(text);
    let of = lines.len();
    let own = |system: System| -> Vec<usize> {
        lines.iter().filter(|line| is_of(system, line)).map(|line| line.number).collect()
    };
    let mut owned: Vec<(System, Vec<usize>)> = System::ALL
        .into_iter()
        .map(|system| (system, own(system)))
        .filter(|(_, own)| !own.is_empty())
        .collect();
    // Scripts and units have other lines, too; files of keys hardly.
    owned.retain(|(system, own)| 2 * own.len() >= of || stands_between_others(*system));
    // Whoever knows all keys that another knows, and more, explains them better.
    let all = owned.clone();
    owned.retain(|(_, own)| {
        !all.iter().any(|(_, other)| {
            other.len() > own.len() && own.iter().all(|line| other.binary_search(line).is_ok())
        })
    });
    owned.sort_by_key(|(_, own)| std::cmp::Reverse(own.len()));
    let most = owned.first().map_or(0, |(_, own)| own.len());
    owned.retain(|(_, own)| 2 * own.len() > most);
    let reading = |(system, own): (System, Vec<usize>)| Reading { system, own: own.len(), of, line: own[0] };
    owned.into_iter().map(reading).collect()
}

/// Systems whose settings are found in scripts and flags.
fn stands_between_others(system: System) -> bool {
    !matches!(
        system,
        System::Postgresql | System::Innodb | System::Redis | System::Kafka | System::Ceph | System::Seastar
    )
}

/// Whether a line is of the system's own syntax and sets a key of its own.
fn is_of(system: System, line: &Line) -> bool {
    let (key, mark) = (line.key.as_str(), line.mark);
    let is_flat = line.section.is_empty();
    match system {
        System::Postgresql => is_flat && matches!(mark, Mark::Equals | Mark::Space) && is_key(system, key),
        System::Innodb if is_flat => mark == Mark::Equals && is_key(system, key),
        System::Innodb => is_mysqls(&line.section) && (is_key(system, key) || line.section != "client"),
        System::Redis => is_flat && mark == Mark::Space && is_key(system, key),
        System::Kafka => is_flat && matches!(mark, Mark::Equals | Mark::Colon) && is_key(system, key),
        System::Ceph => is_cephs(&line.section) && mark == Mark::Equals && is_key(system, key),
        System::Rocksdb => {
            let section = line.section.split([' ', '/']).next().unwrap_or_default();
            ["DBOptions", "CFOptions", "TableOptions"].contains(&section)
                || section == "Version" && key.contains("_version")
        }
        System::Linux => is_flat && lines::is_linux(line),
        System::Zfs => line.words(2) == ["options", "zfs"],
        System::Cockroachdb => {
            let told = ["provisioned-rate=", "kvadmission.store.provisioned_bandwidth"];
            told.iter().any(|key| line.text.contains(key))
        }
        System::Seastar => is_flat && mark == Mark::Colon && names::SEASTARS.contains(&key),
        System::Etcd => {
            let flag = key.strip_prefix("etcd_").map(|name| name.replace('_', "-"));
            let is_known = is_key(system, flag.as_deref().unwrap_or(key));
            is_flat && matches!(mark, Mark::Colon | Mark::Equals) && is_known
                || lines::has_etcd_flag(line.text)
        }
        System::Sqlite => has_key_behind(system, &["pragma"], line),
        System::Duckdb => has_key_behind(system, &["set", "pragma"], line),
        System::Foyer => has_one(line, &names::FOYERS),
        System::Cassandra => {
            is_flat && mark == Mark::Colon && (is_key(system, key) || names::CASSANDRAS.contains(&key))
        }
        System::Mongodb => has_one(line, &names::MONGODBS),
        System::Datafusion => {
            has_key_behind(system, &["set"], line) || line.text.contains("DATAFUSION_EXECUTION_")
        }
        System::Lmdb => has_one(line, &names::LMDBS),
    }
}

/// Whether one of these is in a line.
fn has_one(line: &Line, names: &[&str]) -> bool {
    names.iter().any(|name| line.text.contains(name))
}

/// Whether one of its keys follows one of these words of SQL.
fn has_key_behind(system: System, words: &[&str], line: &Line) -> bool {
    words.iter().any(|word| {
        let mut found = sql::behind(line.text, word);
        found.any(|(_, _, rest)| is_key(system, &sql::name(rest).0.to_ascii_lowercase()))
    })
}

/// Whether a system has a key of this name, in lower case, as far as names are known.
pub(crate) fn is_key(system: System, key: &str) -> bool {
    let begins = |names: &[&str]| names.iter().any(|name| key.starts_with(name));
    let mut tables = system.versions().iter().filter_map(|version| system.rules().keys(version));
    if tables.any(|keys| keys.get(key).is_some()) {
        return true;
    }
    match system {
        System::Postgresql => names::POSTGRESQL.contains(key) || begins(&names::EXTENSIONS),
        System::Innodb => {
            let key = key.replace('-', "_");
            let key = key.strip_prefix("loose_").unwrap_or(&key);
            names::INNODB.contains(key) || key.starts_with("innodb_")
        }
        System::Redis => names::REDIS.contains(key),
        System::Kafka => names::KAFKA.contains(key) || begins(&names::KAFKAS),
        System::Ceph => {
            let key = key.replace([' ', '-'], "_");
            names::CEPHS.iter().any(|name| key.starts_with(name))
        }
        System::Linux => begins(&names::SYSCTLS),
        System::Etcd => names::ETCD.contains(key) || names::OF_CONSUL_AND_K3S.contains(&key),
        System::Seastar => names::SEASTARS.contains(&key),
        _ => false,
    }
}

fn is_mysqls(section: &str) -> bool {
    let is_version = |rest: &str| rest.strip_prefix(['-', '.']).is_some_and(|rest| !rest.is_empty());
    names::MYSQLS
        .iter()
        .any(|name| section.strip_prefix(name).is_some_and(|rest| rest.is_empty() || is_version(rest)))
}

fn is_cephs(section: &str) -> bool {
    let kind = section.split('.').next().unwrap_or_default();
    ["global", "osd", "mon", "mds", "mgr", "client"].contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn systems(text: &str) -> Vec<System> {
        readings(text).into_iter().map(|reading| reading.system).collect()
    }

    #[test]
    fn keys_tell_whose_a_file_is() {
        for (text, system) in [
            ("max_connections = 100\nport = 5432\nshared_buffers=1GB\n", System::Postgresql),
            ("[mysqld-10.11]\ninnodb-io-capacity = 200\n[client]\nport=3306\n", System::Innodb),
            ("port 6379\nsave 60 1\nappendonly yes\n", System::Redis),
            ("broker.id=0\nlog.flush.interval.ms=1000\n", System::Kafka),
            ("[global]\nfsid = 1\n[osd.3]\nosd max backfills = 1\n", System::Ceph),
            ("[Version]\n  rocksdb_version=7.8.3\n[DBOptions]\n  a=1\n", System::Rocksdb),
            ("vm.dirty_ratio = 20\nkernel.pid_max=1\n", System::Linux),
            ("options zfs zfs_arc_max=1\n", System::Zfs),
            ("disks:\n  - mountpoint: /a\n    read_iops: 1\n", System::Seastar),
            ("name: a\ninitial-cluster: x\nheartbeat-interval: 100\n", System::Etcd),
            ("ETCD_ELECTION_TIMEOUT=1000\n", System::Etcd),
            ("SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = '1MiB';\n", System::Cockroachdb),
            ("let io = a()\n    .with_io_depth(64);\n", System::Foyer),
            ("cluster_name: 'a'\nnum_tokens: 16\nconcurrent_reads: 32\n", System::Cassandra),
            ("storage:\n  journal:\n    commitIntervalMs: 100\n", System::Mongodb),
            ("DATAFUSION_EXECUTION_TARGET_PARTITIONS=8\n", System::Datafusion),
            ("mdb_env_open(env, path, MDB_NORDAHEAD, 0664);\n", System::Lmdb),
        ] {
            assert_eq!(systems(text), [system], "{text}");
        }
    }

    #[test]
    fn what_two_systems_would_read_is_both() {
        let both = systems("port 5432\n");
        assert_eq!(both.len(), 2);
        assert!(both.contains(&System::Postgresql) && both.contains(&System::Redis));
        assert_eq!(systems("hello\nworld\n"), []);
        assert_eq!(
            readings("a = 1\nport = 2\nwork_mem = 3\n")[0].evidence(),
            "2 of 3 keys are PostgreSQL's, e.g. line 2"
        );
    }
}
