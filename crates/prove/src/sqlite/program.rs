//! SQLite's program, found, and its version.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leadline_process::{ProcessError, Program};

use crate::ProveError;

const NAME: &str = "sqlite3";
const PACKAGE: &str = "sqlite3";

/// The oldest version that has all that is used here.
const OLDEST: (u32, u32) = (3, 23);

const NEEDED: &str = "sqlite3 of version 3.23 or later";

/// The program.
#[derive(Debug, Clone)]
pub(super) struct Sqlite {
    pub(super) path: PathBuf,
    /// Such as `3.40.1`.
    pub(super) version: String,
}

/// The version of the sqlite3 that [`prove()`](super::prove()) would start: the one in `bin`, else the one in
/// PATH.
///
/// # Errors
/// As [`prove()`](super::prove()) where there is none, or it is too old.
pub fn installed(bin: Option<&Path>) -> Result<String, ProveError> {
    Ok(Sqlite::find(bin)?.version)
}

impl Sqlite {
    /// The one in `bin`, else the one in PATH.
    ///
    /// # Errors
    /// [`ProcessError::NoProgram`] with the Debian package, [`ProveError::Version`].
    pub(super) fn find(bin: Option<&Path>) -> Result<Sqlite, ProveError> {
        let path = match bin.map(|bin| bin.join(NAME)) {
            // What is asked for by name is not replaced by what happens to be there.
            Some(path) if !path.is_file() => {
                let program = path.display().to_string();
                return Err(ProcessError::NoProgram { program, package: PACKAGE.into() }.into());
            }
            Some(path) => path,
            None => Program { name: NAME, package: PACKAGE }.find(&[])?,
        };
        let output = Command::new(&path).arg("--version").stdin(Stdio::null()).output();
        let output = output.map_err(|source| ProcessError::Start { program: path.clone(), source })?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match parse(&said) {
            Some(version) => Ok(Sqlite { path, version }),
            None => Err(ProveError::Version { path, said, needed: NEEDED }),
        }
    }
}

/// `3.40.1 2022-12-28 14:03:47 df5c253c0b3dd24916e4ec7cf77d3db5294cc9fd45ae7b9c5e82ad8197f3alt1`.
fn parse(said: &str) -> Option<String> {
    let version = said.split(' ').next()?;
    let mut numbers = version.split('.').map(str::parse::<u32>);
    let found = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    (found.0 == OLDEST.0 && found >= OLDEST).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_program_prints_them() {
        assert_eq!(parse("3.40.1 2022-12-28 14:03:47 df5c253c0b3d").as_deref(), Some("3.40.1"));
        assert_eq!(parse("3.51.0 2026-01-01 00:00:00 abc (64-bit)").as_deref(), Some("3.51.0"));
        for other in ["3.8.7 2014-10-17", "2.8.17", "v1.5.6 (Variegata) 069cc9f9b5", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
        assert!(installed(Some(Path::new("/nowhere"))).unwrap_err().is_input());
    }
}
