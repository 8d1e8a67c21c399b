//! What values and other options mean for RocksDB's: `SanitizeOptions` and `GetBGJobLimits` in
//! db_impl_open.cc, compaction_job.cc.

use crate::keys::{self, Keys, Tables, tables};
use crate::meaning::{Meaning, Moot, Special, When};

static KEYS: Tables = tables!("rocksdb", "7.8", "8.6", "9", "10", "11");

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    keys::of(&KEYS, version)
}

const DIRECT_WRITES: Moot = Moot {
    when: &[When::Is("use_direct_io_for_flush_and_compaction", &["true"])],
    why: "what flushes and compactions write with direct I/O is never in the page cache",
};

const OWN_COMPACTIONS: Moot = Moot {
    when: &[When::IsSet("max_background_compactions", &["-1"])],
    why: "it sets the number of compactions, whatever max_background_jobs is",
};

const OWN_FLUSHES: Moot = Moot {
    when: &[When::IsSet("max_background_flushes", &["-1"])],
    why: "RocksDB then takes both from the old keys, and max_background_jobs is not read",
};

const IN_BURSTS: (&str, Special) = (
    "0",
    Special::Off("files are written back only at the kernel's own limits, in bursts behind which reads wait"),
);

const MAPPED: Moot = Moot {
    when: &[When::Is("allow_mmap_reads", &["true"])],
    why: "the inputs of compactions are mapped, and the kernel decides about read-ahead",
};

pub(super) static MEANINGS: [Meaning; 4] = [
    Meaning::of("max_background_jobs").moot(&[OWN_COMPACTIONS, OWN_FLUSHES]),
    Meaning::of("bytes_per_sync").special(&[IN_BURSTS]).moot(&[DIRECT_WRITES]),
    Meaning::of("wal_bytes_per_sync").special(&[IN_BURSTS]),
    Meaning::of("compaction_readahead_size").moot(&[MAPPED]),
];
