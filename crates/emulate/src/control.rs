//! Commands to an emulator that runs: a socket whose name follows from the mount's device number, so that a
//! command needs only the mount point, and nothing stays behind when the emulator is killed.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use leadline_trace::capture::CaptureSummary;
use serde::{Deserialize, Serialize};

use crate::device::EmulatedDevice;
use crate::enumerate::enumerate;
use crate::faults::{FaultKind, FaultSpec};
use crate::mounts;
use crate::report::Report;
use crate::shared::Shared;
use crate::survivors::{PowerCut, Survivors};
use crate::{EmulateError, faults::FileOperation};

/// How long a command waits for its answer.
const PATIENCE: Duration = Duration::from_secs(600);

/// How long a process that was killed may take to be gone, and how often it is looked whether it is.
const GONE: Duration = Duration::from_secs(20);
const AGAIN: Duration = Duration::from_millis(10);

/// How long a mount may be there without anybody who takes commands: between the two, which the kernel does
/// not let be one, or since the emulator was killed.
const UNHEARD: Duration = Duration::from_secs(2);

/// Longest command, bytes.
const LONGEST: u64 = 1 << 20;

/// A command to a mounted drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Command {
    /// The counters so far.
    Counters,
    /// Cuts the power; some of what is not durable survives, by this seed, or nothing without one.
    PowerCut {
        /// Of the choice of survivors.
        seed: Option<u64>,
    },
    /// Writes folders as power cuts could leave them at this moment, and cuts nothing.
    Enumerate {
        /// An empty folder for them.
        into: PathBuf,
        /// No more than so many.
        most: usize,
    },
    /// A fault, once, at the next operation that it can befall.
    Inject {
        /// What goes wrong.
        kind: FaultKind,
        /// The operation, or whichever comes.
        operation: Option<FileOperation>,
        /// Glob of the files it may befall.
        path: Option<String>,
        /// How long, of a stall and a slow period.
        seconds: Option<f64>,
        /// How often; `None` for ever.
        times: Option<u64>,
    },
    /// Where a file lies on the device.
    Map {
        /// Path from the root of the mount.
        file: PathBuf,
    },
    /// Another device from now on.
    Device {
        /// As for a mount.
        name: String,
    },
    /// Begins to record what reaches the drive.
    StartTrace {
        /// The capture's file, which appears when it is ended.
        into: PathBuf,
    },
    /// Ends what [`Command::StartTrace`] began.
    StopTrace,
    /// Whether the drive is ready: what the kernel and FUSE take is measured.
    IsReady,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Answer {
    /// To [`Command::Counters`].
    Counters(Box<Report>),
    /// To [`Command::PowerCut`].
    PowerCut(PowerCut),
    /// To [`Command::Enumerate`]: folders written.
    Enumerated(usize),
    /// To [`Command::Map`]: offset in the file, offset on the device, length, all in bytes.
    Map(Vec<[u64; 3]>),
    /// To [`Command::StopTrace`].
    Captured(CaptureSummary),
    /// To [`Command::Inject`], [`Command::Device`] and [`Command::StartTrace`].
    Done,
    /// To [`Command::IsReady`].
    IsReady(bool),
    /// Why it was not done.
    Refused(String),
}

fn address(device_number: u64) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("leadline-emulate-{device_number}"))
}

/// Sends a command to the drive mounted at `mount`.
///
/// # Errors
/// [`EmulateError::NotMounted`]; [`EmulateError::Refused`] with the emulator's reason.
pub fn send(mount: impl AsRef<Path>, command: &Command) -> Result<Answer, EmulateError> {
    let mount = mount.as_ref();
    let io = |source| EmulateError::Io { path: mount.to_owned(), source };
    let mut stream = connect(mount)?;
    let mut ask = || -> io::Result<Answer> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut line = serde_json::to_vec(command)?;
        line.push(b'\n');
        stream.write_all(&line)?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(serde_json::from_str(&text)?)
    };
    match ask() {
        Ok(Answer::Refused(reason)) => Err(EmulateError::Refused { reason }),
        Ok(answer) => Ok(answer),
        Err(error) => Err(io(error)),
    }
}

/// A connection to the emulator of a mount.
fn connect(mount: &Path) -> Result<UnixStream, EmulateError> {
    let io = |source| EmulateError::Io { path: mount.to_owned(), source };
    let began = Instant::now();
    loop {
        let number = mounts::device_number(mount)?;
        match UnixStream::connect_addr(&address(number).map_err(io)?) {
            Err(error) if error.kind() != io::ErrorKind::ConnectionRefused => return Err(io(error)),
            Err(_) if began.elapsed() > UNHEARD => {
                return Err(EmulateError::NotMounted { path: mount.to_owned() });
            }
            Err(_) => std::thread::sleep(AGAIN),
            Ok(stream) => return Ok(stream),
        }
    }
}

/// Waits until a drive is mounted at `mount` and ready for programs: from then on nothing of the emulator's
/// own is in their way.
///
/// # Errors
/// [`EmulateError::NotMounted`] where that is not so within `patience`, and what [`send`] has.
pub fn wait(mount: impl AsRef<Path>, patience: Duration) -> Result<(), EmulateError> {
    let (mount, began) = (mount.as_ref(), Instant::now());
    loop {
        match send(mount, &Command::IsReady) {
            Ok(Answer::IsReady(true)) => return Ok(()),
            Ok(_) | Err(EmulateError::NotMounted { .. }) if began.elapsed() < patience => {
                std::thread::sleep(AGAIN);
            }
            Ok(_) => return Err(EmulateError::NotMounted { path: mount.to_owned() }),
            Err(error) => return Err(error),
        }
    }
}

/// The number of a mount that was taken away is given to the next one: its emulator, which was killed, may
/// take a moment to be gone.
fn bind(address: &SocketAddr) -> io::Result<UnixListener> {
    let began = Instant::now();
    loop {
        match UnixListener::bind_addr(address) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && began.elapsed() < GONE => {
                std::thread::sleep(AGAIN);
            }
            bound => return bound,
        }
    }
}

/// Where commands come in; they wait until a [`Server`] answers them.
pub(crate) struct Inbox {
    address: SocketAddr,
    listener: UnixListener,
}

impl Inbox {
    /// Of what is mounted at `mount`, a canonical path.
    pub(crate) fn open(mount: &Path) -> io::Result<Inbox> {
        let mounted = leadline_fuse::mounted_at(mount)?.ok_or(io::ErrorKind::NotFound)?;
        let address = address(leadline_fuse::device_number(&mounted))?;
        Ok(Inbox { listener: bind(&address)?, address })
    }
}

/// Answers commands until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(inbox: Inbox, shared: &Arc<Shared>) -> Server {
        let Inbox { address, listener } = inbox;
        let ended = Arc::new(AtomicBool::new(false));
        let (shared, ends) = (Arc::clone(shared), Arc::clone(&ended));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                // Who asks badly gets no answer, and the next one is served.
                let _ = answer(stream, &shared);
            }
        });
        Server { address, ended, thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // The thread waits for somebody to call.
        if UnixStream::connect_addr(&self.address).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: UnixStream, shared: &Shared) -> io::Result<()> {
    // Cutting the power is for whoever mounted the drive, and root.
    let peer = rustix::net::sockopt::socket_peercred(&stream)?;
    let own = rustix::process::geteuid();
    let answer = if peer.uid != own && !peer.uid.is_root() {
        Answer::Refused("only the user who mounted the drive may control it".into())
    } else {
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        let mut line = String::new();
        BufReader::new(&stream).take(LONGEST).read_line(&mut line)?;
        match serde_json::from_str(&line) {
            Ok(command) => carry_out(command, shared).unwrap_or_else(Answer::Refused),
            Err(error) => Answer::Refused(format!("not a command: {error}")),
        }
    };
    stream.write_all(&serde_json::to_vec(&answer)?)
}

fn carry_out(command: Command, shared: &Shared) -> Result<Answer, String> {
    let drive = &shared.drive;
    let cut = |survivors, kind| {
        let (cut, forgotten) = drive.power_cut(survivors).map_err(|error| format!("{error:?}"))?;
        drive.injector().count(kind);
        // Until then a program may find names and lengths that are lost.
        forgotten.wait();
        Ok(Answer::PowerCut(cut))
    };
    match command {
        Command::Counters => Ok(Answer::Counters(Box::new(shared.report()))),
        Command::PowerCut { seed: None } => cut(Survivors::None, FaultKind::PowerCut),
        Command::PowerCut { seed: Some(seed) } => {
            cut(Survivors::Random(fastrand::Rng::with_seed(seed)), FaultKind::PowerCutRandom)
        }
        Command::Enumerate { into, most } => {
            shared.check_elsewhere(&into)?;
            enumerate(&drive.volume, &into, most)
                .map(Answer::Enumerated)
                .map_err(|error| format!("{}: {error}", into.display()))
        }
        Command::Inject { kind, operation, path, seconds, times } => {
            let mut fault = FaultSpec::once(kind);
            if let Some(operation) = operation
                && !kind.befalls(operation)
            {
                return Err(format!("{} does not befall {}", kind.name(), operation.name()));
            }
            fault.operation = operation;
            fault.path = match path {
                Some(path) => {
                    // As in a schedule.
                    let pattern = glob::Pattern::new(path.trim_start_matches('/'));
                    Some(pattern.map_err(|error| format!("{path}: {}", error.msg))?)
                }
                None => None,
            };
            fault.seconds = seconds.unwrap_or(fault.seconds);
            fault.times = times;
            drive.injector().arm(fault);
            Ok(Answer::Done)
        }
        Command::Map { file } => {
            let extents = drive
                .map(&file)
                .map_err(|error| format!("{}: {}", file.display(), io::Error::from(error)))?;
            Ok(Answer::Map(extents.iter().map(|(at, e)| [*at, e.offset, e.len]).collect()))
        }
        Command::Device { name } => {
            let device =
                EmulatedDevice::open(&name, Some(drive.volume.space().0)).map_err(|e| e.to_string())?;
            if device.placement.as_ref() != drive.volume.layout().placement() {
                return Err(format!("{name}: files would have to move: their places are fixed at the mount"));
            }
            shared.exchange(device);
            Ok(Answer::Done)
        }
        Command::StartTrace { into } => {
            shared.start_trace(&into).map(|()| Answer::Done).map_err(|error| error.to_string())
        }
        Command::IsReady => Ok(Answer::IsReady(!drive.is_probing())),
        Command::StopTrace => shared.stop_trace().map(Answer::Captured).map_err(|error| error.to_string()),
    }
}
