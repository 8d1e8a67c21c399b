//! db_bench under a variant.

use std::cell::RefCell;
use std::fs;
use std::sync::atomic::AtomicBool;

use leadline_lsm::Data;
use leadline_lsm::validate::{BenchRun, Database, DbBench, Fill, Tuning, ValidateError};
use leadline_process::{ProcessError, Scratch, Seen};

use super::log;
use super::plan::{Io, Plan};
use crate::proof::InForce;
use crate::{ProveError, Role, Variant, value};

/// Keys that change how RocksDB uses the device.
pub(super) const KEYS: [&str; 10] = [
    "bytes_per_sync",
    "compaction_readahead_size",
    "max_background_compactions",
    "max_background_flushes",
    "max_background_jobs",
    "max_open_files",
    "max_subcompactions",
    RATE,
    "wal_bytes_per_sync",
    "writable_file_max_buffer_size",
];

/// db_bench's name of the rate limiter, which no OPTIONS file has.
pub(super) const RATE: &str = "rate_limiter_bytes_per_sec";

/// Settings that a plan has, and not a variant.
const DIRECT: [&str; 2] = ["use_direct_reads", "use_direct_io_for_flush_and_compaction"];

/// Its complaint about a file: `Unable to load options file PATH --- Invalid argument: ...`.
const BEFORE_REASON: &str = " --- ";

/// The program, with the directory in which it works.
pub(super) struct Bench<'a> {
    pub(super) db_bench: &'a DbBench,
    pub(super) folder: &'a Scratch,
    pub(super) plan: &'a Plan,
    pub(super) in_force: RefCell<InForce>,
    pub(super) cancel: &'a AtomicBool,
}

impl Bench<'_> {
    /// Checks that RocksDB takes the settings of all variants, by making a database of one pair, and
    /// remembers what it says of them.
    pub(super) fn check(&self, variants: &[&(Role, Variant)]) -> Result<(), ProveError> {
        for (_, variant) in variants {
            self.with(variant, self.plan.io[0], |database| self.check_one(&database, variant, variants))?;
        }
        Ok(())
    }

    fn check_one(
        &self,
        database: &Database,
        variant: &Variant,
        variants: &[&(Role, Variant)],
    ) -> Result<(), ProveError> {
        let tiny = Database { data: Data { pairs: 1.0, ..database.data }, ..*database };
        let run = BenchRun {
            during: "reading settings",
            benchmarks: "fillseq",
            compactions: true,
            options: Vec::new(),
            seed: 1,
        };
        let refused = |said: &str| ProveError::Settings {
            system: format!("RocksDB {}", self.db_bench.release()),
            variant: variant.name.clone(),
            said: said.to_owned(),
        };
        tiny.remove()?;
        tiny.run(&run, self.cancel, &mut |_, _| ()).map_err(|error| match error {
            ValidateError::Process(ProcessError::Died { said, .. }) => {
                refused(said.split_once(BEFORE_REASON).map_or(said.as_str(), |(_, reason)| reason))
            }
            other => other.into(),
        })?;
        let path = tiny.path().join("LOG");
        let text =
            fs::read_to_string(&path).map_err(|source| ProveError::io(&path, "reading a log", source))?;
        tiny.remove()?;
        let found = log::settings(&text);
        for (key, asked) in variant.settings.iter().filter(|(key, _)| !is_fixed(key)) {
            let is_in_force = match (key.as_str(), found.get(key)) {
                (RATE, _) => log::has_rate_limiter(&found) != (asked == "0"),
                // RocksDB is free to choose.
                (_, Some(_)) if asked == "0" => true,
                (_, Some(found)) => value::is_same(asked, found),
                (_, None) => false,
            };
            if !is_in_force {
                let found = found.get(key).map_or("nothing", String::as_str);
                return Err(refused(&format!("{key}={asked} becomes {found}")));
            }
        }
        let watched = variants.iter().flat_map(|(_, variant)| &variant.settings);
        let said = watched.filter_map(|(key, _)| match key.as_str() {
            RATE => Some((key.clone(), rate(variant).unwrap_or("0").to_owned())),
            _ => Some((key.clone(), found.get(key)?.clone())),
        });
        self.in_force.borrow_mut().insert(variant.name.clone(), said.collect());
        Ok(())
    }

    /// Fills a database under a variant.
    pub(super) fn fill(
        &self,
        variant: &Variant,
        io: Io,
        seed: u64,
        during: &str,
    ) -> Result<Fill, ProveError> {
        self.with(variant, io, |database| Ok(database.fill(during, seed, self.cancel, &mut |_| ())?))
    }

    /// Runs benchmarks on the database that is there.
    pub(super) fn run(
        &self,
        variant: &Variant,
        io: Io,
        run: &BenchRun,
        see: &mut dyn FnMut(u32, Seen),
    ) -> Result<String, ProveError> {
        self.with(variant, io, |database| Ok(database.run(run, self.cancel, see)?))
    }

    /// The database under a variant.
    pub(super) fn with<T>(
        &self,
        variant: &Variant,
        io: Io,
        work: impl FnOnce(Database) -> Result<T, ProveError>,
    ) -> Result<T, ProveError> {
        let is_direct = (io == Io::Direct).to_string();
        let mut settings = DIRECT.map(|key| (key.to_owned(), is_direct.clone())).to_vec();
        let own = variant.settings.iter().filter(|(key, _)| key != RATE && !is_fixed(key));
        settings.extend(own.cloned());
        let options: Vec<String> = rate(variant).map(|rate| format!("--{RATE}={rate}")).into_iter().collect();
        let tuning = Tuning { settings: Some(&settings), options: &options };
        let (data, layout) = (self.plan.data(), self.plan.layout());
        work(Database { bench: self.db_bench, folder: self.folder, data, layout, tuning })
    }
}

fn rate(variant: &Variant) -> Option<&str> {
    variant.settings.iter().find(|(key, _)| key == RATE).map(|(_, value)| value.as_str())
}

pub(super) fn is_fixed(key: &str) -> bool {
    DIRECT.contains(&key)
}
