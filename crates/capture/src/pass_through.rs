//! A directory while it is captured.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fuser::{BackgroundSession, Config, MountOption};
use leadline_fuse::Place;
use leadline_trace::capture::{CaptureSummary, Recorder};

use crate::fs::PassThroughFs;
use crate::nodes::{Nodes, open_folder};
use crate::record::Recording;
use crate::{CaptureError, mount};

/// Requests that are under way in the directory below at the same time: each keeps a thread busy.
const THREADS: usize = 32;

/// So long the threads may take to end once the kernel has let go.
const ENDING: Duration = Duration::from_secs(10);

/// A directory with a pass-through mounted over it that records every request.
pub struct PassThrough {
    session: Option<BackgroundSession>,
    recording: Arc<Recording>,
    /// Ours until it is unmounted.
    place: Place,
}

impl PassThrough {
    /// Mounts a pass-through over `folder`, and records what reaches it into a capture at `file`, which
    /// appears when it is finished.
    ///
    /// # Errors
    /// [`CaptureError`] says what is wrong with the directory, the file or the system. Nothing is mounted
    /// then.
    pub fn mount(folder: &Path, file: &Path) -> Result<PassThrough, CaptureError> {
        let place = mount::prepare(folder)?;
        let path = place.path();
        mount::check_outside(file, path)?;
        leadline_fuse::check_device().map_err(|source| CaptureError::NoFuse { source })?;
        let io = |source| CaptureError::Io { path: path.to_owned(), source };
        // Opened before the mount hides it.
        let below = open_folder(path).and_then(Nodes::new);
        let nodes = below.map_err(|error| io(error.into()))?;
        let recording = Arc::new(Recording::new(Recorder::create(file)?));
        let fs = PassThroughFs::new(nodes, Arc::clone(&recording));
        place.begin().map_err(io)?;
        let session = fuser::spawn_mount(fs, path, &config(path))
            .map_err(|source| CaptureError::Mount { path: folder.to_owned(), source })?;
        Ok(PassThrough { session: Some(session), recording, place })
    }

    /// The directory, by its canonical path.
    pub fn folder(&self) -> &Path {
        self.place.path()
    }

    /// Whether a mount that a killed capture had left was taken away first.
    pub fn cleaned_up(&self) -> bool {
        self.place.cleaned_up()
    }

    /// Whether the capture cannot be written any further, such as on a full disk. The directory can still be
    /// used.
    pub fn has_failed(&self) -> bool {
        self.recording.recorder.has_failed()
    }

    /// Lets this process have as many files open as it may: one below is open for each file that the kernel
    /// knows, as long as that is no more than half of them. To be called once the
    /// program was started, which would inherit it.
    pub fn raise_file_limit(&self) {
        leadline_fuse::raise_file_limit();
    }

    /// Takes the mount away unless a program uses it, which is false: one that has files of the directory
    /// open, or is in it.
    ///
    /// # Errors
    /// [`CaptureError::Io`].
    pub fn unmount(&mut self) -> Result<bool, CaptureError> {
        let Some(session) = &self.session else { return Ok(true) };
        let io = |source| CaptureError::Io { path: self.folder().to_owned(), source };
        let is_gone = session.guard.is_finished()
            || !leadline_fuse::is_mounted(self.folder(), mount::KIND).map_err(io)?;
        if !is_gone && !leadline_fuse::unmount(self.folder()).map_err(io)? {
            return Ok(false);
        }
        self.let_go();
        Ok(true)
    }

    /// Takes the mount away even if programs use it. What they have open leads on to the directory until this
    /// process ends, and nowhere after that.
    ///
    /// # Errors
    /// [`CaptureError::Io`].
    pub fn detach(&mut self) -> Result<(), CaptureError> {
        let Some(session) = self.session.take() else { return Ok(()) };
        // It would unmount what lies below, if that is a mount too.
        std::mem::forget(session);
        let io = |source| CaptureError::Io { path: self.folder().to_owned(), source };
        leadline_fuse::detach(self.folder()).map_err(io)
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
        f.debug_struct("PassThrough").field("folder", &self.folder()).finish_non_exhaustive()
    }
}

fn config(folder: &Path) -> Config {
    // What works in the folder works in the capture; plain users may not mount like that.
    let as_below: &[MountOption] = match rustix::process::geteuid().is_root() {
        true => &[MountOption::Dev, MountOption::Suid],
        false => &[],
    };
    leadline_fuse::options(format!("{}{}", mount::KIND, folder.display()), THREADS, as_below)
}
