//! What is to be measured, and in which order.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::{Data, Layout};

use super::calibrate;
use super::error::ValidateError;
use super::read::Query;
use super::scale::{FLASH_JOBS, LayoutName, Scale};

/// Pairs that a scan returns, as in the repeated experiment.
pub const SCAN_PAIRS: u32 = 128;

/// Space that a database takes at most, over its data: a merge of all of a single sorted run writes all of it
/// before it removes what it read, and level 0 and the logs grow meanwhile.
const MOST_SPACE: f64 = 2.5;
/// Logs, and what is small.
const MORE_SPACE_BYTES: u64 = 256 << 20;

/// A grid of measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The data of each database.
    pub data: Data,
    /// Layouts.
    pub layouts: Vec<LayoutName>,
    /// Layouts of OPTIONS files, `file-1` and so on; their own compaction threads and block cache count.
    #[serde(default)]
    pub files: Vec<Layout>,
    /// Counts of compaction threads with which each layout is filled.
    pub jobs: Vec<u32>,
    /// Counts of clients by which each layout is queried.
    pub clients: Vec<u32>,
    /// How often all of it is measured.
    pub repeats: u32,
    /// Seconds of each cell of queries, after a warm-up that takes as long.
    pub seconds: u32,
    /// Of the order of cells, and of the keys.
    pub seed: u64,
}

/// One database: a fill, and the queries that are made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) repeat: u32,
    pub(super) layout: LayoutName,
    pub(super) jobs: u32,
    /// What is asked by how many clients, in this order.
    pub(super) queries: Vec<(Query, u32)>,
}

impl Plan {
    /// The sizes of its layouts, after checking that all of it can be measured.
    ///
    /// # Errors
    /// [`ValidateError::OutOfRange`] or [`ValidateError::Plan`].
    pub fn scale(&self) -> Result<Scale, ValidateError> {
        let out = |what, problem: &str| Err(ValidateError::Plan { what, problem: problem.into() });
        let fits = |counts: &[u32], most| {
            !counts.is_empty() && counts.iter().all(|count| (1..=most).contains(count))
        };
        if let Some(name) = self.layouts.iter().find(|name| self.jobs_of(**name).is_empty()) {
            return out("the list of layouts", &format!("names {name}, and there is no such OPTIONS file"));
        }
        if self.layouts.is_empty() {
            return out("the list of layouts", "is empty; name one or more");
        }
        if !fits(&self.jobs, 256) {
            return out("the counts of compaction threads", "must be one or more, each from 1 to 256");
        }
        if !fits(&self.clients, 1024) {
            return out("the counts of clients", "must be one or more, each from 1 to 1024");
        }
        if !(1..=1000).contains(&self.repeats) {
            return out("the number of repeats", "must be from 1 to 1000");
        }
        if !(1..=3600).contains(&self.seconds) {
            return out("the time of a cell of queries", "must be from 1 s to 3600 s");
        }
        Scale::new(self.data)
    }

    /// The counts of compaction threads with which a layout is filled.
    pub fn jobs_of(&self, name: LayoutName) -> Vec<u32> {
        match name {
            LayoutName::Flash => vec![FLASH_JOBS],
            LayoutName::File(number) => self.file(number).map(|layout| vec![layout.jobs]).unwrap_or_default(),
            _ => self.jobs.clone(),
        }
    }

    /// The layout of this name with that many compaction threads.
    pub(super) fn layout(&self, scale: &Scale, name: LayoutName, jobs: u32) -> Layout {
        let of_file = if let LayoutName::File(number) = name { self.file(number) } else { None };
        of_file.unwrap_or_else(|| scale.layout(name, jobs))
    }

    fn file(&self, number: u32) -> Option<Layout> {
        self.files.get((number as usize).checked_sub(1)?).copied()
    }

    /// The count of compaction threads whose database is queried: the largest with which it is filled.
    pub fn queried_jobs(&self, layout: LayoutName) -> u32 {
        self.jobs_of(layout).into_iter().max().unwrap_or(1)
    }

    /// Free space that is needed, bytes.
    pub fn space_bytes(&self, scale: &Scale) -> u64 {
        let calibrated = calibrate::data_bytes(scale.file_bytes()) as f64;
        (self.data.bytes().max(calibrated) * MOST_SPACE) as u64 + MORE_SPACE_BYTES
    }

    /// All of it, repeat after repeat; within a repeat, databases and the queries of each are in an order
    /// that the seed decides, so that no layout always comes after the same other one.
    pub(super) fn units(&self) -> Vec<Unit> {
        let mut rng = Rng::with_seed(self.seed);
        let mut units = Vec::new();
        for repeat in 0..self.repeats {
            let from = units.len();
            for &layout in &self.layouts {
                for jobs in self.jobs_of(layout) {
                    let mut queries = Vec::new();
                    if jobs == self.queried_jobs(layout) {
                        for operation in Query::ALL {
                            queries.extend(self.clients.iter().map(|&clients| (operation, clients)));
                        }
                    }
                    rng.shuffle(&mut queries);
                    units.push(Unit { repeat, layout, jobs, queries });
                }
            }
            rng.shuffle(&mut units[from..]);
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            data: Data::of_bytes(1e9, 16, 2048),
            layouts: LayoutName::parse_list("F=2,8,single,flash").unwrap(),
            files: Vec::new(),
            jobs: vec![1, 4, 16],
            clients: vec![1, 8],
            repeats: 3,
            seconds: 5,
            seed: 1,
        }
    }

    #[test]
    fn every_cell_is_measured_once_per_repeat_and_repeats_do_not_mix() {
        let units = plan().units();
        assert_eq!(units.len(), 3 * (3 * 3 + 1));
        assert!(units.is_sorted_by_key(|unit| unit.repeat));
        for repeat in 0..3 {
            let mut keys: Vec<_> = units
                .iter()
                .filter(|unit| unit.repeat == repeat)
                .map(|unit| (unit.layout, unit.jobs))
                .collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), 10, "the layout for flash has its own count of threads");
        }
        let asked: usize = units.iter().map(|unit| unit.queries.len()).sum();
        assert_eq!(asked, 3 * 4 * 2 * 2, "one database of each layout is queried");
        assert!(
            units
                .iter()
                .all(|unit| unit.queries.is_empty() || unit.jobs == 16 || unit.layout == LayoutName::Flash)
        );
    }

    #[test]
    fn the_order_is_the_seeds() {
        let other = Plan { seed: 2, ..plan() };
        assert_eq!(plan().units(), plan().units());
        assert_ne!(plan().units(), other.units());
        let order = |repeat| -> Vec<_> {
            let units = plan().units();
            units.iter().filter(|unit| unit.repeat == repeat).map(|unit| (unit.layout, unit.jobs)).collect()
        };
        assert_ne!(order(0), order(1));
    }

    #[test]
    fn what_cannot_be_measured_is_refused_by_its_name() {
        for (plan, said) in [
            (Plan { layouts: vec![], ..plan() }, "layouts"),
            (Plan { jobs: vec![0], ..plan() }, "compaction threads"),
            (Plan { clients: vec![], ..plan() }, "clients"),
            (Plan { repeats: 0, ..plan() }, "repeats"),
            (Plan { seconds: 0, ..plan() }, "1 s"),
            (Plan { data: Data::of_bytes(1e5, 16, 100), ..plan() }, "1 MiB"),
            (Plan { data: Data::of_bytes(1e9, 0, 100), ..plan() }, "key"),
        ] {
            let error = plan.scale().unwrap_err();
            assert!(error.is_input() && error.to_string().contains(said), "{error}");
        }
        assert!(plan().scale().is_ok());
    }
}
