//! The package for Debian, Ubuntu and their descendants. `dpkg-deb` packs what is laid out already; its texts
//! are in packaging/debian.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::staged::{Staged, filled, made};
use super::{Dist, Tree};
use crate::run::{output, root, run};

/// Of the package, where its version stands still.
const REVISION: u32 = 1;

/// Who answers for the package. Debian's tools want an address, and there is none yet: nobody can have this
/// one.
const MAINTAINER: &str = "the Leadline developers <developers@leadline.invalid>";

/// Where the package's documentation stands.
const DOCS: &str = "usr/share/doc/leadline";

/// Packs the tree.
pub(super) fn make(dist: &Dist, tree: &Tree) -> anyhow::Result<PathBuf> {
    let version = format!("{}-{REVISION}", dist.version);
    let architecture = tree.target.debian();
    let staged = Staged::of(tree, "deb")?;
    // Debian's zsh looks for completions of packages in this folder alone.
    staged.move_to("usr/share/zsh/site-functions", "usr/share/zsh/vendor-completions")?;
    texts(dist, &staged, &version)?;
    let words = [
        ("VERSION", version.as_str()),
        ("ARCHITECTURE", architecture),
        ("MAINTAINER", MAINTAINER),
        ("KILOBYTES", &kilobytes(&staged)?),
    ];
    let control = filled("debian/control", &words)?;
    staged.write("DEBIAN/md5sums", &sums(&staged)?)?;
    staged.write("DEBIAN/control", &control)?;
    staged.finish(dist)?;

    let file = dist.into.join(format!("leadline_{version}_{architecture}.deb"));
    let mut pack = Command::new("dpkg-deb");
    // One thread: how many there are would be seen in the bytes.
    pack.args(["--root-owner-group", "--threads-max=1", "-Zxz", if dist.quickly { "-z0" } else { "-z6" }]);
    pack.env("SOURCE_DATE_EPOCH", dist.epoch.to_string());
    pack.arg("--build").arg(&staged.folder).arg(&file).stdout(std::io::stderr());
    run(&mut pack)?;
    made(file)
}

/// What Debian's policy wants to be in the folder for documentation.
fn texts(dist: &Dist, staged: &Staged, version: &str) -> anyhow::Result<()> {
    staged.move_to(&format!("{DOCS}/CHANGELOG.md"), &format!("{DOCS}/changelog"))?;
    staged.compress(&format!("{DOCS}/changelog"))?;
    let time = format!("--date=@{}", dist.epoch);
    let date = output(Command::new("date").env("LC_ALL", "C").args(["--utc", "-R", &time]))?;
    let words = [("VERSION", version), ("MAINTAINER", MAINTAINER), ("DATE", date.trim_end())];
    staged.write(&format!("{DOCS}/changelog.Debian"), &filled("debian/changelog", &words)?)?;
    staged.compress(&format!("{DOCS}/changelog.Debian"))?;

    // The licences of Leadline itself are part of this file, or on every Debian.
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::remove_file(staged.existing(&format!("{DOCS}/{licence}"))?)?;
    }
    let copyright = filled("debian/copyright", &[("EXPAT", &expat()?)])?;
    staged.write(&format!("{DOCS}/copyright"), &copyright)?;
    staged.write("usr/share/lintian/overrides/leadline", &filled("debian/lintian-overrides", &[])?)?;
    Ok(())
}

/// LICENSE-MIT without its title and copyright, as a paragraph of the file copyright.
fn expat() -> anyhow::Result<String> {
    let text = fs::read_to_string(root().join("LICENSE-MIT")).context("LICENSE-MIT")?;
    let begin = text.find("Permission is hereby").context("LICENSE-MIT permits nothing")?;
    let line = |line: &str| if line.is_empty() { " .".to_owned() } else { format!(" {line}") };
    Ok(text[begin..].lines().map(line).collect::<Vec<_>>().join("\n"))
}

/// What the package takes when it is installed, as dpkg counts it.
fn kilobytes(staged: &Staged) -> anyhow::Result<String> {
    let du = output(Command::new("du").args(["--apparent-size", "-sk"]).arg(&staged.folder))?;
    Ok(du.split_whitespace().next().context("du names no size")?.to_owned())
}

/// By which `dpkg --verify` finds changed files.
fn sums(staged: &Staged) -> anyhow::Result<String> {
    let sums = "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum";
    output(Command::new("sh").args(["-c", sums]).current_dir(&staged.folder))
}
