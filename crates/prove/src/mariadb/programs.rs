//! MariaDB's programs and sysbench, found, and the server's version.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leadline_process::{ProcessError, Program};

use crate::ProveError;

/// The oldest version in which one page cleaner flushes by the settings that are tried here.
const OLDEST: (u32, u32) = (10, 6);

const NEEDED: &str = "a server of MariaDB 10.6 or later";

/// The programs.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) mariadbd: PathBuf,
    pub(super) install: PathBuf,
    pub(super) client: PathBuf,
    pub(super) sysbench: PathBuf,
    /// Of the server, such as `10.11.19`.
    pub(super) version: String,
}

impl Programs {
    /// All of them, in PATH or where servers are.
    ///
    /// # Errors
    /// [`ProcessError::NoProgram`] with the Debian package, [`ProveError::Version`].
    pub(super) fn find() -> Result<Programs, ProveError> {
        let find = |name, package| Program { name, package }.find(&[]);
        let mariadbd = find("mariadbd", "mariadb-server-core")?;
        Ok(Programs {
            install: find("mariadb-install-db", "mariadb-server-core")?,
            client: find("mariadb", "mariadb-client-core")?,
            sysbench: find("sysbench", "sysbench")?,
            version: version(&mariadbd)?,
            mariadbd,
        })
    }
}

fn version(mariadbd: &Path) -> Result<String, ProveError> {
    let output = Command::new(mariadbd).args(["--no-defaults", "--version"]).stdin(Stdio::null()).output();
    let output = output.map_err(|source| ProcessError::Start { program: mariadbd.into(), source })?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    parse(&said).ok_or(ProveError::Version { path: mariadbd.into(), said, needed: NEEDED })
}

/// `mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)`.
fn parse(said: &str) -> Option<String> {
    let (version, _) = said.split_once(" Ver ")?.1.split_once("-MariaDB")?;
    let mut numbers = version.trim().split('.').map(str::parse::<u32>);
    let found = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    (found >= OLDEST).then(|| version.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_server_prints_them() {
        let debian = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)";
        assert_eq!(parse(debian).as_deref(), Some("10.11.19"));
        assert_eq!(parse("mariadbd  Ver 11.4.2-MariaDB for Linux on x86_64").as_deref(), Some("11.4.2"));
        // Too old, and no MariaDB.
        assert_eq!(parse("mysqld  Ver 10.5.29-MariaDB for Linux on x86_64"), None);
        assert_eq!(parse("mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server)"), None);
        assert!(version(Path::new("/bin/true")).unwrap_err().is_input());
    }
}
