//! The table of crates in ARCHITECTURE.md: what cargo knows of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A crate's folder, or its name after "leadline-", and what it depends on.
type Crates = BTreeMap<String, BTreeSet<String>>;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The workspace's crates by their folders, with those that they depend on outside of tests.
fn known_to_cargo() -> Crates {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(top())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let of_package = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap().strip_prefix(top()).unwrap().display().to_string();
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let ours = dependencies.filter(|one| one["kind"].is_null() && one["path"].is_string());
        let names = ours.map(|one| one["name"].as_str().unwrap().trim_start_matches("leadline-").to_owned());
        (folder, names.collect())
    };
    packages.map(of_package).collect()
}

/// The rows of the table: folder and dependencies, in their order.
fn rows(page: &str) -> Vec<(String, String)> {
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = page.lines().filter(|line| line.starts_with("| [`")).map(cells);
    rows.map(|cells| (cells[1].split('`').nth(1).unwrap().to_owned(), cells[3].clone())).collect()
}

fn name(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap()
}

/// What a cell means: "–", "a, b", or "all below except a, b", of the crates in `below`.
fn meaning(cell: &str, below: &[(String, String)]) -> BTreeSet<String> {
    let list = |words: &str| words.split(", ").map(str::to_owned).collect::<BTreeSet<_>>();
    match cell.strip_prefix("all below except ") {
        Some(without) => {
            let crates = below.iter().filter(|(folder, _)| folder.starts_with("crates/"));
            let all: BTreeSet<String> = crates.map(|(folder, _)| name(folder).to_owned()).collect();
            &all - &list(without)
        }
        None if cell == "–" => BTreeSet::new(),
        None => list(cell),
    }
}

#[test]
fn the_table_has_every_crate_with_what_it_depends_on() {
    let rows = rows(&fs::read_to_string(top().join("ARCHITECTURE.md")).unwrap());
    let mut told = Crates::new();
    for (at, (folder, cell)) in rows.iter().enumerate() {
        told.insert(folder.clone(), meaning(cell, &rows[at + 1..]));
    }
    for (folder, wanted) in known_to_cargo() {
        let wanted_cell = wanted.iter().cloned().collect::<Vec<_>>().join(", ");
        assert_eq!(told.get(&folder), Some(&wanted), "the row of {folder} must say: {wanted_cell}");
        told.remove(&folder);
    }
    assert_eq!(told, Crates::new(), "rows of what is no crate");
}

#[test]
fn a_crate_stands_above_those_that_it_depends_on() {
    let rows = rows(&fs::read_to_string(top().join("ARCHITECTURE.md")).unwrap());
    let known = known_to_cargo();
    let crates: Vec<&str> = rows
        .iter()
        .map(|(folder, _)| folder.as_str())
        .filter(|folder| folder.starts_with("crates/"))
        .collect();
    for (at, folder) in crates.iter().enumerate() {
        let below: BTreeSet<String> = crates[at + 1..].iter().map(|folder| name(folder).to_owned()).collect();
        let above: Vec<&String> = known[*folder].difference(&below).collect();
        assert!(above.is_empty(), "{folder} depends on {above:?}, which must stand below it");
    }
}
