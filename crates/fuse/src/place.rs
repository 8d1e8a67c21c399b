//! Where something is to be mounted.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::keeper::Keeper;
use crate::mounts::{is_of, is_served, mounted_at, serves, take_away};

/// So long a process that was killed, and what takes its mount away, may take to be gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often it is looked whether they are.
const AGAIN: Duration = Duration::from_millis(10);

/// Why a place cannot be mounted on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// Something of the same kind is mounted there, and served.
    #[error("{}: is in use", path.display())]
    InUse {
        /// The place.
        path: PathBuf,
    },
    /// Something else is mounted there, and nobody answers for it.
    #[error("{}: the file system mounted there does not answer", path.display())]
    Dead {
        /// The place.
        path: PathBuf,
    },
    /// The system refuses something.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// A place that is ours to mount on. What is mounted there is taken away should this process end before the
/// value does: nobody finds a mount that does not answer, and no program waits for one.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    keeper: Keeper,
    cleaned_up: bool,
}

impl Place {
    /// Takes the place at `path`, which is [`canonical`], for a mount from `source`, which begins with
    /// `kind`. What a process that was killed has left there is taken away.
    ///
    /// # Errors
    /// [`PlaceError`]; where the place is in use, at once.
    pub fn take(path: PathBuf, kind: &str, source: &str) -> Result<Place, PlaceError> {
        let began = Instant::now();
        let io = |source| PlaceError::Io { path: path.clone(), source };
        let keeper = loop {
            if let Some(keeper) = Keeper::hire(&path, kind, source).map_err(io)? {
                break keeper;
            }
            // It starts or ends. If it neither ends nor serves, it is one that the user has to see to.
            let mount = mounted_at(&path).map_err(io)?.filter(|mount| is_of(mount, kind));
            let is_served = mount.is_some_and(|mount| serves(&mount).unwrap_or(true));
            if is_served || began.elapsed() > PATIENCE {
                return Err(PlaceError::InUse { path });
            }
            std::thread::sleep(AGAIN);
        };
        let mut cleaned_up = false;
        while let Some(mount) = mounted_at(&path).map_err(io)? {
            match (is_of(&mount, kind), serves(&mount).map_err(io)?) {
                (true, true) => return Err(PlaceError::InUse { path }),
                (true, false) => take_away(&mount).map_err(io)?,
                (false, true) => break,
                (false, false) => return Err(PlaceError::Dead { path }),
            }
            cleaned_up = true;
        }
        Ok(Place { path, keeper, cleaned_up })
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether what a process that was killed had left was taken away first. That happens only where what was
    /// to take it away was killed too.
    pub fn cleaned_up(&self) -> bool {
        self.cleaned_up
    }

    /// To be called before it is mounted.
    ///
    /// # Errors
    /// The system's reason why nobody would take the mount away.
    pub fn begin(&self) -> io::Result<()> {
        self.keeper.begin()
    }
}

/// Locks a directory for as long as the file lives, against others who serve the same `source`. False where
/// one does; one that was just killed is waited for.
///
/// # Errors
/// The system's reason.
pub fn lock_folder(folder: &File, source: &Path) -> io::Result<bool> {
    let began = Instant::now();
    loop {
        match rustix::fs::flock(folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) if began.elapsed() > PATIENCE || is_served(source)? => return Ok(false),
            Err(Errno::WOULDBLOCK) => std::thread::sleep(AGAIN),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The canonical path of something that may be mounted on, which is not looked at: what is mounted there need
/// not answer.
///
/// # Errors
/// The system's reason why there is no way to it.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let is_link = std::fs::read_link(path).is_ok();
    match path.file_name().filter(|_| !is_link) {
        Some(name) => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            Ok(std::fs::canonicalize(parent.unwrap_or(Path::new(".")))?.join(name))
        }
        None => std::fs::canonicalize(path),
    }
}
