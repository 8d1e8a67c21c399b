//! A Rust that compiles for a processor that this machine's Rust has no library for: Debian's, unpacked in
//! target/tools without being installed. A private configuration of apt knows both architectures, so that the
//! system's own is not touched.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::Target;
use crate::run::{output, root, run, say, target as target_folder};

/// The compiler, in the newest version that Debian has for its browsers.
const COMPILER: &str = "rustc-web";

/// The standard library's compiled crates.
const LIBRARY: &str = "libstd-rust-web-dev";

/// Packages that the two are loaded with begin with one of these; glibc and the like are on the system.
const LOADED: [&str; 2] = ["libstd-rust-web-", "libllvm"];

/// What to set as `RUSTC`, or nothing where the machine's own compiler has the library (`rustup target add`).
pub(super) fn compiler(target: Target) -> anyhow::Result<Option<PathBuf>> {
    if machine_has(target)? {
        return Ok(None);
    }
    let folder = target_folder().join("tools").join(format!("rust-for-{}", target.name()));
    let compiler = folder.join("rustc");
    // Written last.
    if !compiler.is_file() {
        say(&format!("dist: unpacking Debian's {COMPILER} and {LIBRARY} for {}", target.debian()));
        unpack(target, &folder).with_context(|| {
            format!("no Rust for {0}: `rustup target add {0}` is another way to have one", target.triple())
        })?;
        write_starter(&folder, &compiler)?;
    }
    check_version(&compiler)?;
    Ok(Some(compiler))
}

/// Whether `rustc` finds the standard library for `target`.
fn machine_has(target: Target) -> anyhow::Result<bool> {
    let mut rustc = Command::new("rustc");
    // Where rustup chooses the version by the folder.
    rustc.args(["--print", "target-libdir", "--target", target.triple()]).current_dir(root());
    let folder = output(&mut rustc)?;
    Ok(Path::new(folder.trim_end()).is_dir())
}

/// Downloads the packages and unpacks them into `folder`, in place of what stood there.
fn unpack(target: Target, folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let apt = Apt::with_architecture(target.debian(), &folder.join("apt"))?;
    let mut packages = vec![COMPILER.to_owned(), LIBRARY.to_owned()];
    let mut next = 0;
    while let Some(package) = packages.get(next) {
        for needed in apt.loaded_with(package)? {
            if !packages.contains(&needed) {
                packages.push(needed);
            }
        }
        next += 1;
    }
    packages.push(format!("{LIBRARY}:{}", target.debian()));
    for file in apt.download(&packages)? {
        run(Command::new("dpkg").arg("-x").arg(file).arg(folder))?;
    }
    fs::remove_dir_all(&apt.folder).with_context(|| apt.folder.display().to_string())
}

/// Its libraries are not where the system looks for them.
fn write_starter(folder: &Path, starter: &Path) -> anyhow::Result<()> {
    let usr = folder.join("usr");
    let libraries = fs::read_dir(usr.join("lib"))?.filter_map(Result::ok).map(|entry| entry.path());
    let loads = |folder: &PathBuf| folder.join("libLLVM.so").exists() || has_driver(folder);
    let libraries = libraries.filter(|path| path.is_dir()).find(loads);
    let libraries = libraries.context("the packages contain no librustc_driver")?;
    let (libraries, usr) = (libraries.display(), usr.display());
    let text =
        format!("#!/bin/sh\nLD_LIBRARY_PATH='{libraries}' exec '{usr}/bin/rustc' --sysroot '{usr}' \"$@\"\n");
    fs::write(starter, text).with_context(|| starter.display().to_string())?;
    fs::set_permissions(starter, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

fn has_driver(folder: &Path) -> bool {
    let names = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    names.into_iter().any(|entry| entry.file_name().as_encoded_bytes().starts_with(b"librustc_driver"))
}

/// Fails if the compiler is older than the workspace wants.
fn check_version(compiler: &Path) -> anyhow::Result<()> {
    let said = output(Command::new(compiler).arg("--version"))?;
    let version = said.split_whitespace().nth(1).context("rustc names no version")?;
    let wanted = env!("CARGO_PKG_RUST_VERSION");
    if numbers(version) < numbers(wanted) {
        bail!("Debian's {COMPILER} is {version}; Leadline needs {wanted} or later");
    }
    Ok(())
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|number| number.parse().ok()).collect()
}

/// apt with another architecture next to the machine's, and nothing installed.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn with_architecture(architecture: &str, folder: &Path) -> anyhow::Result<Apt> {
        for name in ["lists/partial", "cache/archives/partial", "packages"] {
            let folder = folder.join(name);
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        let ours = output(Command::new("dpkg").arg("--print-architecture"))?;
        let (ours, place) = (ours.trim_end(), folder.display());
        let settings = format!(
            "APT::Architecture \"{ours}\";\nAPT::Architectures {{ \"{ours}\"; \"{architecture}\"; }};\n\
             Dir::State::lists \"{place}/lists\";\nDir::State::status \"{place}/status\";\n\
             Dir::Cache \"{place}/cache\";\nDebug::NoLocking \"true\";\nAPT::Sandbox::User \"root\";\n"
        );
        fs::write(folder.join("status"), "")?;
        fs::write(folder.join("apt.conf"), settings)?;
        let apt = Apt { folder: folder.to_owned() };
        run(apt.command("apt-get").args(["-qq", "update"]))?;
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", self.folder.join("apt.conf"));
        command
    }

    /// The packages in [`LOADED`] that `package` depends on, in its newest version.
    fn loaded_with(&self, package: &str) -> anyhow::Result<Vec<String>> {
        let shown = output(self.command("apt-cache").args(["show", "--no-all-versions", package]))?;
        let depends = shown.lines().find_map(|line| line.strip_prefix("Depends: ")).unwrap_or_default();
        let names = depends.split(',').filter_map(|one| one.split_whitespace().next());
        Ok(names.filter(|name| LOADED.iter().any(|ours| name.starts_with(ours))).map(str::to_owned).collect())
    }

    /// Downloads the newest versions, and returns the files.
    fn download(&self, packages: &[String]) -> anyhow::Result<Vec<PathBuf>> {
        let folder = self.folder.join("packages");
        run(self.command("apt-get").args(["-q", "download"]).args(packages).current_dir(&folder))?;
        let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
        files.collect()
    }
}
