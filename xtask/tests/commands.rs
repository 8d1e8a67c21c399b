//! The commands, run in a made-up system: its PATH holds only what a test puts there, and its cargo, apt-get
//! and rustup are scripts that write down how they were called. Nothing is installed for real.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

const PROGRAMS: [&str; 12] = [
    "chromium",
    "db_bench",
    "fio",
    "fusermount3",
    "losetup",
    "mariadb",
    "mariadbd",
    "mkfs.ext4",
    "pg_ctlcluster",
    "python3",
    "sfdisk",
    "sqlite3",
];
const NOBODY: u32 = 65534;

/// One test at a time: a script that is still open for writing in a process another test is starting cannot
/// be run ("text file busy").
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
        for command in ["setup", "test", "fuzz", "bench", "Examples:"] {
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
fn an_installation_of_postgres_starts_no_server() {
    if !is_root() {
        return skipped("it needs root");
    }
    let system = System::new().with_programs();
    fs::remove_file(system.bin().join("pg_ctlcluster")).unwrap();
    let bin = system.bin().display().to_string();
    system.script("sed", "");
    let install = format!("case \"$*\" in *postgresql) /bin/cp {bin}/sfdisk {bin}/pg_ctlcluster;; esac");
    system.script("apt-get", &install);
    let outcome = system.run(&["setup"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let calls = system.calls();
    let at = |end: &str| calls.iter().position(|call| call.ends_with(end)).expect(end);
    let forbidden = at("create_main_cluster = false/ /etc/postgresql-common/createcluster.conf");
    assert!(at(" postgresql-common") < forbidden && forbidden < at(" postgresql"), "{calls:?}");
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

/// What cargo says of a test program that it built.
fn artifact(program: &Path, folder: &str) -> String {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap().join(folder);
    let (program, manifest) = (program.display(), manifest.join("Cargo.toml").display().to_string());
    let target = format!(r#"{{"kind":["test"],"name":"made_up","src_path":"{folder}/tests/made_up.rs"}}"#);
    let built = format!(r#""profile":{{"test":true}},"executable":"{program}","target":{target}"#);
    format!(r#"{{"reason":"compiler-artifact","manifest_path":"{manifest}",{built}}}"#)
}

impl System {
    /// A system whose cargo builds one test program, of crates/pool, that does `body`.
    fn with_tests(body: &str) -> Self {
        let system = System::new().with_programs();
        system.script("made-up", body);
        let artifact = artifact(&system.bin().join("made-up"), "crates/pool");
        system.script(
            "cargo",
            &format!(
                "[ \"$1\" != doc ] || [ \"$RUSTDOCFLAGS\" = '-D warnings' ] || exit 9
                 case \"$*\" in *--no-run*) echo '{artifact}';; esac"
            ),
        );
        system
    }
}

#[test]
fn test_runs_every_step_in_order_and_sums_up() {
    let system = System::with_tests(
        "echo 'test reads ... ok'; echo 'test writes ... ok'
         echo 'SKIPPED writes: no disk' >&2
         echo 'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'",
    );
    let outcome = system.run(&["test"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let mut calls = system.calls();
    // Programs and the examples in the documentation run at the same time.
    calls[3..5].sort();
    assert_eq!(
        calls,
        [
            "cargo fmt --all --check",
            "cargo clippy --workspace --all-targets --locked -- -D warnings",
            "cargo test --workspace --no-run --locked --message-format=json-render-diagnostics",
            "cargo test --workspace --doc --locked --quiet --color=never",
            "made-up --test-threads=1 --color=never",
            "cargo doc --workspace --no-deps --locked",
            "cargo package --workspace --exclude=leadline-benches --exclude=leadline-btree \
             --exclude=leadline-crash --exclude=leadline-fuzz --exclude=leadline-testing --exclude=leadline-tpcc \
             --exclude=leadline-tpch --exclude=xtask --locked --allow-dirty --quiet --no-verify",
        ]
    );
    for part in
        ["crates/pool made_up: 2 passed\n", "SKIPPED writes: no disk\n", "crates/pool made_up writes\n"]
    {
        assert!(outcome.stdout.contains(part), "no {part}: {}", outcome.stdout);
    }
    let mut last = outcome.stdout.lines().rev();
    assert_eq!(last.next(), Some("2 passed, 0 failed"));
    let times = last.next().unwrap();
    for part in ["all passed in", "set-up ", "format ", "lints ", "build ", "tests ", "docs ", "packages "] {
        assert!(times.contains(part), "no {part}: {times}");
    }
}

#[test]
fn a_failed_test_is_shown_with_all_that_its_program_wrote() {
    let system = System::with_tests(
        "echo 'test reads ... FAILED'; echo 'left is 1, right is 2'; echo 'and on stderr' >&2
         echo 'test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out'; exit 101",
    );
    let outcome = system.run(&["test"]);
    assert_eq!(outcome.code, Some(1));
    assert_one_line(&outcome.stderr, &["tests failed: 1 of 4 tests", "build "]);
    for part in ["left is 1, right is 2\n", "and on stderr\n", "FAILED crates/pool made_up: reads\n"] {
        assert!(outcome.stdout.contains(part), "no {part}: {}", outcome.stdout);
    }
    assert!(outcome.stdout.ends_with("\n3 passed, 1 failed\n"), "{}", outcome.stdout);
    assert!(!system.calls().iter().any(|call| call.starts_with("cargo doc")), "{:?}", system.calls());
}

#[test]
fn a_test_program_that_is_killed_is_a_failure() {
    let system = System::with_tests("echo 'test reads ... ok'; kill -9 $$");
    let outcome = system.run(&["test"]);
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.stdout.contains("FAILED crates/pool made_up: ended with signal: 9"),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.ends_with("\n0 passed, 1 failed\n"), "{}", outcome.stdout);
}

#[test]
fn only_an_exhaustive_run_tells_the_tests_to_be_exhaustive() {
    let body = "[ \"$LEADLINE_EXHAUSTIVE\" = 1 ] && exit 1; exit 0";
    let system = System::with_tests(body);
    let mut command = system.command(&["test"]);
    let outcome = outcome(command.env("LEADLINE_EXHAUSTIVE", "1"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stdout);
    assert_eq!(system.run(&["test", "--exhaustive"]).code, Some(1));
}

#[test]
fn a_signal_ends_the_tests_and_what_they_started() {
    let system = System::with_tests("echo $$ > \"$PATH/../started\"; exec /bin/sleep 600");
    let started = system.folder.path().join("started");
    let mut child = system.command(&["test"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    let pid = loop {
        if let Ok(pid) = fs::read_to_string(&started).unwrap_or_default().trim().parse::<u32>() {
            break pid;
        }
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it ran a test");
        std::thread::yield_now();
    };
    let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(!Path::new("/proc").join(pid.to_string()).exists(), "{pid} is still there");
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
fn fuzz_hands_its_arguments_to_the_fuzzer() {
    let system = System::new();
    system.script("cargo", "[ \"$FAIL\" != 2 ] || exit 2; [ \"$FAIL\" != 1 ] || exit 1");
    for (fails, code) in [("", 0), ("1", 1), ("2", 2)] {
        let mut command = system.command(&["fuzz", "profile", "--seconds", "3"]);
        assert_eq!(outcome(command.env("FAIL", fails)).code, Some(code));
    }
    let call = system.calls().pop().unwrap();
    assert!(call.starts_with("cargo run --quiet --locked -p leadline-fuzz "), "{call}");
    assert!(call.ends_with(" -- profile --seconds 3"), "{call}");
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
