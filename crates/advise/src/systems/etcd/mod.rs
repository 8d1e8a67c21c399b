//! etcd, and k3s and Consul, which write their logs like it: whether the disk is fast enough, and the
//! timeouts that fit it.

mod config_file;
mod measured;
mod mentions;
mod read;
mod timeouts;
mod verdict;

use super::Rules;
use crate::files::Files;
use crate::keys::{self, Keys, Tables, tables};
use crate::lint::finding;
use crate::{Advice, AdviseError, Config, Drive, Entry, File, Finding, Inputs, Setting, Value, Verdict};
use std::path::Path;

const HEARTBEAT: &str = "heartbeat-interval";
const ELECTION: &str = "election-timeout";
const MULTIPLIER: &str = "raft_multiplier";

/// The longest election timeout with which etcd starts (`maxElectionMs` in server/embed/config.go).
const LONGEST_ELECTION_MS: f64 = 50_000.0;

/// The largest multiplier with which Consul starts (`MaxRaftMultiplier` in agent/consul/config.go).
const LARGEST_MULTIPLIER: f64 = 10.0;

/// Who writes the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    Etcd,
    K3s,
    Consul,
}

impl Program {
    fn of(advice: &Advice) -> Program {
        match advice.version {
            "k3s" => Program::K3s,
            "consul" => Program::Consul,
            _ => Program::Etcd,
        }
    }

    /// Heartbeat interval and election timeout unless set, milliseconds.
    fn defaults(self) -> [f64; 2] {
        match self {
            // pkg/etcd/etcd.go.
            Program::K3s => [500.0, 5000.0],
            // server/embed/config.go.
            Program::Etcd | Program::Consul => [100.0, 1000.0],
        }
    }
}

/// By the constants of each program's source: neither tells its ranges.
static KEYS: Tables = tables!("etcd", "k3s", "consul", "3.4", "3.5", "3.6");

pub(crate) struct Etcd;

impl Rules for Etcd {
    fn title(&self) -> &'static str {
        "etcd"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["k3s", "consul", "3.4", "3.5", "3.6"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("etcd", "--version")]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["fsync"]
    }

    fn is_provable(&self) -> bool {
        true
    }

    fn advise(&self, drive: &Drive, _inputs: &Inputs, advice: &mut Advice) {
        let program = Program::of(advice);
        advice.notes.extend(verdict::notes(drive, program));
        match program {
            Program::Consul => advice.add(MULTIPLIER, timeouts::multiplier(drive)),
            _ => {
                advice.add(HEARTBEAT, timeouts::heartbeat(drive, program));
                advice.add(ELECTION, timeouts::election(drive, program));
            }
        }
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let heading: String = advice.heading().iter().map(|line| format!("# {line}\n")).collect();
        let lines = |form: &dyn Fn(&Setting) -> String| advice.settings.iter().map(form).collect::<String>();
        match Program::of(advice) {
            Program::Etcd => {
                let flags = lines(&|setting| format!(" --{}={}", setting.key, setting.value));
                let text = lines(&|setting| format!("{}: {}\n", setting.key, setting.value));
                let place = "into the file of --config-file, the same on all members; a file makes etcd \
                             pass over flags and environment";
                vec![File {
                    name: "etcd.conf.yml",
                    place,
                    text: format!("{heading}# As flags:{flags}\n{text}"),
                }]
            }
            Program::K3s => {
                let text = lines(&|setting| format!("  - \"{}={}\"\n", setting.key, setting.value));
                let place =
                    "into /etc/rancher/k3s/config.yaml of every server; restart k3s, one after the other";
                vec![File { name: "config.yaml", place, text: format!("{heading}etcd-arg:\n{text}") }]
            }
            Program::Consul => {
                let text = lines(&|setting| format!("  {} = {}\n", setting.key, setting.value));
                let place = "a file of -config-dir of every server; restart them, one after the other";
                vec![File {
                    name: "leadline.hcl",
                    place,
                    text: format!("{heading}performance {{\n{text}}}\n"),
                }]
            }
        }
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path, &Files::none())
    }

    fn read_from(&self, text: &str, path: &Path, files: &Files) -> Result<Config, AdviseError> {
        read::read(text, path, files)
    }

    /// Whole milliseconds; Consul's multiplier is a whole number too, and 0 stands for its default.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        let number = f64::from(config_file::number(text.trim())?);
        let is_default = setting.key == MULTIPLIER && number == 0.0;
        Some(Value::Number(if is_default { timeouts::DEFAULT_MULTIPLIER } else { number }))
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        keys::of(&KEYS, version)
    }

    fn patterns(&self, config: &Config, advice: &Advice, drive: &Drive) -> Vec<Finding> {
        let program = Program::of(advice);
        let mut findings: Vec<Finding> =
            config.entries.iter().filter_map(|entry| other_program(program, entry)).collect();
        findings.extend(does_not_start(program, config));
        findings.extend(measured::found(config, drive));
        findings
    }
}

/// A key of a program other than the one asked for.
fn other_program(program: Program, entry: &Entry) -> Option<Finding> {
    let is_consuls = entry.key == MULTIPLIER;
    let reason = match program {
        Program::Consul if !is_consuls => "a key of etcd: judge it with --version 3.6, or k3s",
        Program::Etcd | Program::K3s if is_consuls => "a key of Consul: judge it with --version consul",
        _ => return None,
    };
    Some(finding(entry, Verdict::NotJudged, reason))
}

/// Timeouts with which the program refuses to start.
fn does_not_start(program: Program, config: &Config) -> Option<Finding> {
    if program == Program::Consul {
        let entry = config.last(MULTIPLIER)?;
        let is_refused = config.number(MULTIPLIER)? > LARGEST_MULTIPLIER;
        let reason = format!("more than {LARGEST_MULTIPLIER}, with which Consul does not start");
        return is_refused.then(|| finding(entry, Verdict::Invalid, reason));
    }
    let [heartbeat, election] = program.defaults();
    let heartbeat = config.number(HEARTBEAT).unwrap_or(heartbeat);
    let election = config.number(ELECTION).unwrap_or(election);
    let entry = config.last(ELECTION).or_else(|| config.last(HEARTBEAT))?;
    let reason = if heartbeat == 0.0 || election == 0.0 {
        "neither may be 0: etcd does not start".to_owned()
    } else if 5.0 * heartbeat > election {
        format!(
            "an election timeout of {election} ms is less than five heartbeats of {heartbeat} ms: etcd does \
             not start"
        )
    } else if election > LONGEST_ELECTION_MS {
        format!("more than {LONGEST_ELECTION_MS} ms, with which etcd does not start")
    } else {
        return None;
    };
    Some(finding(entry, Verdict::Invalid, reason))
}
