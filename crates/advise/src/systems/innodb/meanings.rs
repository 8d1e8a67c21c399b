//! What values and other variables mean for InnoDB's.

use std::sync::LazyLock;

use crate::keys::Keys;
use crate::meaning::{Meaning, Moot, When};

/// MariaDB's by `cargo xtask keys innodb`; MySQL's by its manuals, since no package has its server.
static KEYS: LazyLock<[(&str, Keys); 5]> = LazyLock::new(|| {
    [
        ("mysql-8.0", include_str!("../../../keys/innodb/mysql-8.0.tsv")),
        ("mysql-8.4", include_str!("../../../keys/innodb/mysql-8.4.tsv")),
        ("mysql-9", include_str!("../../../keys/innodb/mysql-9.tsv")),
        ("mariadb-10.11", include_str!("../../../keys/innodb/mariadb-10.11.tsv")),
        ("mariadb-11", include_str!("../../../keys/innodb/mariadb-11.tsv")),
    ]
    .map(|(version, table)| (version, Keys::parse(table)))
});

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    KEYS.iter().find(|(known, _)| *known == version).map(|(_, keys)| keys)
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
