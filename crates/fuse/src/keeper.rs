//! A process that outlives this one and takes its mount away, however this one ends.
//!
//! It is a shell that waits for the end of a pipe. The other end of the pipe belongs to a thread with
//! descriptors of its own, which does nothing else: it ends when the process is killed, whatever the other
//! threads wait for at that moment, and even if that is the mount.

use std::collections::hash_map::DefaultHasher;
use std::ffi::{OsStr, OsString};
use std::hash::{Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::apart::leave_descriptors;

const SHELL: &str = "/bin/sh";

const SCRIPT: &str = include_str!("keeper.sh");

/// What mountinfo writes as a number, in names and in sources.
const ESCAPED: &[u8] = b" \t\n\\";
const ESCAPED_IN_SOURCES: &[u8] = b" \t\n\\#";

/// The keeper of a mount point. One at a time has it.
#[derive(Debug)]
pub(crate) struct Keeper {
    /// Asks for the word that it is about to be mounted. `None` once there is nothing to be kept.
    ask: Option<Sender<Sender<io::Result<()>>>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the keeper of what will be mounted at `point` from `source`; `kind` is what the source begins
    /// with. `None` where the place has one: a mount of that kind is served there, or is being taken away.
    pub(crate) fn hire(point: &Path, kind: &str, source: &str) -> io::Result<Option<Keeper>> {
        let (ask, asked) = channel();
        let (tell, told) = channel();
        let (name, arguments) = (lock_name(point, kind), arguments(point, source));
        let thread = Builder::new().name("keeper".into()).spawn(move || {
            // SAFETY: the thread opens what it uses, and gives no descriptor away.
            #[allow(unsafe_code)]
            let left = unsafe { leave_descriptors() };
            match left.and_then(|()| start(&name, &arguments)) {
                Ok(Some(child)) => {
                    let _ = tell.send(Ok(true));
                    attend(child, &asked);
                }
                Ok(None) => drop(tell.send(Ok(false))),
                Err(error) => drop(tell.send(Err(error))),
            }
        })?;
        let hired = told.recv().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))?;
        Ok(hired.then_some(Keeper { ask: Some(ask), thread: Some(thread) }))
    }

    /// From now on the mount is taken away when this process ends without a word.
    pub(crate) fn begin(&self) -> io::Result<()> {
        let gone = || io::Error::other("the shell that was to take the mount away has ended");
        let (tell, told) = channel();
        self.ask.as_ref().and_then(|ask| ask.send(tell).ok()).ok_or_else(gone)?;
        told.recv().map_err(|_| gone())?
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.ask = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A name of the kernel's, which only one process has at a time and which is free when that ends.
fn lock_name(point: &Path, kind: &str) -> String {
    // Paths may be longer than such names.
    let mut hasher = DefaultHasher::new();
    point.hash(&mut hasher);
    format!("{kind}{:016x}", hasher.finish())
}

fn arguments(point: &Path, source: &str) -> [OsString; 4] {
    [
        escaped(point.as_os_str(), ESCAPED),
        escaped(OsStr::new(source), ESCAPED_IN_SOURCES),
        point.as_os_str().to_owned(),
        std::process::id().to_string().into(),
    ]
}

/// As mountinfo writes it.
fn escaped(text: &OsStr, which: &[u8]) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    for byte in text.as_bytes() {
        match which.contains(byte) {
            true => bytes.extend(format!("\\{byte:03o}").into_bytes()),
            false => bytes.push(*byte),
        }
    }
    OsString::from_vec(bytes)
}

fn start(lock_name: &str, arguments: &[OsString]) -> io::Result<Option<Child>> {
    let lock = match UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(lock_name)?) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Ok(None),
        lock => lock?,
    };
    let mut command = Command::new(SHELL);
    command.args(["-c", SCRIPT, "leadline-keeper"]).args(arguments);
    // Its standard output is the lock, which nobody else has then; its group is not that of a terminal.
    command.stdin(Stdio::piped()).stdout(OwnedFd::from(lock)).stderr(Stdio::null());
    command.current_dir("/").process_group(0);
    let started = command.spawn();
    started.map(Some).map_err(|error| io::Error::new(error.kind(), format!("{SHELL}: {error}")))
}

/// Tells the keeper what it has to know, until there is nothing to be kept.
fn attend(mut child: Child, asked: &Receiver<Sender<io::Result<()>>>) {
    let mut pipe = child.stdin.take();
    let say = |pipe: &mut Option<ChildStdin>| match pipe {
        Some(pipe) => pipe.write_all(b"\n"),
        None => Err(io::ErrorKind::BrokenPipe.into()),
    };
    let mut begun = false;
    for tell in asked {
        let said = say(&mut pipe);
        begun |= said.is_ok();
        let _ = tell.send(said);
    }
    if begun {
        let _ = say(&mut pipe);
    }
    drop(pipe);
    // It has nothing to do any more.
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: &str = "leadline-test:";

    #[test]
    fn names_are_written_as_mountinfo_writes_them() {
        let escaped = |which| escaped(OsStr::new("/a b\t#c\\d\ne\u{e4}"), which);
        assert_eq!(escaped(ESCAPED), "/a\\040b\\011#c\\134d\\012e\u{e4}");
        assert_eq!(escaped(ESCAPED_IN_SOURCES), "/a\\040b\\011\\043c\\134d\\012e\u{e4}");
    }

    #[test]
    fn a_place_has_one_keeper_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let hire = |name: &str| Keeper::hire(&folder.path().join(name), KIND, "leadline-test:x").unwrap();
        let first = hire("a").unwrap();
        assert!(hire("a").is_none());
        assert!(hire("b").is_some());
        first.begin().unwrap();
        drop(first);
        assert!(hire("a").is_some());
    }
}
