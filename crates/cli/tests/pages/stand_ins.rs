//! What a page's commands find on PATH: the program that was built, as `leadline`, and stand-ins for what
//! would install it. And what a machine may lack.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{env, ffi::OsString};

use leadline_testing::machine::is_root;

use crate::top;

/// What was built is run, and the rest of a page finds it installed.
const CARGO: &str = r#"case "$*" in
    "run --release -- "*) shift 3; exec leadline "$@" ;;
    "install --path crates/cli") ;;
    *) echo "cargo $*: mark the block \`not run: builds\`" >&2; exit 2 ;;
esac"#;

/// Of the package, only what the environment of the tests has anyway.
const PIP: &str = r#"case "$*" in
    "install ./leadline-*.whl"*) ;;
    *) echo "pip $*: mark the block \`not run: installs\`" >&2; exit 2 ;;
esac"#;

/// Fills the directory `bin` with them, and returns PATH with it.
pub(crate) fn install(bin: &Path) -> OsString {
    symlink(env!("CARGO_BIN_EXE_leadline"), bin.join("leadline")).unwrap();
    script(bin, "cargo", CARGO);
    script(bin, "pip", PIP);
    if let Some(python) = python() {
        let run = |module: &str| format!("exec '{}' {module} \"$@\"", python.display());
        script(bin, "python", &run(""));
        script(bin, "python3", &run(""));
        script(bin, "pytest", &run("-m pytest"));
    }
    let others = env::var_os("PATH").unwrap_or_default();
    let all = [bin.to_owned()].into_iter().chain(env::split_paths(&others));
    env::join_paths(all).unwrap()
}

fn script(bin: &Path, name: &str, body: &str) {
    let file = bin.join(name);
    fs::write(&file, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Where the tests of the Python package have it, once they were set up.
pub(crate) fn python_package() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("python-package")
}

/// Their interpreter, if they were.
fn python() -> Option<PathBuf> {
    let python = python_package().with_file_name("python").join("bin/python");
    (python.exists() && python_package().join("leadline").exists()).then_some(python)
}

/// Whether a page's commands find what `needs NAME` says.
pub(crate) fn has(name: &str) -> bool {
    match name {
        "root" => is_root(),
        "python" => python().is_some(),
        "fuse" => File::options().read(true).write(true).open("/dev/fuse").is_ok() && has("fusermount3"),
        "postgresql-server" => {
            fs::read_dir("/usr/lib/postgresql").is_ok_and(|mut entries| entries.next().is_some())
        }
        program => {
            let path = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&path).any(|directory| directory.join(program).is_file())
        }
    }
}

#[test]
fn the_stand_ins_name_what_is_in_the_repository() {
    assert!(top().join("crates/cli/Cargo.toml").exists(), "pages install crates/cli");
}
