//! What the server counts while it runs.

use std::collections::BTreeMap;

/// The counters that are asked for.
const NAMES: [&str; 8] = [
    "innodb_buffer_pool_pages_dirty",
    "innodb_buffer_pool_pages_flushed",
    "innodb_buffer_pool_pages_total",
    "innodb_buffer_pool_reads",
    "innodb_buffer_pool_wait_free",
    "innodb_checkpoint_age",
    "innodb_checkpoint_max_age",
    "innodb_pages_created",
];

/// Counters of InnoDB at one time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Status(BTreeMap<String, f64>);

impl Status {
    /// The query for them.
    pub(super) fn query() -> String {
        format!("SHOW GLOBAL STATUS WHERE lower(Variable_name) IN ('{}')", NAMES.join("', '"))
    }

    /// From its rows: a name, a tab and a number. `None` where one is missing.
    pub(super) fn of(rows: &str) -> Option<Status> {
        let row = |line: &str| {
            let (name, value) = line.split_once('\t')?;
            Some((name.to_lowercase(), value.parse().ok()?))
        };
        let found: BTreeMap<String, f64> = rows.lines().filter_map(row).collect();
        NAMES.iter().all(|name| found.contains_key(*name)).then_some(Status(found))
    }

    fn get(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(0.0)
    }

    /// Pages that were written since the server was started.
    pub(super) fn flushed(&self) -> f64 {
        self.get("innodb_buffer_pool_pages_flushed")
    }

    /// Pages that were read since then because they were not in the pool.
    pub(super) fn reads(&self) -> f64 {
        self.get("innodb_buffer_pool_reads")
    }

    /// How often since then somebody had to wait for a page to become free.
    pub(super) fn free_waits(&self) -> f64 {
        self.get("innodb_buffer_pool_wait_free")
    }

    /// The share of the pool that is to be written.
    pub(super) fn dirty_share(&self) -> f64 {
        self.get("innodb_buffer_pool_pages_dirty") / self.get("innodb_buffer_pool_pages_total").max(1.0)
    }

    /// The share of the log that is needed until more is flushed.
    pub(super) fn log_share(&self) -> f64 {
        self.get("innodb_checkpoint_age") / self.get("innodb_checkpoint_max_age").max(1.0)
    }

    /// Whether as many pages came into the pool as it has: from then on others must go.
    pub(super) fn is_pool_full(&self) -> bool {
        self.reads() + self.get("innodb_pages_created") >= self.get("innodb_buffer_pool_pages_total")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_in_either_case_and_all_must_be_there() {
        let row =
            |(index, name): (usize, &&str)| format!("{}\t{}\n", name.replace("innodb", "Innodb"), index + 1);
        let rows: String = NAMES.iter().enumerate().map(row).collect();
        let status = Status::of(&rows).unwrap();
        assert_eq!((status.flushed(), status.reads(), status.free_waits()), (2.0, 4.0, 5.0));
        assert_eq!((status.dirty_share(), status.log_share()), (1.0 / 3.0, 6.0 / 7.0));
        assert!(status.is_pool_full());
        assert_eq!(Status::of(&rows.replace("reads", "other")), None);
    }
}
