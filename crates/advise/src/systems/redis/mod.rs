//! Redis: how its append-only file becomes durable.

mod meanings;
mod read;
mod words;

use std::path::Path;

use leadline_profile::Pattern;

use super::Rules;
use crate::files::Files;
use crate::keys::Keys;
use crate::meaning::Meaning;
use crate::{Advice, AdviseError, Config, Drive, File, Fits, Inputs, Setting, Source, Unmeasured, Value};

/// A flush that takes less lets a thousand turns of the event loop wait for one each second, seconds.
const FAST_FLUSH: f64 = 1e-3;

/// Seconds between the flushes of `everysec`.
const EVERY: f64 = 1.0;

/// Bytes of a rewritten file between flushes.
const INCREMENT: f64 = 4194304.0;

const APPEND: &str = "appendfsync";
const ON_REWRITE: &str = "no-appendfsync-on-rewrite";
const INCREMENTAL: &str = "aof-rewrite-incremental-fsync";

const SOURCE: Source =
    Source { defined: "redis.conf, \"APPEND ONLY MODE\"; src/aof.c", version: "6.0 to 8.0" };

pub(crate) struct Redis;

impl Rules for Redis {
    fn title(&self) -> &'static str {
        "Redis"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["6.0", "6.2", "7.0", "7.2", "7.4", "8.0"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("redis-server", "--version")]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["fsync", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, _inputs: &Inputs, advice: &mut Advice) {
        advice.add(APPEND, append(drive));
        advice.add(ON_REWRITE, on_rewrite(drive));
        advice.add(INCREMENTAL, incremental(drive));
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let mut text: String = advice.heading().iter().map(|line| format!("# {line}\n")).collect();
        for setting in &advice.settings {
            text.push_str(&format!("{} {}\n", setting.key, setting.value));
        }
        let place = "include it at the end of redis.conf; in force with appendonly yes, after a restart";
        vec![File { name: "leadline-redis.conf", place, text }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path, &Files::none())
    }

    fn read_from(&self, text: &str, path: &Path, files: &Files) -> Result<Config, AdviseError> {
        read::read(text, path, files)
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        meanings::keys(version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &meanings::MEANINGS
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        let words: &[&str] =
            if setting.key == APPEND { &["always", "everysec", "no"] } else { &["yes", "no"] };
        let word = words.iter().find(|word| word.eq_ignore_ascii_case(text))?;
        Some(Value::word(*word))
    }
}

/// Every second suits any device; `always` only one that flushes fast. How much may be lost is not the
/// device's to say, so `no` is not judged.
fn append(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let is_fast = flush <= FAST_FLUSH;
    let may = if is_fast { "always does as well" } else { "always needs 1 ms or less" };
    let rule = format!(
        "an fdatasync takes {:.2} ms on average: with always {:.0} turns of the event loop per second at \
         most, each of which waits for one; {may}",
        1e3 * flush,
        1.0 / flush
    );
    let fine = ["everysec", "no", "always"].into_iter().take(if is_fast { 3 } else { 2 });
    let fits = Fits::Words(fine.map(str::to_owned).collect());
    let setting = Setting::new(APPEND, Value::word("everysec"), "a policy", rule, SOURCE);
    Ok(Setting { fits, ..setting }
        .default(Value::word("everysec"))
        .if_wrong("all clients wait for the device at every turn of the event loop that writes", ""))
}

/// Whether the flush of each second comes through while a child writes a file.
fn on_rewrite(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.p99 / 1e6;
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?;
    let wait = flush + INCREMENT / bandwidth.value;
    let value = if wait < EVERY { "no" } else { "yes" };
    let rule = format!(
        "behind the 4 MiB that a child flushes at a time an fdatasync takes {:.0} ms: yes only where that \
         is a second or more",
        1e3 * wait
    );
    Ok(Setting::new(ON_REWRITE, Value::word(value), "yes or no", rule, SOURCE)
        .default(Value::word("no"))
        .if_wrong(
            "yes: half a minute of commands can be lost while a child writes, and this device does not \
             need that; no, where yes fits: all clients wait while a child writes",
            "",
        ))
}

fn incremental(drive: &Drive) -> Result<Setting, Unmeasured> {
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?;
    let rule = format!(
        "4 MiB take {:.0} ms at the drive's sustained write rate, 1 GiB at once {:.1} s",
        1e3 * INCREMENT / bandwidth.value,
        1073741824.0 / bandwidth.value
    );
    Ok(Setting::new(INCREMENTAL, Value::word("yes"), "yes or no", rule, SOURCE)
        .default(Value::word("yes"))
        .if_wrong("the whole rewritten file is flushed at once, and all clients wait behind that", ""))
}
