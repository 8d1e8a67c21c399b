//! Commands to an emulator that runs: a socket whose name follows from the mount's device number, so that a
//! command needs only the mount point, and nothing stays behind when the emulator is killed.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::EmulateError;
use crate::carry_out::carry_out;
use crate::command::{Answer, Command};
use crate::mounts;
use crate::shared::Shared;

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

fn address(device_number: u64) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("leadline-emulate-{device_number}"))
}

/// Sends a command to the drive mounted at `mount`.
///
/// # Errors
/// [`EmulateError::NotMounted`]; [`EmulateError::Refused`] and [`EmulateError::NotDone`] with the emulator's
/// reason.
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
        Ok(Answer::Failed(reason)) => Err(EmulateError::NotDone { reason }),
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
                let _ = answer(stream, &shared, &ends);
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

fn answer(mut stream: UnixStream, shared: &Shared, ended: &AtomicBool) -> io::Result<()> {
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
            Ok(command) => carry_out(command, shared, ended).unwrap_or_else(|error| {
                let reason = error.to_string();
                if error.is_bad_input() { Answer::Refused(reason) } else { Answer::Failed(reason) }
            }),
            Err(error) => Answer::Refused(format!("not a command: {error}")),
        }
    };
    stream.write_all(&serde_json::to_vec(&answer)?)
}
