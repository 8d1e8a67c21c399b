//! What archives and packages contain, as it stands under a prefix such as /usr: the program, its manual
//! pages, completions, documentation and licences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::{Dist, Target, licences};
use crate::run::{output, root, run, target as target_folder};

/// The files, laid out in a folder.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) target: Target,
    /// Stands for the prefix. It is called as archives name it: "leadline-0.1.0-x86_64-unknown-linux-gnu".
    pub(super) folder: PathBuf,
}

/// Where each shell looks for completions, under a prefix.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/leadline"),
    ("fish", "share/fish/vendor_completions.d/leadline.fish"),
    ("zsh", "share/zsh/site-functions/_leadline"),
];

/// Where documentation and licences stand, under a prefix.
const DOCS: &str = "share/doc/leadline";

/// Files of the repository that go with the program.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

impl Tree {
    /// Lays out `program` and what it says of itself, in place of what stood there.
    pub(super) fn lay_out(dist: &Dist, target: Target, program: &Path) -> anyhow::Result<Tree> {
        let name = format!("leadline-{}-{}", dist.version, target.triple());
        let folder = target_folder().join("tree").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        let tree = Tree { target, folder };
        copy(program, &tree.place("bin/leadline")?)?;
        run(target.command(program).arg("man").arg(tree.place("share/man/man1/")?))?;
        for (shell, place) in COMPLETIONS {
            let script = output(target.command(program).args(["completions", shell]))?;
            write(&tree.place(place)?, &script)?;
        }
        for text in TEXTS {
            copy(&root().join(text), &tree.place(&format!("{DOCS}/{text}"))?)?;
        }
        if !dist.quickly {
            copy(&licences::make(dist)?, &tree.place(&format!("{DOCS}/{}", licences::NAME))?)?;
        }
        crate::site::site(&[tree.place(&format!("{DOCS}/html/"))?.into_os_string()])?;
        set_modes_and_times(&tree.folder, dist.epoch)?;
        Ok(tree)
    }

    /// The place of a file in the tree; the folder it stands in is made.
    fn place(&self, name: &str) -> anyhow::Result<PathBuf> {
        let place = self.folder.join(name);
        let folder = if name.ends_with('/') { Some(place.as_path()) } else { place.parent() };
        let folder = folder.context("a place in the tree has a folder")?;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        Ok(place)
    }
}

/// As packages want them, whatever the umask and the time of the build.
pub(super) fn set_modes_and_times(folder: &Path, epoch: u64) -> anyhow::Result<()> {
    run(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(folder))?;
    let time = format!("@{epoch}");
    run(Command::new("find").arg(folder).args(["-exec", "touch", "-h", "-d", &time, "{}", "+"]))
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let what = || format!("{} to {}", from.display(), to.display());
    fs::copy(from, to).map(|_| ()).with_context(what)
}

fn write(to: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(to, text).with_context(|| to.display().to_string())
}
