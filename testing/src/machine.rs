//! Loop devices and mounts for the tests; each is taken down when dropped, on panic too.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the rest of a test only as root; says so where it does not.
#[macro_export]
macro_rules! needs_root {
    () => {
        if !$crate::machine::is_root() {
            $crate::machine::skipped(&format!("needs root ({}:{})", file!(), line!()));
            return;
        }
    };
}
pub use crate::needs_root;

/// Whether root runs the tests.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Says that a test was skipped, past the test harness, which hides what passing tests print.
pub fn skipped(why: &str) {
    // One write, so that lines of several tests do not mix.
    let _ = std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes());
}

/// Runs a command, and returns what it printed if it succeeded.
pub fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        Ok(output) => {
            eprintln!("{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            None
        }
        Err(error) => {
            eprintln!("{program}: {error}");
            None
        }
    }
}

/// Does what must work once a file was closed. A process that another test spawns holds copies of all open
/// files, and with them their locks, for the moment between its fork and its exec.
pub fn soon<T, E: std::fmt::Display>(mut attempt: impl FnMut() -> Result<T, E>) -> T {
    for _ in 0..40 {
        if let Ok(done) = attempt() {
            return done;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    attempt().unwrap_or_else(|error| panic!("{error}"))
}

/// Undoes something when dropped.
pub struct Undo(&'static str, Vec<String>);

impl Undo {
    /// By this command.
    pub fn by(program: &'static str, arguments: &[&str]) -> Self {
        Undo(program, arguments.iter().map(ToString::to_string).collect())
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let arguments: Vec<&str> = self.1.iter().map(String::as_str).collect();
        for _ in 0..20 {
            if run(self.0, &arguments).is_some() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
}

/// A file system mounted on a directory of its own.
pub struct Mounted {
    // Dropped in this order: unmounted, then the directory removed.
    _undo: Undo,
    dir: tempfile::TempDir,
}

impl Mounted {
    /// `None` where the machine does not let it.
    pub fn new(fs_type: &str, source: &Path, options: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let (source, point) = (source.to_str().unwrap(), dir.path().to_str().unwrap());
        run("mount", &["-t", fs_type, "-o", options, source, point])?;
        Some(Mounted { _undo: Undo::by("umount", &[point]), dir })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// A loop device over an image of 16 MiB with a pattern in it.
pub struct Loop {
    _undo: Undo,
    /// `/dev/loopN`.
    pub device: PathBuf,
    image: PathBuf,
    _dir: Option<tempfile::TempDir>,
}

impl Loop {
    /// `None`, with a line that says so, where the machine has no loop devices.
    pub fn new(prepare: impl FnOnce(&Path)) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let image = dir.path().join("image");
        let pattern: Vec<u8> =
            (0..16_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        fs::write(&image, pattern).unwrap();
        prepare(&image);
        let mut made = Loop::over(&image)?;
        made._dir = Some(dir);
        Some(made)
    }

    /// A loop device over something that exists.
    pub fn over(image: &Path) -> Option<Self> {
        let device = run("losetup", &["-f", "--show", image.to_str().unwrap()]);
        let Some(device) = device else {
            skipped("no loop device to be had");
            return None;
        };
        let device = device.trim();
        let undo = Undo::by("losetup", &["-d", device]);
        Some(Loop { _undo: undo, device: device.into(), image: image.into(), _dir: None })
    }

    /// The device as text.
    pub fn name(&self) -> &str {
        self.device.to_str().unwrap()
    }

    /// Every byte of the image, with all that was written to the device in it.
    pub fn bytes(&self) -> Vec<u8> {
        File::open(&self.device).unwrap().sync_all().unwrap();
        fs::read(&self.image).unwrap()
    }
}
