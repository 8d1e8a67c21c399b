//! The workspace of benchmarks and examples is built as the one that users have: of the same versions, and as
//! fast.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

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
fn both_workspaces_are_built_for_release_alike() {
    let (main, examples) = (read("Cargo.toml"), read("examples/Cargo.toml"));
    let release = section(&main, "profile.release");
    assert!(!release.is_empty());
    assert_eq!(section(&examples, "profile.release"), release);
}
