//! The server's own counters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::TpchError;
use crate::server::Session;

/// Counters by name, as SHOW GLOBAL STATUS has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters(BTreeMap<String, u64>);

impl Counters {
    /// All that are numbers.
    pub(super) fn read(session: &mut Session) -> Result<Counters, TpchError> {
        let rows = session.run("show global status")?;
        let pairs = rows.into_iter().filter_map(|row| {
            let [name, value] = <[String; 2]>::try_from(row).ok()?;
            Some((name, value.parse().ok()?))
        });
        Ok(Counters(pairs.collect()))
    }

    /// What was counted since `earlier`, of the storage engine and of the rows that the server asked it for.
    pub(super) fn since(&self, earlier: &Counters) -> Counters {
        const KINDS: [&str; 5] = ["Innodb_", "Handler_", "Created_tmp", "Sort_", "Aria_pagecache_"];
        let wanted = self.0.iter().filter(|(name, _)| KINDS.iter().any(|kind| name.starts_with(kind)));
        let counted = wanted.map(|(name, count)| (name.clone(), count.saturating_sub(earlier.get(name))));
        Counters(counted.filter(|(_, count)| *count > 0).collect())
    }

    /// One of them; 0 where it is not there.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }
}
