//! Where a server of our own works: a directory on the device, and another for what is not to be there.

use std::path::{Path, PathBuf};

use leadline_process::{Account, Launch, Scratch, Signal, folder_for_sockets};

use crate::ProveError;

/// Of the scratch directories, for their names.
const KIND: &str = "prove";

/// Directories that are gone afterwards, and whom the server runs as.
pub(crate) struct Place {
    /// Who the server runs as, if not as we do.
    pub(crate) account: Option<Account>,
    /// On the device; it goes last.
    scratch: Scratch,
    /// Elsewhere: the socket, the server's log, and files of clients.
    aside: Scratch,
    /// Environment variables that would change what programs do begin so.
    hidden: &'static str,
}

impl Place {
    /// Makes the directories, the first of them on `target`, where that much can be written. Root becomes
    /// `user`, if the program refuses to run as root.
    pub(crate) fn create(
        target: &Path,
        user: Option<&str>,
        needed_bytes: u64,
        hidden: &'static str,
    ) -> Result<Place, ProveError> {
        let account = user.map(Account::instead_of_root).transpose()?.flatten();
        let scratch = Scratch::create(target, KIND)?;
        scratch.check_space(needed_bytes)?;
        let aside = Scratch::create(&folder_for_sockets(), KIND)?;
        Ok(Place { account, scratch, aside, hidden })
    }

    /// A directory on the device, which is the server's alone.
    pub(crate) fn on_device(&self, name: &str) -> Result<PathBuf, ProveError> {
        Ok(self.scratch.subfolder(name, self.account.as_ref())?)
    }

    /// A directory elsewhere, which is the server's alone.
    pub(crate) fn elsewhere(&self, name: &str) -> Result<PathBuf, ProveError> {
        Ok(self.aside.subfolder(name, self.account.as_ref())?)
    }

    /// Where files go that are not to be on the device.
    pub(crate) fn aside(&self) -> &Path {
        self.aside.path()
    }

    /// The server's log.
    pub(crate) fn log(&self) -> PathBuf {
        self.aside.path().join("log")
    }

    /// To be run as the server's user.
    pub(crate) fn server<'a>(&'a self, program: &'a Path, arguments: &'a [String]) -> Launch<'a> {
        Launch { account: self.account.as_ref(), ..self.client(program, arguments) }
    }

    /// To be run as we are.
    pub(crate) fn client<'a>(&'a self, program: &'a Path, arguments: &'a [String]) -> Launch<'a> {
        Launch {
            // Not where the server's user may not be.
            folder: Some(Path::new("/")),
            hidden: Some(self.hidden),
            orphaned: Some(Signal::KILL),
            ..Launch::new(program, arguments, self.scratch.lock())
        }
    }
}
