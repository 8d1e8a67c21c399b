//! A made-up system: its PATH holds only what a test puts there, and its cargo, apt-get
//! and rustup are scripts that write down how they were called. Nothing is installed for real.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

const PROGRAMS: [&str; 23] = [
    "ceph-conf",
    "chromium",
    "db_bench",
    "etcd",
    "fio",
    "fusermount3",
    "java",
    "losetup",
    "mariadb",
    "mariadbd",
    "mkfs.ext4",
    "modprobe",
    "npm",
    "pg_ctlcluster",
    "python3",
    "redis-check-rdb",
    "rpmbuild",
    "sfdisk",
    "sqlite3",
    "sysbench",
    "sysctl",
    "systemd-hwdb",
    "unshare",
];
pub(super) const PYTHON_PACKAGES: &str = "python/requirements-test.txt";

/// An environment's Python, as far as wheels are concerned: what is installed is a program.
pub(super) const INSTALLS: &str = r#"
case "$*" in
    *sysconfig*) packages="${0%/bin/python}/packages"; /bin/mkdir -p "$packages"; echo "$packages" ;;
    *" install "*.whl)
        echo '#!/bin/sh
            [ "$1" = --version ] && echo leadline 0.1.0 || echo "{\"schema\":\"leadline.profile/1.0\"}"' \
            > "${0%/python}/leadline"
        /bin/chmod +x "${0%/python}/leadline" ;;
    *" uninstall "*) /bin/rm "${0%/python}/leadline" ;;
esac"#;

/// What makes wheels of what cargo says that it has built.
const MATURIN: &str = r#"
PATH=/bin "$CARGO" rustc | /bin/grep -q made/up/libleadline_python.so || exit 9
: > "$3/leadline-0.1.0-cp310-abi3-linux_x86_64.whl""#;

/// One test at a time: a script that is still open for writing in a process another test is starting cannot
/// be run ("text file busy").
static TURN: Mutex<()> = Mutex::new(());

pub(super) struct System {
    _turn: MutexGuard<'static, ()>,
    pub(super) folder: TempDir,
    xtask: PathBuf,
}

pub(super) struct Outcome {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl System {
    /// A system with a cargo that does nothing, well.
    pub(super) fn new() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        // Open to the plain user that some tests become, and with a copy of xtask that it may read.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let xtask = folder.path().join("xtask");
        fs::copy(env!("CARGO_BIN_EXE_xtask"), &xtask).unwrap();
        let system = System { _turn: turn, folder, xtask };
        fs::create_dir(system.bin()).unwrap();
        system.script("cargo", "");
        system
    }

    pub(super) fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// A program that writes its name and arguments to the log, then does `body`.
    pub(super) fn script(&self, name: &str, body: &str) {
        let text = format!("#!/bin/sh\necho {name} \"$@\" >> {}\n{body}\n", self.log().display());
        let file = self.bin().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// With all that a set-up looks for.
    pub(super) fn with_programs(self) -> Self {
        PROGRAMS.iter().for_each(|program| self.script(program, ""));
        let python = self.python("");
        fs::create_dir_all(self.target().join("python/bin")).unwrap();
        fs::copy(python, self.target().join("python/bin/python")).unwrap();
        fs::copy(top().join(PYTHON_PACKAGES), self.target().join("python/installed.txt")).unwrap();
        self.script("maturin", MATURIN);
        fs::rename(self.bin().join("maturin"), self.target().join("python/bin/maturin")).unwrap();
        let axe = self.target().join("axe");
        fs::create_dir_all(axe.join("node_modules")).unwrap();
        fs::copy(top().join("crates/report/tests/axe/package-lock.json"), axe.join("package-lock.json"))
            .unwrap();
        fs::write(axe.join("node_modules/.package-lock.json"), "").unwrap();
        self
    }

    /// Where xtask keeps what it makes.
    pub(super) fn target(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// A python3 that makes environments, each with a `python` that does `body` and installs wheels. One such
    /// `python` is returned.
    pub(super) fn python(&self, body: &str) -> PathBuf {
        self.script("python", &format!("{body}{INSTALLS}"));
        let python = self.bin().join("python");
        let copy = format!("/bin/mkdir -p \"$4/bin\"; /bin/cp {} \"$4/bin/python\"", python.display());
        self.script("python3", &format!("[ \"$2\" != venv ] || {{ {copy}; }}"));
        python
    }

    /// How cargo is told to take the workspace of benchmarks and examples.
    pub(super) fn examples(&self) -> String {
        let manifest = top().join("examples/Cargo.toml");
        format!("--manifest-path {} --target-dir {}", manifest.display(), self.target().display())
    }

    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.xtask);
        command.args(words).env("PATH", self.bin()).env("CARGO", self.bin().join("cargo"));
        command.env("CARGO_TARGET_DIR", self.target());
        command
    }

    pub(super) fn run(&self, words: &[&str]) -> Outcome {
        outcome(&mut self.command(words))
    }

    /// Lines of the log, but for the questions after versions and Python's modules.
    pub(super) fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        text.lines()
            .filter(|line| !line.ends_with("--version"))
            .filter(|line| !line.starts_with("python3 -c") && !line.starts_with("python -c"))
            .map(str::to_owned)
            .collect()
    }
}

/// The top of the repository.
pub(super) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

pub(super) fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

pub(super) fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Written past the test harness, which would keep the output of a passing test to itself.
pub(super) fn skipped(reason: &str) {
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED {}: {reason}",
        std::thread::current().name().unwrap_or_default()
    );
}

#[track_caller]
pub(super) fn assert_one_line(text: &str, parts: &[&str]) {
    assert_eq!(text.lines().count(), 1, "not one line: {text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}
