//! The first screen of a profile, with the commands that go on from it.

use std::path::Path;

use leadline_import::{Enough, enough};
use leadline_profile::{DeviceProfile, EngineKind};
use leadline_report::headline;

use crate::failure::Failure;
use crate::output::{self, OutputPaths};
use crate::printable::shell_word;

/// Prints it after the files were written, which it names. The next command chooses the settings of `system`,
/// if any.
pub(super) fn print_written(
    profile: &DeviceProfile,
    paths: &OutputPaths,
    details: bool,
    system: Option<&str>,
) -> Result<(), Failure> {
    let name = |path: &Path| shell_word(&path.display().to_string());
    let mut options = output::summary_options().details(details).system(system);
    if let Some(path) = &paths.profile {
        options = options.profile(name(path)).page(paths.report.as_deref().map(name));
    }
    output::print_summary(profile, &options)
}

/// Prints the screen of a saved profile, whose name it shows in the commands to go on with.
pub(crate) fn print_named(profile: &DeviceProfile, name: &str, details: bool) -> Result<(), Failure> {
    let measured = profile.method.engine != EngineKind::Imported && headline(profile).is_some();
    let system = if measured { Some("postgresql") } else { with_most_keys(&enough(profile)?) };
    let options = output::summary_options().details(details).system(system).profile(shell_word(name));
    output::print_summary(profile, &options)
}

/// The system of which most keys follow; none where no key does.
pub(super) fn with_most_keys(systems: &[Enough]) -> Option<&'static str> {
    let with_keys = systems.iter().rev().filter(|one| !one.keys.is_empty());
    with_keys.max_by_key(|one| one.keys.len()).map(|one| one.system.name())
}
