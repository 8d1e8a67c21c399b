//! What the commands share: the repository's place, running programs, speaking.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// An error that the user must mend before anything can run: exit code 2.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl Usage {
    pub(crate) fn error(line: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Usage(line.into()))
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A line on stdout. A reader that went away (`| head`) is not a reason to panic.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The top of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository's top folder")
}

/// Where cargo puts what it builds, and we what goes with it.
pub(crate) fn target() -> PathBuf {
    // Relative to the folder that we start cargo in.
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target")))
}

/// The workspaces: that of what is installed, and that of benchmarks and examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workspace {
    Main,
    Examples,
}

impl Workspace {
    /// Cargo's arguments that choose it. What both need is built once, in one folder.
    pub(crate) fn arguments(self) -> Vec<OsString> {
        match self {
            Workspace::Main => Vec::new(),
            Workspace::Examples => vec![
                "--manifest-path".into(),
                root().join("examples/Cargo.toml").into(),
                "--target-dir".into(),
                target().into(),
            ],
        }
    }
}

/// The cargo that started us, or else the one on PATH.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Where a program is: on PATH, or in the system folders that a plain user's PATH leaves out.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    find_programs(name).next()
}

/// All programs of a name, in the order of PATH.
pub(crate) fn find_programs(name: &str) -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from);
    let executable = |file: &PathBuf| {
        file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    let folders: Vec<PathBuf> = env::split_paths(&path).chain(system).collect();
    folders.into_iter().map(move |folder| folder.join(name)).filter(executable)
}

/// Runs a program with our own input and output; anything but success is an error that names it.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let words = words(command);
    let status = command.status().with_context(|| format!("cannot run `{words}`"))?;
    if !status.success() {
        bail!("`{words}` ended with {status}");
    }
    Ok(())
}

/// Runs a program and returns what it wrote to stdout; its stderr is ours. Anything but success is an error
/// that names it.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let words = words(command);
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run `{words}`"))?;
    if !output.status.success() {
        bail!("`{words}` ended with {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("what `{words}` wrote"))
}

/// Whether a program runs and succeeds, unheard.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// The command as one would type it: what it sets in the environment, the program without its folder, the
/// arguments.
pub(crate) fn words(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words: Vec<String> = Vec::new();
    for (name, value) in command.get_envs() {
        words.push(format!("{}='{}'", name.display(), value.unwrap_or_default().display()));
    }
    words.push(program.file_name().unwrap_or(program.as_os_str()).display().to_string());
    words.extend(command.get_args().map(|argument| argument.display().to_string()));
    words.join(" ")
}

/// Whether we are root. The owner of /proc/self is the effective user: no dependency, no unsafe.
pub(crate) fn is_root() -> anyhow::Result<bool> {
    Ok(fs::metadata("/proc/self")?.uid() == 0)
}
