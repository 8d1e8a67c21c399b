//! DataFusion: how many partitions and files are read at a time, how much of a file's end, and whether what
//! is spilled is compressed.

mod names;
mod reads;
mod spill;

use super::Rules;
use crate::keys::{self, Keys, Tables, tables};
use crate::meaning::{Meaning, Special};
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Value};
use std::path::Path;

const PARTITIONS: &str = "datafusion.execution.target_partitions";
const METADATA: &str = "datafusion.execution.meta_fetch_concurrency";
const HINT: &str = "datafusion.execution.parquet.metadata_size_hint";
const COMPRESSION: &str = "datafusion.execution.spill_compression";

const SOURCE: Source = Source {
    defined: "documentation, \"Configuration Settings\"; datafusion-common, src/config.rs",
    version: "46 to 55",
};

/// By `cargo xtask keys datafusion`.
static KEYS: Tables = tables!("datafusion", "46", "48", "50", "52", "55");

static MEANINGS: [Meaning; 1] =
    [Meaning::of(PARTITIONS).special(&[("0", Special::Automatic("one per processor"))])];

pub(crate) struct Datafusion;

impl Rules for Datafusion {
    fn title(&self) -> &'static str {
        "DataFusion"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["46", "48", "50", "52", "55"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("datafusion-cli", "--version")]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        let has = |key| self.keys(advice.version).is_some_and(|keys| keys.get(key).is_some());
        let can_compress = has(COMPRESSION);
        match inputs.cores.or(drive.profile().device.cpus) {
            Some(cores) => {
                advice.add(PARTITIONS, reads::partitions(drive, cores));
                if can_compress {
                    advice.add(COMPRESSION, spill::compression(drive, cores));
                }
            }
            None => advice
                .notes
                .push(format!("{PARTITIONS} and {COMPRESSION} depend on the processors: give --cores")),
        }
        advice.add(METADATA, reads::metadata(drive));
        advice.add(HINT, reads::hint(drive, advice.version));
        advice.notes.push(
            "batch_size follows from the caches of the processors, sort_spill_reservation_bytes and \
             datafusion.runtime.memory_limit from the memory, max_temp_directory_size from the free space"
                .to_owned(),
        );
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let place =
            "run it in every session; the second file is for programs that call ConfigOptions::from_env";
        vec![
            File { name: "leadline.sql", place, text: names::statements(advice) },
            File { name: "leadline.env", place, text: names::environment(advice) },
        ]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        names::read(text, path)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        match setting.value {
            Value::Word(_) => spill::word(text),
            Value::Bytes(_) => text.parse().ok().map(Value::Bytes),
            _ => text.parse::<u32>().ok().map(|number| Value::Number(number.into())),
        }
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        keys::of(&KEYS, version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &MEANINGS
    }

    fn if_refused(&self) -> &'static str {
        "the statement fails"
    }

    fn if_unknown(&self) -> &'static str {
        "refuses the statement"
    }
}
