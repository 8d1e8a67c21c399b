//! Mounting a drive, and taking it away.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use fuser::{BackgroundSession, Config, INodeNo, MountOption, Notifier, Session};
use leadline_files::Space;
use leadline_fuse::Place;
use leadline_trace::capture::CaptureSummary;

use crate::device::EmulatedDevice;
use crate::drive::{Drive, Told};
use crate::faults::{Injector, Schedule};
use crate::fs::EmulatedFs;
use crate::layout::Layout;
use crate::node::ROOT;
use crate::pace::Pacer;
use crate::processors::{Awake, Processors};
use crate::report::Report;
use crate::shared::Shared;
use crate::volume::Volume;
use crate::{EmulateError, control, mounts, probe};

/// How often the programs' processor time is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The nice value of the drive's threads.
const MOST_URGENT: i32 = -20;

/// What is mounted, and how.
#[derive(Debug)]
#[non_exhaustive]
pub struct EmulateOptions {
    /// Directory that holds what is durable.
    pub backing: PathBuf,
    /// Empty directory to mount on.
    pub mount: PathBuf,
    /// How many times as long the device takes, 1 to 1,000,000.
    pub slowdown: f64,
    /// Faults that happen.
    pub faults: Schedule,
    /// Names become durable only when their directory is synced.
    pub strict: bool,
    /// Bytes written that may wait to become durable; the oldest become so before more do.
    pub cache_bytes: u64,
    /// A processor, by its number from 0, that times the answers and does nothing else for the drive;
    /// programs should be kept off it too. As root, idle processors also stay awake meanwhile. The ways in
    /// and out then are short, and the same every time.
    pub timing_processor: Option<usize>,
}

impl EmulateOptions {
    /// A device at its own pace, without faults, with a write cache of 256 MiB.
    pub fn new(backing: impl AsRef<Path>, mount: impl AsRef<Path>) -> EmulateOptions {
        EmulateOptions {
            backing: backing.as_ref().to_owned(),
            mount: mount.as_ref().to_owned(),
            slowdown: 1.0,
            faults: Schedule::default(),
            strict: false,
            cache_bytes: 256 << 20,
            timing_processor: None,
        }
    }
}

/// A mounted drive. Dropping it unmounts it, and makes everything durable first.
pub struct Emulator {
    mount: PathBuf,
    shared: Arc<Shared>,
    session: Option<BackgroundSession>,
    pace: Option<JoinHandle<()>>,
    control: Option<control::Server>,
    ended: Arc<AtomicBool>,
    /// Ours until the drive is unmounted.
    place: Place,
    /// Locked as long as the drive is there.
    _backing: File,
    _awake: Option<Awake>,
}

impl Emulator {
    /// Mounts a drive.
    ///
    /// # Errors
    /// [`EmulateError`]; nothing stays mounted then.
    pub fn mount(device: EmulatedDevice, options: EmulateOptions) -> Result<Emulator, EmulateError> {
        if !(1.0..=1e6).contains(&options.slowdown) {
            return Err(EmulateError::Slowdown { slowdown: options.slowdown });
        }
        let processors = options.timing_processor.map(Processors::apart).transpose()?;
        let awake = processors.as_ref().and_then(|_| Awake::keep());
        let backing = mounts::folder(&options.backing)?;
        let place = mounts::prepare(&options.mount, &backing)?;
        let mount = place.path().to_owned();
        let lock = lock_backing(&backing)?;
        leadline_fuse::check_device().map_err(|source| EmulateError::NoFuse { source })?;
        // More backing files can stay open then.
        leadline_fuse::raise_file_limit();
        let capacity = device.geometry.capacity_bytes;
        let pacer = Arc::new(Pacer::new(device.model, options.slowdown));
        let layout = Layout::new(capacity, device.placement);
        let volume = Volume::open(&backing, layout, options.strict, options.cache_bytes, Arc::clone(&pacer))
            .map_err(EmulateError::scan(&backing, capacity))?;
        let (tell, told) = channel();
        let drive = Arc::new(Drive::new(volume, pacer, Injector::new(options.faults), tell));
        let shared = Arc::new(Shared::new(Arc::clone(&drive), mount.clone(), device.name, options.slowdown));
        let failed = |source| EmulateError::Mount { path: options.mount.clone(), source };
        let begun = place
            .begin()
            .and_then(|()| start_threads(&drive, &mount, &config(&backing), processors.as_ref()));
        let (session, pace, inbox) = begun.map_err(failed).inspect_err(|_| {
            // The backing folder is as it was; that it could not be mounted is the error to tell.
            let _ = drive.volume.close();
        })?;
        let mut emulator = Emulator {
            mount,
            session: Some(session),
            pace: Some(pace),
            control: Some(control::Server::start(inbox, &shared)),
            shared,
            ended: Arc::default(),
            place,
            _backing: lock,
            _awake: awake,
        };
        emulator.begin(told, processors.as_ref()).inspect_err(|_| {
            // The first error is the one to tell.
            let _ = emulator.end();
        })?;
        Ok(emulator)
    }

    /// What begins once it is mounted.
    fn begin(&mut self, told: Receiver<Told>, processors: Option<&Processors>) -> Result<(), EmulateError> {
        let drive = &self.shared.drive;
        if let Some(session) = &self.session {
            drive.set_notifier(session.notifier());
            let notifier = session.notifier();
            std::thread::spawn(move || tell(&notifier, &told));
        }
        let io = |source| EmulateError::Mount { path: self.mount.clone(), source };
        let [requests, answers] = probe::overheads(&self.mount, processors, &drive.pacer).map_err(io)?;
        drive.pacer.request_overhead.set(requests.0, requests.1);
        drive.pacer.answer_overhead.set(answers.0, answers.1);
        drive.end_probing();
        let (watched, ended) = (Arc::clone(drive), Arc::clone(&self.ended));
        std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                watched.programs.look();
                std::thread::sleep(LOOK);
            }
        });
        Ok(())
    }

    /// Where it is mounted.
    pub fn mount_point(&self) -> &Path {
        &self.mount
    }

    /// Whether a mount that a killed emulator had left was taken away first.
    pub fn cleaned_up(&self) -> bool {
        self.place.cleaned_up()
    }

    /// Whether somebody has unmounted it.
    pub fn is_unmounted(&self) -> bool {
        self.session.as_ref().is_none_or(|session| session.guard.is_finished())
    }

    /// The state at this moment.
    pub fn report(&self) -> Report {
        self.shared.report()
    }

    /// Begins to record what reaches the drive into a capture at `path`, which appears when it is ended.
    ///
    /// # Errors
    /// [`EmulateError::Capture`] where no file can be made there, [`EmulateError::Refused`] where one is
    /// being made.
    pub fn start_trace(&self, path: impl AsRef<Path>) -> Result<(), EmulateError> {
        self.shared.start_trace(path.as_ref())
    }

    /// Ends the capture. Unmounting ends it too.
    ///
    /// # Errors
    /// [`EmulateError::Capture`] where not all of it could be written, [`EmulateError::Refused`] where none
    /// is being made.
    pub fn stop_trace(&self) -> Result<CaptureSummary, EmulateError> {
        self.shared.stop_trace()
    }

    /// Whether a capture is being made that cannot be written any further, such as on a full disk.
    pub fn has_trace_failed(&self) -> bool {
        self.shared.drive.captures.have_failed()
    }

    /// Unmounts it, makes everything durable, and reports.
    ///
    /// # Errors
    /// [`EmulateError::Unsaved`] where not everything could be made durable, [`EmulateError::Io`] where the
    /// kernel could not write what it held back, [`EmulateError::Capture`] where the trace could not be
    /// written.
    pub fn unmount(self) -> Result<Report, EmulateError> {
        let (report, ended) = self.finish();
        ended.map(|()| report)
    }

    /// The same, with the report also where something failed.
    ///
    /// # Errors
    /// As [`unmount`](Emulator::unmount).
    pub fn finish(mut self) -> (Report, Result<(), EmulateError>) {
        let ended = self.end();
        // What the kernel held back until then was recorded too.
        let trace = self.shared.drive.captures.stop(self.shared.drive.pacer.now()).transpose();
        let (trace, traced) = match trace {
            Ok(trace) => (trace, Ok(())),
            Err(error) => (None, Err(error.into())),
        };
        (Report { trace, ..self.report() }, ended.and(traced))
    }

    fn end(&mut self) -> Result<(), EmulateError> {
        let Some(session) = self.session.take() else { return Ok(()) };
        self.ended.store(true, Ordering::Relaxed);
        self.control = None;
        self.shared.drive.programs.look();
        // What the kernel holds back comes before the end, where nobody has unmounted it yet.
        let synced = match session.guard.is_finished() {
            true => Ok(()),
            false => leadline_fuse::sync_apart(&self.mount),
        };
        let failed_on_purpose = self.shared.drive.has_failed_on_purpose();
        self.shared.drive.pacer.stop();
        if let Some(pace) = self.pace.take() {
            // The pacer has nothing to answer any more, but what comes while unmounting is answered at once.
            let _ = pace.join();
        }
        let unmounted = session.umount_and_join();
        if unmounted.is_err() && mounts::is_mounted(&self.mount) {
            // A program has files open: it keeps them until it ends, and they lead nowhere.
            let _ = leadline_fuse::detach(&self.mount);
        }
        let io = |source: io::Error| EmulateError::Io { path: self.mount.clone(), source };
        let volume = &self.shared.drive.volume;
        volume.close().map_err(EmulateError::unsaved(volume.path()))?;
        match synced {
            // Unmounted from outside, or dead: the kernel had nothing then. And what it could not write
            // because that was asked for, such as pages of files that a power cut took, is no failure of the
            // end.
            Err(error) if error.kind() != io::ErrorKind::NotConnected && !failed_on_purpose => Err(io(error)),
            _ => Ok(()),
        }
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // Who wants to know of errors unmounts.
        let _ = self.end();
    }
}

impl std::fmt::Debug for Emulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emulator").field("mount", &self.mount).finish_non_exhaustive()
    }
}

/// The threads that take requests and those that answer. They go before the programs, as a drive's controller
/// does, where the system allows it. Commands can come before the first request is taken: whoever has seen
/// the mount answer can command it.
fn start_threads(
    drive: &Arc<Drive>,
    mount: &Path,
    config: &Config,
    processors: Option<&Processors>,
) -> io::Result<(BackgroundSession, JoinHandle<()>, control::Inbox)> {
    std::thread::scope(|scope| {
        // Threads have the priority of those that start them; the caller keeps its own.
        let starter = scope.spawn(|| {
            let _ = rustix::process::setpriority_process(None, MOST_URGENT);
            let (pacing, apart) = (Arc::clone(drive), processors.cloned());
            let pace = std::thread::Builder::new().name("pace".into()).spawn(move || {
                apart.iter().for_each(Processors::time_here);
                pacing.pacer.run();
            })?;
            processors.into_iter().for_each(Processors::serve_here);
            let mounted = Session::new(EmulatedFs::new(Arc::clone(drive)), mount, config);
            let begun = mounted.and_then(|session| {
                let inbox = control::Inbox::open(mount)?;
                Ok((session.spawn()?, inbox))
            });
            let (session, inbox) = begun.inspect_err(|_| drive.pacer.stop())?;
            Ok((session, pace, inbox))
        });
        starter.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
    })
}

/// Tells the kernel which names to forget after a power cut, and what to write.
fn tell(notifier: &Notifier, told: &Receiver<Told>) {
    for told in told {
        match told {
            Told::Withdrawn(cut) => {
                for name in &cut.names {
                    // Names that the kernel never asked for it does not know.
                    let _ = notifier.inval_entry(INodeNo(ROOT), name);
                }
                let _ = notifier.inval_inode(INodeNo(ROOT), 0, 0);
            }
            Told::Written(ino, then) => {
                // Pages that it has to forget are written first, and all of them are: from the beginning on.
                let _ = notifier.inval_inode(INodeNo(ino), 0, 0);
                then();
            }
        }
    }
}

fn config(backing: &Path) -> Config {
    // PostgreSQL refuses to run as root, who mounts: as root the mount is open to all users.
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8));
    leadline_fuse::options(mounts::source(backing), threads, &[MountOption::NoDev, MountOption::NoSuid])
}

/// Refuses a directory that another emulator uses, or on a file system without space.
fn lock_backing(backing: &Path) -> Result<File, EmulateError> {
    let io = |source| EmulateError::Io { path: backing.to_owned(), source };
    if Space::of(backing).map_err(io)?.available_bytes == 0 {
        return Err(EmulateError::NoSpace { path: backing.to_owned() });
    }
    let file = File::open(backing).map_err(io)?;
    match leadline_fuse::lock_folder(&file, Path::new(&mounts::source(backing))).map_err(io)? {
        true => Ok(file),
        false => Err(EmulateError::BackingInUse { path: backing.to_owned() }),
    }
}
