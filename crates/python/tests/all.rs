//! The package around the library; what the library does is tested from Python, in `python/tests`. That there
//! is a program of tests makes cargo build the library with all others, and `cargo xtask test` hands it to
//! Python.

use std::fs;
use std::path::Path;

/// What stands between `start` and `end` in the only line of the file that begins with `start`.
fn part(file: &str, start: &str, end: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let text = fs::read_to_string(path).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(start));
    let line = line.unwrap_or_else(|| panic!("{file} has no line that begins with `{start}`"));
    line.split_once(end).unwrap_or_else(|| panic!("{file}: no `{end}` follows `{start}`")).0.to_owned()
}

/// pip would install a wheel where its library cannot be loaded.
#[test]
fn the_package_asks_for_the_python_that_the_library_is_built_for() {
    let asked = part("python/pyproject.toml", "requires-python = \">=3.", "\"");
    let pyo3 = part("Cargo.toml", "pyo3 = ", "]");
    assert!(pyo3.contains(&format!("\"abi3-py3{asked}\"")), "Python 3.{asked} is asked for, built is {pyo3}");
}
