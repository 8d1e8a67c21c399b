//! The command `test`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::system::{INSTALLS, System, assert_one_line, outcome, top};

const FORMAT: [&str; 2] =
    ["cargo fmt --all --check", "cargo fmt --all --check --manifest-path examples/Cargo.toml"];
const BUILD: &str = "cargo test --workspace --no-run --locked --message-format=json-render-diagnostics";

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
