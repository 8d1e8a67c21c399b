//! The workspace of benchmarks and examples is built as the one that users have: of the same versions, as
//! fast, and of the same packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a section of a manifest, but for comments.
fn section(manifest: &str, name: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| *line != format!("[{name}]")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('[')).map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// The versions of each package of a lock file.
fn versions(lock: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut versions = BTreeMap::<String, BTreeSet<String>>::new();
    let value = |line: &str, key: &str| Some(line.strip_prefix(key)?.trim_matches('"').to_owned());
    let lines: Vec<&str> = lock.lines().collect();
    for pair in lines.windows(2) {
        if let (Some(name), Some(version)) = (value(pair[0], "name = "), value(pair[1], "version = ")) {
            versions.entry(name).or_default().insert(version);
        }
    }
    versions
}

/// By packages with their versions, the features that `what` is built with: one list, or another for macros
/// and build scripts.
fn features(what: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "--offline", "--prefix=none", "--format={p}|{f}"])
        .args(what)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut features = BTreeMap::<String, BTreeSet<String>>::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        if let Some((package, list)) = line.trim_end_matches(" (*)").split_once('|') {
            let package = package.split(' ').take(2).collect::<Vec<_>>().join(" ");
            features.entry(package).or_default().insert(list.to_owned());
        }
    }
    features
}

/// Else these packages and all that depend on them are built twice. `place` is where features can be added.
fn are_the_same(found: &BTreeMap<String, BTreeSet<String>>, place: &str) -> usize {
    let main = features(&["--workspace"]);
    // Crates of our own are built twice in any case, since cargo names them by the workspace.
    let others = found.iter().filter(|(package, _)| !package.starts_with("leadline-"));
    let shared = others.filter_map(|(package, found)| Some((package, found, main.get(package)?)));
    shared
        .inspect(|(package, found, wanted)| {
            let same = !found.is_disjoint(wanted);
            assert!(same, "{package} has {found:?}, and {wanted:?} in the workspace: mend it in {place}");
        })
        .count()
}

#[test]
fn what_both_workspaces_need_has_the_same_features() {
    let examples = features(&["--workspace", "--manifest-path=examples/Cargo.toml"]);
    let shared = are_the_same(&examples, "xtask/site/Cargo.toml or fuzz/Cargo.toml");
    assert!(shared > 100, "{shared} packages in both");
}

#[test]
fn what_this_program_needs_has_the_features_that_the_workspace_has() {
    let needed = features(&["--package=xtask", "--edges=normal,build"]);
    assert!(are_the_same(&needed, "xtask/Cargo.toml") > 20);
}

#[test]
fn both_workspaces_have_the_same_versions() {
    let main = versions(&read("Cargo.lock"));
    let mut shared = 0;
    for (name, found) in versions(&read("examples/Cargo.lock")) {
        if let Some(wanted) = main.get(&name) {
            let others: Vec<_> = found.difference(wanted).collect();
            assert!(others.is_empty(), "examples/Cargo.lock has {name} {others:?}, Cargo.lock {wanted:?}");
            shared += 1;
        }
    }
    assert!(shared > 100, "{shared} packages in both");
}

#[test]
fn both_workspaces_are_built_alike() {
    let (main, examples) = (read("Cargo.toml"), read("examples/Cargo.toml"));
    let release = section(&main, "profile.release");
    assert!(!release.is_empty());
    assert_eq!(section(&examples, "profile.release"), release);
    assert_eq!(section(&examples, "profile.dev"), section(&main, "profile.dev"));
}
