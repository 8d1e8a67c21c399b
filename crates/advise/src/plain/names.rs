//! Names by which a file in a system's own syntax is distinguished from other systems' files, in addition to
//! its tables of keys: of PostgreSQL what no table has (includes, keys of older versions), of MariaDB and
//! MySQL what `mariadbd --help --verbose` prints, of etcd what `etcd --help` does; of Redis and Kafka the
//! names that their documentation lists.

use std::collections::HashSet;
use std::sync::LazyLock;

type Names = LazyLock<HashSet<&'static str>>;

pub(super) static POSTGRESQL: Names = LazyLock::new(|| set(include_str!("names/postgresql.txt")));
pub(super) static INNODB: Names = LazyLock::new(|| set(include_str!("names/innodb.txt")));
pub(super) static REDIS: Names = LazyLock::new(|| set(include_str!("names/redis.txt")));
pub(super) static KAFKA: Names = LazyLock::new(|| set(include_str!("names/kafka.txt")));
pub(super) static ETCD: Names = LazyLock::new(|| set(include_str!("names/etcd.txt")));

fn set(names: &'static str) -> HashSet<&'static str> {
    names.lines().collect()
}

/// How keys begin that come in families.
pub(super) const KAFKAS: [&str; 14] = [
    "log.dir",
    "log.retention.",
    "log.segment.",
    "log.flush.",
    "log.cleaner.",
    "log.cleanup.",
    "log.index.",
    "log.roll.",
    "log.message.",
    "offsets.",
    "transaction.state.",
    "replica.",
    "group.coordinator.",
    "quota.",
];

/// Extensions of PostgreSQL, whose settings have a dot.
pub(super) const EXTENSIONS: [&str; 7] =
    ["pg_stat_statements.", "auto_explain.", "cron.", "timescaledb.", "citus.", "pgaudit.", "plpgsql."];

pub(super) const CEPHS: [&str; 22] = [
    "osd_",
    "mon_",
    "mds_",
    "mgr_",
    "rbd_",
    "rgw_",
    "ms_",
    "auth_",
    "bluestore_",
    "bluefs_",
    "filestore_",
    "journal_",
    "public_network",
    "cluster_network",
    "public_addr",
    "debug_",
    "fsid",
    "keyring",
    "err_to_",
    "admin_socket",
    "client_",
    "objecter_",
];

/// Groups of my.cnf, whose names may go on with a dash and a version.
pub(super) const MYSQLS: [&str; 14] = [
    "mysqld",
    "mariadb",
    "mariadbd",
    "server",
    "galera",
    "client",
    "client-server",
    "client-mariadb",
    "mysql",
    "mysqldump",
    "mysqld_safe",
    "mysqladmin",
    "embedded",
    "myisamchk",
];

/// Parts of the kernel under /proc/sys.
pub(super) const SYSCTLS: [&str; 9] =
    ["vm.", "fs.", "kernel.", "net.", "dev.", "abi.", "user.", "debug.", "sunrpc."];

/// Of files of Consul and k3s, whose logs are judged with etcd's.
pub(super) const OF_CONSUL_AND_K3S: [&str; 12] = [
    "raft_multiplier",
    "bootstrap_expect",
    "retry_join",
    "datacenter",
    "node_name",
    "autopilot",
    "etcd-arg",
    "cluster-init",
    "write-kubeconfig-mode",
    "kube-apiserver-arg",
    "datastore-endpoint",
    "tls-san",
];

/// Properties of a disk in io_properties.yaml.
pub(super) const SEASTARS: [&str; 6] =
    ["disks", "mountpoint", "read_iops", "read_bandwidth", "write_iops", "write_bandwidth"];

/// Calls of foyer's builders.
pub(super) const FOYERS: [&str; 5] = [
    "with_io_depth(",
    "with_flushers(",
    "with_buffer_pool_size(",
    "with_write_throughput(",
    "with_recover_concurrency(",
];

/// Keys that cassandra.yaml has and other files hardly have, in addition to the keys of the tables.
pub(super) const CASSANDRAS: [&str; 10] = [
    "cluster_name",
    "num_tokens",
    "seed_provider",
    "endpoint_snitch",
    "commitlog_sync_period",
    "commitlog_sync_period_in_ms",
    "compaction_throughput_mb_per_sec",
    "trickle_fsync_interval_in_kb",
    "memtable_allocation_type",
    "hinted_handoff_enabled",
];

/// What is in mongod.conf, in both of its forms.
pub(super) const MONGODBS: [&str; 7] = [
    "commitIntervalMs:",
    "wiredTiger:",
    "wiredTigerConcurrentReadTransactions",
    "storage.journal.",
    "storage.wiredTiger.",
    "journalCommitInterval",
    "wiredTigerEngineConfigString",
];

/// Calls and flags of LMDB and libmdbx.
pub(super) const LMDBS: [&str; 5] =
    ["MDB_NORDAHEAD", "MDBX_opt_sync_bytes", "mdb_env_open", "mdbx_env_", "MDBX_SAFE_NOSYNC"];
