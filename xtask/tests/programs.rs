//! Where the tests of a crate are one program, it has all of them: a file that tests/all.rs does not name is
//! not run.

use std::fs;
use std::path::{Path, PathBuf};

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn every_file_of_tests_is_run() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = entries(&top.join("crates")).into_iter().chain(entries(&top.join("examples")));
    let mut programs = 0;
    for folder in folders.map(|folder| folder.join("tests")) {
        let Ok(all) = fs::read_to_string(folder.join("all.rs")) else { continue };
        programs += 1;
        for file in entries(&folder).iter().filter(|file| file.extension().is_some_and(|rs| rs == "rs")) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let named = name == "all" || all.lines().any(|line| line == format!("mod {name};"));
            assert!(named, "{}: add `mod {name};` to all.rs beside it", file.display());
        }
    }
    assert!(programs > 0, "no tests/all.rs under {}", top.display());
}
