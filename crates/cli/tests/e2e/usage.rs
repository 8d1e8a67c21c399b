//! Bad usage and bad input: one line, exit code 2, nothing written.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use leadline_testing::machine::skipped;

use crate::ran::{Ran, folder, names, outcome, program, run, small};

#[test]
fn wrong_arguments_are_refused_in_one_line() {
    let dir = folder();
    let cases: [(&[&str], &[&str]); 22] = [
        (&["--colour"], &["--colour"]),
        (&["--quick", "--full"], &["--quick", "--full"]),
        (&["--quick", "--budget-seconds", "3"], &["--quick"]),
        (&["--size", "big"], &["--size", "big", "8G"]),
        (&["--size", "4X"], &["--size", "4X"]),
        (&["--size", "99999999T"], &["--size"]),
        (&["--size", "1M"], &["--size 2M"]),
        (&["--size", "0"], &["--size 2M"]),
        (&["--size", "16"], &["--size", "16M or 16G, or 16B for bytes"]),
        (&["--cpus", "7-1"], &["--cpus", "7-1"]),
        (&["--cpus", "99"], &["--cpus", "99", "processor"]),
        (&["--cpus", "x"], &["--cpus", "x"]),
        (&["--cpus", ""], &["--cpus"]),
        (&["--block-size", "1000"], &["block size 1000", "multiple of"]),
        (&["--block-size", "0"], &["--block-size", "512"]),
        (&["--block-size", "5G"], &["--block-size", "16M"]),
        (&["--block-size", "4K,"], &["--block-size"]),
        (&["--block-size", "16M"], &["block size 16M", "--size"]),
        (&["--max-concurrency", "0"], &["--max-concurrency", "1"]),
        (&["--max-concurrency", "5000"], &["--max-concurrency", "4096"]),
        (&["--engine", "libaio"], &["--engine", "io_uring or psync"]),
        (&["--reads-only", "--destructive"], &["--reads-only", "--destructive"]),
    ];
    for (arguments, said) in cases {
        let size: &[&str] = if arguments.contains(&"--size") { &[] } else { &["--size", "64M"] };
        run(dir.path(), &[&["profile", "."], size, arguments].concat()).refused(said);
        assert!(names(dir.path()).is_empty(), "{arguments:?} left {:?}", names(dir.path()));
    }
    run(dir.path(), &["profil"]).refused(&["profil'; did you mean 'profile'? See leadline --help"]);
    run(dir.path(), &[]).refused(&["--help"]);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let dir = folder();
    let _socket = UnixListener::bind(dir.path().join("socket")).unwrap();
    run(dir.path(), &["profile", "./nothing"]).refused(&["./nothing", "no such file", "name a directory"]);
    run(dir.path(), &["profile", "/dev/null"]).refused(&["/dev/null", "character device"]);
    run(dir.path(), &["profile", "./socket"]).refused(&["./socket", "socket"]);
    run(dir.path(), &["profile", ""]).refused(&["name a directory"]);
    fs::write(dir.path().join("empty"), "").unwrap();
    run(dir.path(), &["profile", "./empty"]).refused(&["fewer than 16"]);
    assert_eq!(names(dir.path()), ["empty", "socket"]);
}

#[test]
fn places_that_cannot_be_written_are_refused_before_measuring() {
    let dir = folder();
    fs::create_dir(dir.path().join("folder")).unwrap();
    for (arguments, said) in [
        (["-o", "missing/p.json"], "missing/p.json"),
        (["--report", "missing/p.html"], "missing/p.html"),
        (["-o", "folder"], "is a directory"),
        (["-o", "/dev/null"], "not a regular file"),
        (["-o", "/proc/p.json"], "/proc/p.json"),
    ] {
        small(dir.path(), ".", &arguments).refused(&[said, "name another place"]);
        run(dir.path(), &[&["profile", "sim:flash"], &arguments[..]].concat()).refused(&[said]);
        assert_eq!(names(dir.path()), ["folder"]);
    }
    small(dir.path(), ".", &["-o", "x", "--report", "x"])
        .refused(&["--report x: is the same file as -o x, and one would replace the other"]);
    assert_eq!(names(dir.path()), ["folder"]);
    let null = fs::metadata("/dev/null").unwrap();
    assert!(!null.is_file(), "/dev/null is still what it was");
}

#[test]
fn without_permission_it_says_whose_it_takes() {
    // A world-readable copy: the build's folders may be closed to others.
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("leadline");
    fs::copy(program(), &copy).unwrap();
    for (path, mode) in [(dir.path(), 0o755), (&copy, 0o755)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let closed = dir.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("file"), vec![1; 1 << 20]).unwrap();
    fs::write(dir.path().join("secret"), vec![1; 1 << 20]).unwrap();
    for (path, mode) in [(closed.clone(), 0o600), (dir.path().join("secret"), 0o000)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut others = vec![("closed/file", "permission denied"), ("secret", "permission denied")];
    let root = rustix::process::geteuid().is_root();
    if root {
        others.push((".", "cannot be written to")); // not theirs
    } else {
        skipped("a directory of another user needs root");
    }
    for (target, said) in others {
        let mut command = Command::new(&copy);
        command.current_dir(dir.path()).args(["profile", target, "--size", "16M", "--json"]);
        if root {
            command.uid(65534).gid(65534);
        }
        let Ran { code, stdout, stderr } = outcome(&mut command);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{target}: {stderr}");
        let last = stderr.lines().last().unwrap();
        assert!(last.contains(target) && last.contains(said), "{stderr}");
    }
}

#[test]
fn a_missing_command_or_argument_names_the_help_that_has_it() {
    let dir = folder();
    for (arguments, said) in [
        (&[][..], "a command is missing; see leadline --help"),
        (&["trace"], "a command is missing; see leadline trace --help"),
        (&["pool"], "a command is missing; see leadline pool --help"),
        (&["report"], "<PROFILE>...; see leadline report --help"),
        (&["trace", "info", "--pages", "3"], "did you mean '--page-size'? See leadline trace info --help"),
        (&["predict", "sim:flash"], "sim:flash: is a device, not a profile of one; measure it first"),
    ] {
        run(dir.path(), arguments).refused(&[said]);
    }
}

#[test]
fn a_system_is_known_by_what_else_it_is_called() {
    let dir = folder();
    run(dir.path(), &["profile", "sim:flash", "--budget-seconds", "0.5", "-o", "p.json"]).succeeded();
    for (name, system, version) in [
        ("mysql", "innodb", "mysql-"),
        ("mariadb", "innodb", "mariadb-"),
        ("postgres", "postgresql", "1"),
        ("scylla", "seastar", ""),
        ("rocks", "rocksdb", ""),
        ("k3s", "etcd", "k3s"),
    ] {
        let advice = run(dir.path(), &["advise", name, "p.json", "--json"]).succeeded().stdout;
        let advice: serde_json::Value = serde_json::from_str(&advice).unwrap();
        assert_eq!(advice["system"], system, "{name}");
        let said = advice["version"].as_str().unwrap();
        assert!(said.starts_with(version), "{name}: {said}");
    }
    run(dir.path(), &["advise", "mysql", "p.json", "--version", "10.11"])
        .refused(&["--version 10.11: is mariadb-10.11, which is not mysql"]);
    run(dir.path(), &["advise", "mysqll", "p.json"]).refused(&["did you mean 'innodb'?"]);
    run(dir.path(), &["prove", "mysql", "p.json", "."]).refused(&["'mysql'", "did you mean 'innodb'?"]);
}

#[test]
fn an_output_that_is_full_is_an_error() {
    let dir = folder();
    let leadline = crate::ran::text(program());
    for arguments in ["--help", "devices", "completions bash", "trace generate gen:paper-ms"] {
        let mut shell = Command::new("sh");
        shell.current_dir(dir.path()).args(["-c", &format!("{leadline} {arguments} > /dev/full")]);
        let Ran { code, stderr, .. } = outcome(&mut shell);
        assert_eq!(code, Some(1), "{arguments}: {stderr}");
        assert!(stderr.contains("stdout: No space left"), "{arguments}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments}: {stderr}");
    }
}
