//! Which version of a system is meant where nobody says so: the one that is installed.

use leadline_advise::{Inputs, System, installed};

use crate::failure::Failure;
use crate::signals;

/// Puts the version that is installed into `inputs`, and returns what to say of it. Several versions decide
/// nothing.
pub(crate) fn installed_version(system: System, inputs: &mut Inputs) -> Result<Option<String>, Failure> {
    let mut found = installed(system, &*signals::cancel_flag()?);
    found.retain(|one| one.version.starts_with(inputs.product));
    let said = match found.as_slice() {
        [] => None,
        [one] => {
            inputs.version = Some(one.version.to_owned());
            let (title, program) = (system.title(), one.program.display());
            Some(format!(
                "version {} is assumed of {title}, as {program} is installed here; --version decides",
                one.version
            ))
        }
        several => {
            let list: Vec<String> =
                several.iter().map(|one| format!("{} ({})", one.version, one.program.display())).collect();
            Some(format!("several versions of {} are installed here: {}", system.title(), list.join(", ")))
        }
    };
    Ok(said)
}
