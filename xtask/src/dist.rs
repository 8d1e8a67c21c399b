//! `cargo xtask dist`: what users install, in target/dist. Each kind of artefact has a file of its own; what
//! archives and packages contain is laid out once, as a [`Tree`].

mod again;
mod archive;
mod binary;
mod crates;
mod debian;
mod debian_rust;
mod emulated;
mod licences;
mod parts;
mod rpm;
pub(crate) mod semver;
mod smoke;
mod staged;
mod sums;
mod target;
mod tools;
mod tree;
mod trial;
pub(crate) mod wheel;
pub(crate) mod wheel_trial;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;

use crate::run::{Usage, cargo, output, root, say, target as target_folder};
use crate::setup::{Setup, Uses};
use parts::Part;
use sums::Made;
use target::Target;
use tree::Tree;
use trial::Tried;
pub(crate) use wheel_trial::Packages;

/// What is made, and from what.
#[derive(Debug, Clone)]
pub(crate) struct Dist {
    /// Where the artefacts go.
    pub(crate) into: PathBuf,
    /// The workspace's: "0.1.0".
    pub(crate) version: String,
    /// The time of every file in every artefact, in seconds since 1970: the commit's, so that two builds of
    /// one commit make the same bytes.
    pub(crate) epoch: u64,
    /// Whether packages may be larger and have no licences of libraries, to be made sooner: for a trial of
    /// how they are made.
    pub(crate) quickly: bool,
}

/// Instead of parts: makes them twice and compares the bytes.
const AGAIN: &str = "--again";

/// Instead of parts, with a library: makes packages of what the tests have built, and tries them.
const SMOKE: &str = "--smoke";

/// Makes the parts that are named, or all of them, and prints a table of what was made.
pub(crate) fn dist(words: &[OsString]) -> anyhow::Result<()> {
    if words == [AGAIN] {
        let names = [Part::Programs(Target::OURS).name(), Part::Wheel.name()];
        return again::compare(&Dist::of_this_commit()?, &names);
    }
    if let [word, library] = words
        && word == SMOKE
    {
        return smoke::smoke(Dist::of_this_commit()?, library.as_ref());
    }
    let parts = parts::wanted(words)?;
    let foreign = !Target::Aarch64.is_ours() && parts.contains(&Part::Programs(Target::Aarch64));
    Setup::begin(if foreign { Uses::DistForAarch64 } else { Uses::Dist })?.finish()?;
    let dist = Dist::of_this_commit()?;
    fs::create_dir_all(&dist.into).with_context(|| dist.into.display().to_string())?;
    let (mut made, mut tried) = (Vec::new(), Vec::new());
    for part in parts {
        say(&format!("==> dist: {}", part.name()));
        make(&dist, part, &mut made, &mut tried).with_context(|| format!("dist: {}", part.name()))?;
    }
    sums::write(&dist, &made)?;
    trial::print(&tried);
    Ok(())
}

fn make(dist: &Dist, part: Part, made: &mut Vec<Made>, tried: &mut Vec<Tried>) -> anyhow::Result<()> {
    let start = Instant::now();
    match part {
        Part::Wheel => {
            let file = wheel::make(dist)?;
            wheel_trial::use_once(&file, Packages::Index)?;
            made.push(Made::new("wheel", file, start));
            let start = Instant::now();
            made.push(Made::new("sources", wheel::sources(dist)?, start));
        }
        Part::Programs(target) => {
            let program = binary::build(dist, target)?;
            if !target.is_ours() {
                emulated::compare(target, &program, &binary::build(dist, Target::OURS)?)?;
            }
            let tree = Tree::lay_out(dist, target, &program)?;
            made.push(Made::new("the program", program, start));
            let start = Instant::now();
            let archive = archive::make(dist, &tree)?;
            made.push(Made::new("archive", archive.clone(), start));
            tried.extend(trial::of_archive(dist, target, &archive)?);
            let start = Instant::now();
            let package = debian::make(dist, &tree)?;
            made.push(Made::new(".deb", package.clone(), start));
            tried.extend(trial::of_deb(dist, target, &package)?);
            let start = Instant::now();
            let package = rpm::make(dist, &tree)?;
            made.push(Made::new(".rpm", package.clone(), start));
            tried.extend(trial::of_rpm(dist, target, &package)?);
        }
        Part::Licences => made.push(Made::new("licences", licences::make(dist)?, start)),
        Part::Crates => made.push(Made::new("crates", crates::make(dist)?, start)),
    }
    Ok(())
}

impl Dist {
    fn of_this_commit() -> anyhow::Result<Dist> {
        Ok(Dist { into: target_folder().join("dist"), version: version()?, epoch: epoch()?, quickly: false })
    }
}

fn version() -> anyhow::Result<String> {
    let mut command = cargo();
    command.args(["metadata", "--format-version=1", "--no-deps", "--locked"]).current_dir(root());
    let metadata: serde_json::Value = serde_json::from_str(&output(&mut command)?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    let program = packages.iter().find(|package| package["name"] == "leadline-cli");
    let version = program.and_then(|package| package["version"].as_str());
    Ok(version.context("cargo metadata names no version of leadline-cli")?.to_owned())
}

/// `SOURCE_DATE_EPOCH`, or else the commit's time.
fn epoch() -> anyhow::Result<u64> {
    let named = env::var("SOURCE_DATE_EPOCH").ok();
    let seconds = match named {
        Some(seconds) => seconds,
        None => {
            let mut git = Command::new("git");
            git.args(["log", "-1", "--format=%ct"]).current_dir(root());
            output(&mut git).map_err(|error| {
                Usage::error(format!(
                    "no time for the files: {error:#}; build in a git clone, or set SOURCE_DATE_EPOCH to seconds \
                     since 1970"
                ))
            })?
        }
    };
    let seconds = seconds.trim();
    seconds.parse().map_err(|_| {
        Usage::error(format!("SOURCE_DATE_EPOCH is `{seconds}`: set it to whole seconds since 1970"))
    })
}
