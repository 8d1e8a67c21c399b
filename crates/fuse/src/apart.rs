//! Threads with descriptors of their own.
//!
//! A process that serves a mount must never wait for that mount with the descriptors of its connection open.
//! Killed while it waits, it has nobody left to answer it. The kernel ends what waits once the connection is
//! closed, but closes it only when the last thread that shares its descriptors has ended, and the thread that
//! waits is one of them: the process and the mount would hang for ever, whatever signals come.
//!
//! Therefore whatever asks the mount for something runs in a thread that shares no descriptors with any other
//! thread.
// To give a thread descriptors of its own, and to close those that it has by their numbers.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::thread::Builder;
use std::time::{Duration, Instant};

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Standard input, output and error stay: a panic is told there.
const LAST_STANDARD: RawFd = 2;

/// Gives the calling thread descriptors of its own, and closes all but the standard ones among them. The
/// other threads keep theirs.
///
/// # Safety
/// From now on the thread uses no descriptor that another thread opened, and no other thread uses one that
/// this one opens.
pub(crate) unsafe fn leave_descriptors() -> io::Result<()> {
    // SAFETY: no other thread is affected; this one uses none of the old descriptors, as the caller promises.
    unsafe { unshare_unsafe(UnshareFlags::FILES) }?;
    let open = Path::new("/proc/thread-self/fd");
    let mut numbers: Vec<RawFd> = Vec::new();
    for entry in std::fs::read_dir(open)? {
        numbers.extend(entry?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok()));
    }
    // That of the list itself is closed by now.
    let is_open = |number: &RawFd| open.join(number.to_string()).symlink_metadata().is_ok();
    for number in numbers.into_iter().filter(|number| *number > LAST_STANDARD && is_open(number)) {
        // SAFETY: a copy that nothing in this thread owns.
        unsafe { rustix::io::close(number) };
    }
    Ok(())
}

/// A read, as the program that makes it sees it.
#[derive(Debug)]
pub struct Read {
    /// When it was sent.
    pub sent: Instant,
    /// When the answer had come.
    pub answered: Instant,
    /// What was read.
    pub bytes: Vec<u8>,
}

/// Reads the first `length` bytes of a file on a mount that this process serves, `times` one after the other,
/// with a pause before each, as a program on the processors of the calling thread would.
///
/// # Errors
/// The system's reason why the file cannot be opened or has no more bytes.
pub fn read_apart(
    path: &Path,
    length: usize,
    times: usize,
    pause: Option<Duration>,
) -> io::Result<Vec<Read>> {
    apart(|| {
        let file = File::open(path)?;
        let mut reads = Vec::with_capacity(times);
        for _ in 0..times {
            let mut bytes = vec![0; length];
            pause.into_iter().for_each(std::thread::sleep);
            let sent = Instant::now();
            file.read_exact_at(&mut bytes, 0)?;
            reads.push(Read { sent, answered: Instant::now(), bytes });
        }
        Ok(reads)
    })
}

/// Has the kernel write to a mount that this process serves what it holds back of it.
///
/// # Errors
/// The system's reason.
pub fn sync_apart(mount: &Path) -> io::Result<()> {
    apart(|| Ok(rustix::fs::syncfs(File::open(mount)?)?))
}

/// Runs `work`, which neither uses nor gives back a descriptor that it has not opened itself.
fn apart<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = Builder::new().name("apart".into()).spawn_scoped(scope, || {
            // SAFETY: `work` opens what it uses, and the thread ends with it.
            unsafe { leave_descriptors() }?;
            work()
        })?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_a_thread_closes_or_opens_there_is_nothing_to_the_others() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "here").unwrap();
        let mut here = File::open(folder.path().join("a")).unwrap();
        let open = || fs::read_dir("/proc/thread-self/fd").unwrap().count();
        // The list's own descriptor is one of them.
        let there = apart(|| {
            let none = open();
            let _one = File::open("/dev/null")?;
            Ok((none, open()))
        });
        let there = there.unwrap();
        assert_eq!(there, (LAST_STANDARD as usize + 2, LAST_STANDARD as usize + 3));
        let mut text = String::new();
        here.read_to_string(&mut text).unwrap();
        assert_eq!(text, "here");
    }

    #[test]
    fn a_pipe_is_closed_though_a_thread_apart_was_started_while_it_was_open() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let (started, has_started) = std::sync::mpsc::channel();
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            apart(move || {
                started.send(()).unwrap();
                let _ = ends.recv();
                Ok(())
            })
        });
        has_started.recv().unwrap();
        drop(writer);
        let mut text = String::new();
        assert_eq!(reader.read_to_string(&mut text).unwrap(), 0);
        drop(end);
        thread.join().unwrap().unwrap();
    }

    #[test]
    fn a_file_is_read_from_its_beginning_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "abcdef").unwrap();
        let reads = read_apart(&path, 4, 3, None).unwrap();
        assert_eq!(reads.len(), 3);
        assert!(reads.iter().all(|read| read.bytes == b"abcd" && read.answered >= read.sent));
        assert!(read_apart(&path, 8, 1, None).is_err());
        sync_apart(folder.path()).unwrap();
    }
}
