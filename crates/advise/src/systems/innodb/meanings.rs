//! What values and other variables mean for InnoDB's.

use crate::keys::{self, Keys, Tables, tables};
use crate::meaning::{Meaning, Moot, When};

/// MariaDB's by `cargo xtask keys innodb`; MySQL's by its manuals, since no package has its server.
static KEYS: Tables = tables!("innodb", "mysql-8.0", "mysql-8.4", "mysql-9", "mariadb-10.11", "mariadb-11");

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    keys::of(&KEYS, version)
}

const READ_ONLY: &[Moot] =
    &[Moot { when: &[When::Is("innodb_read_only", &["ON"])], why: "InnoDB writes no pages" }];

const ONE_CLEANER: &[Moot] = &[
    READ_ONLY[0],
    Moot {
        when: &[When::Is("innodb_buffer_pool_instances", &["1"])],
        why: "one instance has one page cleaner, however many are asked for",
    },
];

pub(super) const MEANINGS: [Meaning; 6] = [
    Meaning::of("innodb_io_capacity").moot(READ_ONLY),
    Meaning::of("innodb_io_capacity_max").moot(READ_ONLY),
    Meaning::of("innodb_lru_scan_depth").moot(READ_ONLY),
    Meaning::of("innodb_flush_neighbors").moot(READ_ONLY),
    Meaning::of("innodb_write_io_threads").moot(READ_ONLY),
    Meaning::of("innodb_page_cleaners").moot(ONE_CLEANER),
];
