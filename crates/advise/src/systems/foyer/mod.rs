//! foyer, the cache in memory and on a drive: how many requests it has under way, and how much it writes.

mod calls;
mod reads;
mod writes;

use std::path::Path;

use super::Rules;
use crate::meaning::{Meaning, Special};
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Value};

// Names of the methods, without `with_`.
const DEPTH: &str = "io_depth";
const WEIGHT: &str = "weight";
const FLUSHERS: &str = "flushers";
const BUFFERS: &str = "buffer_pool_size";
const THROUGHPUT: &str = "write_throughput";
const RECOVERY: &str = "recover_concurrency";

const BLOCKS: Source =
    Source { defined: "foyer-storage, src/engine/block/engine.rs", version: "0.18 to 0.22" };
const URING: Source = Source { defined: "foyer-storage, src/io/engine/uring.rs", version: "0.20 to 0.22" };
const THROTTLE: Source =
    Source { defined: "foyer-storage, src/io/device/throttle.rs", version: "0.18 to 0.22" };

static MEANINGS: [Meaning; 1] =
    [Meaning::of(THROUGHPUT).special(&[("0", Special::Off("entries are written as fast as they come"))])];

pub(crate) struct Foyer;

impl Rules for Foyer {
    fn title(&self) -> &'static str {
        "foyer"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["0.18", "0.20", "0.21", "0.22"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, _inputs: &Inputs, advice: &mut Advice) {
        if has_uring(advice) {
            advice.add(DEPTH, reads::depth(drive));
            advice.add(WEIGHT, reads::weight(drive));
        }
        advice.add(FLUSHERS, writes::flushers(drive));
        advice.add(BUFFERS, writes::buffers(drive));
        advice.add(THROUGHPUT, writes::throughput(drive));
        advice.add(RECOVERY, reads::recovery(drive));
        advice.notes.push(
            "read_throughput, read_iops and write_iops: a cache that refuses reads sends them to what is \
             slower; block_size and reclaimers follow from the entries, not from the device"
                .to_owned(),
        );
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let place = "the same calls where the cache is built; the engine's calls need a target with io_uring";
        vec![File { name: "leadline_foyer.rs", place, text: calls::write(advice) }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        calls::read(text, path)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)?;
        if setting.key == WEIGHT {
            return Some(Value::Number(number));
        }
        let whole: u64 = text.parse().ok()?;
        match setting.value {
            // None of these works without one.
            Value::Number(_) => (whole > 0).then_some(Value::Number(number)),
            _ => Some(Value::Bytes(whole)),
        }
    }

    fn meanings(&self) -> &'static [Meaning] {
        &MEANINGS
    }

    fn if_refused(&self) -> &'static str {
        "the cache is not built, or the program is not"
    }
}

/// Whether the version can read and write through io_uring.
fn has_uring(advice: &Advice) -> bool {
    advice.version != "0.18"
}
