//! How a server is set up. `docs/tpch.md` says why.

use std::path::PathBuf;

/// Settings of all servers, for loading and for measuring.
const ALWAYS: &[&str] = &[
    // Nobody but us reaches the socket: its folder is ours.
    "skip-networking",
    "skip-grant-tables",
    "skip-log-bin",
    "skip-external-locking",
    "character-set-server=latin1",
    "collation-server=latin1_bin",
    "default-storage-engine=innodb",
    "secure-file-priv=",
    "performance-schema=OFF",
    "innodb-file-per-table=ON",
    "innodb-page-size=16384",
    "innodb-buffer-pool-dump-at-shutdown=OFF",
    "innodb-buffer-pool-load-at-startup=OFF",
    "innodb-log-file-size=32M",
    "innodb-temp-data-file-path=ibtmp1:1M:autoextend",
    "innodb-change-buffering=none",
    "innodb-adaptive-hash-index=OFF",
    // Computed once, when the tables are loaded; from enough pages that each load has the same plans.
    "innodb-stats-persistent=ON",
    "innodb-stats-auto-recalc=OFF",
    "innodb-stats-persistent-sample-pages=256",
];

/// Settings where times and page reads are measured.
const MEASURING: &[&str] = &[
    "innodb-flush-method=O_DIRECT",
    "innodb-read-io-threads=4",
    "innodb-write-io-threads=4",
    "innodb-read-ahead-threshold=56",
    "innodb-random-read-ahead=OFF",
    // The default keeps 768 pages free, more than half of a pool of 20M.
    "innodb-lru-scan-depth=100",
    "query-cache-type=OFF",
    "query-cache-size=0",
];

/// Settings where tables are loaded, which no power cut need survive.
const LOADING: &[&str] = &[
    // Everything is synced once, at the end.
    "innodb-flush-method=nosync",
    "sync-frm=OFF",
    "innodb-flush-log-at-trx-commit=0",
    "innodb-doublewrite=OFF",
    "innodb-buffer-pool-size=256M",
    // All history is purged before the server ends.
    "innodb-fast-shutdown=0",
];

/// A buffer pool in the paper's ratio to the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// Its bytes.
    pub bytes: u64,
    /// Milliseconds after which a page that is used again counts as one in use, `innodb_old_blocks_time`.
    pub old_blocks_ms: u32,
}

/// How a server is set up.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The database's folder.
    pub data: PathBuf,
    /// Temporary files.
    pub temporary: PathBuf,
    /// The socket's folder; a short path, since a socket's name has 107 bytes.
    pub private: PathBuf,
    /// The server's log.
    pub log: PathBuf,
    /// The buffer pool; none: to load.
    pub pool: Option<Pool>,
    /// Further settings, as on the command line but without `--`.
    pub further: Vec<String>,
}

impl Settings {
    /// The server's socket.
    pub(super) fn socket(&self) -> PathBuf {
        self.private.join("socket")
    }

    /// The settings without the paths: what a result says of them.
    pub fn named(&self) -> Vec<String> {
        let of_kind = if self.pool.is_some() { MEASURING } else { LOADING };
        let mut named: Vec<String> = ALWAYS.iter().chain(of_kind).map(|text| (*text).to_owned()).collect();
        if let Some(Pool { bytes, old_blocks_ms }) = self.pool {
            named.push(format!("innodb-buffer-pool-size={bytes}"));
            named.push(format!("innodb-old-blocks-time={old_blocks_ms}"));
        }
        named.extend(self.further.iter().cloned());
        named
    }

    /// The command line.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--no-defaults".to_owned()];
        for (name, path) in [
            ("datadir", self.data.clone()),
            ("tmpdir", self.temporary.clone()),
            ("socket", self.socket()),
            ("pid-file", self.private.join("pid")),
            ("log-error", self.log.clone()),
        ] {
            arguments.push(format!("--{name}={}", path.display()));
        }
        arguments.extend(self.named().iter().map(|setting| format!("--{setting}")));
        if rustix::process::geteuid().is_root() {
            arguments.push("--user=root".to_owned());
        }
        arguments
    }
}
