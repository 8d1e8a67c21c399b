//! Programs of other projects that cargo installs, in target/tools: each in the version that its user names.

use std::path::PathBuf;

use crate::run::{cargo, run, say, target};

/// The program `name` of the crate with the same name, in exactly this version.
pub(super) fn installed(name: &str, version: &str) -> anyhow::Result<PathBuf> {
    installed_with(name, version, "")
}

/// The same, of a crate that has its program behind features.
pub(super) fn installed_with(name: &str, version: &str, features: &str) -> anyhow::Result<PathBuf> {
    // A folder for each version: an older checkout finds its own.
    let folder = target().join("tools").join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.is_file() {
        say(&format!("dist: installing {name} {version}"));
        let mut install = cargo();
        install
            .args(["install", "--quiet", "--locked", "--version", version, "--features", features, "--root"])
            .arg(&folder);
        // One folder for what all of them are compiled from.
        install.arg("--target-dir").arg(target().join("tools/build")).arg(name);
        run(&mut install)?;
    }
    Ok(program)
}
