//! Configurations of the systems that are advised.

use std::fs;
use std::path::{Path, PathBuf};

use leadline_advise::{Config, Entry, Inputs, Place, Reading, System, advise, lint, parse, read_as};
use leadline_profile::DeviceProfile;
use tempfile::TempDir;

use crate::Target;

/// Configurations that the tests of advise have, a folder per system.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/advise/tests/corpus");

/// Systems whose configurations include other files.
const WITH_INCLUDES: [System; 3] = [System::Postgresql, System::Innodb, System::Redis];

/// Configurations of one system, judged by a profile.
pub(super) struct Settings {
    system: System,
    profile: DeviceProfile,
    folder: TempDir,
}

/// Files of Linux that are not advised in this form.
const OF_LINUX: [&str; 4] = [
    include_str!("../../../crates/advise/tests/linux/rules/jumps.rules"),
    include_str!("../../../crates/advise/tests/linux/hwdb/last.hwdb"),
    include_str!("../../../crates/advise/tests/linux/scripts/loops.sh"),
    include_str!("../../../crates/advise/tests/linux/scripts/names.sh"),
];

/// A target for each system.
pub(super) fn all() -> std::io::Result<Vec<Settings>> {
    let of = |system| Ok(Settings { system, profile: profile(), folder: super::stores::folder()? });
    System::ALL.into_iter().map(of).collect()
}

/// All files below a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
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
        let corpus = files(&Path::new(CORPUS).join(self.system.to_string()));
        let texts = corpus.iter().filter(|path| path.extension().is_none_or(|ending| ending != "tsv"));
        // What the program refuses, and what is no configuration, gets nowhere.
        let is_taken = |text: &String| parse(self.system, text, Path::new("input")).is_ok();
        let texts = texts.filter_map(|path| fs::read_to_string(path).ok()).filter(is_taken);
        seeds.extend(texts.map(String::into_bytes));
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
            "\\",
            "${A:-1}",
            "{{ a }}",
            "include 'input'",
            "include_dir '.'",
            "!include input\n",
            "!includedir .\n",
            "&a ",
            "*a",
            "<<: ",
        ]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        if WITH_INCLUDES.contains(&self.system) {
            // It may include itself, and all below its folder.
            let path = self.folder.path().join("input");
            fs::write(&path, input).expect("a file of our own");
            let reading = Reading { root: Some(self.folder.path().into()), ..Reading::default() };
            if let Ok(config) = read_as(self.system, &path, &reading) {
                check(self.system, &config, usize::MAX);
            }
        }
        let Ok(text) = std::str::from_utf8(input) else { return false };
        let Ok(config) = parse(self.system, text, Path::new("input")) else { return false };
        check(self.system, &config, 1 + text.matches(['\n', '\r']).count());
        let found = lint(self.system, &config, &self.profile, &Inputs::default());
        let found = found.expect("a version that is known");
        assert!(found.findings.iter().all(|finding| !finding.key.is_empty()), "every finding names its key");
        true
    }
}

/// That every entry has a key and a line of the file, and that what is not known is not among the values.
fn check(system: System, config: &Config, lines: usize) {
    for entry in config.entries.iter().chain(&config.undecided) {
        assert!(!entry.key.is_empty(), "every entry has a key");
        let Place::Line { line, .. } = entry.place else { panic!("an entry is in the file") };
        assert!((1..=lines).contains(&line), "line {line} of {lines}");
    }
    // A script may give a variable its value, which is looked at where what is for the drive is judged.
    let follows_variables = system == System::Linux;
    let is_known = |entry: &Entry| follows_variables || !entry.value.contains("${A");
    assert!(config.entries.iter().all(is_known), "a variable is no value");
}
