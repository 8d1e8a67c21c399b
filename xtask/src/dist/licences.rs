//! The licences of all libraries that a program of ours contains, as one text: cargo-about finds them in the
//! packages, without a network, for all processors.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

use super::{Dist, tools};
use crate::run::{cargo, root, words};

/// Which licences we accept, and for which processors.
const CONFIG: &str = "packaging/about.toml";

/// Contains the program's library, and what Python needs of it: all that is in any artefact.
const LARGEST: &str = "crates/python/Cargo.toml";

/// What the file is called, also where packages have it.
pub(super) const NAME: &str = "THIRD-PARTY-LICENSES.txt";

/// What no package of cargo has.
const HEAD: &str = "\
The licences of what is in the program and the Python package besides Leadline itself, which is licensed under
Apache-2.0 or MIT, at your choice.

Also in them: the standard library of Rust (Apache-2.0 or MIT; its notices are in
share/doc/rust/COPYRIGHT-library.html of the Rust toolchain). Also in the static program: the GNU C library
(LGPL-2.1-or-later; its source is in the package `glibc` of Debian; `cargo xtask dist` links the program
again, with another version if you wish) and parts of GCC's run-time library (GPL-3.0-or-later with the GCC
Runtime Library Exception).
";

/// The text; written if there is none since the libraries last changed.
pub(super) fn make(dist: &Dist) -> anyhow::Result<PathBuf> {
    let file = dist.into.join(NAME);
    if is_newer(&file, &[root().join("Cargo.lock"), root().join(CONFIG)])? {
        return Ok(file);
    }
    let about = tools::installed_with("cargo-about", "0.9.3", "cli")?;
    let found = found(&about, &root().join(CONFIG))?;
    fs::write(&file, text(&found)?).with_context(|| file.display().to_string())?;
    Ok(file)
}

/// Whether a file is there, and younger than all of `others`.
fn is_newer(file: &Path, others: &[PathBuf]) -> anyhow::Result<bool> {
    let Ok(written) = fs::metadata(file).and_then(|of| of.modified()) else { return Ok(false) };
    for other in others {
        let changed = fs::metadata(other).and_then(|of| of.modified());
        if changed.with_context(|| other.display().to_string())? >= written {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The licences, as cargo-about says them. One that is not accepted is an error.
fn found(about: &Path, config: &Path) -> anyhow::Result<Value> {
    let mut command = Command::new(about);
    command.args(["generate", "--frozen", "--fail", "--format=json", "--config"]).arg(config);
    command.args(["--manifest-path", LARGEST]).current_dir(root()).stdin(Stdio::null());
    // It asks cargo for the dependencies.
    command.env("CARGO", cargo().get_program());
    let output = command.output().with_context(|| format!("cannot run `{}`", words(&command)))?;
    if output.status.success() {
        return serde_json::from_slice(&output.stdout).context("what cargo-about wrote");
    }
    let said = String::from_utf8_lossy(&output.stderr);
    match &refused(&said)[..] {
        [] => bail!("`{}` ended with {}\n{said}", words(&command), output.status),
        refused => bail!("{}", refused.join("\n")),
    }
}

/// A line for each library whose licence is not accepted, from what cargo-about says of it: the place of its
/// Cargo.toml, and the line there that names the licence.
fn refused(said: &str) -> Vec<String> {
    let mut refused = Vec::new();
    let mut library = "a library";
    for line in said.lines() {
        if let Some((_, place)) = line.split_once("┌─ ") {
            let folder = Path::new(place.trim()).parent().and_then(Path::file_name);
            library = folder.and_then(|name| name.to_str()).unwrap_or(library);
        } else if let Some((_, licence)) = line.split_once("│ license = ") {
            let licence = licence.trim().trim_matches('"');
            refused.push(format!(
                "{library}: its licence, {licence}, is not accepted: replace the library, or add the licence to \
                 {CONFIG}"
            ));
        }
    }
    refused
}

/// The libraries under each text of a licence, and the text. Our own are left out.
fn text(found: &Value) -> anyhow::Result<String> {
    let licences = found["licenses"].as_array().context("cargo-about names no licences")?;
    let mut text = HEAD.to_owned();
    for licence in licences {
        let users = licence["used_by"].as_array().into_iter().flatten().map(|user| &user["crate"]);
        let libraries: Vec<String> = users
            .filter(|library| library["source"].is_string())
            .map(|library| {
                [&library["name"], &library["version"]].map(|part| part.as_str().unwrap_or_default())
            })
            .map(|parts| parts.join(" "))
            .collect();
        if !libraries.is_empty() {
            let name = licence["name"].as_str().context("a licence has a name")?;
            let words = licence["text"].as_str().context("a licence has a text")?;
            let line = "-".repeat(78);
            write!(text, "\n{line}\n{name}\n{}\n\n{}\n", libraries.join(", "), words.trim_matches('\n'))?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_that_is_not_accepted_is_told_in_one_line_with_its_library() {
        let said = "error: failed to satisfy license requirements\n   \
            ┌─ /registry/src/snap-1.1.2/Cargo.toml:38:12\n   │\n38 │ license = \"BSD-3-Clause\"\n   │            ---\n\n\
            2026-11-27T06:42:38Z [ERROR] encountered 1 errors resolving licenses\n";
        let line = "snap-1.1.2: its licence, BSD-3-Clause, is not accepted: replace the library, or add the \
            licence to packaging/about.toml";
        assert_eq!(refused(said), [line]);
    }

    #[test]
    fn libraries_stand_above_the_text_of_their_licence_and_ours_are_left_out() {
        let library = |name: &str, source| {
            serde_json::json!({"crate": {"name": name, "version": "1.2.0",
            "source": source}})
        };
        let licence = |used_by: &[Value], text: &str| {
            serde_json::json!({
                "name": "MIT License", "text": text, "used_by": used_by
            })
        };
        let found = serde_json::json!({"licenses": [
            licence(&[library("snap", Some("registry+")), library("leadline-text", None)], "\nCopyright S\n"),
            licence(&[library("leadline-cli", None)], "ours"),
        ]});
        let text = text(&found).unwrap();
        assert!(text.ends_with("\nMIT License\nsnap 1.2.0\n\nCopyright S\n"), "{text}");
        assert!(!text.contains("ours\n") && !text.contains("leadline-"), "{text}");
    }
}
