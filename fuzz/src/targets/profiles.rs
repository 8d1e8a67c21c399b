//! Device profiles, JSON.

use std::path::Path;

use leadline_advise::{Inputs, System, advise, lint, parse};
use leadline_profile::{DeviceProfile, ProfileError};

use crate::Target;

pub(super) struct Profiles;

impl Target for Profiles {
    fn name(&self) -> String {
        "profile".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        vec![include_bytes!("../../seeds/profile.json").to_vec()]
    }

    fn words(&self) -> &'static [&'static str] {
        &["null", "true", "[]", "{}", "\"\"", "\"read\"", "[[[[", ",", "\"schema\":\"leadline.profile/2\","]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(input) else { return false };
        match DeviceProfile::parse(text, Path::new("input")) {
            Ok(profile) => {
                let again = DeviceProfile::parse(&profile.to_json(), Path::new("again"));
                assert!(again.is_ok_and(|again| again == profile), "what was read is written and read again");
                advised(&profile);
                true
            }
            Err(error) => !matches!(error, ProfileError::Syntax { .. } | ProfileError::Schema { .. }),
        }
    }
}

/// Whatever a profile says, what is advised by it can be read, and fits.
pub(super) fn advised(profile: &DeviceProfile) {
    let inputs = Inputs { memory_bytes: Some(1 << 34), ..Inputs::default() };
    for system in System::ALL {
        let advice = advise(system, profile, &inputs).expect("a version that is known");
        for file in advice.files() {
            let config =
                parse(system, &file.text, Path::new(file.name)).expect("what is written can be read");
            let found = lint(system, &config, profile, &inputs).expect("a version that is known");
            assert!(!found.is_wrong(), "{system}: {:?}", found.findings);
        }
    }
}
