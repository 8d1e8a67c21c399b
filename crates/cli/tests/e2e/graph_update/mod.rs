//! `leadline graph update` and `compact`, from the outside.

mod changes;
mod killed;
mod results;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::ran::{Ran, run};

fn graph(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["graph"], arguments].concat())
}

fn json(dir: &Path, arguments: &[&str]) -> Value {
    let ran = graph(dir, &[arguments, &["--json"]].concat()).succeeded();
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A store of these edges.
fn import(dir: &Path, edges: &str, more: &[&str]) {
    fs::write(dir.join("edges.csv"), edges).unwrap();
    graph(dir, &[&["import", "edges.csv", "g"], more].concat()).succeeded();
}

fn exported(dir: &Path) -> BTreeSet<String> {
    graph(dir, &["export", "g", "out.csv"]).succeeded();
    let lines = fs::read_to_string(dir.join("out.csv")).unwrap();
    fs::remove_file(dir.join("out.csv")).unwrap();
    lines.lines().skip(1).map(str::to_owned).collect()
}
