//! What PostgreSQL's values and other keys mean for keys: the documentation's chapter "Server Configuration",
//! and `fd.c`, `bufmgr.c` and `xlog.c` where it is silent.

use crate::keys::{self, Keys, Tables, tables};
use crate::meaning::{Meaning, Moot, Special, When};

/// What each version told, by `cargo xtask keys postgresql`.
static KEYS: Tables = tables!("postgresql", "13", "14", "15", "16", "17", "18");

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    keys::of(&KEYS, version)
}

/// Without fsync nothing is made durable, so nothing waits for that.
const NO_FSYNC: Moot =
    Moot { when: &[When::Is("fsync", &["off"])], why: "nothing is flushed, so that nothing has to be paced" };

const NO_WAIT: Moot = Moot {
    when: &[When::Is("synchronous_commit", &["off"])],
    why: "no commit waits for a flush, so none waits for others to share it",
};

const NO_DELAY: Moot = Moot { when: &[When::Is("commit_delay", &["0"])], why: "no commit waits for others" };

const FLUSH_OFF: (&str, Special) =
    ("0", Special::Off("the kernel alone decides when written data go to the drive, by its vm.dirty_*"));

const NO_BACKGROUND: Moot = Moot {
    when: &[When::Is("bgwriter_lru_maxpages", &["0"])],
    why: "the background writer writes nothing, so it has nothing to flush",
};

const NOT_WORKER: Moot = Moot {
    when: &[When::IsNot("io_method", &["worker"])],
    why: "there are no workers; only io_method = worker starts them",
};

/// Pages are asked for ahead by telling the kernel, which does not read them for direct I/O.
const DIRECT: Moot = Moot {
    when: &[When::Lists("debug_io_direct", "data"), When::IsNot("io_method", &["worker", "io_uring"])],
    why: "the kernel gets hints of pages ahead, and reads none of them for direct I/O",
};

const NOT_WRITTEN: &str = "the background writer writes nothing: sessions write the pages that they evict";

pub(super) const MEANINGS: [Meaning; 11] = [
    Meaning::of("random_page_cost").relative_to("seq_page_cost"),
    Meaning::of("io_workers").moot(&[NOT_WORKER]),
    Meaning::of("effective_io_concurrency").moot(&[DIRECT]),
    Meaning::of("maintenance_io_concurrency").moot(&[DIRECT]),
    Meaning::of("checkpoint_flush_after").special(&[FLUSH_OFF]).moot(&[NO_FSYNC]),
    Meaning::of("bgwriter_flush_after").special(&[FLUSH_OFF]).moot(&[NO_FSYNC, NO_BACKGROUND]),
    Meaning::of("bgwriter_lru_maxpages").special(&[("0", Special::Off(NOT_WRITTEN))]),
    Meaning::of("checkpoint_completion_target").moot(&[NO_FSYNC]),
    Meaning::of("wal_sync_method").moot(&[NO_FSYNC]),
    Meaning::of("commit_delay").moot(&[NO_FSYNC, NO_WAIT]),
    Meaning::of("commit_siblings").moot(&[NO_FSYNC, NO_WAIT, NO_DELAY]),
];
