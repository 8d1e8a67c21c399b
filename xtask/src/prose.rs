//! `cargo xtask prose`: the English of what readers meet, checked by Harper with the rules in `xtask/prose`.
//!
//! Harper reads Markdown. Comments and messages reach it as Markdown in which every line has the number that
//! it has in its source, so that a finding names the place to edit.

mod bundle;
mod harper;
mod python;
mod rust;
mod sources;
mod text;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::run::{Usage, root, say};
use text::{Kind, Text};

/// Checks the files given, or all that readers meet, and says each finding in a line.
pub(crate) fn prose(arguments: &[OsString]) -> anyhow::Result<()> {
    let files = if arguments.is_empty() {
        harper::test_rules()?;
        sources::all()?
    } else {
        given(arguments)?
    };
    let findings = harper::lint(&texts(&files)?)?;
    for finding in &findings {
        say(&finding.to_string());
    }
    if findings.is_empty() {
        say(&format!("prose: no findings in {} files", files.len()));
        return Ok(());
    }
    bail!(
        "{} findings in {} files; CONTRIBUTING.md (\"How we write\") has the rules, and a word that Harper does \
         not know goes into xtask/prose/words.txt",
        findings.len(),
        files.len()
    )
}

fn given(arguments: &[OsString]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for argument in arguments {
        let file = PathBuf::from(argument);
        let known = file.extension().is_some_and(|own| ["md", "rs", "py"].iter().any(|known| own == *known));
        if !known || !file.is_file() {
            return Err(Usage::error(format!(
                "`prose` does not read `{}`: give it files ending in .md, .rs or .py, or nothing for all of them",
                argument.display()
            )));
        }
        files.push(file);
    }
    Ok(files)
}

/// What readers meet in `files`.
fn texts(files: &[PathBuf]) -> anyhow::Result<Vec<Text>> {
    let mut texts = python::texts(&of_kind(files, "py"))?;
    for file in of_kind(files, "md") {
        let markdown = newest_part(&file, read(&file)?);
        texts.push(Text { file, kind: Kind::Page, markdown });
    }
    for file in of_kind(files, "rs") {
        let parts = rust::parts(&read(&file)?).with_context(|| file.display().to_string())?;
        let [docs, messages] = parts.map(|lines| lines.markdown());
        texts.push(Text { file: file.clone(), kind: Kind::Page, markdown: docs });
        texts.push(Text { file, kind: Kind::Messages, markdown: messages });
    }
    Ok(texts)
}

fn of_kind(files: &[PathBuf], extension: &str) -> Vec<PathBuf> {
    files.iter().filter(|file| file.extension().is_some_and(|own| own == extension)).cloned().collect()
}

fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

/// Of the changelog what is not released; history is not rewritten. Of other pages everything.
fn newest_part(file: &Path, markdown: String) -> String {
    if file != root().join("CHANGELOG.md") {
        return markdown;
    }
    let mut releases = markdown.match_indices("\n## [").map(|(at, _)| at);
    let end = releases.nth(1).unwrap_or(markdown.len());
    markdown[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_changelog_only_what_is_not_released_is_read() {
        let changes = "# Changelog\n\n## [Unreleased]\n\n- new\n\n## [0.1.0]\n\n- old\n";
        assert_eq!(newest_part(&root().join("CHANGELOG.md"), changes.into()).lines().last(), Some("- new"));
        assert_eq!(newest_part(Path::new("page.md"), changes.into()), changes);
    }
}
