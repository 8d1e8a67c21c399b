//! The commands, run in a made-up system: its PATH holds only what a test puts there, and its cargo, apt-get and
//! rustup are scripts that write down how they were called. Nothing is installed for real.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

const PROGRAMS: [&str; 6] = ["chromium", "fio", "losetup", "mkfs.ext4", "python3", "sfdisk"];
const NOBODY: u32 = 65534;

/// One test at a time: a script that is still open for writing in a process another test is starting cannot be run
/// ("text file busy").
static TURN: Mutex<()> = Mutex::new(());

struct System {
    _turn: MutexGuard<'static, ()>,
    folder: TempDir,
    xtask: PathBuf,
}

struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl System {
    /// A system with a cargo that does nothing, well.
    fn new() -> Self {
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

    fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// A program that writes its name and arguments to the log, then does `body`.
    fn script(&self, name: &str, body: &str) {
        let text = format!("#!/bin/sh\necho {name} \"$@\" >> {}\n{body}\n", self.log().display());
        let file = self.bin().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn with_programs(self) -> Self {
        PROGRAMS.iter().for_each(|program| self.script(program, ""));
        self
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.xtask);
        command.args(words).env("PATH", self.bin()).env("CARGO", self.bin().join("cargo"));
        command
    }

    fn run(&self, words: &[&str]) -> Outcome {
        outcome(&mut self.command(words))
    }

    /// Lines of the log, but for the questions after versions and Python's modules.
    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        text.lines()
            .filter(|line| !line.ends_with("--version") && !line.starts_with("python3 -c"))
            .map(str::to_owned)
            .collect()
    }
}

fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Written past the test harness, which would keep the output of a passing test to itself.
fn skipped(reason: &str) {
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED {}: {reason}",
        std::thread::current().name().unwrap_or_default()
    );
}

#[track_caller]
fn assert_one_line(text: &str, parts: &[&str]) {
    assert_eq!(text.lines().count(), 1, "not one line: {text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[test]
fn bad_usage_is_one_line_and_exit_code_2() {
    let system = System::new().with_programs();
    for (words, names) in [
        (&[][..], "no command"),
        (&["tset"], "`tset`"),
        (&["--tset"], "`--tset`"),
        (&["setup", "now"], "`now`"),
        (&["test", "device"], "`device`"),
        (&["bench", "no-such"], "`no-such`"),
    ] {
        let outcome = system.run(words);
        assert_eq!(outcome.code, Some(2), "{words:?}");
        assert_eq!(outcome.stdout, "", "{words:?}");
        assert_one_line(&outcome.stderr, &["xtask: ", names]);
    }
    assert_eq!(system.calls(), [""; 0]);
}

#[test]
fn help_names_every_command() {
    let system = System::new();
    for words in [&["--help"][..], &["-h"], &["help"], &["test", "--help"], &["bench", "--help"]] {
        let outcome = system.run(words);
        assert_eq!(outcome.code, Some(0), "{words:?}");
        for command in ["setup", "test", "bench", "Examples:"] {
            assert!(outcome.stdout.contains(command), "{words:?}: no {command}");
        }
    }
}

#[test]
fn setup_with_everything_there_does_nothing() {
    let system = System::new().with_programs();
    system.script("apt-get", "exit 9");
    system.script("rustup", "exit 9");
    let outcome = system.run(&["setup"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert_one_line(&outcome.stdout, &["nothing to do"]);
    assert_eq!(system.calls(), [""; 0]);
}

#[test]
fn root_gets_only_what_is_missing_and_only_once() {
    if !is_root() {
        return skipped("it needs root");
    }
    let system = System::new().with_programs();
    fs::remove_file(system.bin().join("chromium")).unwrap();
    fs::remove_file(system.bin().join("fio")).unwrap();
    let bin = system.bin().display().to_string();
    let install = format!(
        "[ \"$DEBIAN_FRONTEND\" = noninteractive ] || exit 9
         case \"$*\" in *install*) /bin/cp {bin}/sfdisk {bin}/chromium; /bin/cp {bin}/sfdisk {bin}/fio;; esac"
    );
    system.script("apt-get", &install);

    let first = system.run(&["setup"]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(first.stdout.ends_with("set-up: installed chromium, fio\n"), "{}", first.stdout);
    let calls = system.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls[0].ends_with(" update"), "{calls:?}");
    assert!(calls[1].ends_with(" install -y --no-install-recommends chromium fio"), "{calls:?}");

    let second = system.run(&["setup"]);
    assert_eq!(second.code, Some(0));
    assert_one_line(&second.stdout, &["nothing to do"]);
    assert_eq!(system.calls().len(), 2);
}

#[test]
fn missing_modules_of_python_are_asked_for_by_their_packages() {
    if !is_root() {
        return skipped("it needs root");
    }
    let system = System::new().with_programs();
    system.script("python3", "case \"$*\" in *networkx*) [ -e networkx ];; esac");
    system.script("apt-get", "case \"$*\" in *install*) > networkx;; esac");
    let outcome = outcome(system.command(&["setup"]).current_dir(system.folder.path()));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.ends_with("set-up: installed python3-networkx, python3-scipy\n"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn an_installation_that_fails_or_brings_nothing_is_an_error() {
    if !is_root() {
        return skipped("it needs root");
    }
    let system = System::new().with_programs();
    fs::remove_file(system.bin().join("fio")).unwrap();
    system.script("apt-get", "exit 100");
    let outcome = system.run(&["setup"]);
    assert_eq!(outcome.code, Some(1));
    assert_one_line(&outcome.stderr, &["apt-get", "update", "100"]);

    system.script("apt-get", "");
    let outcome = system.run(&["setup"]);
    assert_eq!(outcome.code, Some(1));
    assert_one_line(&outcome.stderr, &["not on PATH: fio"]);
}

#[test]
fn a_plain_user_is_told_the_packages_and_the_command() {
    let system = System::new().with_programs();
    fs::remove_file(system.bin().join("chromium")).unwrap();
    system.script("apt-get", "");
    let mut command = system.command(&["setup"]);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let outcome = outcome(&mut command);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert_one_line(
        &outcome.stderr,
        &["chromium", "sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium`"],
    );
    assert_eq!(system.calls(), [""; 0]);
}

#[test]
fn without_apt_get_the_programs_are_named() {
    let system = System::new().with_programs();
    fs::remove_file(system.bin().join("fio")).unwrap();
    let outcome = system.run(&["setup"]);
    assert_eq!(outcome.code, Some(2));
    assert_one_line(&outcome.stderr, &["missing programs: fio;", "PATH"]);
}

#[test]
fn missing_toolchain_parts_come_from_rustup_or_are_named() {
    let system = System::new().with_programs();
    let mark = system.folder.path().join("added");
    system.script("cargo", &format!("[ \"$1\" != clippy ] || [ -e {} ]", mark.display()));
    let outcome = system.run(&["setup"]);
    assert_eq!(outcome.code, Some(2));
    assert_one_line(&outcome.stderr, &["clippy", "rustup"]);

    system.script("rustup", &format!(": > {}", mark.display()));
    let outcome = system.run(&["setup"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_one_line(&outcome.stdout, &["installed clippy"]);
    assert_eq!(system.calls(), ["rustup component add clippy"]);
}

#[test]
fn test_runs_every_step_in_order_and_sums_up() {
    let system = System::new().with_programs();
    system.script("cargo", "[ \"$1\" != doc ] || [ \"$RUSTDOCFLAGS\" = '-D warnings' ]");
    let outcome = system.run(&["test"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(
        system.calls(),
        [
            "cargo fmt --all --check",
            "cargo clippy --workspace --all-targets --locked -- -D warnings",
            "cargo test --workspace --locked",
            "cargo doc --workspace --no-deps --locked",
        ]
    );
    let last = outcome.stdout.lines().last().unwrap();
    for part in ["all passed in", "set-up ", "format ", "lints ", "tests ", "docs "] {
        assert!(last.contains(part), "no {part}: {last}");
    }
}

#[test]
fn test_stops_at_the_first_failure() {
    let system = System::new().with_programs();
    system.script("cargo", "[ \"$1 $2\" != 'clippy --workspace' ] || exit 101");
    let outcome = system.run(&["test"]);
    assert_eq!(outcome.code, Some(1));
    assert_eq!(system.calls().len(), 2, "{:?}", system.calls());
    assert_one_line(&outcome.stderr, &["lints failed", "cargo clippy", "101", "format "]);
}

#[test]
fn bench_lists_the_sources_and_hands_the_rest_to_the_one_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/src/bin");
    let system = System::new();
    let listed = system.run(&["bench"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""));
    assert_eq!(system.calls(), [""; 0]);

    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    for source in entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let name = source.file_stem().unwrap().to_str().unwrap();
        assert!(
            listed.stdout.lines().any(|line| line.split(' ').next() == Some(name)),
            "no {name}: {}",
            listed.stdout
        );

        let outcome = system.run(&["bench", name, "--help", "4K"]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let call = system.calls().pop().unwrap();
        assert!(call.starts_with("cargo run --release "), "{call}");
        assert!(call.contains(" -p leadline-benches "), "{call}");
        assert!(call.ends_with(&format!(" --bin {name} -- --help 4K")), "{call}");
    }
}
