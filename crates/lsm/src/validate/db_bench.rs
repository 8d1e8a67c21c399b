//! RocksDB's own benchmark program, which the user has: found, and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use leadline_process::{Launch, ProcessError, Scratch, Seen, Signal};

use crate::options::{Release, RocksVersion};
use crate::{Data, Layout};

use super::error::ValidateError;
use super::settings;

/// The program, found.
#[derive(Debug, Clone, PartialEq)]
pub struct DbBench {
    path: PathBuf,
    release: Release,
    version: RocksVersion,
}

impl DbBench {
    /// The name under which it is looked for in `PATH`.
    pub const NAME: &str = "db_bench";

    /// The program at `path`, which a shell would find for a bare name, after asking it for its version.
    ///
    /// # Errors
    /// [`ValidateError::NoDbBench`] where it cannot be started, [`ValidateError::NotDbBench`] where it
    /// answers something else, [`ValidateError::OldDbBench`] where it is older than RocksDB 7.8.
    pub fn find(path: &Path) -> Result<DbBench, ValidateError> {
        let output = Command::new(path).arg("--version").stdin(Stdio::null()).output();
        let output = output.map_err(|source| ValidateError::NoDbBench { path: path.into(), source })?;
        let said = String::from_utf8_lossy(&output.stdout);
        let first = said.lines().next().unwrap_or("");
        let release = first.split_once("db_bench version ").and_then(|(_, text)| Release::parse(text.trim()));
        let Some(release) = release else {
            return Err(ValidateError::NotDbBench { path: path.into(), said: first.to_owned() });
        };
        // The newest whose files it takes: RocksDB takes those of earlier versions.
        let version = RocksVersion::ALL.into_iter().rfind(|version| version.first_release() <= release);
        match version {
            Some(version) => Ok(DbBench { path: path.into(), release, version }),
            None => Err(ValidateError::OldDbBench { path: path.into(), release }),
        }
    }

    /// Its release of RocksDB.
    pub fn release(&self) -> Release {
        self.release
    }
}

/// A database of db_bench: where it is, what is in it, how it is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Database<'a> {
    /// The program.
    pub bench: &'a DbBench,
    /// The directory that has the database's own.
    pub folder: &'a Scratch,
    /// What is in it.
    pub data: Data,
    /// How it is laid out.
    pub layout: Layout,
    /// What else it is opened with.
    pub tuning: Tuning<'a>,
}

/// The options of a database in addition to its layout.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tuning<'a> {
    /// Settings of `[DBOptions]`, instead of the layout's; all others have RocksDB's defaults
    /// then.
    pub settings: Option<&'a [(String, String)]>,
    /// Options of db_bench for what no OPTIONS file has, such as the rate limiter.
    pub options: &'a [String],
}

/// One run of db_bench on a database.
#[derive(Debug, Clone)]
pub struct BenchRun<'a> {
    /// What it does, for messages: `filling F=4 with 16 jobs`.
    pub during: &'a str,
    /// Its list of benchmarks.
    pub benchmarks: &'a str,
    /// Whether RocksDB compacts by itself.
    pub compactions: bool,
    /// Its other options.
    pub options: Vec<String>,
    /// Of its random numbers.
    pub seed: u64,
}

impl Database<'_> {
    /// Directory of the database.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("db")
    }

    /// Removes it.
    ///
    /// # Errors
    /// The system's reason.
    pub fn remove(&self) -> Result<(), ValidateError> {
        match fs::remove_dir_all(self.path()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(ValidateError::io(&self.path(), "removing a database", error))
            }
            _ => Ok(()),
        }
    }

    /// Runs db_bench, and returns what it printed on stdout.
    ///
    /// # Errors
    /// The errors of [`leadline_process::run`], and where the OPTIONS file cannot be written.
    pub fn run(
        &self,
        run: &BenchRun,
        cancel: &AtomicBool,
        see: &mut dyn FnMut(u32, Seen),
    ) -> Result<String, ValidateError> {
        let options_file = self.folder.path().join("OPTIONS");
        let own = self.tuning.settings;
        let text = settings::text(&self.layout, self.bench.version, run.compactions, own);
        fs::write(&options_file, text)
            .map_err(|source| ValidateError::io(&options_file, "writing it", source))?;
        let mut arguments = vec![
            format!("--db={}", self.path().display()),
            format!("--options_file={}", options_file.display()),
            format!("--benchmarks={}", run.benchmarks),
            format!("--num={:.0}", self.data.pairs),
            format!("--key_size={}", self.data.key_bytes),
            format!("--value_size={}", self.data.value_bytes),
            // Not taken from the file.
            format!("--cache_size={}", self.layout.cache_bytes),
            // 0 would stand for the time of day.
            format!("--seed={}", run.seed.max(1)),
        ];
        arguments.extend(self.tuning.options.iter().chain(&run.options).cloned());
        // A fill may take long, and nobody would want it any more.
        let orphaned = Some(Signal::KILL);
        let launch = Launch { orphaned, ..Launch::new(&self.bench.path, &arguments, self.folder.lock()) };
        leadline_process::run(&launch, run.during, cancel, see).map_err(|error| self.explained(error))
    }

    /// RocksDB does not always say that it died of a full disk.
    fn explained(&self, error: ProcessError) -> ValidateError {
        match self.folder.explained(error) {
            ProcessError::Start { program, source } => ValidateError::NoDbBench { path: program, source },
            other => other.into(),
        }
    }
}
