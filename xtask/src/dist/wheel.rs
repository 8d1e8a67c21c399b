//! The wheel: the package for Python, with the command line in it. One file serves every Python from 3.10.
//! And the sources, from which pip builds the package where the wheel does not fit.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, iter};

use anyhow::{Context, bail};
use serde_json::Value;

use super::{Dist, binary, licences};
use crate::python::{Environment, TESTS, WHEELS};
use crate::run::{output, root, run, target};

/// The oldest glibc that the wheel runs with. CentOS 7 has it; NumPy for Python 3.10 needs at least this one.
const OLDEST: (u32, u32) = (2, 17);

/// Builds it, and checks what it needs of a system.
pub(crate) fn make(dist: &Dist) -> anyhow::Result<PathBuf> {
    if !WHEELS.is_ready()? {
        WHEELS.make()?;
    }
    let folder = emptied("wheel")?;
    let mut build = maturin(&WHEELS, "build", &folder)?;
    // Zig brings the interfaces of old libraries, and a compiler of C for them.
    build.args(["--locked", "--profile", binary::PROFILE]);
    build.args(["--zig", "--compression-level", "9", "--compatibility"]);
    build.arg(format!("manylinux_{}_{}", OLDEST.0, OLDEST.1));
    for cache in ["ZIG_GLOBAL_CACHE_DIR", "CARGO_ZIGBUILD_CACHE_DIR"] {
        build.env(cache, target().join("tools/zig"));
    }
    binary::reproducible(&mut build, dist, Vec::new())?;
    run(&mut build)?;
    let made = the_wheel_in(&folder)?;
    let mut audit = Command::new(WHEELS.program("auditwheel"));
    let report: Value = serde_json::from_str(&output(audit.args(["show", "--json"]).arg(&made))?)?;
    if let Some(fault) = fault(&report) {
        bail!("{}: {fault}", made.display());
    }
    with_licences(dist, &made)
}

/// Adds the licences of the libraries in it, as their terms want, and puts the wheel where the artefacts are.
fn with_licences(dist: &Dist, made: &Path) -> anyhow::Result<PathBuf> {
    let name = format!("leadline-{}", dist.version);
    let folder = emptied("wheel-unpacked")?;
    let wheel = || {
        let mut wheel = Command::new(WHEELS.python());
        wheel.args(["-m", "wheel"]).env("SOURCE_DATE_EPOCH", dist.epoch.to_string());
        wheel
    };
    run(wheel().args(["unpack", "--dest"]).arg(&folder).arg(made))?;
    let unpacked = folder.join(&name);
    let place = unpacked.join(format!("{name}.dist-info/licenses")).join(licences::NAME);
    fs::copy(licences::make(dist)?, &place).with_context(|| place.display().to_string())?;
    run(wheel().args(["pack", "--dest-dir"]).arg(&dist.into).arg(unpacked))?;
    let file = dist.into.join(made.file_name().context("a wheel has a name")?);
    if !file.is_file() {
        bail!("packed again, {} has another name", file.display());
    }
    Ok(file)
}

/// The wheel of the library that cargo told of in this message: all that maturin does, but for compiling.
pub(crate) fn of_library(message: &Value) -> anyhow::Result<PathBuf> {
    let folder = emptied("wheel-of-tests")?;
    // In place of a cargo that would compile for another profile, maturin hears what cargo said.
    let (said, cargo) = (folder.join("said.json"), folder.join("cargo"));
    fs::write(&said, format!("{message}\n{{\"reason\":\"build-finished\",\"success\":true}}\n"))?;
    fs::write(&cargo, format!("#!/bin/sh\nexec cat '{}'\n", said.display()))?;
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755))?;
    let mut build = maturin(&TESTS, "build", &folder)?;
    build
        .args(["--locked", "--compatibility", "linux", "--compression-method", "stored"])
        .env("CARGO", cargo);
    run(&mut build)?;
    the_wheel_in(&folder)
}

/// Packs the sources of the package and of all crates that it is made of.
pub(crate) fn sources(dist: &Dist) -> anyhow::Result<PathBuf> {
    run(maturin(&WHEELS, "sdist", &dist.into)?.env("SOURCE_DATE_EPOCH", dist.epoch.to_string()))?;
    Ok(dist.into.join(format!("leadline-{}.tar.gz", dist.version)))
}

/// The maturin of an environment, about to put what it makes into `folder`.
fn maturin(tools: &Environment, verb: &str, folder: &Path) -> anyhow::Result<Command> {
    let mut build = Command::new(tools.program("maturin"));
    build.args([verb, "--out"]).arg(folder).current_dir(root().join("python"));
    // It looks for Python, and for Zig's package there, on PATH.
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(iter::once(tools.programs()).chain(env::split_paths(&path)))?;
    build.env("PATH", path).env_remove("VIRTUAL_ENV").env_remove("PYTHONPATH");
    Ok(build)
}

fn emptied(name: &str) -> anyhow::Result<PathBuf> {
    let folder = target().join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

fn the_wheel_in(folder: &Path) -> anyhow::Result<PathBuf> {
    let files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let wheel = files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "whl"));
    wheel.with_context(|| format!("maturin left no wheel in {}", folder.display()))
}

/// What is wrong with a wheel by what auditwheel found: it needs a later glibc than we promise, or a library
/// that not every Linux has.
fn fault(report: &Value) -> Option<String> {
    let libraries: Vec<&String> =
        report["external_libs"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    if let [first, ..] = &libraries[..] {
        return Some(format!("needs {first}, which not every Linux has"));
    }
    let tag = report["overall_tag"].as_str().unwrap_or_default();
    let (major, minor) = OLDEST;
    let mut numbers = tag.strip_prefix("manylinux_").unwrap_or_default().split('_').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(needed)), Some(Ok(and))) if (needed, and) <= OLDEST => None,
        _ => Some(format!("auditwheel finds it fit for {tag}, and not for a glibc of {major}.{minor}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_wheel_needs_of_a_system_is_no_more_than_promised() {
        let of = |tag: &str| fault(&json!({"overall_tag": tag, "external_libs": {}}));
        assert_eq!(of("manylinux_2_17_x86_64"), None);
        assert_eq!(of("manylinux_2_5_x86_64"), None);
        let newer = of("manylinux_2_28_x86_64").unwrap();
        assert_eq!(newer, "auditwheel finds it fit for manylinux_2_28_x86_64, and not for a glibc of 2.17");
        assert!(of("linux_x86_64").is_some() && of("musllinux_1_1_x86_64").is_some());
        let foreign =
            json!({"overall_tag": "manylinux_2_17_x86_64", "external_libs": {"libzstd.so.1": null}});
        assert_eq!(fault(&foreign).unwrap(), "needs libzstd.so.1, which not every Linux has");
    }
}
