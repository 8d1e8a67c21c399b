//! The files whose text readers meet.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::run::root;

/// Pages at the top of the repository.
const PAGES: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "python/README.md"];

/// Names of files and directories that have tests and nothing else.
const TESTS: [&str; 2] = ["tests", "tests.rs"];

/// Pages, the sources of all crates (their help, messages and documentation), and the Python package.
pub(super) fn all() -> anyhow::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = PAGES.iter().map(|page| root().join(page)).collect();
    find(&root().join("docs"), "md", &mut files)?;
    for crates in entries(&root().join("crates"))? {
        let readme = crates.join("README.md");
        files.extend(readme.exists().then_some(readme));
        find(&crates.join("src"), "rs", &mut files)?;
    }
    find(&root().join("python/src"), "py", &mut files)?;
    Ok(files)
}

/// Adds the files below `directory` that end in `extension`.
fn find(directory: &Path, extension: &str, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for path in entries(directory)? {
        let name = path.file_name().unwrap_or_default();
        if TESTS.iter().any(|tests| name == *tests) {
            continue;
        }
        if path.is_dir() {
            find(&path, extension, files)?;
        } else if path.extension().is_some_and(|own| own == extension) {
            files.push(path);
        }
    }
    Ok(())
}

/// What a directory has, in the order of the names.
fn entries(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let context = || directory.display().to_string();
    let entries = fs::read_dir(directory).with_context(context)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()
        .with_context(context)?;
    paths.sort();
    Ok(paths)
}
