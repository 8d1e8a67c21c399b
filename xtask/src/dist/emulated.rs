//! The program for another processor, run by QEMU: what it prints must be what ours prints.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Context;

use super::Target;
use crate::run::{say, target as target_folder};
use crate::same;

/// The commands of `xtask/src/same/commands.txt` that are compared.
const SECTION: &str = "processors";

/// Compares `program`, which is made for `target`, with `ours`.
pub(super) fn compare(target: Target, program: &Path, ours: &Path) -> anyhow::Result<()> {
    let starter = target_folder().join("tools").join(format!("leadline-on-{}", target.name()));
    let command = target.command(program);
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.display())).collect();
    let text = format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" "));
    fs::write(&starter, text).with_context(|| starter.display().to_string())?;
    fs::set_permissions(&starter, fs::Permissions::from_mode(0o755))?;
    say(&format!("dist: comparing the programs for {} and for this processor", target.name()));
    same::same(&[ours.into(), starter.into(), SECTION.into()])
}
