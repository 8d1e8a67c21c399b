//! Which versions of a system are installed on this machine.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use leadline_process::{Launch, Program, run};

use crate::System;

/// Debian keeps each version of PostgreSQL in a directory of its own here.
const POSTGRES: &str = "/usr/lib/postgresql";

/// A program that was found, and what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The program.
    pub program: PathBuf,
    /// What it printed.
    pub said: String,
    /// By whose rules it is advised: one of [`System::versions`].
    pub version: &'static str,
}

/// The programs of `system` in PATH and where servers lie, one per version that is known. Each is started to
/// ask it for its version; one that does not tell is left out.
pub fn installed(system: System, cancel: &AtomicBool) -> Vec<Installed> {
    let mut found: Vec<Installed> = Vec::new();
    for (name, argument) in system.rules().programs() {
        let folders = std::fs::read_dir(POSTGRES).into_iter().flatten().flatten();
        let of_debian = folders.map(|folder| folder.path().join("bin").join(name));
        let of_path = Program { name, package: "" }.find(&[]).ok();
        for program in of_debian.filter(|program| program.is_file()).chain(of_path) {
            let Some(said) = ask(&program, argument, cancel) else { continue };
            let Some(version) = system.version_of(&said) else { continue };
            if found.iter().all(|one| one.version != version) {
                found.push(Installed { program, said, version });
            }
        }
    }
    found
}

/// The first line of what a program prints.
fn ask(program: &std::path::Path, argument: &str, cancel: &AtomicBool) -> Option<String> {
    let null = File::open("/dev/null").ok()?;
    let arguments = [argument.to_owned()];
    let said =
        run(&Launch::new(program, &arguments, &null), "asking for its version", cancel, &mut |_, _| ())
            .ok()?;
    said.lines().next().map(str::to_owned)
}
