//! The systems whose settings are known.

use std::fmt;

use serde::{Serialize, Serializer};

/// A system whose settings depend on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum System {
    /// PostgreSQL.
    Postgresql,
    /// InnoDB, the storage engine of MySQL and MariaDB.
    Innodb,
    /// Seastar, the framework of ScyllaDB and Redpanda.
    Seastar,
    /// RocksDB.
    Rocksdb,
    /// Ceph's OSDs.
    Ceph,
    /// etcd, and with it k3s and Consul, which write their logs like it.
    Etcd,
    /// The block layer and the page cache of Linux.
    Linux,
    /// OpenZFS.
    Zfs,
    /// CockroachDB.
    Cockroachdb,
    /// Redis, with its append-only file.
    Redis,
    /// Apache Kafka.
    Kafka,
    /// SQLite.
    Sqlite,
    /// DuckDB.
    Duckdb,
    /// foyer, a cache in memory and on a drive.
    Foyer,
    /// Apache Cassandra.
    Cassandra,
    /// MongoDB.
    Mongodb,
    /// Apache DataFusion.
    Datafusion,
    /// LMDB, and libmdbx.
    Lmdb,
}

impl System {
    /// All of them.
    pub const ALL: [System; 18] = [
        System::Postgresql,
        System::Innodb,
        System::Seastar,
        System::Rocksdb,
        System::Ceph,
        System::Etcd,
        System::Linux,
        System::Zfs,
        System::Cockroachdb,
        System::Redis,
        System::Kafka,
        System::Sqlite,
        System::Duckdb,
        System::Foyer,
        System::Cassandra,
        System::Mongodb,
        System::Datafusion,
        System::Lmdb,
    ];

    /// As on the command line: `postgresql`.
    pub fn name(self) -> &'static str {
        match self {
            System::Postgresql => "postgresql",
            System::Innodb => "innodb",
            System::Seastar => "seastar",
            System::Rocksdb => "rocksdb",
            System::Ceph => "ceph",
            System::Etcd => "etcd",
            System::Linux => "linux",
            System::Zfs => "zfs",
            System::Cockroachdb => "cockroachdb",
            System::Redis => "redis",
            System::Kafka => "kafka",
            System::Sqlite => "sqlite",
            System::Duckdb => "duckdb",
            System::Foyer => "foyer",
            System::Cassandra => "cassandra",
            System::Mongodb => "mongodb",
            System::Datafusion => "datafusion",
            System::Lmdb => "lmdb",
        }
    }

    /// The system with this [name](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|system| system.name() == name || system.other_names().contains(&name))
    }

    /// What else people call it, or a product that it is part of.
    pub fn other_names(self) -> &'static [&'static str] {
        match self {
            System::Postgresql => &["postgres", "pg", "psql"],
            System::Innodb => &["mysql", "mariadb"],
            System::Seastar => &["scylla", "scylladb", "redpanda"],
            System::Rocksdb => &["rocks"],
            System::Etcd => &["k3s", "consul"],
            System::Zfs => &["openzfs"],
            System::Cockroachdb => &["cockroach", "crdb"],
            System::Sqlite => &["sqlite3"],
            System::Mongodb => &["mongo", "mongod", "wiredtiger"],
            System::Lmdb => &["mdbx", "libmdbx"],
            _ => &[],
        }
    }

    /// What all versions begin with that this name leaves: `mysql-` for `mysql`; nothing for a name of all.
    pub fn product(name: &str) -> &'static str {
        match name {
            "mysql" => "mysql-",
            "mariadb" => "mariadb-",
            "k3s" => "k3s",
            "consul" => "consul",
            "mdbx" | "libmdbx" => "mdbx",
            _ => "",
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for System {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
