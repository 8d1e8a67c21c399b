//! Where MariaDB's programs are.

use std::path::PathBuf;

use crate::TpchError;

/// Debian installs servers here, where a plain user's PATH does not look.
const SERVERS: &str = "/usr/sbin";

/// A program and the Debian package it comes in.
pub(super) struct Program {
    name: &'static str,
    package: &'static str,
}

pub(super) const SERVER: Program = Program { name: "mariadbd", package: "mariadb-server-core" };
pub(super) const INSTALL: Program = Program { name: "mariadb-install-db", package: "mariadb-server-core" };
pub(super) const CLIENT: Program = Program { name: "mariadb", package: "mariadb-client-core" };
/// Starts a program that dies with the thread that started it.
pub(super) const SETPRIV: Program = Program { name: "setpriv", package: "util-linux" };

impl Program {
    /// Its path.
    pub(super) fn find(&self) -> Result<PathBuf, TpchError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([PathBuf::from(SERVERS)]);
        folders
            .map(|folder| folder.join(self.name))
            .find(|program| program.is_file())
            .ok_or(TpchError::NoProgram { program: self.name, package: self.package })
    }
}
