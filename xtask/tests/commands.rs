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
const FORMAT: [&str; 2] =
    ["cargo fmt --all --check", "cargo fmt --all --check --manifest-path examples/Cargo.toml"];
const BUILD: &str = "cargo test --workspace --no-run --locked --message-format=json-render-diagnostics";
const NOBODY: u32 = 65534;
const PYTHON_PACKAGES: &str = "python/requirements-test.txt";

/// An environment's Python, as far as wheels are concerned: what is installed is a program.
const INSTALLS: &str = r#"
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

    /// With all that a set-up looks for.
    fn with_programs(self) -> Self {
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
    fn target(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// A python3 that makes environments, each with a `python` that does `body` and installs wheels. One such
    /// `python` is returned.
    fn python(&self, body: &str) -> PathBuf {
        self.script("python", &format!("{body}{INSTALLS}"));
        let python = self.bin().join("python");
        let copy = format!("/bin/mkdir -p \"$4/bin\"; /bin/cp {} \"$4/bin/python\"", python.display());
        self.script("python3", &format!("[ \"$2\" != venv ] || {{ {copy}; }}"));
        python
    }

    /// How cargo is told to take the workspace of benchmarks and examples.
    fn examples(&self) -> String {
        let manifest = top().join("examples/Cargo.toml");
        format!("--manifest-path {} --target-dir {}", manifest.display(), self.target().display())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.xtask);
        command.args(words).env("PATH", self.bin()).env("CARGO", self.bin().join("cargo"));
        command.env("CARGO_TARGET_DIR", self.target());
        command
    }

    fn run(&self, words: &[&str]) -> Outcome {
        outcome(&mut self.command(words))
    }

    /// Lines of the log, but for the questions after versions and Python's modules.
    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        text.lines()
            .filter(|line| !line.ends_with("--version"))
            .filter(|line| !line.starts_with("python3 -c") && !line.starts_with("python -c"))
            .map(str::to_owned)
            .collect()
    }
}

/// The top of the repository.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
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
        (&["site", "--open"], "`--open`"),
        (&["site", "one", "two"], "`two`"),
        (&["prose", "no-such.md"], "`no-such.md`"),
        (&["prose", "Cargo.lock"], "`Cargo.lock`"),
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
        for command in ["setup", "test", "prose", "fuzz", "site", "bench", "Examples:"] {
            assert!(outcome.stdout.contains(command), "{words:?}: no {command}");
        }
    }
}

#[test]
fn the_site_is_built_into_the_target_directory_or_the_one_that_is_named() {
    let system = System::new();
    let named = system.folder.path().join("html");
    let arguments = format!("--quiet --locked -p leadline-site {} --", system.examples());
    for (words, into) in
        [(vec![], system.target().join("site")), (vec![named.to_str().unwrap()], named.clone())]
    {
        let outcome = system.run(&[&["site"], &words[..]].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(system.calls().last(), Some(&format!("cargo run {arguments} {}", into.display())));
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
fn an_installation_of_etcd_starts_no_server() {
    if !is_root() {
        return skipped("it needs root");
    }
    let system = System::new().with_programs();
    fs::remove_file(system.bin().join("etcd")).unwrap();
    let bin = system.bin().display().to_string();
    system.script("systemctl", "");
    system.script("apt-get", &format!("case \"$*\" in *etcd-server) /bin/cp {bin}/sfdisk {bin}/etcd;; esac"));
    let outcome = system.run(&["setup"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let calls = system.calls();
    let at = |end: &str| calls.iter().position(|call| call.ends_with(end)).expect(end);
    assert!(at("systemctl mask etcd.service") < at(" etcd-server"), "{calls:?}");
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
fn packages_for_python_are_installed_once_and_again_when_the_list_of_them_changed() {
    let system = System::new().with_programs();
    let installed = system.target().join("python/installed.txt");
    fs::write(&installed, "pytest==1.0\n").unwrap();
    for _ in 0..2 {
        let outcome = system.run(&["setup"]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let target = system.target().display().to_string();
        let list = top().join(PYTHON_PACKAGES).display().to_string();
        let pip = "python -m pip --disable-pip-version-check --no-input install --quiet";
        assert_eq!(
            system.calls(),
            [
                format!("python3 -m venv --clear {target}/python"),
                format!("{pip} --no-compile --only-binary=:all: --no-binary=pyspark -r {list}")
            ]
        );
    }
}

#[test]
fn packages_for_python_that_were_installed_in_part_are_installed_anew() {
    let system = System::new().with_programs();
    fs::remove_dir_all(system.target()).unwrap();
    system.python("exit 1");
    for calls in [2, 4] {
        let outcome = system.run(&["setup"]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
        assert_one_line(&outcome.stderr, &["pip", "exit status: 1"]);
        assert_eq!(system.calls().len(), calls, "{:?}", system.calls());
    }
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
    let manifest = top().join(folder);
    let (program, manifest) = (program.display(), manifest.join("Cargo.toml").display().to_string());
    let target = format!(r#"{{"kind":["test"],"name":"made_up","src_path":"{folder}/tests/made_up.rs"}}"#);
    let built = format!(r#""profile":{{"test":true}},"executable":"{program}","target":{target}"#);
    format!(r#"{{"reason":"compiler-artifact","manifest_path":"{manifest}",{built}}}"#)
}

/// What cargo says of the libraries of the program and of Python.
fn libraries() -> String {
    let library = |name: &str, files: &str| {
        let target = format!(r#"{{"kind":["cdylib","rlib"],"name":"{name}"}}"#);
        let built = format!(r#""profile":{{"test":false}},"filenames":{files},"target":{target}"#);
        format!(r#"{{"reason":"compiler-artifact",{built}}}"#)
    };
    library("leadline_cli", r#"["/made/up/libleadline_cli.rlib"]"#)
        + &library(
            "leadline_python",
            r#"["/made/up/libleadline_python.rlib","/made/up/libleadline_python.so"]"#,
        )
}

impl System {
    /// A system whose cargo builds the library for Python and one test program, of crates/pool, that does
    /// `body`.
    fn with_tests(body: &str) -> Self {
        let system = System::new().with_programs();
        system.script("made-up", body);
        let artifact = artifact(&system.bin().join("made-up"), "crates/pool");
        system.cargo("", &format!("echo '{artifact}'; echo '{}'", libraries()));
        system
    }

    /// A cargo that does `first`, and `build` when it is asked for the tests.
    fn cargo(&self, first: &str, build: &str) {
        self.script(
            "cargo",
            &format!(
                "{first}
                 [ \"$1\" != doc ] || [ \"$RUSTDOCFLAGS\" = '-D warnings' ] || exit 9
                 case \"$*\" in *--no-run*--manifest-path*) ;; *--no-run*) {build};; esac"
            ),
        );
    }
}

#[test]
fn test_runs_every_step_and_sums_up() {
    let system = System::with_tests(
        "echo 'test reads ... ok'; echo 'test writes ... ok'
         echo 'SKIPPED writes: no disk' >&2
         echo 'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'",
    );
    let outcome = system.run(&["test", "--all"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // The tests, what cargo does beside them and Python run at the same time.
    let calls = system.calls();
    let examples = system.examples();
    let of = |program: &str| calls.iter().filter(|call| call.starts_with(program)).collect::<Vec<_>>();
    assert_eq!(
        of("cargo "),
        [
            FORMAT[0],
            FORMAT[1],
            BUILD,
            &format!("{BUILD} {examples}"),
            "cargo xtask prose",
            "cargo xtask dist --smoke /made/up/libleadline_cli.rlib",
            "cargo clippy --workspace --all-targets --locked -- -D warnings",
            &format!("cargo clippy --workspace --all-targets --locked {examples} -- -D warnings"),
            "cargo test --workspace --doc --locked --quiet --color=never",
            "cargo doc --workspace --no-deps --locked",
            &format!("cargo doc --workspace --no-deps --locked {examples}"),
            "cargo package --workspace --exclude=leadline-crash --exclude=leadline-fuzz \
             --exclude=leadline-python --exclude=leadline-testing --exclude=xtask --locked --allow-dirty \
             --quiet --no-verify",
        ]
    );
    assert_eq!(of("made-up "), ["made-up --test-threads=1 --color=never"]);
    for part in
        ["crates/pool made_up: 2 passed\n", "SKIPPED writes: no disk\n", "crates/pool made_up writes\n"]
    {
        assert!(outcome.stdout.contains(part), "no {part}: {}", outcome.stdout);
    }
    let mut last = outcome.stdout.lines().rev();
    assert_eq!(last.next(), Some("2 passed, 0 failed"));
    let times = last.next().unwrap();
    for part in ["all passed in", "set-up ", "format ", "build ", "tests "] {
        assert!(times.contains(part), "no {part}: {times}");
    }
    for part in ["ok      lints clippy", "ok      documentation pages", "ok      packages of all"] {
        let line = outcome.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let words: Vec<&str> = part.split_whitespace().collect();
        let said = |line: Vec<&str>| line.first() == words.first() && line[3..].starts_with(&words[1..]);
        assert!(line.filter(|line| line.len() > 3).any(said), "no {part}: {}", outcome.stdout);
    }
}

#[test]
fn the_loop_installs_and_runs_nothing_of_what_is_left_to_all() {
    let system = System::with_tests("echo 'test result: ok. 2 passed; 0 failed; 0 ignored'");
    system.script("apt-get", "exit 9");
    fs::remove_file(system.bin().join("chromium")).unwrap();
    fs::remove_dir_all(system.target()).unwrap();
    let outcome = system.run(&["test"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(system.calls(), [FORMAT[0], FORMAT[1], BUILD, "made-up --test-threads=1 --color=never",]);
    for part in ["since only `cargo xtask test --all` does:\n", "the Python package", "lints, documentation"]
    {
        assert!(outcome.stdout.contains(part), "no {part}: {}", outcome.stdout);
    }
    assert!(outcome.stdout.ends_with("\n2 passed, 0 failed\n"), "{}", outcome.stdout);

    fs::remove_file(system.bin().join("fusermount3")).unwrap();
    assert_ne!(system.run(&["test"]).code, Some(0));
}

#[test]
fn what_passed_and_is_as_it_was_is_run_only_if_asked_for() {
    let system = System::with_tests("");
    system.script("command", "");
    let command = artifact(&system.bin().join("command"), "crates/pool")
        .replace("\"test\":true", "\"test\":false")
        .replace("[\"test\"]", "[\"bin\"]");
    let tests = artifact(&system.bin().join("made-up"), "crates/pool");
    system.cargo("", &format!("echo '{tests}'; echo '{command}'; echo '{}'", libraries()));
    let runs = |words: &[&str]| {
        let before = system.calls().iter().filter(|call| call.starts_with("made-up")).count();
        let outcome = system.run(words);
        let after = system.calls().iter().filter(|call| call.starts_with("made-up")).count();
        let named = outcome.stdout.contains("--again` runs them):\n  crates/pool made_up\n");
        assert_eq!(named, after == before, "{}", outcome.stdout);
        (outcome.code, after - before)
    };
    assert_eq!([runs(&["test"]), runs(&["test"])], [(Some(0), 1), (Some(0), 0)]);
    assert_eq!([runs(&["test", "--again"]), runs(&["test", "--all"])], [(Some(0), 1); 2]);
    assert_eq!(runs(&["test"]), (Some(0), 0));

    // Another program of the crate.
    system.script("command", "exit 1");
    assert_eq!([runs(&["test"]), runs(&["test"])], [(Some(0), 1), (Some(0), 0)]);
    // The program itself, which could not test all; then one that fails.
    system.script("made-up", "echo 'SKIPPED writes: no disk' >&2");
    assert_eq!([runs(&["test"]), runs(&["test"])], [(Some(0), 1); 2]);
    system.script("made-up", "exit 1");
    assert_eq!([runs(&["test"]), runs(&["test"])], [(Some(1), 1); 2]);
}

#[test]
fn python_loads_the_library_that_was_built_and_its_tests_are_counted() {
    let system = System::with_tests("");
    // From the folder in which it finds the package, if it is asked for that.
    let found = "echo \"$PYTHONPATH/leadline\"/* >> \"$PATH/../found\"";
    let passed = "echo 'tests/test_a.py::test_b PASSED [100%]'; echo '=== 1 passed, 1 skipped in 0.1s ==='";
    let skipped = "echo \"SKIPPED [1] tests/test_a.py:7: could not import 'ray'\"";
    let body = format!("case \"$2\" in pytest) {found}; {skipped}; {passed};; esac");
    fs::copy(system.python(&body), system.target().join("python/bin/python")).unwrap();
    let outcome = system.run(&["test", "--all"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.ends_with("\n2 passed, 0 failed\n"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("\nSKIPPED [1] tests/test_a.py:7: could"), "{}", outcome.stdout);

    let mut calls = system.calls();
    calls.retain(|call| call.starts_with("python"));
    // Then a wheel is tried.
    calls.truncate(calls.iter().position(|call| call.contains(" venv ")).unwrap());
    calls.sort();
    let parts = ["maturin", "mypy", "mypy.stubtest", "pytest", "pytest"];
    assert_eq!(calls.iter().map(|call| call.split(' ').nth(2).unwrap()).collect::<Vec<_>>(), parts);
    let package = system.target().join("python-package/leadline");
    let library = fs::read_link(package.join("_leadline.abi3.so")).unwrap();
    assert_eq!(library, Path::new("/made/up/libleadline_python.so"));
    let found = fs::read_to_string(system.folder.path().join("found")).unwrap();
    assert!(found.contains(package.join("py.typed").to_str().unwrap()), "{found}");
}

#[test]
fn a_complete_run_installs_a_wheel_of_what_was_built_and_uninstalls_it() {
    let system = System::with_tests("");
    let outcome = system.run(&["test", "--all"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    let calls = system.calls();
    let made = calls.iter().position(|call| call.starts_with("maturin build ")).unwrap();
    let place = system.target().join("wheel-trial").display().to_string();
    let wheel = "/leadline-0.1.0-cp310-abi3-linux_x86_64.whl";
    let steps = [
        ("python3 -m venv --clear ", place.as_str()),
        ("python -m pip ", wheel),
        ("python -m doctest ", "/python/README.md"),
        ("python -m pip ", " uninstall --quiet --yes leadline"),
    ];
    for (call, (start, end)) in calls[made + 1..].iter().zip(steps) {
        assert!(call.starts_with(start) && call.ends_with(end), "{calls:?}");
    }
    assert!(calls[made + 2].contains(" install ") && calls[made + 2].contains(" --no-index "), "{calls:?}");

    // One that the uninstallation forgets. No venv clears here what it finds.
    fs::remove_dir_all(&place).unwrap();
    system.script("python", &INSTALLS.replace("/bin/rm", "/bin/ls"));
    let outcome = system.run(&["test", "--all"]);
    assert_eq!(outcome.code, Some(1));
    let left = format!("uninstalled, the wheel leaves {place}/bin/leadline");
    assert_one_line(&outcome.stderr, &["wheel failed: ", &left]);
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
}

#[test]
fn lints_that_fail_are_shown_and_fail_the_run() {
    let system = System::with_tests("");
    let lints = "case \"$*\" in 'clippy --workspace --all-targets --locked -- -D warnings')
                   echo 'warning: useless use' >&2; exit 101;; esac";
    system.cargo(lints, &format!("echo '{}'", libraries()));
    let outcome = system.run(&["test", "--all"]);
    assert_eq!(outcome.code, Some(1));
    for part in
        ["warning: useless use\n", "FAILED lints clippy: `", "cargo clippy --workspace", "status: 101\n"]
    {
        assert!(outcome.stdout.contains(part), "no {part}: {}", outcome.stdout);
    }
    assert!(outcome.stdout.ends_with("\n0 passed, 1 failed\n"), "{}", outcome.stdout);
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
    system.script("cargo", "[ \"$1 $2\" != 'fmt --all' ] || exit 1");
    let outcome = system.run(&["test"]);
    assert_eq!(outcome.code, Some(1));
    assert_eq!(system.calls().len(), 1, "{:?}", system.calls());
    assert_one_line(&outcome.stderr, &["format failed", "cargo fmt", "status: 1", "set-up "]);
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
