//! A folder while it is captured.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fuser::{BackgroundSession, Config, MountOption, SessionACL};
use leadline_trace::capture::{CaptureSummary, Recorder};

use crate::fs::PassThroughFs;
use crate::nodes::{Nodes, open_folder};
use crate::record::Recording;
use crate::{CaptureError, mount};

/// Requests that are under way in the folder below at the same time: each keeps a thread busy.
const THREADS: usize = 32;

/// So long the threads may take to end once the kernel has let go.
const ENDING: Duration = Duration::from_secs(10);

/// A folder with a pass-through mounted over it that records every request.
pub struct PassThrough {
    folder: PathBuf,
    session: Option<BackgroundSession>,
    recording: Arc<Recording>,
    cleaned_up: bool,
}

impl PassThrough {
    /// Mounts a pass-through over `folder`, and records what reaches it into a capture at `file`, which
    /// appears when it is finished.
    ///
    /// # Errors
    /// [`CaptureError`] says what is wrong with the folder, the file or the system. Nothing is mounted then.
    pub fn mount(folder: &Path, file: &Path) -> Result<PassThrough, CaptureError> {
        let (path, cleaned_up) = mount::prepare(folder)?;
        mount::check_outside(file, &path)?;
        let openable = File::options().read(true).write(true).open("/dev/fuse");
        openable.map_err(|source| CaptureError::NoFuse { source })?;
        let io = |error: rustix::io::Errno| CaptureError::Io { path: path.clone(), source: error.into() };
        // Opened before the mount hides it.
        let nodes = Nodes::new(open_folder(&path).map_err(io)?).map_err(io)?;
        let recording = Arc::new(Recording::new(Recorder::create(file)?));
        let fs = PassThroughFs::new(nodes, Arc::clone(&recording));
        let session = fuser::spawn_mount(fs, &path, &config(&path))
            .map_err(|source| CaptureError::Mount { path: folder.to_owned(), source })?;
        Ok(PassThrough { folder: path, session: Some(session), recording, cleaned_up })
    }

    /// The folder, by its canonical path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a mount that a killed capture had left was taken away first.
    pub fn cleaned_up(&self) -> bool {
        self.cleaned_up
    }

    /// Whether the capture cannot be written any further, such as on a full disk. The folder can still be
    /// used.
    pub fn has_failed(&self) -> bool {
        self.recording.recorder.has_failed()
    }

    /// Lets this process have as many files open as it may: one below is open for each file that the kernel
    /// knows. To be called once the program was started, which would inherit it.
    pub fn raise_file_limit(&self) {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // Where it cannot be raised, programs with many files get EMFILE sooner.
        let _ = setrlimit(Resource::Nofile, limit);
    }

    /// Takes the mount away unless a program uses it, which is false: one that has files of the folder open,
    /// or is in it.
    ///
    /// # Errors
    /// [`CaptureError::Io`].
    pub fn unmount(&mut self) -> Result<bool, CaptureError> {
        let Some(session) = &self.session else { return Ok(true) };
        let is_gone = session.guard.is_finished() || !mount::is_mounted(&self.folder)?;
        let io = |source| CaptureError::Io { path: self.folder.clone(), source };
        if !is_gone && !mount::unmount(&self.folder).map_err(io)? {
            return Ok(false);
        }
        self.let_go();
        Ok(true)
    }

    /// Takes the mount away even if programs use it. What they have open leads on to the folder until this
    /// process ends, and nowhere after that.
    ///
    /// # Errors
    /// [`CaptureError::Io`].
    pub fn detach(&mut self) -> Result<(), CaptureError> {
        let Some(session) = self.session.take() else { return Ok(()) };
        // It would unmount what lies below, if that is a mount too.
        std::mem::forget(session);
        let io = |source| CaptureError::Io { path: self.folder.clone(), source };
        mount::detach(&self.folder).map_err(io)
    }

    /// Ends the capture, whose file appears. A mount that is still there is detached.
    ///
    /// # Errors
    /// [`CaptureError::Trace`] where not all of it could be written; there is no file then.
    pub fn finish(mut self) -> Result<CaptureSummary, CaptureError> {
        if !self.unmount()? {
            self.detach()?;
        }
        Ok(self.recording.recorder.finish(self.recording.now_ns())?)
    }

    /// Waits for the threads, which end when the kernel has let go of the mount.
    fn let_go(&mut self) {
        let Some(session) = self.session.take() else { return };
        let since = Instant::now();
        while !session.guard.is_finished() && since.elapsed() < ENDING {
            std::thread::sleep(Duration::from_millis(1));
        }
        // It would unmount what lies below, if that is a mount too and the kernel is slow to let go.
        std::mem::forget(session);
    }
}

impl Drop for PassThrough {
    fn drop(&mut self) {
        if !self.unmount().unwrap_or(false) {
            let _ = self.detach();
        }
    }
}

impl std::fmt::Debug for PassThrough {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassThrough").field("folder", &self.folder).finish_non_exhaustive()
    }
}

fn config(folder: &Path) -> Config {
    let is_root = rustix::process::geteuid().is_root();
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::FSName(format!("{}{}", mount::SOURCE, folder.display())),
        // The kernel checks permissions, as it does below.
        MountOption::DefaultPermissions,
    ];
    if is_root {
        // What works in the folder works in the capture; plain users may not mount like that.
        config.mount_options.extend([MountOption::Dev, MountOption::Suid]);
    }
    config.acl = if is_root { SessionACL::All } else { SessionACL::Owner };
    config.n_threads = Some(THREADS);
    config.clone_fd = true;
    config
}
