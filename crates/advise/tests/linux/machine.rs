//! A machine with one drive, on which the programs that read configurations are run, and what they wrote.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use leadline_advise::{Finding, Verdict, lint, read};
use leadline_profile::DeviceProfile;

use super::{LINUX, profile_of};
use crate::asked::inputs;
use crate::common::{DISK, FAST};
use crate::programs::{ran, skipped, text};

/// A drive of a machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    pub(super) name: &'static str,
    pub(super) model: &'static str,
    pub(super) rotational: bool,
}

pub(super) const MACHINES: [Machine; 3] = [
    Machine { name: "nvme0n1", model: "KXG6 (OEM) 512G", rotational: false },
    Machine { name: "sda", model: "ST4000DM004-2CV1", rotational: true },
    Machine { name: "sdb", model: "CT500MX500SSD1", rotational: false },
];

impl Machine {
    pub(super) fn profile(&self) -> DeviceProfile {
        let known = if self.rotational { DISK } else { FAST };
        profile_of(known, self.name, self.model)
    }

    /// What `program` writes into the queue as it reads the one file in `folder`: the first line of each key
    /// that was written. `None` where that cannot be done here.
    pub(super) fn written(&self, program: &str, folder: &Path) -> Option<BTreeMap<String, String>> {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", include_str!("machine.sh"), "sh", program]);
        command.arg(folder).args([self.name, self.model, if self.rotational { "1" } else { "0" }]);
        let ran = ran(&mut command)?;
        let said = text(&ran.stdout);
        let is_run = program != "udev" || said.contains("Reading rules file: /run/udev/rules.d/");
        if !said.contains("machine: done") || !is_run {
            skipped(&command, &format!("no name space, or no {program}: {said}{}", text(&ran.stderr)));
            return None;
        }
        let pairs: Vec<(&str, &str)> = match program {
            // In a folder, a shorter value leaves the rest of a longer one; in sysfs it does not.
            "udev" => said.lines().filter_map(logged).collect(),
            _ => said.lines().filter_map(|line| line.strip_prefix("written: ")?.split_once('=')).collect(),
        };
        let pairs = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        Some(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }

    /// What `lint` finds in a file.
    pub(super) fn findings(&self, file: &Path) -> Vec<Finding> {
        let config = read(LINUX, file).unwrap();
        lint(LINUX, &config, &self.profile(), &inputs("6")).unwrap().findings
    }

    /// Compares what `lint` takes to be in force in each file with what `program` writes, key by key. Returns
    /// how many keys were compared.
    pub(super) fn compared(&self, program: &str, files: &[std::path::PathBuf]) -> Option<usize> {
        let mut compared = 0;
        for file in files {
            let folder = tempfile::tempdir().unwrap();
            std::fs::copy(file, folder.path().join(file.file_name().unwrap())).unwrap();
            let written = self.written(program, folder.path())?;
            let findings = self.findings(file);
            let judged: BTreeMap<String, String> = findings
                .iter()
                .filter(|finding| finding.key.starts_with("queue/") && finding.verdict != Verdict::NotJudged)
                .map(|finding| (finding.key.clone(), finding.found.clone()))
                .collect();
            let unknown: Vec<&Finding> =
                findings.iter().filter(|finding| finding.verdict == Verdict::NotJudged).collect();
            for (key, value) in &written {
                if judged.contains_key(key) || !unknown.iter().any(|finding| finding.key == *key) {
                    assert_eq!(
                        judged.get(key),
                        Some(value),
                        "{}: {key} of {}: {findings:#?}",
                        file.display(),
                        self.name
                    );
                    compared += 1;
                }
            }
            for key in judged.keys() {
                assert!(written.contains_key(key), "{}: {key} of {}: {written:?}", file.display(), self.name);
            }
        }
        Some(compared)
    }
}

/// `... ATTR '/sys/.../queue/scheduler' writing 'none'`.
fn logged(line: &str) -> Option<(&str, &str)> {
    let (path, value) = line.split_once(" ATTR '")?.1.split_once("' writing '")?;
    let at = path.find("queue/")?;
    Some((&path[at..], value.strip_suffix('\'')?))
}

/// The files of a folder of this folder, in order.
pub(super) fn corpus(folder: &str) -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linux").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}
