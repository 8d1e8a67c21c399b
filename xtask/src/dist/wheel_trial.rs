//! A wheel as its users have it: installed into a fresh environment, used, uninstalled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::python::{Environment, environment, pip};
use crate::run::{output, root, run, say, target};

/// Where packages come from that the wheel depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Packages {
    /// The index that pip is set to.
    Index,
    /// Another environment, which has them; no network is needed.
    Of(&'static Environment),
}

/// Does what a user does, with nothing but the wheel and a Python, and fails where something is left behind.
pub(crate) fn use_once(wheel: &Path, packages: Packages) -> anyhow::Result<()> {
    let folder = target().join("wheel-trial");
    let python = environment(&folder)?;
    if let Packages::Of(other) = packages {
        let link = site_packages(&python)?.join("others.pth");
        fs::write(link, format!("{}\n", site_packages(&other.python())?.display()))?;
    }
    let home = folder.join("home");
    fs::create_dir(&home)?;
    let before = files(&folder)?;
    install(&python, wheel, packages)?;
    let work = folder.join("work");
    fs::create_dir(&work)?;
    let user = |program: &str| {
        let mut command = Command::new(folder.join("bin").join(program));
        // No compiler is to be found, nor anything of who runs this.
        command.env("PATH", folder.join("bin")).env("HOME", &home).current_dir(&work);
        command.env_remove("PYTHONPATH").env_remove("PYTHONDONTWRITEBYTECODE");
        command
    };
    let version = output(user("leadline").arg("--version"))?;
    if version.trim() != format!("leadline {}", version_of(wheel)?) {
        bail!("{} has a program that calls itself `{}`", wheel.display(), version.trim());
    }
    let profile = output(user("leadline").args(["profile", "sim:flash", "--quick", "--json"]))?;
    let profile: Value = serde_json::from_str(&profile).context("`leadline profile --json`")?;
    if !profile["schema"].as_str().is_some_and(|schema| schema.starts_with("leadline.profile/")) {
        bail!("`leadline profile --json` prints no profile");
    }
    let doctest = ["-m", "doctest", "-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE"];
    run(user("python").args(doctest).arg(root().join("python/README.md")))?;
    fs::remove_dir_all(&work)?;
    let installed: &[&str] =
        if let Packages::Index = packages { &["leadline", "numpy"] } else { &["leadline"] };
    run(pip(&python).args(["uninstall", "--quiet", "--yes"]).args(installed))?;
    match files(&folder)?.difference(&before).next() {
        Some(left) => bail!("uninstalled, the wheel leaves {}", folder.join(left).display()),
        None => Ok(()),
    }
}

fn install(python: &Path, wheel: &Path, packages: Packages) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut install = pip(python);
    install.args(["install", "--quiet", "--only-binary=:all:"]);
    if let Packages::Of(_) = packages {
        install.arg("--no-index");
    }
    run(install.arg(wheel).env("PATH", python.with_file_name("")))?;
    let name = wheel.file_name().unwrap_or_default();
    say(&format!("dist: pip install {} took {:.1} s", name.display(), start.elapsed().as_secs_f64()));
    Ok(())
}

/// "0.1.0" of "leadline-0.1.0-cp310-abi3-manylinux_2_17_x86_64.whl".
fn version_of(wheel: &Path) -> anyhow::Result<&str> {
    let name = wheel.file_name().and_then(|name| name.to_str());
    name.and_then(|name| name.split('-').nth(1)).context("a wheel's name has its version")
}

/// Where the packages of an interpreter are.
fn site_packages(python: &Path) -> anyhow::Result<PathBuf> {
    let mut python = Command::new(python);
    let place = output(python.args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]))?;
    Ok(PathBuf::from(place.trim()))
}

/// All files and folders in `folder`, but for pip's own, which it compiles as it uses them.
fn files(folder: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).with_context(|| next.display().to_string())? {
            let (path, is_folder) = {
                let entry = entry?;
                (entry.path(), entry.file_type()?.is_dir())
            };
            if path.ends_with("site-packages/pip") {
                continue;
            }
            found.insert(path.strip_prefix(folder)?.to_owned());
            if is_folder {
                folders.push(path);
            }
        }
    }
    Ok(found)
}
