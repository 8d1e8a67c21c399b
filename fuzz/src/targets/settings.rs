//! Configurations of the systems that are advised.

use std::path::Path;

use leadline_advise::{Inputs, System, advise, lint, parse};
use leadline_profile::DeviceProfile;

use crate::Target;

/// Configurations of one system, judged by a profile.
pub(super) struct Settings {
    system: System,
    profile: DeviceProfile,
}

/// Files of Linux that are not advised in this form.
const OF_LINUX: [&str; 4] = [
    include_str!("../../../crates/advise/tests/linux/rules/jumps.rules"),
    include_str!("../../../crates/advise/tests/linux/hwdb/last.hwdb"),
    include_str!("../../../crates/advise/tests/linux/scripts/loops.sh"),
    include_str!("../../../crates/advise/tests/linux/scripts/names.sh"),
];

/// A target for each system.
pub(super) fn all() -> impl Iterator<Item = Settings> {
    System::ALL.into_iter().map(|system| Settings { system, profile: profile() })
}

fn profile() -> DeviceProfile {
    let text = include_str!("../../seeds/profile.json");
    DeviceProfile::parse(text, Path::new("profile.json")).expect("a profile of our own")
}

impl Target for Settings {
    fn name(&self) -> String {
        format!("settings-{}", self.system)
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let advice = advise(self.system, &self.profile, &Inputs::default()).expect("a version that is known");
        let mut seeds: Vec<Vec<u8>> = advice.files().into_iter().map(|file| file.text.into_bytes()).collect();
        if self.system == System::Linux {
            seeds.extend(OF_LINUX.map(|text| text.as_bytes().to_vec()));
        }
        // Of a system of whose keys the profile tells none.
        if seeds.is_empty() { vec![b"# nothing is set\n".to_vec()] } else { seeds }
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "=",
            "[",
            "]",
            "\"",
            "'",
            "#",
            ":",
            "  ",
            "\n",
            "-1",
            "1e308",
            "NaN",
            "99999999999999999999",
            "kB",
            "on",
        ]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(input) else { return false };
        let Ok(config) = parse(self.system, text, Path::new("input")) else { return false };
        let found = lint(self.system, &config, &self.profile, &Inputs::default());
        let found = found.expect("a version that is known");
        assert!(found.findings.iter().all(|finding| !finding.key.is_empty()), "every finding names its key");
        true
    }
}
