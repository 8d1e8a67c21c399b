//! MongoDB with WiredTiger: who writes dirty pages, how many there may be, and how often the journal is
//! flushed.

mod cache;
mod conf;
mod operations;

use std::path::Path;
use std::sync::LazyLock;

use super::Rules;
use crate::keys::Keys;
use crate::meaning::{Meaning, Moot, When};
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Value};

const COMMIT: &str = "storage.journal.commitIntervalMs";
/// `mongod` switches the journal off with it, before 6.1.
const JOURNAL: &str = "storage.journal.enabled";
const READERS: &str = "wiredTigerConcurrentReadTransactions";
// Of WiredTiger's own, in storage.wiredTiger.engineConfig.configString.
const EVICTORS: &str = "eviction.threads_max";
const DIRTY: &str = "eviction_dirty_target";
const MOST_DIRTY: &str = "eviction_dirty_trigger";

const OPTIONS: Source = Source { defined: "src/mongo/db/mongod_options_storage.idl", version: "4.4 to 8.0" };
const WIREDTIGER: Source =
    Source { defined: "src/third_party/wiredtiger/dist/api_data.py", version: "4.4 to 8.0" };

/// By the sources, since no package has the server.
static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::parse(include_str!("../../../keys/mongodb/8.0.tsv")));

static MEANINGS: [Meaning; 1] =
    [Meaning::of(COMMIT)
        .moot(&[Moot { when: &[When::Is(JOURNAL, &["false"])], why: "there is no journal" }])];

pub(crate) struct Mongodb;

impl Rules for Mongodb {
    fn title(&self) -> &'static str {
        "MongoDB"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["4.4", "5.0", "6.0", "7.0", "8.0"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("mongod", "--version")]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["fsync", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        advice.add(COMMIT, operations::commit(drive));
        // Since 7.0 the server finds the number out while it runs, unless somebody sets it.
        if !["7.0", "8.0"].contains(&advice.version) {
            advice.add(READERS, operations::readers(drive));
        }
        match inputs.cores.or(drive.profile().device.cpus) {
            Some(cores) => advice.add(EVICTORS, cache::evictors(drive, cores)),
            None => advice.notes.push(format!("{EVICTORS} depends on the processors: give --cores")),
        }
        match inputs.memory_bytes {
            Some(memory) => {
                advice.add(DIRTY, cache::dirty(drive, memory));
                advice.add(MOST_DIRTY, cache::most_dirty(drive, memory));
            }
            None => advice.notes.push(format!("{DIRTY} and {MOST_DIRTY} depend on the cache: give --memory")),
        }
        advice.notes.push(
            "storage.syncPeriodSecs: its documentation says to leave it at 60 s; what a checkpoint has to write \
             is bounded by the share of dirty pages"
                .to_owned(),
        );
        advice.notes.push(
            "read-ahead is the kernel's: WiredTiger reads pages of 4 to 32 KiB at random, for which MongoDB's \
             production notes want 8 to 32 sectors on any device"
                .to_owned(),
        );
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let place = "into mongod.conf, in place of the keys that are there; restart";
        vec![File { name: "leadline-mongod.conf", place, text: conf::write(advice) }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        conf::read(text, path)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        let number = text.trim_end_matches('%').parse::<f64>().ok().filter(|number| *number >= 0.0)?;
        match setting.key {
            COMMIT => text.parse::<u32>().ok().map(|ms| Value::Seconds(f64::from(ms) / 1e3)),
            DIRTY | MOST_DIRTY => Some(Value::Number(number)),
            _ => text.parse::<u32>().ok().map(|number| Value::Number(number.into())),
        }
    }

    fn keys(&self, _version: &str) -> Option<&'static Keys> {
        Some(&KEYS)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &MEANINGS
    }
}
