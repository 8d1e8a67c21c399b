//! What all programs have in common: where they are, how they are run, and what a run is.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

/// A program with one workload, whose files are in one folder.
pub trait Program {
    /// Makes its files, before the drive is mounted on them.
    fn prepare(&mut self, _folder: &Path) -> Result<()> {
        Ok(())
    }

    /// Starts what runs all the time.
    fn start(&mut self, _folder: &Path) -> Result<()> {
        Ok(())
    }

    /// Each client does `each` operations.
    fn run(&self, folder: &Path, each: u64) -> Result<()>;

    /// Processor time that what was started has used, seconds.
    fn cpu_seconds(&self) -> Result<f64> {
        Ok(0.0)
    }

    /// Ends what was started.
    fn stop(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The programs, and the Debian packages they come in.
const PACKAGES: [(&str, &str); 3] =
    [("pgbench", "postgresql-15"), ("db_bench", "rocksdb-tools"), ("sqlite3", "sqlite3")];

/// Where Debian has PostgreSQL's programs, a folder for each version.
const POSTGRES_VERSIONS: &str = "/usr/lib/postgresql";

/// The folders of the programs.
pub struct Programs {
    /// PostgreSQL's `initdb`, `postgres`, `pgbench` and others.
    pub postgres: PathBuf,
}

impl Programs {
    /// Finds them all.
    ///
    /// # Errors
    /// One line with the Debian packages that are missing.
    pub fn find() -> Result<Programs> {
        let postgres = newest_postgres();
        let on_path = |program: &str| {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
        };
        let missing: Vec<&str> = PACKAGES
            .iter()
            .filter(|(program, _)| match *program {
                "pgbench" => postgres.is_none(),
                program => !on_path(program),
            })
            .map(|(_, package)| *package)
            .collect();
        match postgres {
            Some(postgres) if missing.is_empty() => Ok(Programs { postgres }),
            _ => bail!(
                "missing Debian packages: {0}; install them with `apt-get install {1}`",
                missing.join(", "),
                missing.join(" ")
            ),
        }
    }

    /// The versions of all of them, in one line.
    ///
    /// # Errors
    /// Where one of them cannot be run.
    pub fn versions(&self) -> Result<String> {
        let lines = [
            output(Command::new(self.postgres.join("postgres")).arg("--version"))?,
            output(Command::new("db_bench").arg("--version"))?,
            format!("sqlite3 {}", output(Command::new("sqlite3").arg("--version"))?),
        ];
        let short = lines.map(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" "));
        Ok(short.join(", "))
    }
}

/// The newest version's folder that has pgbench in it.
fn newest_postgres() -> Option<PathBuf> {
    let versions = std::fs::read_dir(POSTGRES_VERSIONS).ok()?;
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<f64>().ok();
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path()));
    let newest = folders
        .filter(|path| path.join("bin/pgbench").is_file())
        .max_by(|a, b| version(a).unwrap_or(0.0).total_cmp(&version(b).unwrap_or(0.0)))?;
    Some(newest.join("bin"))
}

/// Runs a program to its end; what it printed.
///
/// # Errors
/// Where it cannot be run or fails, with the last line of what it said.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| name.clone())?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{name}: {}: {}",
        output.status,
        said.lines().last().unwrap_or_default()
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
