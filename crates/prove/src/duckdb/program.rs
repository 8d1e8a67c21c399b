//! DuckDB's program, found, and its version.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use leadline_process::{ProcessError, Program};

use crate::ProveError;

const NAME: &str = "duckdb";

/// The oldest version that has all settings that are used here.
const OLDEST: (u32, u32) = (1, 5);

const NEEDED: &str = "duckdb of version 1.5 or later";

/// No package of Debian has it.
const REMEDY: &str = "pip install duckdb-cli brings it (https://duckdb.org/docs/installation has others); name \
                      its directory with --bin where it is not in PATH";

/// How a script of another language begins.
const SCRIPT: &[u8] = b"#!";

/// The program.
#[derive(Debug, Clone)]
pub(super) struct Duckdb {
    pub(super) path: PathBuf,
    /// Such as `1.5.6`.
    pub(super) version: String,
}

/// The version of the duckdb that [`prove()`](super::prove()) would start: the one in `bin`, else the one in
/// PATH.
///
/// # Errors
/// As [`prove()`](super::prove()) where there is none, or it is too old.
pub fn installed(bin: Option<&Path>) -> Result<String, ProveError> {
    Ok(Duckdb::find(bin)?.version)
}

impl Duckdb {
    /// The one in `bin`, else the one in PATH.
    ///
    /// # Errors
    /// [`ProveError::Missing`] with how to install it, [`ProveError::Version`].
    pub(super) fn find(bin: Option<&Path>) -> Result<Duckdb, ProveError> {
        let missing = |path: &Path| ProveError::Missing { program: path.into(), remedy: REMEDY };
        let path = match bin.map(|bin| bin.join(NAME)) {
            // What is asked for by name is not replaced by what happens to be there.
            Some(path) if !path.is_file() => return Err(missing(&path)),
            Some(path) => path,
            None => Program { name: NAME, package: NAME }.find(&[]).map_err(|_| missing(Path::new(NAME)))?,
        };
        let path = behind_script(path)?;
        let output = ask(&path, &["--version"])?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match parse(&said) {
            Some(version) => Ok(Duckdb { path, version }),
            None => Err(ProveError::Version { path, said, needed: NEEDED }),
        }
    }
}

/// The package for Python has a script that starts the program as a child, which would outlive the script
/// where that is killed. The program itself is asked where it is.
fn behind_script(path: PathBuf) -> Result<PathBuf, ProveError> {
    let mut begin = [0; SCRIPT.len()];
    let is_script = File::open(&path).and_then(|mut file| file.read_exact(&mut begin)).is_ok();
    if !is_script || begin != SCRIPT {
        return Ok(path);
    }
    let output = ask(&path, &["-no-init", "-batch", "-c", ".shell readlink /proc/$PPID/exe"])?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let found = PathBuf::from(&said);
    if found.is_file() { Ok(found) } else { Err(ProveError::Version { path, said, needed: NEEDED }) }
}

fn ask(path: &Path, arguments: &[&str]) -> Result<Output, ProveError> {
    let output = Command::new(path).args(arguments).stdin(Stdio::null()).output();
    Ok(output.map_err(|source| ProcessError::Start { program: path.into(), source })?)
}

/// `v1.5.6 (Variegata) 069cc9f9b5`.
fn parse(said: &str) -> Option<String> {
    let version = said.split(' ').next()?.strip_prefix('v')?;
    let mut numbers = version.split('.').map(str::parse::<u32>);
    let found = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    (found >= OLDEST).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn versions_are_read_as_the_program_prints_them() {
        assert_eq!(parse("v1.5.6 (Variegata) 069cc9f9b5").as_deref(), Some("1.5.6"));
        assert_eq!(parse("v2.0.0 (Name) abc").as_deref(), Some("2.0.0"));
        for other in ["v1.1.3 19864453f7", "v0.10.2 1601d94f94", "3.40.1 2022-12-28", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
        let missing = installed(Some(Path::new("/nowhere"))).unwrap_err();
        assert!(missing.is_input() && missing.to_string().contains("pip install duckdb-cli"), "{missing}");
    }

    #[test]
    fn what_a_script_starts_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let script = |text: &str| {
            let path = folder.path().join(NAME);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
            behind_script(path)
        };
        // As the program does for `.shell`.
        let child = "#!/bin/sh\n/bin/sh -c 'sh -c \"readlink /proc/\\$PPID/exe\"; true'\n";
        assert!(script(child).unwrap().file_name().unwrap().to_string_lossy().ends_with("sh"));
        assert!(script("#!/bin/sh\necho hello\n").unwrap_err().to_string().contains("hello"));
        assert_eq!(script("no script").unwrap(), folder.path().join(NAME));
    }
}
