//! DuckDB: how many reads are under way, how far apart two of them may lie to be one, and when its log is
//! written back.

mod reads;
mod statements;
mod writes;

use std::path::Path;

use leadline_profile::Pattern;

use super::Rules;
use crate::keys::{self, Keys, Tables, tables};
use crate::meaning::{Meaning, Moot, Special, When};
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Value};

const THREADS: &str = "threads";
const ASYNC_THREADS: &str = "async_threads";
const GAP: &str = "parquet_prefetch_column_gap";
const CHECKPOINT: &str = "checkpoint_threshold";

const SOURCE: Source = Source {
    defined: "documentation, \"Configuration\"; SELECT * FROM duckdb_settings()",
    version: "1.0 to 2.0",
};

/// By `cargo xtask keys duckdb`.
static KEYS: Tables = tables!("duckdb", "1.0", "1.2", "1.4", "1.5", "2.0");

static MEANINGS: [Meaning; 4] = [
    Meaning::of(CHECKPOINT).special(&[("-1", Special::Off("the log grows until a program checkpoints"))]),
    Meaning::of(ASYNC_THREADS).special(&[("0", Special::Off("nothing is read ahead"))]),
    Meaning::of(GAP)
        .special(&[("NULL", Special::Automatic("by its own measurements of latency and bandwidth"))])
        .moot(&[Moot {
            when: &[When::Is("disable_parquet_prefetching", &["true"])],
            why: "columns are read one by one",
        }]),
    Meaning::of("read_ahead_depth").special(&[("0", Special::Off("reading and decoding take turns"))]),
];

pub(crate) struct Duckdb;

impl Rules for Duckdb {
    fn title(&self) -> &'static str {
        "DuckDB"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["1.0", "1.2", "1.4", "1.5", "2.0"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("duckdb", "--version")]
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

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "fsync", "sustained"]
    }

    fn is_provable(&self) -> bool {
        true
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        // Since 2.0 threads of their own read.
        let has_async = advice.version == "2.0";
        match inputs.cores.or(drive.profile().device.cpus) {
            Some(cores) if has_async => advice.add(THREADS, Ok(reads::working(cores))),
            Some(cores) => advice.add(THREADS, reads::reading(drive, cores, inputs.memory_bytes)),
            None => advice.notes.push(format!("{THREADS} depends on the processors: give --cores")),
        }
        if has_async {
            advice.add(ASYNC_THREADS, reads::asynchronous(drive));
            advice.add(GAP, reads::gap(drive));
        }
        advice.add(CHECKPOINT, writes::checkpoint(drive));
        advice.notes.extend(left_out(drive, has_async));
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let place = "run it in every connection, or put it into ~/.duckdbrc for the shell";
        vec![File { name: "leadline.sql", place, text: statements::write(advice) }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        statements::read(text, path)
    }

    fn written(&self, value: &Value) -> String {
        statements::written(value)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        statements::value(setting, text)
    }
}

/// Keys that do not follow from the device, and why.
fn left_out(drive: &Drive, has_async: bool) -> Vec<String> {
    let mut notes = vec![
        "memory_limit and max_temp_directory_size are of the memory and of the free space, not of the device"
            .to_owned(),
    ];
    if has_async {
        notes.push(
            "read_ahead_depth: automatic (-1) is bounded by a share of the memory; a number would not follow \
             from the device, and 0 makes reading and decoding take turns"
                .to_owned(),
        );
    }
    if let Ok(writes) = drive.sustained_writes(Pattern::Sequential) {
        notes.push(format!(
            "temp_directory: what does not fit in the memory is written there once and read once; this device \
             sustains {:.0} MB/s of writes",
            writes.value / 1e6
        ));
    }
    notes
}
