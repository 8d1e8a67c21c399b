//! Files of any kind that may hold settings: what they are, and what is found in them.

use std::path::Path;

use leadline_advise::{Config, Inputs, Place, Reading, System, lint, looks_like, recognise};
use leadline_profile::DeviceProfile;

use crate::Target;

/// Files of each kind, with the names by which they are called.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../crates/advise/tests/containers/", $name)))),*]
    };
}

const FILES: [(&str, &str); 31] = files![
    "ansible-geerlingguy.yml",
    "ansible-tasks.yml",
    "ceph-daemon.json",
    "ceph-dump.txt",
    "cluster-settings.txt",
    "cmdline.txt",
    "compose-list.yml",
    "compose.yaml",
    "config-get.txt",
    "config-get-tty.txt",
    "consul.hcl",
    "cnpg.yaml",
    "etcd-metrics.txt",
    "etcd-override.conf",
    "helm-etcd.yaml",
    "helm-postgresql.yaml",
    "helm-template.yaml",
    "iocost.hwdb",
    "kubeadm.yaml",
    "my.cnf",
    "patroni.yml",
    "pg_settings-x.txt",
    "pg_settings.csv",
    "postgresql.service",
    "queue.txt",
    "rocksdb-LOG.txt",
    "run.sh",
    "show-all.txt",
    "statefulset.yaml",
    "tuned.conf",
    "variables-g.txt",
];

/// Files of all kinds.
pub(super) struct Containers {
    profile: DeviceProfile,
}

impl Containers {
    pub(super) fn new() -> Self {
        let text = include_str!("../../seeds/profile.json");
        let profile = DeviceProfile::parse(text, Path::new("profile.json")).expect("a profile of our own");
        Containers { profile }
    }

    fn judge(&self, system: System, config: &Config, text: &str) {
        let places = config.entries.iter().chain(&config.undecided).map(|entry| &entry.place);
        for place in places {
            let Place::Line { line, .. } = place else { panic!("no file: {place}") };
            assert!((1..=text.lines().count().max(1)).contains(line), "line {line} is in the file");
        }
        // A version that is told may be none that is known.
        let inputs = Inputs::default();
        let _ = lint(system, config, &self.profile, &inputs);
    }
}

impl Target for Containers {
    fn name(&self) -> String {
        "containers".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        FILES.iter().map(|(_, text)| text.as_bytes().to_vec()).collect()
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "postgres -c ",
            "redis-server --",
            "etcd --heartbeat-interval=",
            "services:",
            "apiVersion: v1",
            "kind: ConfigMap",
            "data:",
            "containers:",
            "[Service]",
            "[sysctl]",
            "|\n",
            "- ",
            "  ",
            ": ",
            "{{ x }}",
            "${X:-1}",
            "&a",
            "*a",
            "<<: *a",
            "'",
            "\"",
            "\\\n",
            " | ",
            "\t",
            ",",
            "-[ RECORD 1 ]",
            "*** 1. row ***",
            "==> ",
            "\u{2502}",
        ]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(input) else { return false };
        let path = Path::new("input.yaml");
        let recognised = recognise(text, path);
        // One of them for each input: all would take most of the time.
        let system = System::ALL[input.len() % System::ALL.len()];
        let is_own = recognised.as_ref().is_ok_and(|all| all.iter().any(|one| one.system == system));
        let looks = looks_like(system, text, path);
        assert!(!(is_own && looks.is_some()), "{system}: {looks:?}, and it is its own");
        let Ok(recognised) = recognised else { return false };
        assert!(!recognised.is_empty(), "a file that is recognised has a system");
        for one in &recognised {
            if let Ok(config) = one.config(text, path, &Reading::default()) {
                self.judge(one.system, &config, text);
            }
        }
        true
    }
}
