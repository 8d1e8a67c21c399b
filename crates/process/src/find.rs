//! Where programs are.

use std::path::PathBuf;

use crate::ProcessError;

/// Debian installs servers here, where a plain user's PATH does not look.
const SERVERS: [&str; 2] = ["/usr/sbin", "/sbin"];

/// A program and the Debian package that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program<'a> {
    /// Its file name.
    pub name: &'a str,
    /// The package.
    pub package: &'a str,
}

impl Program<'_> {
    /// Its path: in one of `folders`, in PATH or where servers are, in this order.
    ///
    /// # Errors
    /// [`ProcessError::NoProgram`], which names the package.
    pub fn find(&self, folders: &[PathBuf]) -> Result<PathBuf, ProcessError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::split_paths(&path).chain(SERVERS.map(PathBuf::from));
        let mut programs = folders.iter().cloned().chain(path).map(|folder| folder.join(self.name));
        programs.find(|program| program.is_file()).ok_or_else(|| ProcessError::NoProgram {
            program: self.name.into(),
            package: self.package.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_in_the_given_folders_first_and_else_the_package_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let shell = Program { name: "sh", package: "dash" };
        let folders = [folder.path().to_path_buf()];
        assert_ne!(shell.find(&folders).unwrap(), folder.path().join("sh"));
        std::fs::write(folder.path().join("sh"), "").unwrap();
        assert_eq!(shell.find(&folders).unwrap(), folder.path().join("sh"));
        let missing = Program { name: "no-such-server", package: "such-server" }.find(&[]).unwrap_err();
        assert!(missing.is_input() && missing.to_string().ends_with("package such-server"), "{missing}");
    }
}
