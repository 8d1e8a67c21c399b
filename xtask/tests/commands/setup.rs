//! The command `setup`.

use std::fs;
use std::os::unix::process::CommandExt;

use super::system::{PYTHON_PACKAGES, System, assert_one_line, is_root, outcome, skipped, top};

const NOBODY: u32 = 65534;

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
