//! A captured folder is used as any folder is, and the capture says what was asked of it.

mod faithful;
mod recorded;
mod refused;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use leadline_capture::{CaptureSummary, PassThrough};
use leadline_trace::capture::{Event, Operation, Reader, Thread};
use tempfile::TempDir;

/// Whether file systems can be mounted here.
fn can_mount() -> bool {
    let can = File::options().read(true).write(true).open("/dev/fuse").is_ok();
    if !can {
        eprintln!("SKIPPED: /dev/fuse cannot be opened here");
    }
    can
}

/// A folder `db`, captured into `x.capture` beside it.
struct Captured {
    dir: TempDir,
    mounted: Option<PassThrough>,
}

/// What the capture of a folder holds.
struct Found {
    summary: CaptureSummary,
    events: Vec<Event>,
    files: Vec<String>,
    threads: Vec<Thread>,
}

impl Captured {
    /// With files that were there before: name and content.
    fn with(before: &[(&str, &[u8])]) -> Captured {
        // On the file system of the build: a disk, where /tmp may be memory.
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(dir.path().join("db")).unwrap();
        for (name, content) in before {
            std::fs::write(dir.path().join("db").join(name), content).unwrap();
        }
        let mounted = PassThrough::mount(&dir.path().join("db"), &dir.path().join("x.capture")).unwrap();
        Captured { dir, mounted: Some(mounted) }
    }

    fn new() -> Captured {
        Captured::with(&[])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("db").join(name)
    }

    /// Unmounts, and reads the capture; the folder is as it was left.
    fn end(&mut self) -> Found {
        let mut mounted = self.mounted.take().unwrap();
        while !mounted.unmount().unwrap() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let summary = mounted.finish().unwrap();
        let mut reader = Reader::open(self.dir.path().join("x.capture").to_str().unwrap()).unwrap();
        let mut events = Vec::new();
        while let Some(event) = reader.next_event().unwrap() {
            events.push(event);
        }
        Found { summary, events, files: reader.files().to_vec(), threads: reader.threads().to_vec() }
    }
}

impl Found {
    /// Operation, offset and length of what was asked of a file.
    fn of(&self, name: &str) -> Vec<(Operation, u64, u64)> {
        let of = |event: &&Event| self.files[event.file as usize] == name;
        self.events.iter().filter(of).map(|e| (e.operation, e.offset, e.length)).collect()
    }
}

fn is_mounted(path: &Path) -> bool {
    let path = path.to_str().unwrap();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    mounts.lines().any(|line| line.split(' ').nth(4) == Some(path))
}
