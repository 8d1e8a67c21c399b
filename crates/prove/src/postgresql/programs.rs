//! PostgreSQL's programs, found, and their version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leadline_process::{ProcessError, Program};
use serde::{Deserialize, Serialize};

use crate::ProveError;

/// Where Debian has them, a directory for each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The oldest version that has all settings and statistics that are used here.
const OLDEST: u32 = 13;

const NEEDED: &str = "a server of PostgreSQL 13 or later";

/// A version of PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Its first number.
    pub major: u32,
    /// All of it, such as `15.18`.
    pub text: String,
}

/// The programs of one installation.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) initdb: PathBuf,
    pub(super) postgres: PathBuf,
    pub(super) psql: PathBuf,
    pub(super) pgbench: Option<PathBuf>,
    pub(super) version: Version,
}

impl Programs {
    /// Those in `bin`, else the newest of Debian's, else those in PATH. Clients may be of another version: an
    /// installation of the server alone has none.
    ///
    /// # Errors
    /// [`ProcessError::NoProgram`] with the Debian package, [`ProveError::Version`].
    pub(super) fn find(bin: Option<&Path>) -> Result<Programs, ProveError> {
        let debian = debian();
        let folders = match bin {
            Some(bin) => vec![bin.to_path_buf()],
            None => debian.clone(),
        };
        let server = |name| match bin {
            // What is asked for by name is not replaced by what happens to be there.
            Some(bin) if !bin.join(name).is_file() => Err(ProcessError::NoProgram {
                program: bin.join(name).display().to_string(),
                package: "postgresql".into(),
            }),
            _ => Program { name, package: "postgresql" }.find(&folders),
        };
        let clients: Vec<PathBuf> = folders.iter().chain(&debian).cloned().collect();
        let client = |name, package| Program { name, package }.find(&clients);
        let postgres = server("postgres")?;
        let version = version(&postgres)?;
        Ok(Programs {
            initdb: server("initdb")?,
            psql: client("psql", "postgresql-client")?,
            // Not all experiments need it.
            pgbench: client("pgbench", "postgresql").ok(),
            postgres,
            version,
        })
    }
}

/// Debian's directories with a server, the newest version first.
fn debian() -> Vec<PathBuf> {
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let mut folders: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, bin)| bin.join("postgres").is_file())
        .collect();
    folders.sort_by(|one, other| other.cmp(one));
    folders.into_iter().map(|(_, bin)| bin).collect()
}

fn version(postgres: &Path) -> Result<Version, ProveError> {
    let output = Command::new(postgres).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|source| ProcessError::Start { program: postgres.into(), source })?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    parse(&said).filter(|version| version.major >= OLDEST).ok_or(ProveError::Version {
        path: postgres.into(),
        said,
        needed: NEEDED,
    })
}

/// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`; a version in development is `19devel`.
fn parse(said: &str) -> Option<Version> {
    let text = said.strip_prefix("postgres (PostgreSQL) ")?.split(' ').next()?;
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some(Version { major: text[..digits].parse().ok()?, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_server_prints_them() {
        let major = |said| parse(said).map(|version| version.major);
        assert_eq!(major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 19devel"), Some(19));
        assert_eq!(major("mariadbd  Ver 10.11"), None);
    }

    #[test]
    fn a_folder_without_a_server_is_not_replaced_by_another() {
        let folder = tempfile::tempdir().unwrap();
        let error = Programs::find(Some(folder.path())).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(folder.path().to_str().unwrap()), "{error}");
    }

    #[test]
    fn what_is_not_postgresql_is_refused() {
        let error = version(Path::new("/bin/true")).unwrap_err();
        assert!(matches!(error, ProveError::Version { .. }) && error.is_input(), "{error}");
    }
}
