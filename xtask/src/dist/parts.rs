//! What `cargo xtask dist` takes.

use std::ffi::OsString;

use super::target::Target;
use crate::run::Usage;

/// What can be made by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The program for one kind of processor, in everything that contains it.
    Programs(Target),
    /// The package for Python, for this processor.
    Wheel,
    /// The licences of what the programs contain.
    Licences,
    /// The crates, for a registry.
    Crates,
}

/// In the order in which they are made.
pub(super) const ALL: [Part; 5] = [
    Part::Licences,
    Part::Programs(Target::X86_64),
    Part::Programs(Target::Aarch64),
    Part::Wheel,
    Part::Crates,
];

impl Part {
    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Programs(target) => target.name(),
            Part::Wheel => "wheel",
            Part::Licences => "licences",
            Part::Crates => "crates",
        }
    }
}

/// The parts that are named, each once and in the order of [`ALL`]; all if none is.
pub(super) fn wanted(words: &[OsString]) -> anyhow::Result<Vec<Part>> {
    let known = |word: &&OsString| !ALL.iter().any(|part| *word == part.name());
    if let Some(word) = words.iter().find(known) {
        let names: Vec<_> = ALL.iter().map(|part| part.name()).collect();
        return Err(Usage::error(format!(
            "`dist` does not make `{}`: it makes {}, or all of them if none is named",
            word.display(),
            names.join(", ")
        )));
    }
    let named = |part: &Part| words.is_empty() || words.iter().any(|word| word == part.name());
    Ok(ALL.into_iter().filter(named).collect())
}
