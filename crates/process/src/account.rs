//! Another user, for programs that refuse to run as root.

use std::io::ErrorKind;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::User;
use rustix::process::geteuid;

use crate::ProcessError;

/// Everybody has this user.
const NOBODY: &str = "nobody";

/// A user whom only root can become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    name: String,
    user: u32,
    group: u32,
}

impl Account {
    /// For root, the user `name` or, without one, `nobody`. `None` if we are not root: no other user is
    /// needed then.
    ///
    /// # Errors
    /// [`ProcessError::NoAccount`] where there is neither.
    pub fn instead_of_root(name: &str) -> Result<Option<Account>, ProcessError> {
        if !geteuid().is_root() {
            return Ok(None);
        }
        let named = |name: &str| User::from_name(name).ok().flatten();
        let user = named(name).or_else(|| named(NOBODY));
        let user = user.ok_or_else(|| ProcessError::NoAccount { name: name.into() })?;
        Ok(Some(Account { name: user.name, user: user.uid.as_raw(), group: user.gid.as_raw() }))
    }

    /// The user's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes `path` the user's.
    ///
    /// # Errors
    /// The system's reason.
    pub fn give(&self, path: &Path) -> Result<(), ProcessError> {
        chown(path, Some(self.user), Some(self.group))
            .map_err(|source| ProcessError::io(path, "giving it to another user", source))
    }

    /// Whether the user may enter `folder` and all directories above it, by a program that does.
    pub fn may_enter(&self, folder: &Path) -> bool {
        let mut command = Command::new("true");
        self.apply(&mut command);
        command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Whatever else is wrong, the program that is to work there says better.
        !matches!(command.status(), Err(error) if error.kind() == ErrorKind::PermissionDenied)
    }

    /// What `command` starts runs as the user.
    pub(crate) fn apply(&self, command: &mut Command) {
        command.uid(self.user).gid(self.group);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;

    #[test]
    fn root_becomes_another_user_who_owns_what_it_is_given_and_may_not_enter_what_is_closed() {
        let Some(account) = Account::instead_of_root("no-such-user").unwrap() else {
            assert!(!geteuid().is_root(), "only root needs another user");
            return;
        };
        assert_eq!(account.name(), NOBODY);
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        assert!(!account.may_enter(&inner));
        account.give(&inner).unwrap();
        assert_eq!(fs::metadata(&inner).unwrap().uid(), account.user);
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711)).unwrap();
        assert!(account.may_enter(&inner));
    }
}
