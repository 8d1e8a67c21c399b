//! Cassandra: how many threads read, how fast it compacts, and how its commit log and its tables become
//! durable.

mod log;
mod requests;
mod yaml;

use std::path::Path;
use std::sync::LazyLock;

use super::Rules;
use crate::keys::Keys;
use crate::lint::finding;
use crate::meaning::{Meaning, Moot, Special, When};
use crate::{
    Advice, AdviseError, Config, Drive, Entry, File, Finding, Inputs, Setting, Source, Value, Verdict,
};

const READS: &str = "concurrent_reads";
const COUNTERS: &str = "concurrent_counter_writes";
const COMPACTION: &str = "compaction_throughput";
const STRATEGY: &str = "disk_optimization_strategy";
const SYNC: &str = "commitlog_sync";
const PERIOD: &str = "commitlog_sync_period";
const TRICKLE: &str = "trickle_fsync";
const INTERVAL: &str = "trickle_fsync_interval";

const SOURCE: Source = Source {
    defined: "conf/cassandra.yaml; src/java/org/apache/cassandra/config/Config.java",
    version: "3.11 to 5.0",
};

/// By Config.java and DatabaseDescriptor.java, since no package has the server.
static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::parse(include_str!("../../../keys/cassandra/5.0.tsv")));

static MEANINGS: [Meaning; 2] = [
    Meaning::of(COMPACTION).special(&[("0", Special::Off("compactions are not throttled at all"))]),
    Meaning::of(INTERVAL)
        .moot(&[Moot { when: &[When::IsNot(TRICKLE, &["true"])], why: "tables are flushed at their end" }]),
];

pub(crate) struct Cassandra;

impl Rules for Cassandra {
    fn title(&self) -> &'static str {
        "Cassandra"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["3.11", "4.0", "4.1", "5.0"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("cassandra", "-v")]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "fsync", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, _inputs: &Inputs, advice: &mut Advice) {
        for key in [READS, COUNTERS] {
            advice.add(key, requests::reads(drive, key));
        }
        advice.add(COMPACTION, requests::compaction(drive, advice.version));
        advice.add(STRATEGY, requests::strategy(drive));
        advice.add(SYNC, log::sync(drive, advice.version));
        advice.add(PERIOD, log::period(drive));
        advice.add(TRICKLE, log::trickle(drive));
        advice.add(INTERVAL, log::interval(drive));
        advice.notes.push(
            "concurrent_writes and concurrent_compactors follow from the processors: writes hardly wait for \
             the device (cassandra.yaml: 8 per processor, and one compactor each on solid-state drives)"
                .to_owned(),
        );
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let place =
            "into cassandra.yaml, in place of the keys that are there; restart, one node after the other";
        vec![File { name: "leadline-cassandra.yaml", place, text: yaml::write(advice) }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        yaml::read(text, path)
    }

    fn written(&self, value: &Value) -> String {
        yaml::written(value)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        yaml::value(setting, text)
    }

    fn keys(&self, _version: &str) -> Option<&'static Keys> {
        Some(&KEYS)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &MEANINGS
    }

    fn patterns(&self, config: &Config, advice: &Advice, _drive: &Drive) -> Vec<Finding> {
        let of_other = |entry: &Entry| yaml::of_another_version(entry, advice.version);
        let spelled = config
            .entries
            .iter()
            .filter_map(|entry| Some(finding(entry, Verdict::Unknown, of_other(entry)?)));
        spelled.chain(log::both_ways(config)).collect()
    }
}

/// Whether keys end with their unit and values have none, as before 4.1.
fn has_old_names(version: &str) -> bool {
    ["3.11", "4.0"].contains(&version)
}
