//! What other keys mean for Redis': redis.conf, "APPEND ONLY MODE"; src/aof.c and src/rio.c.

use std::sync::LazyLock;

use super::{APPEND, INCREMENTAL, ON_REWRITE};
use crate::keys::Keys;
use crate::meaning::{Meaning, Moot, When};

/// By `cargo xtask keys redis`. The keys that are advised are the same in all versions; the table is of the
/// one that a package has.
static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::parse(include_str!("../../../keys/redis/7.0.tsv")));

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    (version == "7.0").then(|| &*KEYS)
}

/// Only where somebody says so: a file without `appendonly` may be included, or the server started with it.
const NO_FILE: Moot = Moot {
    when: &[When::IsSet("appendonly", &["yes"])],
    why: "there is no append-only file that could be flushed",
};

const NO_FLUSH: Moot = Moot {
    when: &[When::Is(APPEND, &["no"])],
    why: "Redis does not flush the file at all, so there is nothing to leave out",
};

pub(super) const MEANINGS: [Meaning; 3] = [
    Meaning::of(APPEND).moot(&[NO_FILE]),
    Meaning::of(ON_REWRITE).moot(&[NO_FILE, NO_FLUSH]),
    Meaning::of(INCREMENTAL).moot(&[NO_FILE]),
];
