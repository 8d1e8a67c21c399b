//! DuckDB: how many reads are under way, how far apart two of them may lie to be one, and when its log is
//! written back.

mod reads;
mod statements;
mod writes;

use std::path::Path;

use leadline_profile::Pattern;

use super::Rules;
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Value};

const THREADS: &str = "threads";
const ASYNC_THREADS: &str = "async_threads";
const GAP: &str = "parquet_prefetch_column_gap";
const CACHED_BLOCK: &str = "external_file_cache_local_max_block_size";
const CHECKPOINT: &str = "checkpoint_threshold";

const SOURCE: Source = Source {
    defined: "documentation, \"Configuration\"; SELECT * FROM duckdb_settings()",
    version: "1.0 to 2.0",
};

pub(crate) struct Duckdb;

impl Rules for Duckdb {
    fn title(&self) -> &'static str {
        "DuckDB"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["1.0", "1.2", "1.4", "1.5", "2.0"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "fsync", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        // Since 2.0 threads of their own read.
        let has_async = advice.version == "2.0";
        match inputs.cores.or(drive.profile().device.cpus) {
            Some(cores) if has_async => advice.add(THREADS, Ok(reads::working(cores))),
            Some(cores) => advice.add(THREADS, reads::reading(drive, cores)),
            None => advice.notes.push(format!("{THREADS} depends on the processors: give --cores")),
        }
        if has_async {
            advice.add(ASYNC_THREADS, reads::asynchronous(drive));
            advice.add(GAP, reads::gap(drive));
            advice.add(CACHED_BLOCK, reads::cached_block(drive));
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
             writes {:.0} MB/s for long",
            writes.value / 1e6
        ));
    }
    notes
}
