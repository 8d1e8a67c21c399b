//! Cold scans of one kind, by one variant after the other.

use std::collections::BTreeMap;

use super::cluster::Cluster;
use super::explain::Access;
use super::table::{Column, Table};
use crate::order::random;
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant};

/// Keys that change how scans are read.
pub(super) const KEYS: [&str; 7] = [
    "effective_io_concurrency",
    "maintenance_io_concurrency",
    "io_method",
    "io_workers",
    "io_combine_limit",
    "io_max_combine_limit",
    "io_max_concurrency",
];

/// Pages of the first scan, by which the size of all others is set.
const FIRST_PAGES: u64 = 400;

/// Bitmap scans read at most this share of the table, so that pages stay apart from each other.
const LARGEST_SHARE: u64 = 8;

/// What is compared.
pub(super) struct Scans<'a> {
    pub(super) variants: Vec<(Role, Variant)>,
    /// Random pages of a bitmap scan; `None` for sequential scans of everything.
    pub(super) pages: Option<u64>,
    /// As of [`Rounds`].
    pub(super) rounds: [u32; 2],
    pub(super) seed: u64,
    /// For progress.
    pub(super) phase: &'static str,
    pub(super) table: &'a Table,
}

/// How many random pages a bitmap scan has to read to take `seconds` under the default.
pub(super) fn pages_for(
    cluster: &Cluster,
    table: &Table,
    seconds: f64,
    seed: u64,
) -> Result<u64, ProveError> {
    let most = (table.pages() / LARGEST_SHARE).max(1);
    let first = FIRST_PAGES.min(most);
    let server = table.cold_server(cluster, &Variant::default_settings())?;
    let query = scattered(table, first, &mut random(seed, u32::MAX >> 16));
    let scan = server.timed(&query, Access::Bitmap, None, "the first scan")?;
    server.stop()?;
    let took = scan.and_then(|scan| scan.seconds).unwrap_or(seconds).max(1e-6);
    Ok(((first as f64 * seconds / took) as u64).clamp(first.min(100), most))
}

/// Rows that are in about as many pages, all of them somewhere else.
fn scattered(table: &Table, pages: u64, random: &mut fastrand::Rng) -> String {
    Table::range(Column::Scattered, random.u64(..=table.rows - pages), pages)
}

impl Scans<'_> {
    /// Runs them all.
    pub(super) fn run(
        self,
        cluster: &Cluster,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Comparison, ProveError> {
        let Scans { variants, pages, rounds, seed, phase, table } = self;
        let work = match pages {
            Some(pages) => format!("bitmap heap scans of {pages} random pages of {}", table.pages()),
            None => format!("sequential scans of {} pages", table.pages()),
        };
        let rounds = Rounds {
            phase,
            name: "a scan",
            work: &work,
            measures: &[["execution time", "seconds"]],
            variants: &variants,
            rounds,
            seed,
        };
        let mut compared = rounds.run(progress, &mut |variant, round, during| {
            let (query, access) = match pages {
                Some(pages) => (scattered(table, pages, &mut random(seed ^ 1, round)), Access::Bitmap),
                None => Table::everything(),
            };
            let server = table.cold_server(cluster, variant)?;
            let scan = server.timed(&query, access, None, during)?;
            server.stop()?;
            let timed = scan.and_then(|scan| scan.seconds.map(|time| (scan, time)));
            Ok(timed.map(|(scan, time)| {
                let mut counts = BTreeMap::from([("read_blocks".to_owned(), scan.read_blocks)]);
                if access == Access::Bitmap {
                    counts.insert("heap_blocks".to_owned(), scan.heap_blocks);
                }
                Measured { times: vec![time], counts }
            }))
        })?;
        Ok(compared.remove(0))
    }
}
