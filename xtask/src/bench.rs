//! `cargo xtask bench`: one of the programs in benches/src/bin/, built for release, or one that is a
//! workspace of its own, benches/NAME/, because nobody else should have to build what it needs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Usage, Workspace, cargo, root, run, say};

/// Where the benchmarks are.
const FOLDER: &str = "benches/src/bin";

/// Where those are that are workspaces of their own.
const APART: &str = "benches";

/// Runs the benchmark that the first word names with the other words; lists them all if there is no word.
pub(crate) fn bench(words: &[OsString]) -> anyhow::Result<()> {
    let mut benchmarks = benchmarks(&root().join(FOLDER))?;
    benchmarks.extend(apart(&root().join(APART))?);
    benchmarks.sort();
    let Some((name, arguments)) = words.split_first() else {
        list(&benchmarks);
        return Ok(());
    };
    let Some((_, source)) = benchmarks.iter().find(|(known, _)| name == known.as_str()) else {
        return Err(Usage::error(format!(
            "no benchmark `{}` in {FOLDER}; `cargo xtask bench` lists them",
            name.display()
        )));
    };
    // From the caller's folder, so that paths among the arguments mean what they say.
    let mut command = cargo();
    command.args(["run", "--release", "--locked"]);
    let manifest = root().join(APART).join(name).join("Cargo.toml");
    if source.starts_with(root().join(FOLDER)) {
        command.args(["-p", "leadline-benches"]).args(Workspace::Examples.arguments()).arg("--bin").arg(name);
    } else {
        command.arg("--manifest-path").arg(manifest);
    }
    run(command.arg("--").args(arguments))
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

/// Packages in the folder: `NAME/Cargo.toml`.
fn apart(folder: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let (Some(name), true) = (path.file_name(), path.join("Cargo.toml").is_file()) {
            found.push((name.to_string_lossy().into_owned(), path.join("src/main.rs")));
        }
    }
    Ok(found)
}

/// What a benchmark says of itself, or nothing.
fn first_doc_line(source: &Path) -> String {
    let text = fs::read_to_string(source).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("//! ")).unwrap_or_default().to_owned()
}
