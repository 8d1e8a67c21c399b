//! `cargo xtask bench`: one of the programs in benches/src/bin/, built for release.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Usage, Workspace, cargo, root, run, say};

/// Where the benchmarks are.
const FOLDER: &str = "benches/src/bin";

/// Runs the benchmark that the first word names with the other words; lists them all if there is no word.
pub(crate) fn bench(words: &[OsString]) -> anyhow::Result<()> {
    let benchmarks = benchmarks(&root().join(FOLDER))?;
    let Some((name, arguments)) = words.split_first() else {
        list(&benchmarks);
        return Ok(());
    };
    if !benchmarks.iter().any(|(known, _)| name == known.as_str()) {
        return Err(Usage::error(format!(
            "no benchmark `{}` in {FOLDER}; `cargo xtask bench` lists them",
            name.display()
        )));
    }
    // From the caller's folder, so that paths among the arguments mean what they say.
    let mut command = cargo();
    command.args(["run", "--release", "--locked", "-p", "leadline-benches"]);
    command.args(Workspace::Examples.arguments());
    run(command.arg("--bin").arg(name).arg("--").args(arguments))
}

fn list(benchmarks: &[(String, PathBuf)]) {
    if benchmarks.is_empty() {
        say(&format!("no benchmarks in {FOLDER}"));
    }
    let width = benchmarks.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, source) in benchmarks {
        say(format!("{name:width$}  {}", first_doc_line(source)).trim_end());
    }
}

/// Names and sources, as cargo finds them: `NAME.rs` and `NAME/main.rs`.
fn benchmarks(folder: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let main = path.join("main.rs");
        let source = if main.is_file() {
            main
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            path.clone()
        } else {
            continue;
        };
        if let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) {
            found.push((name.to_owned(), source));
        }
    }
    found.sort();
    Ok(found)
}

/// What a benchmark says of itself, or nothing.
fn first_doc_line(source: &Path) -> String {
    let text = fs::read_to_string(source).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("//! ")).unwrap_or_default().to_owned()
}
