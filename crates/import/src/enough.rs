//! Which settings follow from a profile.

use leadline_advise::{AdviseError, Inputs, Missing, System, advise};
use leadline_profile::DeviceProfile;
use serde::Serialize;

/// What of one system's keys follows from a profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Enough {
    /// The system.
    pub system: System,
    /// Keys that follow from what the profile has; keys that are the same for every device are not among
    /// them.
    pub keys: Vec<&'static str>,
    /// Keys for which it lacks something, and what.
    pub missing: Vec<Missing>,
}

/// For every system, which keys follow from `profile`.
///
/// # Errors
/// None that a profile can cause; the errors of [`advise`].
pub fn enough(profile: &DeviceProfile) -> Result<Vec<Enough>, AdviseError> {
    let nothing = DeviceProfile::default();
    let of = |system: System| {
        let always = advise(system, &nothing, &Inputs::default())?;
        let advice = advise(system, profile, &Inputs::default())?;
        let keys = advice.settings.iter().map(|setting| setting.key);
        let keys = keys.filter(|key| always.setting(key).is_none()).collect();
        Ok(Enough { system, keys, missing: advice.missing })
    };
    System::ALL.into_iter().map(of).collect()
}
