//! Questions that the tests of every system ask.

use leadline_advise::{Advice, Config, Inputs, Lint, System, Value, Verdict, advise, lint, read};
use leadline_profile::DeviceProfile;

/// What is advised for this version, of a machine with 8 GiB.
pub(crate) fn advised(system: System, profile: &DeviceProfile, version: &str) -> Advice {
    advise(system, profile, &inputs(version)).unwrap()
}

/// The value of a key.
pub(crate) fn value(system: System, profile: &DeviceProfile, key: &str) -> Value {
    let version = system.versions().last().unwrap();
    let advice = advised(system, profile, version);
    advice.setting(key).unwrap_or_else(|| panic!("{key}: {:?}", advice.missing)).value.clone()
}

/// What is found in a file with this text.
pub(crate) fn linted(system: System, profile: &DeviceProfile, version: &str, text: &str) -> Lint {
    lint(system, &config(system, text), profile, &inputs(version)).unwrap()
}

/// Keys that are wrong in a file with this text, and how.
pub(crate) fn wrong(system: System, profile: &DeviceProfile, text: &str) -> Vec<(String, Verdict)> {
    let lint = linted(system, profile, system.versions().last().unwrap(), text);
    let wrong = lint.findings.into_iter().filter(|finding| finding.verdict.is_wrong());
    wrong.map(|finding| (finding.key, finding.verdict)).collect()
}

/// That all that is written, for every version, is read back as it was and judged to fit.
pub(crate) fn assert_fits_what_is_written(system: System, profile: &DeviceProfile) {
    for version in system.versions() {
        let advice = advised(system, profile, version);
        let text: String = advice.files().into_iter().map(|file| file.text).collect();
        let lint = linted(system, profile, version, &text);
        for setting in &advice.settings {
            let finding = lint.findings.iter().find(|finding| finding.key == setting.key);
            let finding = finding.unwrap_or_else(|| panic!("{} is not in {text}", setting.key));
            assert_eq!(finding.verdict, Verdict::Fits, "{finding:?}");
        }
        assert!(!lint.is_wrong(), "{:?}", lint.findings);
        assert_eq!(lint.notes, <[&str; 0]>::default(), "{text}");
    }
}

/// That a profile without experiments has each key in `missing` under one of the experiments that the system
/// says it needs.
pub(crate) fn assert_names_what_is_missing(
    system: System,
    without: &DeviceProfile,
    missing: &[(&str, &str)],
) {
    let advice = advised(system, without, system.versions().last().unwrap());
    let found: Vec<(&str, &str)> = advice.missing.iter().map(|one| (one.key, one.experiment)).collect();
    assert_eq!(found, missing);
    for (key, experiment) in found {
        assert!(system.needs().contains(&experiment), "{key} needs {experiment}");
    }
}

/// Of this version, on a machine with 8 GiB.
pub(crate) fn inputs(version: &str) -> Inputs {
    Inputs { version: Some(version.to_owned()), memory_bytes: Some(8 << 30), ..Inputs::default() }
}

fn config(system: System, text: &str) -> Config {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    read(system, file.path()).unwrap_or_else(|error| panic!("{error}: {text}"))
}
