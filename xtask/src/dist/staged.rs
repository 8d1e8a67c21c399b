//! The tree as distributions install it: under /usr, with compressed manual pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::tree::set_modes_and_times;
use super::{Dist, Tree};
use crate::run::{root, run, target as target_folder};

/// The tree in a folder that stands for `/`.
#[derive(Debug)]
pub(super) struct Staged {
    pub(super) folder: PathBuf,
}

impl Staged {
    /// Copies `tree` for packages of this kind, in place of an earlier copy.
    pub(super) fn of(tree: &Tree, kind: &str) -> anyhow::Result<Staged> {
        let folder = target_folder().join("tree").join(format!("{kind}-{}", tree.target.name()));
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        run(Command::new("cp").arg("-a").arg(&tree.folder).arg(folder.join("usr")))?;
        let staged = Staged { folder };
        let pages = staged.existing("usr/share/man")?;
        run(Command::new("find").arg(pages).args(["-type", "f", "-exec", "gzip", "-9n", "{}", "+"]))?;
        Ok(staged)
    }

    /// A file or folder that the tree must have.
    pub(super) fn existing(&self, name: &str) -> anyhow::Result<PathBuf> {
        let place = self.folder.join(name);
        if !place.exists() {
            bail!("the packages' tree has no {name}: {}", place.display());
        }
        Ok(place)
    }

    /// Writes a file of the package, in a folder that is made for it.
    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let place = self.folder.join(name);
        let folder = place.parent().context("a file has a folder")?;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        fs::write(&place, text).with_context(|| place.display().to_string())?;
        Ok(place)
    }

    /// Moves a file or folder to where this distribution looks for it.
    pub(super) fn move_to(&self, from: &str, to: &str) -> anyhow::Result<()> {
        let (from, to) = (self.existing(from)?, self.folder.join(to));
        fs::create_dir_all(to.parent().context("a place has a folder")?)?;
        fs::rename(&from, &to).with_context(|| format!("{} to {}", from.display(), to.display()))
    }

    /// Compresses a file, whose name then ends in .gz.
    pub(super) fn compress(&self, name: &str) -> anyhow::Result<()> {
        run(Command::new("gzip").arg("-9n").arg(self.existing(name)?))
    }

    /// Nothing is added any more: all have the modes and the time of the build.
    pub(super) fn finish(&self, dist: &Dist) -> anyhow::Result<()> {
        set_modes_and_times(&self.folder, dist.epoch)
    }
}

/// The text of packaging/NAME, with each `@WORD@` replaced by what stands next to WORD.
pub(super) fn filled(name: &str, words: &[(&str, &str)]) -> anyhow::Result<String> {
    let path = root().join("packaging").join(name);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    fill(&text, words).with_context(|| path.display().to_string())
}

fn fill(text: &str, words: &[(&str, &str)]) -> anyhow::Result<String> {
    let mut parts = text.split('@');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    while let Some(word) = parts.next() {
        let (_, value) = words.iter().find(|(known, _)| *known == word).with_context(|| {
            format!(
                "@{word}@ is not known: it may be {}",
                words.iter().map(|(w, _)| *w).collect::<Vec<_>>().join(", ")
            )
        })?;
        filled.push_str(value);
        filled.push_str(parts.next().with_context(|| format!("@{word} has no second @"))?);
    }
    Ok(filled)
}

/// Whether `path` is there: to make sure of what a tool says it made.
pub(super) fn made(path: PathBuf) -> anyhow::Result<PathBuf> {
    if !Path::is_file(&path) {
        bail!("{} was not made", path.display());
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_filled_in_and_unknown_ones_are_refused() {
        let words = [("VERSION", "0.1.0"), ("MAINTAINER", "A <a@b>")];
        assert_eq!(fill("v @VERSION@ by @MAINTAINER@.\n", &words).unwrap(), "v 0.1.0 by A <a@b>.\n");
        let refusal = fill("@DATE@", &words).unwrap_err().to_string();
        assert_eq!(refusal, "@DATE@ is not known: it may be VERSION, MAINTAINER");
        assert_eq!(fill("@VERSION", &words).unwrap_err().to_string(), "@VERSION has no second @");
    }
}
