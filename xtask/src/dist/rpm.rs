//! The package for Fedora, RHEL, openSUSE and their descendants. `rpmbuild` packs what is laid out already,
//! by packaging/rpm/leadline.spec.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::staged::{Staged, filled, made};
use super::{Dist, Tree};
use crate::run::run;

/// What rpmbuild is told, so that it packs the files as they are, and the same bytes on every machine.
const SETTINGS: [&str; 9] = [
    "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm",
    "_buildhost localhost",
    "use_source_date_epoch_as_buildtime 1",
    "clamp_mtime_to_source_date_epoch 1",
    "build_mtime_policy clamp_to_source_date_epoch",
    // It would strip the program and compress the pages again.
    "__os_install_post %{nil}",
    "debug_package %{nil}",
    "_build_id_links none",
    "_docdir /usr/share/doc",
];

/// Packs the tree.
pub(super) fn make(dist: &Dist, tree: &Tree) -> anyhow::Result<PathBuf> {
    let staged = Staged::of(tree, "rpm")?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let to = format!("usr/share/licenses/leadline/{licence}");
        staged.move_to(&format!("usr/share/doc/leadline/{licence}"), &to)?;
    }
    staged.finish(dist)?;
    // rpmbuild takes no spaces in the name of the folder that it works in.
    let work = tempfile::tempdir()?;
    let contents = staged.folder.display().to_string();
    let spec = filled("rpm/leadline.spec", &[("VERSION", &dist.version), ("TREE", &contents)])?;
    let spec_file = work.path().join("leadline.spec");
    fs::write(&spec_file, spec)?;

    let architecture = tree.target.name();
    let mut pack = Command::new("rpmbuild");
    pack.args(["-bb", "--quiet", "--target", &format!("{architecture}-linux")]);
    let payload = if dist.quickly { "_binary_payload w1.zstdio" } else { "_binary_payload w19.zstdio" };
    let place = format!("_topdir {}", work.path().display());
    for setting in SETTINGS.into_iter().chain([payload, &place]) {
        pack.args(["--define", setting]);
    }
    pack.env("SOURCE_DATE_EPOCH", dist.epoch.to_string()).arg(&spec_file).stdout(std::io::stderr());
    run(&mut pack)?;
    let name = format!("leadline-{}-1.{architecture}.rpm", dist.version);
    let package = made(work.path().join("RPMS").join(&name))?;
    let file = dist.into.join(name);
    fs::copy(&package, &file).with_context(|| file.display().to_string())?;
    Ok(file)
}
